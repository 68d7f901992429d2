"""One row of the coverage table."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class CoverageStatus(Enum):
    """What a name of Airflow is here; the value is what the table shows."""

    PROVIDED = "provided"
    WORD = "word only"
    """Imports and can be written down; nothing acts on it."""
    REFUSES = "raises on use"
    """Imports, can be named in annotations and subclassed; raises when it is called."""
    LATER = "not yet"
    """Cannot be imported."""


class CoverageRow(NamedTuple):
    """Names of one module that share a status. `why`: what they belong to, and what to use instead."""

    module: str
    names: tuple[str, ...]
    status: CoverageStatus
    why: str = ""


def make_row(module: str, names: str, status: CoverageStatus = CoverageStatus.PROVIDED, why: str = "") -> CoverageRow:
    """A row; `names` are separated by blanks, `*` stands for the whole module."""
    return CoverageRow(module, tuple(names.split()), status, why)
