"""`airflow.utils.helpers`: small functions that DAG files and providers import from here."""

import copy as _copy
import re as _re

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import chain, cross_downstream
from gnomon.authoring.sdk.arguments.converters import check_id as _check_id

__all__ = [
    "as_flattened_list",
    "at_most_one",
    "chain",
    "chunks",
    "convert_camel_to_snake",
    "cross_downstream",
    "exactly_one",
    "is_container",
    "merge_dicts",
    "partition",
    "prune_dict",
    "validate_key",
]


def chunks(items, chunk_size):
    """The items in lists of at most `chunk_size`."""
    if chunk_size <= 0:
        raise ValueError("Chunk size must be a positive integer")
    for start in range(0, len(items), chunk_size):
        yield items[start : start + chunk_size]


def exactly_one(*args):
    """Whether one of the values, and no other, is true."""
    return sum(map(bool, args)) == 1


def at_most_one(*args):
    """Whether no more than one of the values was given and is true."""
    return sum(map(bool, args)) <= 1


def merge_dicts(dict1, dict2):
    """A dict with the keys of both; where both hold dicts these are merged, else the second counts."""
    merged = dict1.copy()
    for key, value in dict2.items():
        both = isinstance(merged.get(key), dict) and isinstance(value, dict)
        merged[key] = merge_dicts(merged[key], value) if both else value
    return merged


def prune_dict(val, mode="strict"):
    """A copy without None, at any depth; with mode "truthy" without anything false."""
    if mode not in ("strict", "truthy"):
        raise ValueError(f"mode must be 'strict' or 'truthy', not {mode!r}.")
    is_kept = (lambda value: value is not None) if mode == "strict" else bool
    if isinstance(val, dict):
        pruned = {key: prune_dict(value, mode) for key, value in val.items() if is_kept(value)}
        return {key: value for key, value in pruned.items() if is_kept(value) and (value != {} or val[key] == {})}
    if isinstance(val, list):
        return [prune_dict(value, mode) for value in val if is_kept(value)]
    return _copy.copy(val)


def validate_key(k, max_length=250):  # noqa: ARG001
    """Passes for an id of a DAG or task."""
    _check_id("key", k)


def convert_camel_to_snake(camel_str):
    """`SomeName` as `some_name`."""
    return _re.sub(r"(?!^)([A-Z]+)", r"_\1", camel_str).lower()


def is_container(obj):
    """Whether it holds values and is no text."""
    return hasattr(obj, "__iter__") and not isinstance(obj, str)


def as_flattened_list(iterable):
    """The values of nested iterables, in order."""
    return [inner for value in iterable for inner in (as_flattened_list(value) if is_container(value) else [value])]


def partition(pred, iterable):
    """(those for which `pred` is false, those for which it is true)."""
    items = list(iterable)
    return iter([item for item in items if not pred(item)]), iter([item for item in items if pred(item)])


__getattr__ = make_getattr(__name__)
