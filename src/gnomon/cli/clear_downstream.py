"""`gnomon runs clear --downstream-dags`: clears a run and the runs of other DAGs that waited for it, upstream first."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import click

from gnomon.actions.owner_requests import ask_owners
from gnomon.cli.home import Home
from gnomon.cli.output import format_table, print_records
from gnomon.cli.pending_requests import print_pending
from gnomon.model.records import DagRecord, RunRecord
from gnomon.report.listings.downstream_runs import DownstreamRow, collect_parts
from gnomon.store import Database
from gnomon.store.dag_records import dag_runs

_COLUMNS = ("dag_id", "run_id", "state", "tasks", "waited_for")
_CLEARED = ("dag_id", "run_id", "previous_state", "state", "tasks", "waited_for")


@dataclass(frozen=True, slots=True)
class ClearedRow(DownstreamRow):
    """A run after it was cleared: `state` is its state now, `previous_state` its state before."""

    previous_state: str


def clear_with_downstream(
    home: Home, db: Database, dag: DagRecord, run: RunRecord, *, only_failed: bool, dry_run: bool, yes: bool, output: str
) -> int:
    """Show the runs, ask for confirmation on a terminal, and clear them, upstream first.

    Returns the exit code: 1 when a run could not be cleared.
    """
    with db.read() as tx:
        parts = collect_parts(tx, dag, run, only_failed=only_failed)
    rows = [part.row for part in parts]
    if dry_run:
        _print_parts(rows, output, "would be cleared, in this order")
        return 0
    if not yes and sys.stdin.isatty():
        _print_parts(rows, "table", "will be cleared, in this order", err=True)
        click.confirm("Clear them?", abort=True, err=True)
    reply = ask_owners(home, db, "clear", [part.body for part in parts])
    if reply.answer is None:
        print_pending(reply)
        _print_parts(rows, output, "will be cleared, in this order")
        return 0
    _print_parts(_cleared(db, rows, reply.answer), output, "cleared, in this order", _CLEARED)
    return _print_failed(reply.answer)


def _cleared(db: Database, rows: Sequence[DownstreamRow], answers: Sequence[Mapping[str, object]]) -> list[ClearedRow]:
    """The runs with a cleared task instance, in their state now; runs that were deleted meanwhile are left out."""
    cleared = {(answer["dag_id"], answer["run_id"]) for answer in answers if answer.get("cleared")}
    with db.read() as tx:
        stored = [(row, dag_runs.find_stored_run(tx, row.dag_id, row.run_id)) for row in rows if (row.dag_id, row.run_id) in cleared]
    return [
        ClearedRow(**{**asdict(row), "state": run.state.value, "previous_state": row.state}) for row, run in stored if run is not None
    ]


def _print_parts(
    rows: Sequence[DownstreamRow], output: str, what: str, columns: Sequence[str] = _COLUMNS, *, err: bool = False
) -> None:
    if output != "table":
        print_records(rows, output, columns)
        return
    click.echo(f"{len(rows)} run{'s' if len(rows) != 1 else ''} {what}", err=err)
    if rows:
        click.echo(format_table([{**asdict(row), "tasks": "all" if row.tasks is None else row.tasks} for row in rows], columns), err=err)


def _print_failed(answers: Sequence[Mapping[str, object]]) -> int:
    failed = [answer for answer in answers if "error" in answer]
    for answer in failed:
        click.echo(f"gnomon: run {answer['run_id']!r} of DAG {answer['dag_id']!r} was not cleared: {answer['error']}", err=True)
    for answer in answers:
        if answer.get("cleared") == []:
            click.echo(f"run {answer['run_id']!r} of DAG {answer['dag_id']!r} was not changed: none of its tasks was to be cleared", err=True)
    return 1 if failed else 0
