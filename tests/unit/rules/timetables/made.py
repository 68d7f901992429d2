"""Timetables, restrictions and clocks for the laws, as hypothesis strategies."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from importlib import resources
from random import Random
from typing import Any

from dateutil.relativedelta import relativedelta
from hypothesis import strategies as st
from tests.unit.rules.timetables.expressions import random_expression

from gnomon.model.slots import DagRunInfo, TimeRestriction
from gnomon.rules.timetables.cron_timetable import CronClock
from gnomon.timetables import (
    BuiltinTimetable,
    ContinuousTimetable,
    CronDataIntervalTimetable,
    CronTriggerTimetable,
    DeltaDataIntervalTimetable,
    DeltaTriggerTimetable,
    EventsTimetable,
    MultipleCronTriggerTimetable,
    NullTimetable,
    OnceTimetable,
)


def _fires(cron: str) -> bool:
    return not CronClock(cron, UTC).never


TRICKY_ZONES = st.sampled_from(
    "UTC Europe/Berlin Europe/Dublin America/New_York America/Sao_Paulo America/St_Johns Australia/Lord_Howe "
    "Antarctica/Troll Africa/Casablanca Pacific/Apia Asia/Kathmandu Asia/Tehran America/Scoresbysund".split()
)
ALL_ZONES = resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
ZONES = st.one_of(TRICKY_ZONES, st.sampled_from(ALL_ZONES))
KNOWN_CRONS = st.sampled_from(
    [
        "*/5 * * * *",
        "*/7 * * * *",
        "0 * * * *",
        "30 2 * * *",
        "15,45 1-3 * * *",
        "0 */2 * * *",
        "0 0 * * *",
        "0 0 * * 1-5",
        "59 23 28-31 * *",
        "0 0 L * *",
        "0 12 * * mon#2",
        "0 9 * * L5",
        "0 0 1,15 * wed",
        "0 0 29 2 *",
        "@hourly",
        "@daily",
        "@weekly",
        "@monthly",
        "@yearly",
        "0 22-2 * * *",
        "30 0 15W * *",
        "*/20 4 * * * 30",
    ]
)
CRONS = st.one_of(
    KNOWN_CRONS, st.integers(0, 2**32).map(lambda seed: random_expression(Random(seed)).text).filter(_fires)
)
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2050, 1, 1), timezones=st.just(UTC))
DELTAS = st.sampled_from(
    [
        timedelta(minutes=5),
        timedelta(hours=1, seconds=7),
        timedelta(days=1),
        timedelta(weeks=1),
        relativedelta(months=1),
        relativedelta(years=1),
        relativedelta(days=1, hours=3),
    ]
)
SPANS_BACK = st.sampled_from([timedelta(), timedelta(hours=12), timedelta(days=1)])
IMMEDIATELY = st.sampled_from([False, True, None, timedelta(minutes=10)])

CRON_TRIGGERS = st.builds(CronTriggerTimetable, CRONS, timezone=ZONES, interval=SPANS_BACK, run_immediately=IMMEDIATELY)
MULTIPLE = st.builds(
    lambda crons, **keywords: MultipleCronTriggerTimetable(*crons, **keywords),
    st.lists(CRONS, min_size=1, max_size=3),
    timezone=ZONES,
    interval=SPANS_BACK,
    run_immediately=IMMEDIATELY,
)
CRON_INTERVALS = st.builds(CronDataIntervalTimetable, CRONS, ZONES)
DELTA_INTERVALS = st.builds(DeltaDataIntervalTimetable, DELTAS)
DELTA_TRIGGERS = st.builds(DeltaTriggerTimetable, DELTAS, interval=SPANS_BACK)
EVENTS = st.builds(EventsTimetable, st.lists(MOMENTS, max_size=5), restrict_to_events=st.booleans())
GRIDS = st.one_of(CRON_TRIGGERS, MULTIPLE, CRON_INTERVALS)
TIMETABLES = st.one_of(
    GRIDS, DELTA_INTERVALS, DELTA_TRIGGERS, EVENTS, st.builds(OnceTimetable), st.builds(NullTimetable)
)
ALL = st.one_of(TIMETABLES, st.builds(ContinuousTimetable))


@st.composite
def restrictions(draw: st.DrawFn, now: datetime, catchup: bool | None = None) -> TimeRestriction:
    """Bounds around `now`: an earliest up to 60 days before or after it, and perhaps a latest."""
    shifts = st.none() | st.integers(-60 * 86400, 60 * 86400)
    earliest, latest = draw(shifts), draw(st.none() | st.integers(0, 120 * 86400))
    return TimeRestriction(
        None if earliest is None else now + timedelta(seconds=earliest),
        None if latest is None else now + timedelta(seconds=latest),
        draw(st.booleans()) if catchup is None else catchup,
    )


def walk(
    made: BuiltinTimetable, restriction: TimeRestriction, now: datetime, count: int, last: DagRunInfo | None = None
) -> list[DagRunInfo]:
    """Up to `count` answers, each fed with the one before."""
    answers: list[DagRunInfo] = []
    while len(answers) < count:
        last = made.plan_next(last, restriction, now)
        if last is None:
            break
        answers.append(last)
    return answers


def stored(made: BuiltinTimetable) -> Any:
    """The timetable after a journey through its JSON."""
    import json

    return type(made).deserialize(json.loads(json.dumps(made.serialize())))
