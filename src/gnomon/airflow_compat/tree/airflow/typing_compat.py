"""`airflow.typing_compat`: names of `typing`."""

from typing import (
    Literal,
    NotRequired,
    ParamSpec,
    Protocol,
    Self,
    TypeAlias,
    TypedDict,
    TypeGuard,
    Unpack,
    runtime_checkable,
)

__all__ = [
    "Literal",
    "NotRequired",
    "ParamSpec",
    "Protocol",
    "Self",
    "TypeAlias",
    "TypeGuard",
    "TypedDict",
    "Unpack",
    "runtime_checkable",
]
