"""`gnomon forecast`: when the coming runs will probably start and end, how full pools will be, and how good earlier predictions were."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from datetime import datetime, time, timedelta
from typing import Any

import click

from gnomon.authoring.sdk.arguments.timezone import find_zone
from gnomon.changes.operations import forecast_operations as operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import format_sentence, format_table, output_option, print_document
from gnomon.entry.cli.parameter_types import MomentType, SpanType, resolve_instant
from gnomon.entry.projection.forecast import (
    SAMPLES,
    Drawing,
    ForecastCollector,
    ForecastRow,
    SampledForecast,
    draw_futures,
)
from gnomon.entry.projection.forecast import forecast as draw_forecast
from gnomon.entry.projection.idle_process import run_idle
from gnomon.entry.projection.pool_load import LoadCollector, PoolLoad, describe_shortages
from gnomon.entry.projection.snapshot import Snapshot, read_snapshot
from gnomon.entry.projection.waiting_host import start_host
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND, Instant, iso, to_datetime
from gnomon.model.sentences import render, say
from gnomon.queries.report.listings.not_found import dag_not_found, pool_not_found
from gnomon.services.scheduler.settings import SchedulerSettings, build_scheduler_settings

DAY_S = 86_400
_TIME_OF_DAY = re.compile(r"([01]?\d|2[0-3]):[0-5]\d")
HORIZON_MAX_S = 366 * DAY_S
LOAD_COLUMNS = ("pool", "start", "end", "slots", "taken_p50", "taken_p90", "waiting_p50", "waiting_p90")
ACCURACY_COLUMNS = (
    "dag_id",
    "basis",
    "runs",
    "below_p50",
    "below_p90",
    "error_s",
    "mean_error_s",
    "failed",
    "unpredicted",
)
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


class DefaultGroup(click.Group):
    """A group that takes what is no command of it as arguments of the default one."""

    default = "day"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with the name of the command put in."""
        if not args or (args[0] not in (*self.commands, *ctx.help_option_names)):
            args = [self.default, *args]
        return super().parse_args(ctx, args)


@click.group(cls=DefaultGroup)
def forecast() -> None:
    """Show when the coming runs will probably start and end (`gnomon forecast [DAG]...` is `gnomon forecast day [DAG]...`)."""


_DRAWING = (
    click.option(
        "--until",
        type=ComingMomentType(),
        help="Runs that are due before this time: a date and time, or 09:00 for the next one; default: 24 hours from now.",
    ),
    click.option("--samples", type=IntegerRange(1, 1000), default=SAMPLES, show_default=True, help="Futures to draw."),
    click.option(
        "--max-time",
        "max_s",
        type=SpanType(),
        default="60s",
        show_default=True,
        help="Draw fewer futures rather than take longer.",
    ),
    click.option(
        "--assume",
        "assumed_s",
        type=SpanType(),
        default="60s",
        show_default=True,
        help="The duration of tasks with fewer than three successful tries.",
    ),
    click.option(
        "--seed",
        type=IntegerRange(0, 2**31),
        default=1,
        show_default=True,
        help="The same seed and state give the same answer.",
    ),
    output_option,
)


