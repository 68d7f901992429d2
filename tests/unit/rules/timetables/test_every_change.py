"""Around every clock change of every zone since 1990, the evaluator and the timetables answer as the oracle does."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from functools import cache
from importlib import resources
from random import Random

import pytest
from tests.unit.rules.timetables.expressions import Expression, Field, expression_around
from tests.unit.rules.timetables.oracle import DAY_S, Stretch, instants_between, stretches_of

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.timetables.cron_timetable import CronClock
from gnomon.rules.timetables.wall_clock.zones import floor_seconds, from_seconds, named_zone
from gnomon.timetables import (
    BuiltinTimetable,
    CronDataIntervalTimetable,
    CronTriggerTimetable,
    Daily,
    MultipleCronTriggerTimetable,
)

FIRST, LAST = (floor_seconds(datetime(year, 1, 1, tzinfo=UTC)) for year in (1990, 2050))
AROUND_S = 2 * DAY_S
SHORT_CHANGES, EXPRESSIONS = 120, 5
"""How many changes the short form draws, and how many random expressions are tried around each."""
WALK = 12
SHARDS = 24

STAR_DAY = Field("*", frozenset(range(1, 32)), star=True)
STAR_MONTH = Field("*", frozenset(range(1, 13)), star=True)
STAR_WEEKDAY = Field("*", frozenset(range(7)), star=True)


def test_a_sample_of_changes() -> None:
    random = Random(20240331)
    with_changes = [name for name in zone_names() if name.count("/") and not name.startswith("Etc/")]
    tried = 0
    while tried < SHORT_CHANGES:
        zone = named_zone(random.choice(with_changes))
        year = random.randrange(60)
        begin = FIRST + year * (LAST - FIRST) // 60
        for before, after in _changes(zone, begin, begin + 366 * DAY_S):
            _compare(random, zone, before, after)
            tried += 1


@pytest.mark.soak
@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_change_of_every_zone(shard: int) -> None:
    """All 27,000 of them: minutes of one core."""
    for name in zone_names()[shard::SHARDS]:
        random, zone = Random(name), named_zone(name)
        for before, after in _changes(zone, FIRST, LAST):
            _compare(random, zone, before, after)


@pytest.mark.parametrize(
    ("name", "year"),
    [
        ("Africa/Monrovia", 1972),  # from -00:44:30 to UTC
        ("Europe/Amsterdam", 1892),  # from +00:17:30
        ("Europe/Dublin", 1916),  # from +00:34:39 in summer
        ("Europe/Dublin", 1971),  # winter is the exception, by law an hour back
        ("Pacific/Apia", 2011),  # 30 December did not happen
        ("Pacific/Kwajalein", 1993),  # nor 21 August
        ("America/Juneau", 1867),  # a Friday twice
        ("Australia/Lord_Howe", 2024),  # half an hour
        ("Antarctica/Troll", 2024),  # two hours
        ("Antarctica/Casey", 2018),  # three hours
        ("America/Sao_Paulo", 2018),  # at midnight
        ("Asia/Beirut", 2024),  # at midnight
        ("Africa/Cairo", 2024),  # on Fridays at midnight
        ("Africa/Casablanca", 2025),  # back for Ramadan
        ("Asia/Pyongyang", 2018),  # half an hour at 23:30
        ("America/Caracas", 2007),
        ("Asia/Kathmandu", 1985),  # a quarter of an hour
        ("America/St_Johns", 1988),  # two hours, at 00:01
    ],
)
def test_strange_changes(name: str, year: int) -> None:
    random, zone = Random(name), named_zone(name)
    begin = floor_seconds(datetime(year, 1, 1, tzinfo=UTC))
    changes = _changes(zone, begin, begin + 366 * DAY_S)
    assert changes
    for before, after in changes:
        for _ in range(4):
            _compare(random, zone, before, after)


def _changes(zone: tzinfo, begin: int, end: int) -> list[tuple[Stretch, Stretch]]:
    found = stretches_of(zone, begin, end)
    return list(zip(found, found[1:], strict=False))


def _compare(random: Random, zone: tzinfo, before: Stretch, after: Stretch) -> None:
    """The days around one change, with expressions next to it and those that meet it exactly."""
    start, end = after.start - AROUND_S, after.start + AROUND_S
    hour = (after.start + random.choice((before, after)).offset) // 3600 % 24
    expressions = [expression_around(random, hour) for _ in range(EXPRESSIONS)]
    expressions += [_at(after.start + before.offset), _at(after.start + after.offset + random.randrange(-3600, 3600))]
    instants = []
    for expression in expressions:
        expected = instants_between(expression, zone, start, end).tolist()
        case = f"{expression.text!r} in {zone} from {from_seconds(start)} to {from_seconds(end)}"
        clock = CronClock(expression.text, zone)
        assert [int(moment.timestamp()) for moment in clock.between(start, end)] == expected, case
        for one, following in zip(expected[: 2 * WALK], expected[1:], strict=False):
            assert clock.on_or_after(one + 1) == following, case
            assert clock.on_or_after(following) == following, case
            assert clock.on_or_before(following - 1) == one, case
            assert clock.on_or_before(following) == following, case
        instants.append(expected)
    _timetables_agree(expressions[-1], zone, instants[-1], start)
    (minute,), (hour,) = expressions[-1].minute.values, expressions[-1].hour.values
    daily = Daily(at=f"{hour:02}:{minute:02}", timezone=zone)
    slots = daily.slots_between(from_seconds(start), from_seconds(end))
    assert [int(moment.timestamp()) for moment in slots] == instants[-1], (
        f"{daily!r} around {from_seconds(after.start)}"
    )
    pair = sorted({*instants[0], *instants[-1]})
    both = MultipleCronTriggerTimetable(expressions[0].text, expressions[-1].text, timezone=zone)
    assert _walk(both, start, min(len(pair), WALK)) == pair[:WALK]


def _timetables_agree(expression: Expression, zone: tzinfo, instants: list[int], start: int) -> None:
    """Planning, slots, and manual runs of both cron families are about the same instants, in both directions."""
    if len(instants) < 2:
        return
    ticks = CronTriggerTimetable(expression.text, timezone=zone)
    assert _walk(ticks, start, min(len(instants), WALK)) == instants[:WALK]
    intervals = CronDataIntervalTimetable(expression.text, zone)
    last: DagRunInfo | None = None
    for one, following in list(zip(instants, instants[1:], strict=False))[:WALK]:
        expected = DataInterval(from_seconds(one), from_seconds(following))
        last = intervals.plan_next(last, TimeRestriction(expected.start, None, True), expected.end)
        assert last == DagRunInfo.interval(*expected)
        assert intervals.infer_manual(expected.end) == expected
        newest = intervals.plan_next(None, TimeRestriction(from_seconds(start), None, False), expected.end)
        assert newest == DagRunInfo.interval(*expected)


def _walk(made: BuiltinTimetable, start: int, count: int) -> list[int]:
    restriction, last = TimeRestriction(from_seconds(start), None, True), None
    found: list[int] = []
    while len(found) < count:
        last = made.plan_next(last, restriction, from_seconds(start))
        assert last is not None
        found.append(floor_seconds(last.run_after))
    return found


def _at(label: int) -> Expression:
    """Every day at one wall-clock time."""
    minute, hour = label // 60 % 60, label // 3600 % 24
    return Expression(
        Field(str(minute), frozenset({minute})), Field(str(hour), frozenset({hour})), STAR_DAY, STAR_MONTH, STAR_WEEKDAY
    )


@cache
def zone_names() -> list[str]:
    return resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
