"""`gnomon doctor`: what is wrong with this installation, and what to do."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.output import output_option, print_records
from gnomon.entry.cli.terminal.screen import Screen, is_plain_asked, read_screen

if TYPE_CHECKING:
    from gnomon.entry.app.doctor_machine import CheckRow

_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}
_FOUND_MIN = 30
"""The column of what was found is at least so wide."""


@click.command()
@click.option(
    "--repair", "is_repair_wanted", is_flag=True, help="First count the numbers of runs anew, while services may go on."
)
@output_option
@pass_home
def doctor(home: Home, is_repair_wanted: bool, output: str) -> int:
    """Check the machine, the options, the database and the services; each line with its remedy.

    Nothing is changed without --repair. Exit code 1 when a check fails; warnings leave it at 0.
    """
    from gnomon.entry.app.doctor import examine, repair  # start-up cost: the database

    if is_repair_wanted:
        click.echo(repair(home.cfg), err=True)
    rows = examine(home.cfg, home.clock)
    if output == "table" and not is_plain_asked():
        click.echo("\n".join(_draw(rows, read_screen())))
    else:
        print_records(rows, output, ("verdict", "check", "found", "remedy"))
    return 1 if any(row.verdict == "fail" for row in rows) else 0


def _draw(rows: Sequence[CheckRow], screen: Screen) -> Iterator[str]:
    """One line a check, and one for its remedy; on a terminal wrapped below the column of what was found."""
    width = max(len(row.check) for row in rows)
    room = max(screen.width - width - 8, _FOUND_MIN)
    for row in rows:
        first, *rest = textwrap.wrap(row.found, room, break_long_words=False) if screen.is_terminal else [row.found]
        yield f"{screen.paint(f'{row.verdict:<4}', _STYLES[row.verdict])}  {row.check:<{width}}  {first}"
        yield from (f"{'':{width + 8}}{line}" for line in rest)
        if row.remedy:
            yield f"{'':{width + 8}}-> {row.remedy}"
