"""Saying which task instances an action touches, or has changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass

import click

from gnomon.cli.acting import Asked, say_pending
from gnomon.cli.output import emit
from gnomon.model.records import DagRecord, RunRecord
from gnomon.report.tasks import TaskInstanceRow, task_instances
from gnomon.store import Database, runs

_COLUMNS = ("task_id", "map_index", "state", "try_number")
_CHANGED = ("task_id", "map_index", "previous_state", "state", "try_number")


@dataclass(frozen=True, slots=True)
class ChangedRow(TaskInstanceRow):
    """A task instance after an action: what it is now, and its state before."""

    previous_state: str | None


def emit_touched(rows: Sequence[TaskInstanceRow], output: str, done: str) -> None:
    """The task instances as they are; for a person, under how many they are and what became of them, or would (`done`)."""
    _emit(rows, output, done, _COLUMNS)


def emit_answered(
    db: Database, dag: DagRecord, run: RunRecord, rows: Sequence[TaskInstanceRow], asked: Asked, output: str, done: str
) -> None:
    """The task instances after the owner was asked: those that it changed, as they are now, or those that it will change."""
    if asked.answer is None:
        say_pending(asked)
        _emit(rows, output, f"will be {done}", _COLUMNS)
        return
    names = next((names for names in asked.answer.values() if isinstance(names, list)), None)
    _emit(_changed(db, dag, run, rows, names), output, done, _CHANGED)


def _changed(
    db: Database, dag: DagRecord, run: RunRecord, rows: Sequence[TaskInstanceRow], names: Collection[object] | None
) -> list[ChangedRow]:
    """`names`: the task instances that the owner named in its answer; None: it named none, all of them are meant."""
    with db.read() as tx:
        now = {row.name: row for row in task_instances(tx, dag, runs.find(tx, dag.dag_id, run.run_id) or run)}
    return [
        ChangedRow(**{**asdict(now[row.name]), "previous_state": row.state})
        for row in rows
        if row.name in now and (names is None or row.name in names)
    ]


def _emit(rows: Sequence[TaskInstanceRow], output: str, done: str, columns: Sequence[str]) -> None:
    if output == "table":
        click.echo(f"{len(rows)} task instance{'s' if len(rows) != 1 else ''} {done}")
    if rows or output != "table":
        emit(rows, output, columns)
