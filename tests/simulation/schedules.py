"""Random schedules, and the timetables that stand for them in a DAG."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from dateutil.relativedelta import relativedelta

from gnomon.calendars import Weekends
from gnomon.entry.simulate.reference_schedule import Schedule
from gnomon.model.instants import SECOND, Instant, to_datetime
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.timetables.registry import reference
from gnomon.timetables import (
    BusinessDays,
    CronDataIntervalTimetable,
    CronTriggerTimetable,
    Daily,
    DeltaDataIntervalTimetable,
    DeltaTriggerTimetable,
    EventsTimetable,
    Hourly,
    Minutely,
    Monthly,
    MultipleCronTriggerTimetable,
    NullTimetable,
    OnceTimetable,
    Timetable,
    Weekly,
)

from .authored import EveryTwoHours

HOUR = 3600
DAY = 86400
ZONES = (
    "UTC",
    "UTC",
    "Europe/Zurich",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "America/Sao_Paulo",
    "Africa/Casablanca",
    "Asia/Tokyo",
    "America/Santiago",
    "Atlantic/Azores",
    "Europe/Dublin",
    "Antarctica/Troll",
    "America/St_Johns",
    "Pacific/Chatham",
    "Asia/Gaza",
    "Africa/Cairo",
)
BUSY = ("*/5 * * * *", "*/10 * * * *", "*/7 * * * *", "*/15 * * * *", "0-30/6 * * * *")
"""From 40,000 to 105,000 instants a year."""
STEADY = (
    "*/30 * * * *",
    "0 * * * *",
    "17 * * * *",
    "59 * * * 1-5",
    "0 */2 * * *",
    "15,45 1-3 * * *",
    "*/20 0-6 * * *",
    "0 0-23 * * *",
    "30 */3 * * *",
    "5 3 * * * 0,20,40",
    "*/10 2 * * *",
)
"""From 1,000 to 18,000 instants a year."""
SELDOM = (
    "30 2 * * *",
    "0 0 * * *",
    "15 3 * * *",
    "0 6 * * 1-5",
    "30 2 * * 0",
    "0 0 1 * *",
    "0 0 L * *",
    "30 1 * * 1#2",
    "0 4 1,15 * *",
    "30 2 13 * 5",
    "0 12 1 */3 *",
    "0 0 1 1 *",
    "45 23 29 2 *",
    "59 23 * 3,10 *",
)
PERIODS: dict[str, Callable[..., Timetable]] = {
    "*/15 * * * *": partial(Minutely, 15),
    "0 * * * *": Hourly,
    "30 2 * * *": partial(Daily, "02:30"),
    "0 0 * * *": Daily,
    "15 3 * * *": partial(Daily, "03:15"),
    "0 6 * * 1-5": partial(Weekly, [1, 2, 3, 4, 5], "06:00"),
    "30 2 * * 0": partial(Weekly, "sun", "02:30"),
    "0 0 1 * *": partial(Monthly, 1),
    "0 0 L * *": partial(Monthly, "last"),
    "30 1 * * 1#2": partial(Monthly, ("mon", 2), "01:30"),
    "0 4 1,15 * *": partial(Monthly, [1, 15], "04:00"),
}
"""Period timetables of the same labels. (As data intervals, business days at six are those of `0 6 * * 1-5`.)"""
BUSINESS = "0 6 * * 1-5"
AUTHORED = "0 */2 * * *"
"""As data intervals, those of `EveryTwoHours`, which an author wrote."""
SPANS = (900, HOUR, 5400, 7 * HOUR, DAY, 36 * HOUR, 7 * DAY)
MONTHS = (1, 2, 3, 12)


def random_schedule(rng: random.Random, now: Instant, busy: float) -> Schedule:
    """One that begins around `now`; `busy`: how likely it has tens of thousands of slots a year."""
    kind = rng.choice(
        ("cron",) * 9
        + ("cron_intervals",) * 6
        + ("delta",) * 3
        + ("delta_intervals",) * 3
        + ("events", "once", "never")
    )
    schedule = Schedule(
        kind=kind,
        zone=rng.choice(ZONES),
        start_at=_some_start(rng, now),
        catchup=rng.random() < 0.5,
        end_at=now + rng.randrange(10 * DAY, 900 * DAY) * SECOND if rng.random() < 0.15 else None,
    )
    schedule = replace(
        schedule,
        misfire=rng.choice((None, None, None, "all", "latest", "skip")),
        window_s=rng.choice((None, None, None, HOUR, 20 * DAY)),
        jitter_s=rng.choice((0, 0, 0, 0, 7, 900)),
    )
    if kind in ("cron", "cron_intervals"):
        several = rng.choice((1, 1, 1, 2, 3)) if kind == "cron" else 1
        crons = tuple(dict.fromkeys(_some_cron(rng, busy) for _ in range(several)))
        by_period = len(crons) == 1 and crons[0] in (PERIODS if kind == "cron" else (BUSINESS,)) and rng.random() < 0.5
        if kind == "cron_intervals" and schedule.start_at is not None and rng.random() < 0.15:
            return replace(schedule, by_period=True, crons=(AUTHORED,), zone="UTC", catchup=True)
        schedule = replace(
            schedule, by_period=by_period, crons=crons, reach_s=rng.choice((0, 0, HOUR)) if kind == "cron" else 0
        )
    if kind in ("delta", "delta_intervals"):
        by_months = rng.random() < 0.25
        schedule = replace(
            schedule,
            every_months=rng.choice(MONTHS) if by_months else 0,
            every_s=0 if by_months else rng.choice(SPANS),
            start_at=now - 70 * DAY * SECOND if by_months and schedule.start_at is None else schedule.start_at,
        )
    if kind == "events":
        schedule = replace(
            schedule,
            events=tuple(
                now + rng.randrange(-30 * DAY, 400 * DAY) // 60 * 60 * SECOND for _ in range(rng.randrange(1, 60))
            ),
        )
    return schedule


def _some_cron(rng: random.Random, busy: float) -> str:
    roll = rng.random()
    return rng.choice(BUSY if roll < busy else STEADY if roll < 0.45 + busy else SELDOM)


def _some_start(rng: random.Random, now: Instant) -> Instant | None:
    """In the past, in the future, on a midnight or not, or none."""
    roll = rng.random()
    if roll < 0.15:
        return None
    at = now + rng.randrange(-60 * DAY, 100 * DAY if roll < 0.35 else 0) * SECOND
    return at // (DAY * SECOND) * DAY * SECOND if rng.random() < 0.5 else at


def timetable_of(s: Schedule) -> TimetableRef:
    """The schedule as a DAG has it."""
    reach = timedelta(seconds=s.reach_s)
    span = timedelta(seconds=s.every_s) if s.every_s else relativedelta(months=s.every_months)
    match s.kind:
        case "cron" if s.by_period:
            return reference(PERIODS[s.crons[0]](timezone=s.zone, interval=reach))
        case "cron_intervals" if s.crons == (AUTHORED,) and s.by_period:
            return reference(EveryTwoHours())
        case "cron_intervals" if s.by_period:
            return reference(BusinessDays(Weekends(), "06:00", s.zone))
        case "cron" if len(s.crons) == 1:
            return reference(CronTriggerTimetable(s.crons[0], timezone=s.zone, interval=reach))
        case "cron":
            return reference(MultipleCronTriggerTimetable(*s.crons, timezone=s.zone, interval=reach))
        case "cron_intervals":
            return reference(CronDataIntervalTimetable(s.crons[0], s.zone))
        case "delta":
            return reference(DeltaTriggerTimetable(span, interval=reach))
        case "delta_intervals":
            return reference(DeltaDataIntervalTimetable(span))
        case "events":
            return reference(EventsTimetable([to_datetime(at) for at in s.events]))
        case "once":
            return reference(OnceTimetable())
        case _:
            return reference(NullTimetable())


def dag_of(dag_id: str, s: Schedule, rng: random.Random) -> DagSpec:
    """A DAG of one task that takes no time, in the scheduler itself or on a worker."""
    return DagSpec(
        dag_id=dag_id,
        timetable=timetable_of(s),
        tasks=(TaskSpec(task_id="only", runs_code=rng.random() < 0.1),),
        start_at=s.start_at,
        end_at=s.end_at,
        catchup=s.catchup,
        catchup_window_s=s.window_s,
        misfire=s.misfire,
        jitter_s=s.jitter_s,
        max_active_runs=rng.choice((1, 2, 16)),
        description=f"edition {rng.random()}",
    )


def some_start_of_years(rng: random.Random) -> Instant:
    """When a simulation begins: some day of two decades, mostly one before clocks change."""
    month = rng.choice((3, 3, 10, 10, 10, rng.randrange(1, 13)))
    return int(datetime(rng.randrange(2006, 2027), month, rng.randrange(5, 25), tzinfo=UTC).timestamp()) * SECOND
