"""`gnomon runs clear --downstream-dags`: a run, and the runs of other DAGs that came after it, again and in order."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import click

from gnomon.cli.acting import ask_owners, say_pending
from gnomon.cli.home import Home
from gnomon.cli.output import emit, table
from gnomon.model.records import DagRecord, RunRecord
from gnomon.report.downstream import Part, parts_of
from gnomon.store import Database

_COLUMNS = ("dag_id", "run_id", "state", "tasks", "waited_for")


def clear_with_downstream(
    home: Home, db: Database, dag: DagRecord, run: RunRecord, *, only_failed: bool, dry_run: bool, yes: bool, output: str
) -> int:
    """What is cleared is shown, confirmed at a terminal, and done upstream first; the exit code is 1 if a part was not."""
    with db.read() as tx:
        parts = parts_of(tx, dag, run, only_failed=only_failed)
    if dry_run:
        _show(parts, output, "would be cleared, in this order")
        return 0
    if not yes and sys.stdin.isatty():
        _show(parts, "table", "will be cleared, in this order", err=True)
        click.confirm("Clear them?", abort=True, err=True)
    asked = ask_owners(home, db, "clear", [part.body for part in parts])
    if asked.answer is None:
        say_pending(asked)
        _show(parts, output, "will be cleared, in this order")
        return 0
    _show(parts, output, "cleared, in this order")
    return _say_failed(asked.answer)


def _show(parts: Sequence[Part], output: str, what: str, *, err: bool = False) -> None:
    rows = [part.row for part in parts]
    if output != "table":
        emit(rows, output, _COLUMNS)
        return
    click.echo(f"{len(rows)} run{'s' if len(rows) != 1 else ''} {what}", err=err)
    click.echo(table([{**asdict(row), "tasks": "all" if row.tasks is None else row.tasks} for row in rows], _COLUMNS), err=err)


def _say_failed(answers: Sequence[Mapping[str, object]]) -> int:
    failed = [one for one in answers if "error" in one]
    for one in failed:
        click.echo(f"gnomon: run {one['run_id']!r} of DAG {one['dag_id']!r} was not cleared: {one['error']}", err=True)
    for one in answers:
        if one.get("cleared") == []:
            click.echo(f"run {one['run_id']!r} of DAG {one['dag_id']!r} stays as it is: no task of it was to be cleared", err=True)
    return 1 if failed else 0
