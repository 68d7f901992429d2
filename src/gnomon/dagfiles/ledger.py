"""Where the outcomes of parsing go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from gnomon.model.spec import FileInputs, ParsedFile


class Away(Exception):
    """The store cannot be reached now; what was to be recorded is to be recorded again later."""


class Recorded(NamedTuple):
    """What came of recording some files."""

    freed: bool = False
    """A DAG was deactivated: its id may now belong to another file."""
    outranked: frozenset[str] = frozenset()
    """Files with a DAG whose id belongs to another file."""


class Ledger(Protocol):
    """The dag-processor's side of the store; tests keep one in memory. Every method may raise Away."""

    def known(self) -> dict[str, FileInputs | None]:
        """Every file on record, with the inputs of its last parse; None: it must be parsed again."""

    def record(self, files: Sequence[ParsedFile]) -> Recorded:
        """The outcomes are on record. Recording again is harmless."""

    def gone(self, paths: Sequence[str]) -> None:
        """These files are no DAG files any more: their DAGs are deactivated."""
