"""Zones whose clock is set back to midnight: the hour from 00:00 comes twice, and is of that day both times."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from tests.unit.rules.dependencies.reading import Dag, waits_for, waits_for_itself
from tests.unit.rules.timetables.periods import timetable_of

from gnomon.dependencies import After, upstream_slots
from gnomon.rules.timetables.wall_clock.zones import named_zone

NIGHTS = {
    "Atlantic/Azores": date(2024, 10, 27),
    "America/Havana": date(2024, 11, 3),
    "Asia/Amman": date(2021, 10, 29),
    "America/St_Johns": date(2010, 11, 7),
}
SPECS = [
    {"kind": "minute", "every": 30, "start": "00:00", "end": "23:59"},
    {"kind": "minute", "every": 7, "start": "00:00", "end": "01:30"},
    {"kind": "hour", "every": 1, "start": "00:00", "end": "23:59"},
    {"kind": "discrete_hours", "hours": [0, 5], "minute": 30},
]


@pytest.mark.parametrize("name", NIGHTS)
@pytest.mark.parametrize("upstream", SPECS, ids=lambda spec: f"{spec['kind']}{spec.get('every', '')}")
def test_the_doubled_hour_is_one_hour_of_its_day(name: str, upstream: dict[str, object]) -> None:
    zone = named_zone(name)
    itself = After("b", previous=1)
    b = Dag(upstream, zone)
    theirs = timetable_of(upstream, timezone=name)
    for downstream in SPECS:
        a, after = Dag(downstream, zone), After("b")
        mine = timetable_of(downstream, timezone=name)
        for days in (-1, 0, 1):
            for at in sorted({slot for _, slots in a.slots(NIGHTS[name] + timedelta(days)) for slot in slots})[::3]:
                found = upstream_slots(after, downstream=mine, upstream=theirs, at=at)
                assert (list(found.slots), found.rule) == waits_for(a, b, at, {}), (
                    f"{mine} on {theirs} at {at.astimezone(zone)}"
                )
    for days in (-1, 0, 1):
        for at in sorted({slot for _, slots in b.slots(NIGHTS[name] + timedelta(days)) for slot in slots}):
            found = upstream_slots(itself, downstream=theirs, upstream=theirs, at=at, same_dag=True)
            assert list(found.slots) == waits_for_itself(b, at, 1), f"{theirs} on itself at {at.astimezone(zone)}"
