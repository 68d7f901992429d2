"""Files and DAGs that could not be loaded."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.store import Transaction, files


@dataclass(frozen=True, slots=True)
class ImportErrorRow:
    """One failure: of a file, or of one DAG in it."""

    file: str
    line: int | None
    kind: str
    message: str
    traceback: str


def import_errors(tx: Transaction) -> list[ImportErrorRow]:
    """All failures, by file and line."""
    found = [
        ImportErrorRow(error.path, error.line, error.kind, error.message, error.traceback)
        for error in files.import_errors(tx)
    ]
    return sorted(found, key=lambda row: (row.file, row.line or 0, row.message))
