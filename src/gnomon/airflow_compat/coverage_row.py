"""A row of the coverage table, and the status of a name."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class CoverageStatus(Enum):
    """The status of a name of Airflow; the value is its text in the table."""

    PROVIDED = "provided"
    WORD = "word only"
    """Can be imported and used in a DAG file, without effect."""
    REFUSES = "raises on use"
    """Can be imported, named in annotations and subclassed; raises when it is called."""
    LATER = "not yet"
    """Cannot be imported."""


class CoverageRow(NamedTuple):
    """Names of one module that share a status. `why`: the reason, and what to use instead."""

    module: str
    names: tuple[str, ...]
    status: CoverageStatus
    why: str = ""


def make_row(module: str, names: str, status: CoverageStatus, why: str) -> CoverageRow:
    """A row; `names` are separated by spaces, and `*` stands for the whole module."""
    return CoverageRow(module, tuple(names.split()), status, why)
