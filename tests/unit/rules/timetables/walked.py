"""Period timetables by brute force: every minute of the wall clock is looked at, with nothing of the timetables' code.

`Spec` is the notation of the shared cases: kind, every, start, end, hours, minute, at, weekdays, days.
"""

from __future__ import annotations

import calendar
import json
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache
from random import Random
from typing import Any

Spec = dict[str, Any]
MINUTE = timedelta(minutes=1)
SKEW = timedelta(days=2)
TIMES = [f"{hour:02d}:{minute:02d}" for hour in range(24) for minute in range(60)]


def random_spec(random: Random) -> Spec:
    """A period timetable of any kind."""
    kind = random.choice(["minute", "hour", "discrete_hours", "day", "week", "month"])
    at = f"{random.choice([0, 1, 2, 2, 3, 12, 23]):02d}:{random.choice([0, 0, 15, 30, 59]):02d}"
    if kind == "minute":
        return {"kind": kind, "every": random.choice([1, 5, 7, 15, 20, 30, 50, 59]), **_window(random)}
    if kind == "hour":
        return {"kind": kind, "every": random.choice([1, 1, 2, 3, 5, 8, 12, 23]), **_window(random)}
    if kind == "discrete_hours":
        return {
            "kind": kind,
            "hours": random.sample(range(24), random.randint(1, 6)),
            "minute": random.choice([0, 30, 59]),
        }
    if kind == "day":
        return {"kind": kind, "at": at}
    if kind == "week":
        return {"kind": kind, "weekdays": random.sample(range(1, 8), random.randint(1, 4)), "at": at}
    named: list[Any] = [*range(1, 32), "last", *((day, nth) for day in range(1, 8) for nth in (1, 2, 3, 4, 5, "last"))]
    return {"kind": kind, "days": random.sample(named, random.randint(1, 3)), "at": at}


def labels_of(spec: Spec, day: date) -> list[datetime]:
    """The wall-clock times of the day that the timetable selects, by trying every minute."""
    midnight = datetime(day.year, day.month, day.day)
    if not _selects_day(spec, midnight):
        return []
    return [midnight + minute * MINUTE for minute in _minutes_of(json.dumps(spec))]


def every_hour(spec: Spec) -> bool:
    """Whether every real hour runs."""
    return spec["kind"] == "minute" or (spec["kind"] == "hour" and spec["every"] == 1)


def instants_of(spec: Spec, label: datetime, zone: tzinfo) -> list[datetime]:
    """When a label runs: moved by the gap if there is no such time, at its second time or both if there are two."""
    readings = [label.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)]
    real = [reading for reading in readings if reading.astimezone(zone).replace(tzinfo=None) == label]
    if not real:
        return readings[:1]
    return sorted(set(real)) if every_hour(spec) else [max(real)]


def slots_between(spec: Spec, zone: tzinfo, start: datetime, end: datetime) -> list[datetime]:
    """Every slot from `start` to `end` (exclusive), in UTC."""
    found: set[datetime] = set()
    day = (start - SKEW).date()
    while day <= (end + SKEW).date():
        for label in labels_of(spec, day):
            found.update(instants_of(spec, label, zone))
        day += timedelta(days=1)
    return sorted(slot for slot in found if start <= slot < end)


def _window(random: Random) -> Spec:
    if random.random() < 0.5:
        return {"start": "00:00", "end": "23:59"}
    first, last = sorted(random.sample(range(1440), 2))
    return {"start": f"{first // 60:02d}:{first % 60:02d}", "end": f"{last // 60:02d}:{last % 60:02d}"}


@cache
def _minutes_of(spec_text: str) -> list[int]:
    """The minutes of a day that the timetable selects: the same ones on each day, so every minute is tried once."""
    spec = json.loads(spec_text)
    return [minute for minute in range(1440) if _selects_time(spec, minute, TIMES[minute])]


def _selects_time(spec: Spec, minute: int, text: str) -> bool:
    kind = spec["kind"]
    if kind == "minute":
        return spec["start"] <= text <= spec["end"] and minute % 60 in range(int(spec["start"][3:]), 60, spec["every"])
    if kind == "hour":
        since = minute - (int(spec["start"][:2]) * 60 + int(spec["start"][3:]))
        return spec["start"] <= text <= spec["end"] and since % (60 * spec["every"]) == 0
    if kind == "discrete_hours":
        return minute // 60 in spec["hours"] and minute % 60 == spec["minute"]
    return text == spec["at"]


def _selects_day(spec: Spec, day: datetime) -> bool:
    if spec["kind"] == "week":
        return day.isoweekday() in spec["weekdays"]
    return spec["kind"] != "month" or any(_is_day(day, named) for named in spec["days"])


def _is_day(label: datetime, named: Any) -> bool:
    length = calendar.monthrange(label.year, label.month)[1]
    if not isinstance(named, (tuple, list)):
        return label.day == (length if named == "last" else named)
    weekday, nth = named
    if label.isoweekday() != weekday:
        return False
    return label.day > length - 7 if nth == "last" else (label.day + 6) // 7 == nth
