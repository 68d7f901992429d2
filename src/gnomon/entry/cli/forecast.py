"""`gnomon forecast`: when the coming runs will probably start and end, from the present state and the durations of earlier tries."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import asdict, replace
from datetime import datetime, time, timedelta
from typing import Any

import click

from gnomon.authoring.sdk.arguments.timezone import find_zone
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import format_sentence, format_table, output_option, print_document
from gnomon.entry.cli.parameter_types import MomentType, SpanType, resolve_instant
from gnomon.entry.projection.forecast import SAMPLES, ForecastRow, SampledForecast
from gnomon.entry.projection.forecast import forecast as draw_forecast
from gnomon.entry.projection.idle_process import run_idle
from gnomon.entry.projection.snapshot import read_snapshot
from gnomon.entry.projection.waiting_host import start_host
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND, Instant, iso, to_datetime
from gnomon.model.sentences import render, say
from gnomon.queries.report.listings.not_found import dag_not_found
from gnomon.services.scheduler.settings import build_scheduler_settings

DAY_S = 86_400
_TIME_OF_DAY = re.compile(r"([01]?\d|2[0-3]):[0-5]\d")
HORIZON_MAX_S = 366 * DAY_S
COLUMNS = ("dag_id", "run_after", "start_p50", "end_p50", "end_p90", "failed")


class ComingMomentType(MomentType):
    """A date and time, or a time of the day, `09:00`, which stands for the next one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime | time:  # type: ignore[override]  # a time alone as well
        """As written."""
        if isinstance(value, str) and _TIME_OF_DAY.fullmatch(value.strip()):
            return time.fromisoformat(value.strip().zfill(5))
        return value if isinstance(value, time) else super().convert(value, param, ctx)


def _find_end(until: datetime | time, now: Instant, home: Home) -> Instant:
    """The instant; of a time of the day the next one in [core] default_timezone."""
    if isinstance(until, datetime):
        return resolve_instant(until, home.cfg)
    today = to_datetime(now).astimezone(find_zone(home.cfg.text("core", "default_timezone"))).date()
    ends = (resolve_instant(datetime.combine(today + timedelta(days=days), until), home.cfg) for days in range(3))
    return next(end for end in ends if end > now)


@click.command()
@click.argument("dag_ids", metavar="[DAG]...", nargs=-1)
@click.option(
    "--until",
    type=ComingMomentType(),
    help="Runs that are due before this time: a date and time, or 09:00 for the next one; default: 24 hours from now.",
)
@click.option("--tasks", "with_tasks", is_flag=True, help="List task instances too.")
@click.option("--samples", type=IntegerRange(1, 1000), default=SAMPLES, show_default=True, help="Futures to draw.")
@click.option(
    "--max-time",
    "max_s",
    type=SpanType(),
    default="60s",
    show_default=True,
    help="Draw fewer futures rather than take longer.",
)
@click.option(
    "--assume",
    "assumed_s",
    type=SpanType(),
    default="60s",
    show_default=True,
    help="The duration of tasks with fewer than three successful tries.",
)
@click.option(
    "--seed",
    type=IntegerRange(0, 2**31),
    default=1,
    show_default=True,
    help="The same seed and state give the same answer.",
)
@output_option
@pass_home
def forecast(
    home: Home,
    dag_ids: tuple[str, ...],
    until: datetime | time | None,
    with_tasks: bool,
    samples: int,
    max_s: float,
    assumed_s: float,
    seed: int,
    output: str,
) -> None:
    """Show when the coming runs will probably start and end, and those that run now.

    The present state goes on by the scheduler's own rules in many drawn futures, in which each task takes as long as its earlier tries suggest.
    p50: half of the futures are earlier; p90: nine of ten are. Nothing is written and nothing is executed.
    """
    now = home.clock.now()
    end = now + DAY_S * SECOND if until is None else _find_end(until, now, home)
    _check_horizon(now, end)
    with home.store() as db:
        snapshot = read_snapshot(db, now)
    known = {dag.dag_id for dag in snapshot.state.dags}
    for dag_id in dag_ids:
        if dag_id not in known:
            raise dag_not_found(dag_id, known)
    settings = build_scheduler_settings(home.cfg)
    settings = replace(settings, limits=replace(settings.limits, executors=None))

    def draw() -> SampledForecast:
        with closing(start_host(home.cfg)) as host:
            return draw_forecast(
                snapshot,
                settings,
                end,
                samples=samples,
                seed=seed,
                assumed_s=assumed_s,
                max_s=max_s,
                with_tasks=with_tasks,
                timetables=host,
            )

    answer = run_idle(draw)
    _print(answer, [row for row in answer.rows if not dag_ids or row.dag_id in dag_ids], max_s, with_tasks, output)


def _check_horizon(now: Instant, end: Instant) -> None:
    if end <= now:
        raise UserError(say("forecast_end_is_past", until=end))
    if end - now > HORIZON_MAX_S * SECOND:
        raise UserError(say("scenario_value_is_wrong", option="--until", text=iso(end) or "", example="within a year"))


def _print(answer: SampledForecast, rows: list[ForecastRow], max_s: float, with_tasks: bool, output: str) -> None:
    notes = [render(assumption) for assumption in answer.assumptions]
    if answer.samples < answer.wanted_samples:
        told = say("forecast_has_fewer_samples", count=answer.samples, total=answer.wanted_samples, duration=max_s)
        notes.append(render(told))
    if output != "table":
        print_document(
            {
                "at": iso(answer.at),
                "until": iso(answer.until),
                "samples": answer.samples,
                "runs": [_build_document(row) for row in rows],
                "assumptions": notes,
            },
            output,
        )
        return
    columns = (COLUMNS[0], "task", *COLUMNS[1:]) if with_tasks else COLUMNS
    click.echo(format_table([_build_line(row) for row in rows], columns) if rows else "no run is due or unfinished")
    for note in notes:
        click.echo(format_sentence(note))


def _build_document(row: ForecastRow) -> dict[str, object]:
    instants = ("run_after", "start_p50", "start_p90", "end_p50", "end_p90")
    return {name: iso(value) if name in instants else value for name, value in asdict(row).items()}


def _build_line(row: ForecastRow) -> dict[str, object]:
    return {**_build_document(row), "failed": f"{row.failed_share:.0%}" if row.failed_share else "-"}
