"""The auditor of years finds what is lost, doubled, late or too much, and reads clock changes off the wall clock."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from gnomon.entry.simulate.cron_oracle import cron_instants
from gnomon.entry.simulate.expected_runs import RunExpectation, SlotRun
from gnomon.entry.simulate.reference_schedule import CronGrids, ExpectedSlot, Schedule
from gnomon.entry.simulate.simulation_log import (
    DagDefined,
    LogEntry,
    SchedulerKilled,
    SchedulerStarted,
    SimulationLog,
    StoreFaults,
)
from gnomon.model.instants import SECOND, Instant

HOUR = 3600 * SECOND


def at(*numbers: int) -> Instant:
    return int(datetime(*numbers, tzinfo=UTC).timestamp()) * SECOND  # type: ignore[arg-type]


START = at(2024, 5, 1)


def made(hour: int, late: Instant = 0) -> SlotRun:
    due = START + hour * HOUR
    return SlotRun(ExpectedSlot(due, due, due), due + late)


def check(rows: list[SlotRun], *entries: LogEntry, catchup: bool = True) -> list[str]:
    schedule = Schedule("cron", crons=("0 * * * *",), start_at=START, catchup=catchup)
    ledger = SimulationLog(START, [DagDefined(START, "dag", schedule), *entries], end=START + 6 * HOUR)
    return RunExpectation("dag", CronGrids(date(2024, 5, 1), date(2024, 5, 2))).check(ledger, rows)


def test_exactly_the_expected_runs_are_fine() -> None:
    assert check([made(hour) for hour in range(6)]) == []


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([0, 1, 3, 4, 5], id="lost"),
        pytest.param([0, 1, 2, 2, 3, 4, 5], id="doubled"),
        pytest.param([0, 2, 1, 3, 4, 5], id="out of order"),
        pytest.param([0, 1, 2, 3, 4], id="last one lost"),
        pytest.param([0, 1, 2, 3, 4, 5, 6], id="too early"),
        pytest.param([], id="none"),
    ],
)
def test_anything_else_is_found(rows: list[int]) -> None:
    assert len(check([made(hour) for hour in rows])) == 1


def test_a_run_that_is_made_late_is_found() -> None:
    assert "made at 2024-05-01T02:00:01" in check([made(hour, SECOND * (hour == 2)) for hour in range(6)])[0]


@pytest.mark.parametrize(("catchup", "hours"), [(True, (1, 2, 3)), (False, (3,))])
def test_after_a_downtime_all_with_catchup_and_the_newest_without(catchup: bool, hours: tuple[int, ...]) -> None:
    back = START + 3 * HOUR + 600 * SECOND
    rows = [made(0), *(SlotRun(made(hour).slot, back) for hour in hours), made(4), made(5)]
    assert check(rows, SchedulerKilled(START + 1), SchedulerStarted(back), catchup=catchup) == []
    assert check(rows, SchedulerKilled(START + 1), SchedulerStarted(back), catchup=not catchup) != []


def test_where_commits_were_refused_the_rows_follow_one_course() -> None:
    first, last = START + HOUR, START + HOUR + SECOND
    for look in (first, last):
        assert check([made(0), made(1, look - first), *map(made, range(2, 6))], StoreFaults((first, last))) == []
    assert check([made(0), made(1, 2 * SECOND), *map(made, range(2, 6))], StoreFaults((first, last))) != []


@pytest.mark.parametrize(
    ("cron", "zone", "day", "instants"),
    [
        ("30 2 * * *", "Europe/Zurich", date(2024, 3, 31), [at(2024, 3, 31, 1, 30)]),
        ("30 2 * * *", "Europe/Zurich", date(2024, 10, 27), [at(2024, 10, 27, 1, 30)]),
        ("15,45 2 * * *", "Europe/Zurich", date(2024, 3, 31), [at(2024, 3, 31, 1, 15), at(2024, 3, 31, 1, 45)]),
        ("0 2 * * *", "Australia/Lord_Howe", date(2024, 10, 6), [at(2024, 10, 5, 15, 30)]),
    ],
)
def test_labels_that_clocks_skip_or_show_twice(cron: str, zone: str, day: date, instants: list[Instant]) -> None:
    midday = at(day.year, day.month, day.day, 12)
    found = [instant for instant in cron_instants(cron, zone, day, day) if abs(instant - midday) < 22 * HOUR]
    assert [instant for instant in found if instants[0] - 6 * HOUR < instant < instants[-1] + 6 * HOUR] == instants


def test_every_real_hour_runs_on_the_day_of_a_clock_change() -> None:
    for day, hours in ((31, 23), (27, 25)):
        month = 3 if day == 31 else 10
        begin = at(2024, month, day) - (1 if month == 3 else 2) * HOUR
        found = cron_instants("0 * * * *", "Europe/Zurich", date(2024, month, day), date(2024, month, day))
        assert [instant for instant in found if begin <= instant < begin + hours * HOUR] == [
            begin + n * HOUR for n in range(hours)
        ]
