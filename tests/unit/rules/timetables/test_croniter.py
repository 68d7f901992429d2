"""Random text is accepted, refused and understood as croniter does it, which is what Airflow reads cron with.

In UTC, where croniter has no clock changes to get wrong; the places where it errs elsewhere are named at the end.
"""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

import pytest
from croniter import CroniterError, croniter

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.timetables.cron.cron_fields import parse_cron
from gnomon.rules.timetables.cron_timetable import CronClock
from gnomon.rules.timetables.wall_clock.zones import floor_seconds

SHORT_TEXTS, LONG_TEXTS, TEXTS_A_TEST = 400, 12_000, 100
STEPS, HORIZON_YEARS = 6, 9
HORIZON_S = (HORIZON_YEARS - 1) * 366 * 86400
BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7), (0, 59), (1970, 2099))
DAY, MONTH, WEEKDAY = 2, 3, 4
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()
NONSENSE = "? h H(1-3) h/2 1.5 1--2 é ١ a-b *-5 5-* */* /5 5/ 1-2-3 # l *5 5* -1 1- monday L-3 lw".split()
STEP_WIDTHS = "1 2 3 4 5 6 7 8 10 13 15 20 29 31 40 61".split()


@pytest.mark.parametrize("seed", range(SHORT_TEXTS // TEXTS_A_TEST))
def test_reads_as_croniter(seed: int) -> None:
    _compare(Random(seed))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1000, 1000 + LONG_TEXTS // TEXTS_A_TEST))
def test_reads_as_croniter_at_length(seed: int) -> None:
    _compare(Random(seed))


@pytest.mark.parametrize("text", ["0 0 20-0 * *", "0 0 * 4-0 *", "0 0 1 jan-0/2 *"])
def test_a_range_does_not_end_in_a_day_or_month_zero(text: str) -> None:
    assert croniter.is_valid(text)
    with pytest.raises(AirflowTimetableInvalid, match="is out of range; use 1 to"):
        parse_cron(text)


@pytest.mark.parametrize("text", ["0 R * * *", "R R * * *", "0 r/2 * * *"])
def test_a_random_value_is_no_schedule(text: str) -> None:
    assert croniter.is_valid(text)
    with pytest.raises(AirflowTimetableInvalid, match="would change with each evaluation"):
        parse_cron(text)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("0 0 20 * 1#1", datetime(2024, 2, 5, tzinfo=UTC)),  # the first Monday is never the 20th
        ("0 0 2W 9 7", datetime(2024, 9, 2, tzinfo=UTC)),  # nor is a workday a Sunday
        ("0 0 1 1 * 0 2098", datetime(2098, 1, 1, tzinfo=UTC)),  # more than 50 years away
    ],
)
def test_runs_where_croniter_finds_nothing(text: str, first: datetime) -> None:
    start = datetime(2024, 1, 17, tzinfo=UTC)
    with pytest.raises(CroniterError):
        croniter(text, start).get_next(datetime)
    assert CronClock(text, UTC).on_or_after(floor_seconds(start)) == floor_seconds(first)


def _compare(random: Random) -> None:
    for _ in range(TEXTS_A_TEST):
        text = " ".join(_column(random, number) for number in range(random.choice((5, 5, 5, 5, 6, 7))))
        start = datetime(random.randint(1995, 2045), random.randint(1, 12), random.randint(1, 28), 7, 3, 1, tzinfo=UTC)
        if not croniter.is_valid(text):
            with pytest.raises(AirflowTimetableInvalid, match=r"^cron expression '.*; "):
                CronClock(text, UTC)
            continue
        if _never_meets(text):
            continue
        clock, at = CronClock(text, UTC), floor_seconds(start)
        assert _walk(clock, at, 1) == _theirs(text, start, "get_next"), f"{text!r} after {start.isoformat()}"
        assert _walk(clock, at, -1) == _theirs(text, start, "get_prev"), f"{text!r} before {start.isoformat()}"


def _never_meets(text: str) -> bool:
    """Whether `#`, `L` or `W` stand beside another day column: where the two cannot meet, croniter finds nothing."""
    day, weekday = text.lower().split()[DAY], text.lower().split()[WEEKDAY]
    special = "w" in day or "#" in weekday or weekday.startswith("l")
    return special and "*" not in (day, weekday)


def _walk(clock: CronClock, at: int | None, way: int) -> list[int]:
    """The next (way 1) or last (-1) instants, as far as they are within croniter's horizon."""
    found: list[int] = []
    begun = at
    while len(found) < STEPS and at is not None and begun is not None:
        at = clock.on_or_after(at + 1) if way == 1 else clock.on_or_before(at - 1)
        if at is None or abs(at - (found[-1] if found else begun)) > HORIZON_S:
            break
        found.append(at)
    return found


def _theirs(text: str, start: datetime, method: str) -> list[int]:
    """What croniter answers, as far as it does."""
    asked, found = croniter(text, start, max_years_between_matches=HORIZON_YEARS), list[int]()
    try:
        while len(found) < STEPS:
            following = floor_seconds(getattr(asked, method)(datetime))
            if abs(following - (found[-1] if found else floor_seconds(start))) > HORIZON_S:
                break
            found.append(following)
    except CroniterError:
        pass
    return found


def _column(random: Random, number: int) -> str:
    if random.random() < 0.4:
        return "*"
    if number == WEEKDAY and random.random() < 0.15:
        return ",".join(_nth(random) for _ in range(random.choice((1, 1, 2))))
    if number == DAY and random.random() < 0.05:
        return random.choice((f"{random.randint(0, 32)}w", f"W{random.randint(1, 31)}"))
    return ",".join(_item(random, number) for _ in range(random.choice((1, 1, 1, 1, 2, 3))))


def _item(random: Random, number: int) -> str:
    form = random.random()
    if form < 0.03:
        return random.choice(NONSENSE)
    if form < 0.1:
        return "*"
    if form < 0.4:
        return _value(random, number)
    if form < 0.5:
        return f"*/{random.choice(STEP_WIDTHS)}"
    if form < 0.6:
        return f"{_value(random, number)}/{random.choice(STEP_WIDTHS)}"
    span = f"{_value(random, number)}-{_value(random, number)}"
    return span if form < 0.8 else f"{span}/{random.choice(STEP_WIDTHS)}"


def _value(random: Random, number: int) -> str:
    low, high = BOUNDS[number]
    if number == DAY and random.random() < 0.05:
        return random.choice("lL")
    if number in (MONTH, WEEKDAY) and random.random() < 0.3:
        word = random.choice(MONTHS if number == MONTH else WEEKDAYS)
        return random.choice((word, word.upper()))
    value = random.randint(low, high) if random.random() < 0.99 else high + 1
    return f"{value:02}" if random.random() < 0.05 else str(value)


def _nth(random: Random) -> str:
    day, week = random.choice((*WEEKDAYS, *"01234567")), random.choice("0123456")
    if random.random() < 0.2:
        return f"{random.choice(WEEKDAYS)}-{random.choice(WEEKDAYS)}#{week}"
    return random.choice((f"{day}#{week}", f"L{random.randint(0, 8)}", f"l{random.randint(0, 7)}", f"{day}L"))
