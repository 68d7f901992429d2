"""Timetables of partitions: keys, dates, offsets, and the way back from a key."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from gnomon.model.errors.authoring import InvalidPartitionKeyError
from gnomon.model.instants import to_instant
from gnomon.model.slots import DagRunInfo, TimeRestriction
from gnomon.model.spec import DagSpec
from gnomon.rules.planning import find_slot_partition
from gnomon.rules.planning.queries import ask_next
from gnomon.timetables import CronPartitionTimetable, PartitionedAtRuntime, build, reference

START = datetime(2024, 10, 26, 23, tzinfo=UTC)
LATER = datetime(2025, 1, 1, tzinfo=UTC)


def _walk(timetable: CronPartitionTimetable, count: int, start: datetime = START) -> list[DagRunInfo]:
    found: list[DagRunInfo] = []
    for _ in range(count):
        info = timetable.plan_next(found[-1] if found else None, TimeRestriction(start, None, True), LATER)
        assert info is not None
        found.append(info)
    return found


@pytest.mark.parametrize(("offset", "hours"), [(None, 0), (0, 0), (1, 1), (-1, -1), (-3, -3)])
def test_the_partition_lies_so_many_ticks_beside_the_run(offset: int | None, hours: int) -> None:
    for info in _walk(CronPartitionTimetable("0 * * * *", timezone="UTC", run_offset=offset), 5):
        date = info.run_after + timedelta(hours=hours)
        assert (info.data_interval, info.partition_date, info.partition_key) == (
            None,
            date,
            date.strftime("%Y-%m-%dT%H:%M:%S"),
        )


def test_keys_are_written_in_the_zone_and_read_back() -> None:
    timetable = CronPartitionTimetable("0 0 * * *", timezone="Asia/Taipei", key_format="%Y-%m-%d")
    (info,) = _walk(timetable, 1)
    assert (info.run_after, info.partition_key) == (datetime(2024, 10, 27, 16, tzinfo=UTC), "2024-10-28")
    assert timetable.resolve_partition_date("2024-10-28") == info.partition_date
    assert timetable.resolve_partition_date(None) is None
    with pytest.raises(InvalidPartitionKeyError, match="does not match the timetable's key_format '%Y-%m-%d'"):
        timetable.resolve_partition_date("2024")


def test_the_hour_that_comes_twice_has_two_runs_and_an_offset_tells_their_keys_apart() -> None:
    plain = _walk(CronPartitionTimetable("0 * * * *", timezone="Europe/Zurich"), 4)
    assert [info.partition_key for info in plain][1:3] == ["2024-10-27T02:00:00"] * 2
    exact = CronPartitionTimetable("0 * * * *", timezone="Europe/Zurich", key_format="%Y-%m-%dT%H%z")
    keys = [info.partition_key for info in _walk(exact, 4)]
    assert keys[1:3] == ["2024-10-27T02+0200", "2024-10-27T02+0100"]
    assert [exact.resolve_partition_date(key) for key in keys] == [info.partition_date for info in plain]


def test_the_partitions_of_a_window_of_dates() -> None:
    timetable = CronPartitionTimetable("0 0 * * *", timezone="America/New_York", run_offset=-1, key_format="%Y-%m-%d")
    found = list(
        timetable.iter_partition_dagrun_infos(
            earliest=datetime(2024, 11, 2, tzinfo=UTC), latest=datetime(2024, 11, 4, tzinfo=UTC)
        )
    )
    assert [info.partition_key for info in found] == ["2024-11-02", "2024-11-03", "2024-11-04"]
    assert [info.run_after for info in found] == [info.partition_date for info in found]


def test_the_stored_form_and_the_run_id() -> None:
    timetable = CronPartitionTimetable(
        "@hourly", timezone="UTC", run_offset=2, run_immediately=timedelta(hours=1), key_format="%H"
    )
    assert build(reference(timetable)) == timetable and reference(timetable).has_partitions
    planned = ask_next(timetable, None, TimeRestriction(START, None, True), 1_800_000_000_000_000)
    assert planned is not None and planned.run_id == "scheduled__2024-10-26T23:00:00+00:00__01"
    assert (planned.partition_key, planned.interval_start) == ("01", None)
    for offset in (timedelta(hours=1), 1.5, True):
        with pytest.raises(ValueError, match="Run offset other than integer not supported yet"):
            CronPartitionTimetable("@hourly", timezone="UTC", run_offset=offset)  # type: ignore[arg-type]


def test_partitions_that_tasks_name_at_run_time_have_no_slots() -> None:
    timetable = PartitionedAtRuntime()
    assert (timetable.partitioned, timetable.partitioned_at_runtime, timetable.summary) == (
        False,
        True,
        "PartitionedAtRuntime",
    )
    assert timetable.plan_next(None, TimeRestriction(START, None, True), LATER) is None
    assert timetable.resolve_partition_date("any") is None
    assert reference(timetable).has_partitions and build(reference(timetable)) == timetable


def test_the_run_of_a_slot_has_the_partition_of_the_slot() -> None:
    spec = DagSpec(
        dag_id="d",
        timetable=reference(CronPartitionTimetable("0 * * * *", timezone="UTC", run_offset=-1, key_format="%d %H")),
    )
    assert find_slot_partition(spec, to_instant(START)) == ("26 22", to_instant(START - timedelta(hours=1)))
    assert find_slot_partition(DagSpec(dag_id="d", timetable=reference(PartitionedAtRuntime())), to_instant(START)) == (
        None,
        None,
    )
