"""The mapped arguments as lengths, for the spec of the DAG."""

from __future__ import annotations

from typing import Any

from gnomon.authoring.sdk.arguments.notset import is_given
from gnomon.authoring.sdk.members.xcom_arg import ConcatXComArg, MapXComArg, PlainXComArg, ZipXComArg
from gnomon.model.mapping import ConcatLength, Expansion, Length, LiteralLength, XComLength, ZipLength


def build_expansion(mapped_input: Any) -> Expansion:
    """Return the factors whose product is the number of instances."""
    return Expansion(factors=tuple(build_length(value) for value in mapped_input.factors))


def build_length(value: Any) -> Length:
    """Return the length of a mapped argument: a literal list or dict, or a reference to XComs."""
    if isinstance(value, PlainXComArg):
        return XComLength(task_id=value.operator.task_id)
    if isinstance(value, MapXComArg):
        return build_length(value.arg)
    if isinstance(value, ZipXComArg):
        return ZipLength(parts=tuple(map(build_length, value.args)), has_fill_value=is_given(value.fillvalue))
    if isinstance(value, ConcatXComArg):
        return ConcatLength(parts=tuple(map(build_length, value.args)))
    return LiteralLength(length=len(value))
