"""`gnomon timetables check`: the laws of timetables, tried on one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import click
import msgspec

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import document, output_option
from gnomon.cli.timetables.target import Target, target_of
from gnomon.cli.timetables.window import closed, opened, window_options, year_after
from gnomon.model.instants import SECOND, to_datetime
from gnomon.testing.timetables import CASES, LAWS, Violation
from gnomon.testing.timetables.wording import IMPORTS

BACK_YEARS = 3
"""The laws are tried from so long ago to a year from now, unless told."""
CASES_MOST = 100_000
_DAY = 86400 * SECOND


@click.command()
@click.argument("target_text", metavar="TARGET")
@window_options
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed tries other cases.")
@click.option("--cases", type=click.IntRange(1, CASES_MOST), default=CASES, show_default=True, help="So many cases of each law.")
@output_option
@pass_home
def check(
    home: Home, target_text: str, start: datetime | None, end: datetime | None, timezone: str | None, seed: int, cases: int, output: str
) -> None:
    """Try the laws of timetables on TARGET, and show the smallest example for each that it breaks.

    TARGET is a DAG id, a cron text or a Python expression. Exit code 0 if it keeps them, else 1.
    """
    target = target_of(home, target_text, timezone)
    today = home.clock.now() // _DAY * _DAY
    first = today - BACK_YEARS * 365 * _DAY if start is None else opened(home, start, target.zone)
    until = closed(first, end, target.zone) or year_after(max(first, today))
    violations = target.broken_laws(home, start=to_datetime(first), end=to_datetime(until), seed=seed, cases=cases)
    if output != "table":
        document([msgspec.to_builtins(violation) for violation in violations], output)
    elif not violations:
        click.echo(f"{target.ref.summary or target.text} keeps all {len(LAWS)} laws, in {cases} cases of each (seed {seed})")
    else:
        _print(target, violations)
    if violations:
        raise SystemExit(1)


def _print(target: Target, violations: Sequence[Violation]) -> None:
    click.echo("\n\n".join(map(str, violations)))
    module, _, cls = f"gnomon.timetables.{target.ref.path}".rpartition(".") if target.ref.builtin else target.ref.path.rpartition(".")
    place = f"from {module} import {cls}" if target.file is None or target.ref.builtin else f"# {cls} is {module}.{cls}, for {target.file}"
    click.echo(f"\nThe calls above go on from\n    {IMPORTS}\n    {place}\n    timetable = {cls}.deserialize({target.ref.data!r})")
