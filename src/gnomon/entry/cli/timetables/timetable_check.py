"""`gnomon timetables check`: tests whether a timetable keeps the laws of timetables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import click
import msgspec

from gnomon.changes.operations.schedule_targets import ScheduleTarget
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.integer_range import KEY_MAX, IntegerRange
from gnomon.entry.cli.output import output_option, print_document
from gnomon.entry.cli.timetables.shown_schedule import resolve_home_target
from gnomon.entry.cli.timetables.time_window import add_year, resolve_end, resolve_start, window_options
from gnomon.entry.testing.timetables import CASES, LAWS, Violation, check_timetable
from gnomon.entry.testing.timetables.wording import IMPORTS
from gnomon.model.instants import SECOND, to_datetime
from gnomon.model.sentences import render

BACK_YEARS = 3
"""Without --from and --until, the laws are tested from so many years ago to a year from now."""
CASES_MAX = 100_000
_DAY = 86400 * SECOND
_CHECK = "gnomon.entry.testing.timetables.check:check_timetable"


@click.command()
@click.argument("target_text", metavar="TARGET")
@window_options
@click.option("--seed", type=IntegerRange(0, KEY_MAX), default=0, show_default=True, help="Seed of the random cases.")
@click.option(
    "--cases", type=IntegerRange(1, CASES_MAX), default=CASES, show_default=True, help="Number of cases for each law."
)
@output_option
@pass_home
def check(
    home: Home,
    target_text: str,
    start: datetime | None,
    end: datetime | None,
    timezone: str | None,
    seed: int,
    cases: int,
    output: str,
) -> None:
    """Test the laws of timetables on TARGET, and show the smallest example of each violation.

    TARGET is a DAG id, a cron text or a Python expression. Exit code 0 if it keeps all laws, else 1.
    """
    target = resolve_home_target(home, target_text, timezone)
    today = home.clock.now() // _DAY * _DAY
    first = today - BACK_YEARS * 365 * _DAY if start is None else resolve_start(home.clock, start, target.zone)
    until = resolve_end(first, end, target.zone) or add_year(max(first, today))
    arguments = {"start": to_datetime(first), "end": to_datetime(until), "seed": seed, "cases": cases}
    violations: list[Violation] = target.call(home.cfg, _CHECK, list[Violation], check_timetable, arguments)
    if output != "table":
        print_document([msgspec.to_builtins(violation) for violation in violations], output)
    elif not violations:
        click.echo(f"{render(target.summary)} keeps all {len(LAWS)} laws, in {cases} cases of each (seed {seed})")
    else:
        _print(target, violations)
    if violations:
        raise SystemExit(1)


def _print(target: ScheduleTarget, violations: Sequence[Violation]) -> None:
    click.echo("\n\n".join(map(str, violations)))
    module, _, cls = (
        f"gnomon.rules.timetables.{target.ref.path}".rpartition(".")
        if target.ref.builtin
        else target.ref.path.rpartition(".")
    )
    import_line = (
        f"from {module} import {cls}"
        if target.file is None or target.ref.builtin
        else f"# {cls} is {module}.{cls}, for {target.file}"
    )
    click.echo(
        f"\nThe calls above follow these lines:\n    {IMPORTS}\n    {import_line}\n    timetable = {cls}.deserialize({target.ref.data!r})"
    )
