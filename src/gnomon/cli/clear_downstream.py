"""`gnomon runs clear --downstream-dags`: a run, and the runs of other DAGs that came after it, again and in order."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import click

from gnomon.cli.home import Home
from gnomon.cli.output import format_table, print_records
from gnomon.cli.owner_requests import ask_owners, print_pending
from gnomon.model.records import DagRecord, RunRecord
from gnomon.report.listings.downstream_runs import DownstreamRow, collect_parts
from gnomon.store import Database
from gnomon.store.dag_records import dag_runs

_COLUMNS = ("dag_id", "run_id", "state", "tasks", "waited_for")
_CLEARED = ("dag_id", "run_id", "previous_state", "state", "tasks", "waited_for")


@dataclass(frozen=True, slots=True)
class ClearedRow(DownstreamRow):
    """A run after it was cleared: what it is now, and its state before."""

    previous_state: str


def clear_with_downstream(
    home: Home, db: Database, dag: DagRecord, run: RunRecord, *, only_failed: bool, dry_run: bool, yes: bool, output: str
) -> int:
    """What is cleared is shown, confirmed at a terminal, and done upstream first; the exit code is 1 if a part was not."""
    with db.read() as tx:
        parts = collect_parts(tx, dag, run, only_failed=only_failed)
    rows = [part.row for part in parts]
    if dry_run:
        _print_parts(rows, output, "would be cleared, in this order")
        return 0
    if not yes and sys.stdin.isatty():
        _print_parts(rows, "table", "will be cleared, in this order", err=True)
        click.confirm("Clear them?", abort=True, err=True)
    asked = ask_owners(home, db, "clear", [part.body for part in parts])
    if asked.answer is None:
        print_pending(asked)
        _print_parts(rows, output, "will be cleared, in this order")
        return 0
    _print_parts(_cleared(db, rows, asked.answer), output, "cleared, in this order", _CLEARED)
    return _print_failed(asked.answer)


def _cleared(db: Database, rows: Sequence[DownstreamRow], answers: Sequence[Mapping[str, object]]) -> list[ClearedRow]:
    """The runs of which something was cleared, as they are now; one that was deleted meanwhile is left out."""
    done = {(one["dag_id"], one["run_id"]) for one in answers if one.get("cleared")}
    with db.read() as tx:
        found = [(row, dag_runs.find_stored_run(tx, row.dag_id, row.run_id)) for row in rows if (row.dag_id, row.run_id) in done]
    return [
        ClearedRow(**{**asdict(row), "state": run.state.value, "previous_state": row.state}) for row, run in found if run is not None
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
    failed = [one for one in answers if "error" in one]
    for one in failed:
        click.echo(f"gnomon: run {one['run_id']!r} of DAG {one['dag_id']!r} was not cleared: {one['error']}", err=True)
    for one in answers:
        if one.get("cleared") == []:
            click.echo(f"run {one['run_id']!r} of DAG {one['dag_id']!r} stays as it is: no task of it was to be cleared", err=True)
    return 1 if failed else 0
