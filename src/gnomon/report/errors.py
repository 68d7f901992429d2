"""Files and DAGs that could not be loaded."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.report.upstreams import upstream_warnings
from gnomon.store import Transaction, files


@dataclass(frozen=True, slots=True)
class ImportErrorRow:
    """One failure: of a file, or of one DAG in it."""

    file: str
    line: int | None
    kind: str
    message: str
    traceback: str


WARNING = "warning"
"""The kind of what was noticed and did not fail."""


def import_warnings(tx: Transaction) -> list[ImportErrorRow]:
    """All that was noticed about files and did not fail, by file."""
    return [ImportErrorRow(path, None, WARNING, told, "") for path, all_told in files.warnings(tx).items() for told in all_told]


def warnings_of(tx: Transaction, dag_id: str, file: str) -> list[str]:
    """What was noticed about one DAG, and about its file as a whole; and what it waits for that is not there now."""
    told = files.warnings(tx).get(file, [])
    mine = [one for one in told if one.startswith(f"DAG {dag_id!r}") or not one.startswith("DAG ")]
    return mine + upstream_warnings(tx, dag_id).get(dag_id, [])


def import_errors(tx: Transaction) -> list[ImportErrorRow]:
    """All failures, by file and line."""
    found = [
        ImportErrorRow(error.path, error.line, error.kind, error.message, error.traceback)
        for error in files.import_errors(tx)
    ]
    return sorted(found, key=lambda row: (row.file, row.line or 0, row.message))
