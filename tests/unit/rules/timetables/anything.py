"""Any timetable from a seed: every built-in one with what it takes, and classes as an author would write them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any

from dateutil.relativedelta import relativedelta
from tests.unit.rules.timetables.expressions import random_expression
from tests.unit.rules.timetables.made import ALL_ZONES
from tests.unit.rules.timetables.periods import timetable_of
from tests.unit.rules.timetables.walked import random_spec

from gnomon.calendars import Calendar, Dates, Union, Weekends
from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.timetables.wall_clock.zones import named_zone
from gnomon.timetables import (
    BusinessDays,
    ContinuousTimetable,
    CronDataIntervalTimetable,
    CronTriggerTimetable,
    DagRunInfo,
    DataInterval,
    DeltaDataIntervalTimetable,
    DeltaTriggerTimetable,
    EventsTimetable,
    MultipleCronTriggerTimetable,
    NullTimetable,
    OnceTimetable,
    TimeRestriction,
    Timetable,
)

START, END = datetime(1990, 1, 1, tzinfo=UTC), datetime(2050, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
_SPANS: tuple[Any, ...] = (
    timedelta(minutes=5),
    timedelta(hours=1, seconds=7),
    DAY,
    timedelta(weeks=1),
    relativedelta(months=1),
    relativedelta(years=1),
    relativedelta(days=1, hours=3),
)


class Authors(Timetable):
    """Given weekdays in a zone; a run is about its whole day, or about nothing, and is made `hour` hours after its end."""

    def __init__(self, weekdays: list[int], zone: str, hour: int, exact: bool, named: bool) -> None:
        self.weekdays, self.zone, self.hour, self.exact, self.named = weekdays, zone, hour, exact, named
        self.description = f"On days {weekdays} of {zone}"

    @property
    def summary(self) -> str:
        return f"{self.hour} h after days {self.weekdays}"

    def serialize(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("weekdays", "zone", "hour", "exact", "named")}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Authors:
        return cls(**data)

    def generate_run_id(self, *, run_type: Any, data_interval: DataInterval, **extra: Any) -> str:
        if self.named:
            return f"{data_interval.start.astimezone(named_zone(self.zone)):%Y-%m-%d %A} ({getattr(run_type, 'value', run_type)})"
        return super().generate_run_id(run_type=run_type, data_interval=data_interval, **extra)

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        if self.exact:
            return DataInterval.exact(run_after)
        day = self._day_of(run_after) - DAY
        while (
            day.weekday() not in self.weekdays
            or self._midnight(day + DAY) > run_after
            or self._midnight(day) >= self._midnight(day + DAY)
        ):
            day -= DAY
        return DataInterval(self._midnight(day), self._midnight(day + DAY))

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        after = last_automated_data_interval.start if last_automated_data_interval is not None else None
        if after is None and restriction.earliest is None:
            return None
        earliest = max(filter(None, [after, restriction.earliest]))
        if not restriction.catchup:
            earliest = max(earliest, datetime.now(UTC) - DAY)
        day = self._day_of(earliest) - DAY
        while not self._serves(day, after, earliest):
            day += DAY
        start, end = self._midnight(day), self._midnight(day + DAY)
        if restriction.latest is not None and start > restriction.latest:
            return None
        interval = DataInterval.exact(start) if self.exact else DataInterval(start, end)
        return DagRunInfo(run_after=end + timedelta(hours=self.hour), data_interval=interval)

    def _day_of(self, moment: datetime) -> date:
        local = moment.astimezone(named_zone(self.zone))
        return date(local.year, local.month, local.day)

    def _serves(self, day: date, after: datetime | None, earliest: datetime) -> bool:
        start, end = self._midnight(day), self._midnight(day + DAY)
        return day.weekday() in self.weekdays and start >= earliest and start < end and (after is None or start > after)

    def _midnight(self, day: date) -> datetime:
        return datetime(day.year, day.month, day.day, tzinfo=named_zone(self.zone)).astimezone(UTC)


def anything(seed: int) -> Timetable:
    """The timetable of that number; one that is refused gives way to the next of the same seed.

    As many numbers in a row as there are zones have each zone once.
    """
    random = _Seeded(seed)
    while True:
        try:
            made = random.choice(_KINDS)(random)
            made.validate()
        except AirflowTimetableInvalid:
            continue
        return made


class _Seeded(Random):
    """A Random that knows its number."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.number = seed


