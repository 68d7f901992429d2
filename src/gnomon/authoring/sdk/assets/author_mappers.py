"""The stored form of partition mappers, and the checks of those that have classes of authors; both are made when the DAG file is parsed."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

from gnomon.authoring.sdk.arguments.stored_classes import find_unserializable, hash_code
from gnomon.model.assets import AssetLeaf, PartitionRule
from gnomon.model.errors.error_text import describe_error
from gnomon.rules.partitions.key_mappers import PartitionMapper
from gnomon.rules.partitions.part_codec import decode_part, encode_part, list_author_classes
from gnomon.rules.partitions.wait_policies import WaitPolicy
from gnomon.rules.partitions.windows import Window

_REQUIRED = (
    (PartitionMapper, "to_downstream", "(self, key)"),
    (Window, "to_upstream", "(self, decoded_downstream)"),
    (WaitPolicy, "is_satisfied", "(self, matched, expected)"),
    (WaitPolicy, "is_unreachable", "(self, expected)"),
)
"""The methods that a class of an author must define, by base class."""


class MapperRefused(Exception):
    """A mapper cannot be stored; the text says which class and why, and goes on a sentence about the schedule."""


def build_rule(leaf: AssetLeaf, mapper: PartitionMapper) -> PartitionRule:
    """Return the stored form of the mapper of a leaf. Raises MapperRefused for a class of an author that other processes could not use."""
    name = type(mapper).__name__
    try:
        stored: Any = encode_part(mapper)
    except Exception as error:
        raise MapperRefused(
            f"uses {name}, whose serialize failed: {error}. Let it return a dict of JSON values."
        ) from error
    paths = list_author_classes(stored)
    if not paths:
        return PartitionRule(leaf=leaf, mapper=stored)
    fault = find_unserializable(stored)
    if fault is not None:
        raise MapperRefused(f"uses {paths[0]}, whose serialize returned {fault}.")
    stored = json.loads(json.dumps(stored))
    classes = {path: _find_class(path) for path in paths}
    _check_deserialized(mapper, stored, classes)
    digest = hashlib.sha256("".join(map(hash_code, classes.values())).encode()).hexdigest()[:16]
    return PartitionRule(leaf=leaf, mapper=stored, code=digest)


def _find_class(path: str) -> type:
    """The class of that path, which this process has imported. Raises MapperRefused when other processes could not import it."""
    if "<locals>" in path:
        raise MapperRefused(
            f"uses {path}, which is defined inside a function, and other processes cannot import it. Move the class to the top of its file."
        )
    parts = path.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        mapper_class: Any = sys.modules.get(".".join(parts[:cut]))
        for name in parts[cut:] if mapper_class is not None else ():
            mapper_class = getattr(mapper_class, name, None)
        if isinstance(mapper_class, type):
            _check_methods(mapper_class, path)
            return mapper_class
    raise MapperRefused(
        f"uses {path}, which its module does not have under that name. Define the class at the top of a file of the DAGs or plugins folder."
    )


def _check_methods(cls: type, path: str) -> None:
    for base, method, signature in _REQUIRED:
        if issubclass(cls, base) and getattr(cls, method) is getattr(base, method):
            raise MapperRefused(f"uses {path}, which lacks the method {method}. Write `def {method}{signature}`.")


def _check_deserialized(mapper: PartitionMapper, stored: Any, classes: dict[str, type]) -> None:
    """Raises MapperRefused unless the stored form can be made a mapper again."""
    path = next(iter(classes))
    try:
        again = decode_part(stored, classes.get)
    except Exception as error:
        raise MapperRefused(
            f"uses {path}, which cannot be made again from what serialize returned ({describe_error(error)}). "
            "Write `def serialize(self)`, which returns every argument, and `@classmethod def deserialize(cls, data)`, which takes them."
        ) from error
    if not isinstance(again, type(mapper)):
        raise MapperRefused(
            f"uses {path}, but deserialize returned {type(again).__name__}. Return {type(mapper).__name__}(...)."
        )
