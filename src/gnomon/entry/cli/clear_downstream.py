"""`gnomon runs clear --downstream-dags`: clears a run and the runs of other DAGs that waited for it, upstream first."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import click

from gnomon.changes.operations import downstream_operations as operations
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import format_table, print_records
from gnomon.entry.cli.pending_requests import print_pending
from gnomon.queries.report.listings.downstream_runs import DownstreamRow

_COLUMNS = ("dag_id", "run_id", "state", "tasks", "waited_for")
_CLEARED = ("dag_id", "run_id", "previous_state", "state", "tasks", "waited_for")


def clear_with_downstream(
    deployment: DeploymentAccess,
    dag_id: str,
    run_id: str,
    *,
    only_failed: bool,
    is_newest_wanted: bool | None,
    dry_run: bool,
    yes: bool,
    output: str,
) -> int:
    """Show the runs, ask for confirmation on a terminal, and clear them, upstream first.

    Returns the exit code: 1 when a run could not be cleared.
    """
    if dry_run:
        _print_parts(
            deployment.perform(operations.select_downstream, dag_id, run_id, only_failed),
            output,
            "would be cleared, in this order",
        )
        return 0
    if not yes and sys.stdin.isatty():
        rows = deployment.perform(operations.select_downstream, dag_id, run_id, only_failed)
        _print_parts(rows, "table", "will be cleared, in this order", err=True)
        click.confirm("Clear them?", abort=True, err=True)
    change = deployment.perform(operations.clear_downstream, dag_id, run_id, only_failed, is_newest_wanted)
    if change.reply.answer is None:
        print_pending(change.reply)
        _print_parts(change.selected, output, "will be cleared, in this order")
        return 0
    _print_parts(change.cleared, output, "cleared, in this order", _CLEARED)
    return _print_failed(change.reply.answer)


def _print_parts(
    rows: Sequence[DownstreamRow], output: str, what: str, columns: Sequence[str] = _COLUMNS, *, err: bool = False
) -> None:
    if output != "table":
        print_records(rows, output, columns)
        return
    click.echo(f"{len(rows)} run{'s' if len(rows) != 1 else ''} {what}", err=err)
    if rows:
        click.echo(
            format_table(
                [{**asdict(row), "tasks": "all" if row.tasks is None else row.tasks} for row in rows], columns
            ),
            err=err,
        )


def _print_failed(answers: Sequence[Mapping[str, object]]) -> int:
    failed = [answer for answer in answers if "error" in answer]
    for answer in failed:
        click.echo(
            f"gnomon: run {answer['run_id']!r} of DAG {answer['dag_id']!r} was not cleared: {answer['error']}", err=True
        )
    for answer in answers:
        if answer.get("cleared") == []:
            click.echo(
                f"run {answer['run_id']!r} of DAG {answer['dag_id']!r} was not changed: none of its tasks was to be cleared",
                err=True,
            )
    return 1 if failed else 0
