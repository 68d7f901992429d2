"""The progress of a trial on stderr: a live table on a terminal, else one line a state change; plus the log lines of tasks."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from gnomon.entry.cli.terminal.state_styles import find_style
from gnomon.queries.report.listings.run_list import TaskInstanceRow

_ROWS_MAX = 40
"""Maximum number of task instances in the live table; with more, only unfinished ones are shown."""


class ProgressDisplay(Protocol):
    """Shows the states of the task instances and their log lines."""

    def write(self, lines: Iterable[str]) -> None:
        """Show log lines."""

    def show(self, rows: Sequence[TaskInstanceRow]) -> None:
        """Show the current states of all task instances."""


@contextmanager
def open_display() -> Iterator[ProgressDisplay]:
    """The display for this process's stderr: a table for a terminal, else lines. The last table stays on the screen."""
    if not sys.stderr.isatty():
        yield LineDisplay()
        return
    # No refresh thread and no replaced stdout: the trial forks.
    console = Console(stderr=True)
    with Live(console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False) as live:
        yield TableDisplay(live)


class LineDisplay:
    """Writes one line for each change of a state."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], tuple[str | None, int]] = {}

    def write(self, lines: Iterable[str]) -> None:
        """Write the lines."""
        for line in lines:
            click.echo(line, err=True)

    def show(self, rows: Sequence[TaskInstanceRow]) -> None:
        """Write a line for each task instance whose state or try changed."""
        for row in rows:
            key, state = (row.task_id, row.map_index), (row.state, row.try_number)
            if self._known.get(key, (None, 0)) != state:
                self._known[key] = state
                click.echo(_format_line(row), err=True)


class TableDisplay:
    """A table that is redrawn in place."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._shown: list[TaskInstanceRow] | None = None

    def write(self, lines: Iterable[str]) -> None:
        """Write the lines above the table."""
        text = "\n".join(lines)
        if text:
            self._live.console.print(Text.from_ansi(text), soft_wrap=True)

    def show(self, rows: Sequence[TaskInstanceRow]) -> None:
        """Redraw the table if a row has changed."""
        if self._shown == list(rows):
            return
        self._shown = list(rows)
        table = Table(box=None, padding=(0, 2))
        for column in ("task", "state", "try", "reason"):
            table.add_column(column)
        open_rows = [row for row in rows if row.end_date is None]
        shown = rows if len(rows) <= _ROWS_MAX else open_rows[:_ROWS_MAX]
        for row in shown:
            style = find_style(row.state).style
            cells = (_format_task(row), row.state or "-", str(row.try_number or ""), row.reason or "")
            table.add_row(*(Text(text, style if text == row.state else "") for text in cells))
        if len(shown) < len(rows):
            table.add_row(f"and {len(rows) - len(shown)} more", "", "", "")
        self._live.update(table, refresh=True)


def _format_line(row: TaskInstanceRow) -> str:
    tries = f" (try {row.try_number})" if row.try_number > 1 else ""
    reason = f": {row.reason}" if row.reason else ""
    return f"{_format_task(row)} {row.state or 'cleared'}{tries}{reason}"


def _format_task(row: TaskInstanceRow) -> str:
    return row.task_id if row.map_index < 0 else f"{row.task_id}[{row.map_index}]"
