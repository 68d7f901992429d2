"""`gnomon doctor`: what is wrong with this installation, and what to do."""

from __future__ import annotations

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_records
from gnomon.cli.terminal.screen import is_plain_asked


@click.command()
@output_option
@pass_home
def doctor(home: Home, output: str) -> int:
    """Check the machine, the options, the database and the services; each line with its remedy.

    Nothing is changed. Exit code 1 when a check fails; warnings leave it at 0.
    """
    from gnomon.app.doctor import examine  # start-up cost: the database

    rows = examine(home.cfg, home.clock)
    if output == "table" and not is_plain_asked():
        width = max(len(row.check) for row in rows)
        for row in rows:
            remedy = f"\n{'':6}{'':{width}}  -> {row.remedy}" if row.remedy else ""
            click.echo(f"{row.verdict:<4}  {row.check:<{width}}  {row.found}{remedy}")
    else:
        print_records(rows, output, ("verdict", "check", "found", "remedy"))
    return 1 if any(row.verdict == "fail" for row in rows) else 0
