"""How many instances a mapped task has: an expression over lengths, which the parse child builds and the engine evaluates.

The spec holds lengths only. The values stay in the author's file (literals) or in the store (XComs), and the attempt resolves
the value of its map index. Map index i of an expansion with factors of n1, n2, ... elements takes element
`i // (n2 * n3 * ...)` of the first factor, and so on: the last factor varies fastest, as in Airflow.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class LiteralLength(msgspec.Struct, frozen=True, kw_only=True, tag="literal"):
    """The length of a list or dict that the file contains."""

    length: int


class XComLength(msgspec.Struct, frozen=True, kw_only=True, tag="xcom"):
    """The length of the return value of an upstream task; for a mapped task, the number of its instances that returned a value."""

    task_id: str


class ZipLength(msgspec.Struct, frozen=True, kw_only=True, tag="zip", omit_defaults=True):
    """The length of `a.zip(b, ...)`: that of the shortest part, or of the longest one if there is a fill value."""

    parts: tuple[Length, ...]
    has_fill_value: bool = False


class ConcatLength(msgspec.Struct, frozen=True, kw_only=True, tag="concat"):
    """The length of `a.concat(b, ...)`: the sum."""

    parts: tuple[Length, ...]


Length: TypeAlias = LiteralLength | XComLength | ZipLength | ConcatLength
"""`.map(f)` has the length of what it is called on and needs no type of its own."""


class Expansion(msgspec.Struct, frozen=True, kw_only=True):
    """The mapped arguments of a task or of a task group: the number of instances is the product of the factors.

    `expand_kwargs` has one factor, `expand` one for each argument in the order in which they were given.
    """

    factors: tuple[Length, ...]