def _drawing_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a command that draws; it gets `until`, `drawing` and `output`."""

    @functools.wraps(command)
    def collect(*arguments: object, samples: int, max_s: float, assumed_s: float, seed: int, **others: object) -> None:
        command(*arguments, drawing=Drawing(samples, seed, assumed_s, max_s), **others)

    decorated: Callable[..., None] = collect
    for option in reversed(_DRAWING):
        decorated = option(decorated)
    return decorated


@forecast.command()
@click.argument("dag_ids", metavar="[DAG]...", nargs=-1)
@click.option("--tasks", "with_tasks", is_flag=True, help="List task instances too.")
@_drawing_options
@pass_home
def day(
    home: Home,
    dag_ids: tuple[str, ...],
    until: datetime | time | None,
    with_tasks: bool,
    drawing: Drawing,
    output: str,
) -> None:
    """Show when the coming runs will probably start and end, and those that run now.

    p50: half of the drawn futures are earlier; p90: nine of ten are. Nothing is written and nothing is executed.
    """
    end, snapshot, settings = _begin(home, until)
    known = {dag.dag_id for dag in snapshot.state.dags}
    for dag_id in dag_ids:
        if dag_id not in known:
            raise dag_not_found(dag_id, {*known, *forecast.commands})  # a command may be meant

    def draw() -> SampledForecast:
        with closing(start_host(home.cfg)) as host:
            return draw_forecast(
                snapshot,
                settings,
                end,
                samples=drawing.samples,
                seed=drawing.seed,
                assumed_s=drawing.assumed_s,
                max_s=drawing.max_s,
                with_tasks=with_tasks,
                timetables=host,
            )

    answer = run_idle(draw)
    _print(
        answer, [row for row in answer.rows if not dag_ids or row.dag_id in dag_ids], drawing.max_s, with_tasks, output
    )


@forecast.command()
@click.option("--pool", "pools", multiple=True, help="Only this pool; may be repeated.")
@_drawing_options
@pass_home
def load(
    home: Home,
    pools: tuple[str, ...],
    until: datetime | time | None,
    drawing: Drawing,
    output: str,
) -> None:
    """Show how many slots of each pool will be taken and how many will be waited for, by five minutes.

    p50: half of the futures have at most so many; p90: nine of ten.
    """
    end, snapshot, settings = _begin(home, until)
    known = {pool.name: pool.slots for pool in snapshot.pools}
    for name in pools:
        if name not in known:
            raise pool_not_found(name, known)
    drawing = replace(drawing, with_tasks=True)

    def draw() -> tuple[list[PoolLoad], SampledForecast]:
        specs = {dag.dag_id: dag.spec for dag in snapshot.state.dags}
        loads, runs = LoadCollector(snapshot.at, end, specs, known), ForecastCollector(with_tasks=False)
        with closing(start_host(home.cfg)) as host:
            for future in draw_futures(snapshot, settings, end, drawing, host):
                loads.add(future.runs)
                runs.add(future)
        return loads.build(), runs.build(snapshot, end, drawing)

    loads, answer = run_idle(draw)
    rows = [row for row in loads if not pools or row.pool in pools]
    notes = _list_notes(answer, drawing.max_s)
    shortages = [render(sentence) for sentence in describe_shortages(rows)]
    documents = [{**asdict(row), "start": iso(row.start), "end": iso(row.end)} for row in rows]
    if output != "table":
        print_document(
            {
                "at": iso(answer.at),
                "until": iso(end),
                "samples": answer.samples,
                "pools": documents,
                "warnings": shortages,
                "assumptions": notes,
            },
            output,
        )
        return
    lines = [{**document, "slots": "-" if document["slots"] is None else document["slots"]} for document in documents]
    click.echo(format_table(lines, LOAD_COLUMNS) if lines else render(say("no_slot_is_taken")))
    for note in (*shortages, *notes):
        click.echo(format_sentence(note))


@forecast.command()
@click.argument("dag_ids", metavar="[DAG]...", nargs=-1)
@output_option
@pass_deployment
def accuracy(deployment: DeploymentAccess, dag_ids: tuple[str, ...], output: str) -> None:
    """Show what was predicted of the runs of the last 14 days, and what came.

    Of good predictions half of the ends are below p50, and nine of ten below p90. error_s: the median distance from p50; mean_error_s: that of the
    mean of the ten runs before.
    """
    table = deployment.perform(operations.list_accuracy, list(dag_ids) or None)
    rows = table.rows
    documents = [asdict(row) for row in rows]
    if output != "table":
        print_document(documents, output)
        return
    if not rows:
        click.echo(render(say("no_prediction_is_kept", duration=table.interval_s)))
        return
    click.echo(format_table([_build_accuracy(document) for document in documents], ACCURACY_COLUMNS))
    for why in dict.fromkeys(row.why for row in rows if row.why is not None):
        click.echo(format_sentence(why))


def _build_accuracy(document: dict[str, Any]) -> dict[str, object]:
    shares = {name: "-" if document[name] is None else f"{document[name]:.0%}" for name in ("below_p50", "below_p90")}
    errors = {
        name: None if document[name] is None else round(document[name], 1) for name in ("error_s", "mean_error_s")
    }
    return {**document, **shares, **errors, "dag_id": document["dag_id"] or "*"}


def _begin(home: Home, until: datetime | time | None) -> tuple[Instant, Snapshot, SchedulerSettings]:
    """The horizon, the state of the store, and how it goes on."""
    now = home.clock.now()
    end = now + DAY_S * SECOND if until is None else _find_end(until, now, home)
    _check_horizon(now, end)
    with home.store() as db:
        snapshot = read_snapshot(db, now)
    settings = build_scheduler_settings(home.cfg)
    return end, snapshot, replace(settings, limits=replace(settings.limits, executors=None))


def _list_notes(answer: SampledForecast, max_s: float) -> list[str]:
    notes = [render(assumption) for assumption in answer.assumptions]
    if answer.samples < answer.wanted_samples:
        fewer = say("forecast_has_fewer_samples", count=answer.samples, total=answer.wanted_samples, duration=max_s)
        notes.append(render(fewer))
    return notes


def _check_horizon(now: Instant, end: Instant) -> None:
    if end <= now:
        raise UserError(say("forecast_end_is_past", until=end))
    if end - now > HORIZON_MAX_S * SECOND:
        raise UserError(say("scenario_value_is_wrong", option="--until", text=iso(end) or "", example="within a year"))


def _print(answer: SampledForecast, rows: list[ForecastRow], max_s: float, with_tasks: bool, output: str) -> None:
    notes = _list_notes(answer, max_s)
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
