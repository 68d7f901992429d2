"""Saying which task instances an action touches."""

from __future__ import annotations

from collections.abc import Sequence

import click

from gnomon.cli.output import emit
from gnomon.report.tasks import TaskInstanceRow

_COLUMNS = ("task_id", "map_index", "state", "try_number")


def emit_touched(rows: Sequence[TaskInstanceRow], output: str, done: str, would: bool) -> None:
    """The task instances as they were before; for a person, with how many they are. `would`: nothing was done yet."""
    if output != "table":
        emit(rows, output, _COLUMNS)
        return
    click.echo(f"{len(rows)} task instance{'s' if len(rows) != 1 else ''} {'would be ' if would else ''}{done}")
    if rows:
        emit(rows, output, _COLUMNS)
