"""`gnomon timetables check`: the laws of timetables, tried on one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import click
import msgspec

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_document
from gnomon.cli.timetables.schedule_target import ScheduleTarget, resolve_schedule_target
from gnomon.cli.timetables.time_window import add_year, resolve_end, resolve_start, window_options
from gnomon.model.instants import SECOND, to_datetime
from gnomon.testing.timetables import CASES, LAWS, Violation
from gnomon.testing.timetables.wording import IMPORTS

BACK_YEARS = 3
"""The laws are tried from so long ago to a year from now, unless told."""
CASES_MAX = 100_000
_DAY = 86400 * SECOND


@click.command()
@click.argument("target_text", metavar="TARGET")
@window_options
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed tries other cases.")
@click.option("--cases", type=click.IntRange(1, CASES_MAX), default=CASES, show_default=True, help="So many cases of each law.")
@output_option
@pass_home
def check(
    home: Home, target_text: str, start: datetime | None, end: datetime | None, timezone: str | None, seed: int, cases: int, output: str
) -> None:
    """Try the laws of timetables on TARGET, and show the smallest example for each that it breaks.

    TARGET is a DAG id, a cron text or a Python expression. Exit code 0 if it keeps them, else 1.
    """
    target = resolve_schedule_target(home, target_text, timezone)
    today = home.clock.now() // _DAY * _DAY
    first = today - BACK_YEARS * 365 * _DAY if start is None else resolve_start(home, start, target.zone)
    until = resolve_end(first, end, target.zone) or add_year(max(first, today))
    violations = target.broken_laws(home, start=to_datetime(first), end=to_datetime(until), seed=seed, cases=cases)
    if output != "table":
        print_document([msgspec.to_builtins(violation) for violation in violations], output)
    elif not violations:
        click.echo(f"{target.ref.summary or target.text} keeps all {len(LAWS)} laws, in {cases} cases of each (seed {seed})")
    else:
        _print(target, violations)
    if violations:
        raise SystemExit(1)


def _print(target: ScheduleTarget, violations: Sequence[Violation]) -> None:
    click.echo("\n\n".join(map(str, violations)))
    module, _, cls = f"gnomon.timetables.{target.ref.path}".rpartition(".") if target.ref.builtin else target.ref.path.rpartition(".")
    place = f"from {module} import {cls}" if target.file is None or target.ref.builtin else f"# {cls} is {module}.{cls}, for {target.file}"
    click.echo(f"\nThe calls above go on from\n    {IMPORTS}\n    {place}\n    timetable = {cls}.deserialize({target.ref.data!r})")
