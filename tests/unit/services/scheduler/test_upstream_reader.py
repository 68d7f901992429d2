"""A part of the past gives the answer that all of it gives, run after run, and each part of it is read once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any, cast

import pytest
from tests.unit.rules.dependencies.test_reading import CHANGES, _options

from gnomon.dependencies import Resolver
from gnomon.model.after import After
from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.upstream_edges import DependencySpec, to_after, to_dependency_spec
from gnomon.rules.dependencies.planned_slots import PlannedSlots
from gnomon.rules.dependencies.upstream_query import (
    DagSide,
    EdgeTimetables,
    RecordedSlots,
    ResolvedSlots,
    TimeRange,
    to_history,
)
from gnomon.rules.timetables.registry import reference
from gnomon.rules.timetables.wall_clock.zones import named_zone
from gnomon.services.scheduler.upstream_reader import UpstreamReader
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records.upstream_dags import UpstreamDag
from gnomon.timetables import (
    CronTriggerTimetable,
    Daily,
    DeltaTriggerTimetable,
    DiscreteHours,
    Hourly,
    Minutely,
    Timetable,
)

CASES, LONG_CASES, A_TEST = 20, 4000, 10
RUNS_A_CASE = 6
HOUR = timedelta(hours=1)
CRONS = ("*/2 1-2 * * * */4", "* 1-2 * * *", "*/3 * * * *", "*/9 2,3 * * *", "*/4 0,23 * * * */5")
"""Seconds stand last. Their days are kept by hours, or by minutes."""


class Recorded(UpstreamReader):
    """An upstream whose runs stand in a list."""

    def __init__(self, slots: Collection[Instant], decided: Instant | None) -> None:
        super().__init__(cast("Transaction", None))
        self.slots = sorted(slots)
        self.decided_until = decided
        self.read = 0

    @property
    def up(self) -> UpstreamDag:
        return cast("UpstreamDag", self)

    def read_history(self, up: UpstreamDag, stretch: TimeRange) -> RecordedSlots:
        found = self.slots[bisect_left(self.slots, stretch.start) : bisect_left(self.slots, stretch.end)]
        self.read += len(found)
        return RecordedSlots(tuple(found), up.decided_until)

    def all_of_it(self) -> RecordedSlots:
        return RecordedSlots(tuple(self.slots), self.decided_until)

    def _slots_before(self, up: UpstreamDag, at: Instant, most: int) -> list[Instant]:
        return self.slots[: bisect_left(self.slots, at)][-most:]


@pytest.mark.parametrize("first", range(0, CASES, A_TEST))
def test_a_part_of_the_past_gives_the_answer_of_all_of_it(first: int) -> None:
    parts = sum(_compare(seed) for seed in range(first, first + A_TEST))
    assert parts, "some runs look at less than days"


@pytest.mark.soak
@pytest.mark.parametrize("first", range(10_000, 10_000 + LONG_CASES, A_TEST))
def test_a_part_of_the_past_gives_the_answer_of_all_of_it_at_length(first: int) -> None:
    for seed in range(first, first + A_TEST):
        _compare(seed)


def _compare(seed: int) -> int:
    """How many runs of a random pair of DAGs look at a part of a day; the cursor of the upstream goes on before each."""
    random = Random(seed)
    name = random.choice(sorted(CHANGES))
    near = CHANGES[name]
    day = random.choice(near) if near and random.random() < 0.3 else date(2024, 1, 1) + timedelta(random.randrange(700))
    start = (
        datetime(day.year, day.month, day.day, tzinfo=named_zone(name)).astimezone(UTC)
        + random.randrange(-2, 24) * HOUR
    )
    itself = random.random() < 0.3
    upstream = _timetable(random, name, itself=True)
    downstream = upstream if itself else _timetable(random, name)
    options = _options(random) | {"on_absent": random.choice(["ignore", "ignore", "wait", "fail"])}
    after = to_dependency_spec(
        After("b", **({**options, "period": "previous", "previous": random.choice([1, 3, 30])} if itself else options))
    )
    sides = [
        DagSide(dag_id=dag_id, timetable=reference(one))
        for dag_id, one in (("b" if itself else "a", downstream), ("b", upstream))
    ]
    timetables = EdgeTimetables(after, *sides, downstream, upstream)
    resolver = Resolver(to_after(after), downstream, upstream, same_dag=itself)
    recorded = Recorded(_past(random, upstream, start), None)
    everything, parts = recorded.slots, 0
    for at in list(PlannedSlots(downstream).between(start, start + 26 * HOUR))[:: random.randint(1, 40)][:RUNS_A_CASE]:
        cursor = to_instant(at + timedelta(minutes=random.choice([0, 0, 0, 7, -90, 200])))
        recorded.decided_until = max(cursor, recorded.decided_until or cursor)
        gone = random.random() < 0.1  # somebody deletes what ran first
        everything = everything[40:] if gone else everything
        recorded.slots = [slot for slot in everything if slot <= recorded.decided_until]
        parts += _is_told_alike(
            f"seed {seed}: {downstream} on {upstream} at {at}, {after}",
            timetables,
            resolver,
            recorded,
            after,
            at,
            itself,
        )
    return parts


def _is_told_alike(
    case: str,
    timetables: EdgeTimetables,
    resolver: Resolver,
    recorded: Recorded,
    after: DependencySpec,
    at: datetime,
    itself: bool,
) -> bool:
    moment = to_instant(at)
    if itself:
        past = recorded.read_own_history(recorded.up, after, [moment], timetables)
    else:
        past = recorded.read_history_for(recorded.up, timetables, [moment])
    expected = resolver.resolve(at, to_history(recorded.all_of_it()))
    absent = () if after.on_absent == "wait" else expected.absent
    told = ResolvedSlots(tuple(map(to_instant, expected.slots)), expected.rule, tuple(map(to_instant, absent)))
    assert timetables.resolve_slots(moment, to_history(past)) == told, case
    return past.changed is not None


def _timetable(random: Random, name: str, itself: bool = False) -> Timetable:
    roll = random.random()
    if roll < 0.6:
        return CronTriggerTimetable(random.choice(CRONS), timezone=name)
    if roll < 0.7:
        return DeltaTriggerTimetable(timedelta(seconds=random.choice([100, 400])))
    if roll < 0.8 or itself:
        return Minutely(random.choice([1, 3, 5]), timezone=name)
    return random.choice(
        [Hourly(timezone=name), DiscreteHours([1, 2, 5], timezone=name), Daily("12:00", timezone=name)]
    )


def _past(random: Random, timetable: Timetable, start: datetime) -> list[Instant]:
    """What runs, some slots left out; and on some days what another schedule planned."""
    end = start + 30 * HOUR
    share = random.choice([1.0, 0.9, 0.3])
    slots = {
        to_instant(slot) for slot in PlannedSlots(timetable).between(start - 30 * HOUR, end) if random.random() < share
    }
    if random.random() < 0.5:
        first = start + random.randrange(-30, 20) * HOUR
        slots |= {to_instant(first + timedelta(minutes=11 * n, seconds=13)) for n in range(random.randrange(1, 40))}
    return sorted(slots)


def test_each_second_of_the_past_is_read_once_or_twice() -> None:
    every_second = CronTriggerTimetable("* * * * * *", timezone="UTC")
    after = to_dependency_spec(After("b"))
    down, up = (DagSide(dag_id=dag_id, timetable=reference(every_second)) for dag_id in "ab")
    timetables = EdgeTimetables(after, down, up, every_second, every_second)
    morning, runs = to_instant(datetime(2024, 5, 3, 4, tzinfo=UTC)), 200
    recorded = Recorded([morning + n * SECOND for n in range(-600, runs)], None)
    for at in (morning + n * SECOND for n in range(runs)):
        recorded.decided_until = at
        past = recorded.read_history_for(recorded.up, timetables, [at])
        assert timetables.resolve_slots(at, to_history(past)).slots == (at,)
    assert recorded.read <= 600 + 2 * runs


def test_a_day_of_another_schedule_is_told_until_its_runs_are_deleted() -> None:
    every_second = CronTriggerTimetable("* * * * * *", timezone="UTC")
    after = to_dependency_spec(After("b", on_absent="fail"))
    down, up = (DagSide(dag_id=dag_id, timetable=reference(every_second)) for dag_id in "ab")
    timetables = EdgeTimetables(after, down, up, every_second, every_second)
    noon = to_instant(datetime(2024, 5, 3, 12, tzinfo=UTC))
    between_two = noon - 3600 * SECOND + SECOND // 2
    recorded = Recorded([between_two, noon], noon + SECOND)

    def found(at: Instant) -> Any:
        return timetables.resolve_slots(at, to_history(recorded.read_history_for(recorded.up, timetables, [at])))

    assert found(noon + SECOND) == ResolvedSlots((), "none"), (
        "the schedule has changed since: nothing ran, and nothing is absent"
    )
    recorded.slots.remove(between_two)
    assert found(noon + SECOND) == ResolvedSlots((), "span", (noon + SECOND,))
    assert to_datetime(noon).hour == 12
