"""The part of the past that a question reads gives the answer that all of the past gives."""

from __future__ import annotations

from bisect import bisect_left
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any

import pytest
from tests.unit.rules.dependencies.reading import Dag
from tests.unit.rules.dependencies.test_reading import CHANGES, _bounds, _options, _zone
from tests.unit.rules.timetables.periods import timetable_of
from tests.unit.rules.timetables.walked import random_spec

from gnomon.dependencies import Resolver
from gnomon.model.after import After
from gnomon.model.instants import Instant, to_instant
from gnomon.model.upstream_edges import to_after, to_dependency_spec
from gnomon.rules.dependencies.upstream_query import (
    SIDE_US,
    DagSide,
    EdgeTimetables,
    RecordedSlots,
    ResolvedSlots,
    count_needed_slots,
    to_history,
)
from gnomon.rules.timetables.registry import reference
from gnomon.timetables import CronTriggerTimetable, DeltaTriggerTimetable, Minutely, OnceTimetable, Timetable

CASES, LONG_CASES, A_TEST = 240, 4000, 20
DAYS_OF_PAST = 70


@pytest.mark.parametrize("first", range(0, CASES, A_TEST))
def test_a_window_of_the_past_gives_the_answer_of_all_of_it(first: int) -> None:
    read_all = sum(_compare(seed) for seed in range(first, first + A_TEST))
    assert read_all < A_TEST, "windows are short"


@pytest.mark.soak
@pytest.mark.parametrize("first", range(10_000, 10_000 + LONG_CASES, A_TEST))
def test_a_window_of_the_past_gives_the_answer_of_all_of_it_at_length(first: int) -> None:
    for seed in range(first, first + A_TEST):
        _compare(seed)


def _compare(seed: int) -> int:
    """Whether the window was all of the past, for one random pair of DAGs and a random past of the upstream."""
    random = Random(seed)
    name = random.choice(sorted(CHANGES))
    near = CHANGES[name]
    day = random.choice(near) if near and random.random() < 0.4 else date(2024, 1, 1) + timedelta(random.randrange(700))
    a, b = (
        Dag(random_spec(random), _zone(name), _bounds(random, day)),
        Dag(random_spec(random), _zone(name), _bounds(random, day)),
    )
    itself = random.random() < 0.3
    options = _options(random) | {"on_absent": random.choice(["ignore", "ignore", "wait", "fail"])}
    if itself:
        b = a
        options = {**options, "previous": random.choice([1, 1, 2, 5, 30]), "period": "previous"}
    slots = sorted({slot for _, found in a.slots(day) for slot in found})
    if not slots:
        return 0
    at = random.choice(slots)
    recorded, cursor = _past(random, b, day)
    downstream, upstream = _timetable(random, a, name), _timetable(random, b, name)
    if itself:
        upstream = downstream
    after = to_dependency_spec(After("b", **options))
    down = _side("b" if itself else "a", a, downstream)
    up = _side("b", b, upstream)
    resolver = Resolver(to_after(after), downstream, upstream, a.bounds, b.bounds, itself)
    everything = resolver.resolve(at, to_history(RecordedSlots(tuple(recorded), cursor)))
    expected = ResolvedSlots(
        tuple(map(to_instant, everything.slots)),
        everything.rule,
        () if options["on_absent"] == "wait" else tuple(map(to_instant, everything.absent)),
    )
    timetables = EdgeTimetables(after, down, up, downstream, upstream)
    moment = to_instant(at)
    start, end = _of_itself(after, moment, recorded) if itself else timetables.window(moment)
    part = recorded[bisect_left(recorded, start) : bisect_left(recorded, end)]
    found = timetables.resolve_slots(moment, to_history(RecordedSlots(tuple(part), cursor)))
    assert found == expected, f"seed {seed}: {downstream} on {upstream} at {at}, {options}, cursor {cursor}"
    return len(part) == len(recorded) > 0


