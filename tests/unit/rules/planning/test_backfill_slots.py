"""The slots of a backfill, against an oracle: every instant of a grid, asked one by one."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.slots import Cursor, DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.planning.backfill_slots import BackfillSlots, find_backfill_slots
from gnomon.timetables import (
    CronDataIntervalTimetable,
    CronPartitionTimetable,
    CronTriggerTimetable,
    DeltaDataIntervalTimetable,
    DeltaTriggerTimetable,
    EventsTimetable,
    Timetable,
)

HOUR, DAY = 3600 * SECOND, 86_400 * SECOND
AT = to_instant(datetime(2026, 3, 1, tzinfo=UTC))
FAR = AT + 1000 * DAY


def find(timetable: Timetable, start: Instant, end: Instant, **given: object) -> BackfillSlots:
    arguments = {"due_by": FAR, "limit": 10_000, **given}
    return find_backfill_slots(timetable=timetable, start=start, end=end, **arguments)  # type: ignore[arg-type]


def starts(found: BackfillSlots) -> list[Instant]:
    return [run.interval_start if run.interval_start is not None else run.run_after for run in found.runs]


@pytest.mark.parametrize("seed", range(30))
def test_the_hours_of_a_range_are_those_of_the_clock(seed: int) -> None:
    rng = random.Random(seed)
    hours = sorted(rng.sample(range(24), rng.randint(1, 5)))
    start = AT + rng.randrange(0, 30 * 24 * 60) * 60 * SECOND
    end = start + rng.randrange(0, 20 * 24 * 60) * 60 * SECOND
    oracle = [at for at in range(AT, end + 1, HOUR) if start <= at and to_datetime(at).hour in hours]
    cron = f"0 {','.join(map(str, hours))} * * *"
    assert starts(find(CronTriggerTimetable(cron, timezone="UTC"), start, end)) == oracle
    found = find(CronDataIntervalTimetable(cron, "UTC"), start, end)
    assert starts(found) == oracle
    assert found.is_complete
    due_by = start + rng.randrange(0, 20 * 24 * 60) * 60 * SECOND
    over = find(CronDataIntervalTimetable(cron, "UTC"), start, end, due_by=due_by)
    assert [run for run in found.runs if run.interval_end is not None and run.interval_end <= due_by] == list(over.runs)


@pytest.mark.parametrize("limit", [1, 2, 7, 24, 25])
def test_batches_continue_where_the_last_ended_and_give_the_same_slots(limit: int) -> None:
    for timetable in (
        CronTriggerTimetable("0 * * * *", timezone="UTC"),
        CronDataIntervalTimetable("0 * * * *", "UTC"),
        DeltaTriggerTimetable(timedelta(hours=1)),
    ):
        whole = find(timetable, AT, AT + DAY)
        assert whole.is_complete
        parts, last = [], None
        while True:
            part = find(timetable, AT, AT + DAY, limit=limit, last=last)
            parts += part.runs
            assert len(part.runs) <= limit
            last = part.position
            if part.is_complete:
                break
        assert parts == list(whole.runs)
        assert len(parts) == 25


def test_run_ids_are_those_of_a_backfill() -> None:
    (run,) = find(CronTriggerTimetable("0 * * * *", timezone="UTC"), AT, AT).runs
    assert run.run_id == "backfill__2026-03-01T00:00:00+00:00"


def test_the_runs_of_partitions_have_their_keys() -> None:
    found = find(
        CronPartitionTimetable("0 0 * * *", timezone="UTC", run_offset=-1, key_format="%Y-%m-%d"), AT, AT + DAY
    )
    assert [(run.run_id, run.partition_key, run.partition_date) for run in found.runs] == [
        ("backfill__2026-03-01T00:00:00+00:00__2026-02-28", "2026-02-28", AT - DAY),
        ("backfill__2026-03-02T00:00:00+00:00__2026-03-01", "2026-03-01", AT),
    ]


def test_the_steps_of_a_delta_are_those_of_the_scheduled_runs() -> None:
    begins = AT - 10 * DAY + 17 * 60 * SECOND
    for timetable in (DeltaDataIntervalTimetable(timedelta(hours=5)), DeltaTriggerTimetable(timedelta(hours=5))):
        oracle = [at for at in range(begins, AT + 2 * DAY + 1, 5 * HOUR) if at >= AT]
        assert starts(find(timetable, AT, AT + 2 * DAY, earliest=begins)) == oracle
        for last in (begins + 25 * HOUR, AT + 20 * DAY):
            near = last - (last - begins) % (5 * HOUR)
            cursor = Cursor(run_after=near, interval_start=near, interval_end=near)
            if isinstance(timetable, DeltaDataIntervalTimetable):
                cursor = Cursor(run_after=near + 5 * HOUR, interval_start=near, interval_end=near + 5 * HOUR)
            assert starts(find(timetable, AT, AT + 2 * DAY, cursor=cursor)) == oracle


def test_events_before_and_after_the_range_are_left_out() -> None:
    events = [to_datetime(AT + n * HOUR) for n in (-1, 0, 5, 10, 11)]
    assert starts(find(EventsTimetable(events), AT, AT + 10 * HOUR)) == [AT, AT + 5 * HOUR, AT + 10 * HOUR]


def test_a_range_without_a_slot_is_complete_and_empty() -> None:
    assert find(CronTriggerTimetable("0 0 29 2 *", timezone="UTC"), AT, AT + 300 * DAY) == BackfillSlots(
        runs=(), position=None, is_complete=True
    )


class Failing(Timetable):
    """An author's timetable that fails at its third slot, and takes no notice of the end of the range."""

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        return DataInterval.exact(run_after)

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        at = (
            restriction.earliest
            if last_automated_data_interval is None
            else last_automated_data_interval.end + timedelta(hours=1)
        )
        assert at is not None
        if at >= to_datetime(AT + 50 * HOUR):
            raise ValueError("no such hour")
        return DagRunInfo.exact(at)


def test_a_failing_timetable_keeps_the_slots_before_its_failure() -> None:
    found = find(Failing(), AT + 48 * HOUR, AT + 100 * HOUR)
    assert starts(found) == [AT + 48 * HOUR, AT + 49 * HOUR]
    assert found.error is not None
    assert "no such hour" in found.error
    assert not found.is_complete
    assert starts(find(Failing(), AT, AT + 2 * HOUR)) == [AT, AT + HOUR, AT + 2 * HOUR]
