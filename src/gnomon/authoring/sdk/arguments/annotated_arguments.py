"""Checks the arguments of the operators of Gnomon against the annotations of their `__init__`: what no attempt could use is refused where it is written.

Operators of authors and of provider packages are not checked. A template, a result of a task and a function may stand for any value of a template field.
"""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from gnomon.authoring.sdk.arguments.converters import INTEGER_MAX, describe_value
from gnomon.authoring.sdk.arguments.notset import NOTSET
from gnomon.model.storable_text import escape_unstorable, find_unstorable

CHECKED_MODULES = ("gnomon.authoring.operators.", "gnomon.authoring.sdk.tasks.decorated_operators")
_ALIASES = {"Addresses": "str | Iterable[str]", "Bound": "dt.datetime | dt.time | None", "HITLUser": "dict[str, Any]"}
"""Names that annotations of operators give to other annotations."""
SECONDS_MAX = 1e9
"""The longest span in seconds that an argument may have: no clock of a process waits much longer."""


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    """None is no, as for every flag of a task."""
    return value is None or (isinstance(value, bool | int) and value in (0, 1))


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= INTEGER_MAX


def _is_seconds(value: object) -> bool:
    """NaN is not between any numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= SECONDS_MAX


def _is_dict(value: object) -> bool:
    return isinstance(value, Mapping)


def _has_text_keys(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)


def _holds_texts(value: object) -> bool:
    """Whether it is an iterable, no text, and of what is written as text as far as it can be read more than once."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return False
    return not isinstance(value, list | tuple | set | frozenset) or all(
        isinstance(item, str | int | float | os.PathLike) or hasattr(item, "resolve") for item in value
    )


def _holds_dicts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, Mapping) for item in value)


_KINDS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "bool": ("True or False", _is_flag), "int": ("a whole number", _is_integer), "float": (f"a number from 0 to {SECONDS_MAX:g}", _is_seconds), "str": ("text", _is_text),
    "dt.timedelta": ("a timedelta", lambda value: isinstance(value, dt.timedelta)), "dt.datetime": ("a datetime", lambda value: isinstance(value, dt.datetime)),
    "dt.time": ("a time", lambda value: isinstance(value, dt.time)), "dict[str, str]": ("a dict with texts as keys", _has_text_keys), "dict": ("a dict", _is_dict), "Mapping": ("a dict", _is_dict),
    "Callable": ("a function", callable), "os.PathLike": ("a path", lambda value: isinstance(value, os.PathLike)), "ArgNotSet": ("", lambda value: value is NOTSET),
    "Iterable[str]": ("a list of texts", _holds_texts), "Collection[str]": ("a list of texts", _holds_texts), "Sequence[str]": ("a list of texts", _holds_texts),
    "list[str]": ("a list of texts", _holds_texts), "None": ("None", lambda value: value is None),
    "Sequence[BaseNotifier]": ("a list of notifiers", lambda value: isinstance(value, Sequence) and all(hasattr(item, "notify") for item in value)),
    "BaseNotifier": ("a notifier", lambda value: hasattr(value, "notify")), "ParamsDict": ("", _is_dict), "list[HITLUser]": ("a list of dicts", _holds_dicts),
    "Collection[Any]": ("a list", lambda value: isinstance(value, Collection) and not isinstance(value, str)),
    "Container[int]": ("a list of numbers", lambda value: isinstance(value, Container) and not isinstance(value, str | bytes | Mapping)),
}  # fmt: skip
"""By the words of an annotation: what the value is, for a message, and whether a value is it."""


def check_annotated(operator_class: Any, init: Callable[..., None], arguments: Mapping[str, Any]) -> None:
    """Raise TypeError or ValueError, with the name, for an argument of an `__init__` of Gnomon that is not of its annotation."""
    kinds = read_kinds(init)
    for name, value in arguments.items():
        alternatives = kinds.get(name)
        if alternatives is None or hasattr(value, "resolve"):
            continue
        is_rendered = name in operator_class.template_fields and (isinstance(value, str) or callable(value))
        if not is_rendered and not any(is_kind(value) for _, is_kind in alternatives):
            raise TypeError(
                f"{name} must be {' or '.join(dict.fromkeys(words for words, _ in alternatives if words))}, not {describe_value(value)}"
            )
        if isinstance(value, str):
            _check_text(name, value, is_path=_KINDS["os.PathLike"] in alternatives)


def check_annotated_partial(operator_class: Any, arguments: Mapping[str, Any]) -> None:
    """As `check_annotated`, for arguments that are given before there is a task: those of `partial`, and the elements that are mapped over."""
    for base in operator_class.__mro__:
        init = getattr(base.__dict__.get("__init__"), "__wrapped__", None)
        if init is not None:
            check_annotated(operator_class, init, arguments)


def _check_text(name: str, text: str, *, is_path: bool) -> None:
    """A path may have bytes that are no UTF-8, which Python shows as lone surrogates."""
    fault = find_unstorable(text)
    if fault is not None and not (is_path and "\0" not in text):
        raise ValueError(f"{name} contains {escape_unstorable(fault)}; leave it out")


@cache
def read_kinds(init: Callable[..., None]) -> dict[str, tuple[tuple[str, Callable[[object], bool]], ...]]:
    """By parameter: the alternatives of its annotation; parameters are left out whose annotation permits any object. Empty for an `__init__` of others."""
    if not init.__module__.startswith(CHECKED_MODULES):
        return {}
    return {
        name: kinds
        for name, annotation in init.__annotations__.items()
        if (kinds := _read_annotation(str(annotation))) is not None
    }


def _read_annotation(annotation: str) -> tuple[tuple[str, Callable[[object], bool]], ...] | None:
    kinds: list[tuple[str, Callable[[object], bool]]] = []
    for word in re.split(r" \| (?![^\[]*\])", annotation):
        if word in _ALIASES:
            inner = _read_annotation(_ALIASES[word])
            kinds += inner or ()
            continue
        kind = _KINDS.get(word) or _KINDS.get(word.partition("[")[0])
        if kind is None:
            return None
        kinds.append(kind)
    return tuple(kinds)