def _of_itself(after: Any, at: Instant, recorded: list[Instant]) -> tuple[Instant, Instant]:
    before = recorded[: bisect_left(recorded, at)][-count_needed_slots(after) :]
    return (before[0] - SIDE_US if len(before) == count_needed_slots(after) else 0), at + SIDE_US


def _side(dag_id: str, dag: Dag, timetable: Timetable) -> DagSide:
    earliest, latest = dag.bounds
    return DagSide(
        dag_id=dag_id,
        timetable=reference(timetable),
        start_at=None if earliest is None else to_instant(earliest),
        end_at=None if latest is None else to_instant(latest),
    )


def _timetable(random: Random, dag: Dag, name: str) -> Timetable:
    """That of the specification, or one whose periods are as long as they happen to be."""
    roll = random.random()
    if roll < 0.1:
        return CronTriggerTimetable(f"*/20 9-10 * * {random.randrange(7)}", timezone=name)
    if roll < 0.15:
        return DeltaTriggerTimetable(timedelta(minutes=random.choice([35, 600, 3000])))
    return timetable_of(dag.spec, timezone=name)


def _past(random: Random, dag: Dag, day: date) -> tuple[list[Instant], Instant | None]:
    """What ran, up to some cursor: slots of the timetable, some of them passed over, some days of another schedule."""
    if random.random() < 0.1:
        return [], None
    recorded: set[datetime] = set()
    for number in range(-DAYS_OF_PAST, 3):
        one = day + timedelta(number)
        if random.random() < 0.15:
            recorded |= {
                datetime(one.year, one.month, one.day, hour, 17, tzinfo=UTC) for hour in random.sample(range(24), 3)
            }
        elif random.random() < 0.9:
            recorded |= {slot for _, slots in dag.slots(one) for slot in slots if random.random() < 0.9}
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    cursor = midnight + timedelta(hours=random.randrange(-60, 60))
    later = 0.05  # somebody made a run for a slot that is still to come
    return sorted(to_instant(slot) for slot in recorded if slot <= cursor or random.random() < later), to_instant(
        cursor
    )


def test_the_zone_is_that_of_the_dependency_else_of_the_timetable_else_of_the_dag() -> None:
    """Seen by the midnight from which a minute DAG's day counts."""
    daily = CronTriggerTimetable("0 12 * * *", timezone="UTC")
    at = to_instant(datetime(2024, 5, 3, 12, tzinfo=UTC))

    def start(zone: str | None, timetable: Timetable, timezone: str) -> datetime:
        down = DagSide(dag_id="a", timetable=reference(timetable), timezone=timezone)
        up = DagSide(dag_id="b", timetable=reference(Minutely(every=30)))
        found = EdgeTimetables(
            to_dependency_spec(After("b", zone=zone)), down, up, timetable, Minutely(every=30)
        ).window(at)
        return datetime.fromtimestamp(found.start / 1_000_000, UTC)

    assert start("Asia/Shanghai", daily, "America/New_York") == datetime(2024, 5, 2, 16, tzinfo=UTC)
    assert start(None, daily, "America/New_York") == datetime(2024, 5, 3, tzinfo=UTC)
    assert start(None, OnceTimetable(), "America/New_York") == datetime(2024, 5, 3, 4, tzinfo=UTC)


def test_a_period_as_long_as_a_week_makes_the_window_as_long() -> None:
    rare = CronTriggerTimetable("*/20 9 * * 1", timezone="UTC")
    down, up = (
        DagSide(dag_id="a", timetable=reference(rare)),
        DagSide(dag_id="b", timetable=reference(Minutely(every=5))),
    )
    monday = to_instant(datetime(2024, 5, 6, 9, tzinfo=UTC))
    start, end = EdgeTimetables(to_dependency_spec(After("b")), down, up, rare, Minutely(every=5)).window(monday)
    assert (end - start) // 86_400_000_000 == 8
