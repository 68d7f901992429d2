"""`gnomon simulate --replay`: which day is meant, its replay, and how the answer is written."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, time, timedelta

import click

from gnomon.authoring.sdk.arguments.timezone import find_zone
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.output import format_sentence, format_table, print_document
from gnomon.entry.cli.parameter_types import resolve_instant
from gnomon.entry.cli.simulations.markdown import ROWS_MAX, format_list, format_markdown
from gnomon.entry.cli.simulations.run_rows import print_csv
from gnomon.entry.projection.idle_process import run_idle
from gnomon.entry.projection.replay import DayRecord, Replay, read_day, replay_day
from gnomon.entry.projection.run_pairs import RunPair
from gnomon.entry.projection.waiting_host import start_host
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND, Instant, iso, to_datetime
from gnomon.model.sentences import Sentence, render, say
from gnomon.queries.report.listings.not_found import dag_not_found
from gnomon.services.scheduler.settings import build_scheduler_settings

COLUMNS = (
    "dag_id",
    "run_after",
    "started_at",
    "replayed_start",
    "start_shift_s",
    "ended_at",
    "replayed_end",
    "end_shift_s",
    "state",
    "replayed_state",
)


def answer_replay(home: Home, text: str, dag_ids: Sequence[str], output: str) -> None:
    """Replay the day, and write it."""
    begin, end = find_day(text, home)
    with home.store() as db:
        day = read_day(db, begin, end)
    known = {dag.dag_id for dag in day.dags}
    for dag_id in dag_ids:
        if dag_id not in known:
            raise dag_not_found(dag_id, known)
    settings = build_scheduler_settings(home.cfg)
    settings = replace(settings, limits=replace(settings.limits, executors=None))

    def run() -> Replay:
        with closing(start_host(home.cfg)) as host:
            return replay_day(day, settings, host)

    print_replay(run_idle(run), day, dag_ids, output)


def find_day(text: str, home: Home) -> tuple[Instant, Instant]:
    """The begin and end of the local day in [core] default_timezone: `yesterday`, or a date. Raises UserError for another text, and for a day that is not over."""
    now = home.clock.now()
    try:
        day = _find_today(home, now) - timedelta(days=1) if text == "yesterday" else date.fromisoformat(text.strip())
        begin, end = (
            resolve_instant(datetime.combine(each, time()), home.cfg) for each in (day, day + timedelta(days=1))
        )
    except (ValueError, OverflowError):
        example = "yesterday or a date such as 2026-03-01"
        raise UserError(say("scenario_value_is_wrong", option="--replay", text=text, example=example)) from None
    if end > now:
        raise UserError(say("replay_day_is_not_over", text=text, until=end))
    return begin, end


def print_replay(replay: Replay, day: DayRecord, dag_ids: Sequence[str], output: str) -> None:
    """Write the runs of the day, actual and replayed, and how near both are."""
    rows = [_build_row(pair) for pair in replay.pairs if not dag_ids or _name_dag(pair) in dag_ids]
    sentences = [_sum_up(replay), *replay.notes]
    lines = [format_sentence(render(sentence)) for sentence in sentences]
    if output == "csv":
        print_csv(rows, COLUMNS)
        for line in lines:
            click.echo(line, err=True)
    elif output == "markdown":
        if rows:
            click.echo(format_markdown(rows[:ROWS_MAX], COLUMNS))
        hidden = [render(say("rows_are_left_out", count=len(rows) - ROWS_MAX))] if len(rows) > ROWS_MAX else []
        click.echo(format_list([*hidden, *lines]), nl=False)
    elif output == "table":
        click.echo(format_table(rows, COLUMNS) if rows else "no run")
        for line in lines:
            click.echo(line)
    else:
        document = {
            "from": iso(day.begin),
            "until": iso(day.end),
            "runs": rows,
            "compared": replay.compared,
            "same_starts": replay.same_starts,
            "same_order": replay.same_order,
            "notes": [render(sentence) for sentence in sentences],
        }
        print_document(document, output)


def _find_today(home: Home, now: Instant) -> date:
    return to_datetime(now).astimezone(find_zone(home.cfg.text("core", "default_timezone"))).date()


def _name_dag(pair: RunPair) -> str:
    run = pair[0] or pair[1]
    assert run is not None
    return run.dag_id


def _sum_up(replay: Replay) -> Sentence:
    followers = max(replay.compared - 1, 0)
    if not replay.compared:
        return say("replay_compares_nothing")
    return say(
        "replay_is_so_near",
        count=replay.compared,
        number=f"{replay.same_starts / replay.compared:.0%}",
        at_number=f"{replay.same_order / followers:.0%}" if followers else "100%",
    )


def _build_row(pair: RunPair) -> dict[str, object]:
    actual, replayed = pair
    run = actual or replayed
    assert run is not None
    times = [
        (None if each is None else each.started_at, None if each is None else each.ended_at)
        for each in (actual, replayed)
    ]
    return {
        "dag_id": run.dag_id,
        "run_after": iso(run.run_after),
        "started_at": iso(times[0][0]),
        "replayed_start": iso(times[1][0]),
        "start_shift_s": _subtract(times[1][0], times[0][0]),
        "ended_at": iso(times[0][1]),
        "replayed_end": iso(times[1][1]),
        "end_shift_s": _subtract(times[1][1], times[0][1]),
        "state": None if actual is None else actual.state.value,
        "replayed_state": None if replayed is None else replayed.state.value,
    }


def _subtract(later: Instant | None, earlier: Instant | None) -> float | None:
    return None if later is None or earlier is None else round((later - earlier) / SECOND, 3)
