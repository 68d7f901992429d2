"""Follows a backfill to its end: a live progress bar on a terminal, a line for each change otherwise."""

from __future__ import annotations

import sys

import click

from gnomon.changes.operations.backfill_operations import read_backfill_progress
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.queries.report.listings.backfill_list import BackfillRow

POLL_S = 0.5
"""Seconds between two looks at a backfill that is followed."""


def follow_backfill(deployment: DeploymentAccess, backfill_pk: int) -> BackfillRow | None:
    """Show the progress of the backfill until it ends or was cancelled; returns its last row, None when it was deleted.

    After Ctrl-C the backfill continues; a line says how to look at it and how to cancel it, and the command ends with code 130.
    """
    show = _follow_on_terminal if _is_terminal() else _follow_in_lines
    try:
        return show(deployment, backfill_pk)
    except KeyboardInterrupt:
        click.echo(
            f"\nbackfill {backfill_pk} continues; see: gnomon backfill show {backfill_pk}; end it with: gnomon backfill cancel {backfill_pk}",
            err=True,
        )
        raise click.exceptions.Exit(130) from None


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _follow_in_lines(deployment: DeploymentAccess, backfill_pk: int) -> BackfillRow | None:
    shown = ""
    while (progress := deployment.perform(read_backfill_progress, backfill_pk)) is not None:
        row = progress.backfill
        line = f"backfill {backfill_pk} is {row.state}: {row.describe_progress()}" + (
            f"; {row.error}" if row.error else ""
        )
        if line != shown:
            click.echo(line)
            shown = line
        if progress.is_ended:
            return row
        deployment.sleep(POLL_S)
    return None


def _follow_on_terminal(deployment: DeploymentAccess, backfill_pk: int) -> BackfillRow | None:
    from rich.progress import (  # start-up cost: only a terminal shows it
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("backfill {task.fields[key]} {task.fields[state]}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[counts]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns) as progress:
        bar = progress.add_task("", total=None, key=backfill_pk, state="", counts="")
        while (backfill := deployment.perform(read_backfill_progress, backfill_pk)) is not None:
            row = backfill.backfill
            counts = f"{row.running} running, {row.failed} failed" + (f"; {row.error}" if row.error else "")
            progress.update(
                bar,
                total=row.slots if backfill.is_planned else None,
                completed=row.finished,
                state=row.state,
                counts=counts,
            )
            if backfill.is_ended:
                return row
            deployment.sleep(POLL_S)
    return None