def _zone(random: Random) -> str:
    assert isinstance(random, _Seeded)
    return ALL_ZONES[random.number % len(ALL_ZONES)]


def _cron(random: Random) -> str:
    return random_expression(random).text


def _back(random: Random) -> Any:
    return random.choice((timedelta(), timedelta(hours=12), DAY, relativedelta(months=1)))


def _some_days_off(random: Random) -> tuple[str, dict[str, Any]]:
    """An expression and, of one that runs daily, perhaps a calendar: rarer ones may have no business day in years."""
    on_calendar = _on_calendar(random)
    return (
        random.choice(("30 2 * * *", "*/20 * * * *", "15 1-3 * * *", "0 0 * * *")) if on_calendar else _cron(random)
    ), on_calendar


def _on_calendar(random: Random) -> dict[str, Any]:
    if random.random() < 0.7:
        return {}
    return {"calendar": _calendar(random), "on_holiday": random.choice(("skip", "previous", "next"))}


def _calendar(random: Random) -> Calendar:
    weekend = Weekends(*random.sample(("mon", "tue", "wed", "thu", "fri", "sat", "sun"), random.randint(1, 3)))
    if random.random() < 0.5:
        return weekend
    days = [START.date() + DAY * random.randrange(60 * 365) for _ in range(random.randint(1, 2000))]
    return Union(weekend, Dates(days, since=START.date() - 33000 * DAY, until=END.date() + 33000 * DAY))


def _trigger(random: Random) -> Timetable:
    cron, days = _some_days_off(random)
    patience = random.choice((False, True, None, timedelta(minutes=10)))
    return CronTriggerTimetable(cron, timezone=_zone(random), interval=_back(random), run_immediately=patience, **days)


def _interval(random: Random) -> Timetable:
    cron, days = _some_days_off(random)
    return CronDataIntervalTimetable(cron, _zone(random), **days)


def _multiple(random: Random) -> Timetable:
    crons = (_cron(random) for _ in range(random.randint(1, 3)))
    return MultipleCronTriggerTimetable(*crons, timezone=_zone(random), interval=_back(random))


_KINDS: tuple[Callable[[Random], Timetable], ...] = (
    _trigger,
    _interval,
    _multiple,
    lambda r: DeltaDataIntervalTimetable(r.choice(_SPANS)),
    lambda r: DeltaTriggerTimetable(r.choice(_SPANS), interval=_back(r)),
    lambda r: EventsTimetable(
        [START + timedelta(seconds=r.randrange(60 * 365 * 86400)) for _ in range(r.randint(0, 20))],
        restrict_to_events=r.random() < 0.5,
    ),
    lambda r: r.choice((OnceTimetable, ContinuousTimetable, NullTimetable))(),
    lambda r: timetable_of(random_spec(r), timezone=_zone(r), interval=r.choice(("period", None)), **_on_calendar(r)),
    lambda r: BusinessDays(
        _calendar(r), f"{r.randrange(24):02d}:{r.randrange(60):02d}", _zone(r), interval=r.choice(("since", "after"))
    ),
    lambda r: BusinessDays(
        _calendar(r), "00:00", _zone(r), nth=r.choice((1, 2, -1, -3)), of=r.choice(("week", "month", "quarter"))
    ),
    lambda r: Authors(
        sorted(r.sample(range(7), r.randint(1, 6))), _zone(r), r.randrange(24), r.random() < 0.3, r.random() < 0.5
    ),
)
