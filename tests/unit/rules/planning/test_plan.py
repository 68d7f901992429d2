"""Which runs are planned: in order, once, as promised; and what a bad timetable does to its own DAG alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gnomon.model.instants import iso, to_datetime, to_instant, to_units
from gnomon.model.slots import Cursor, DagRunInfo, DataInterval, PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.rules.planning import MAX_RUNS, Plan, PlanningError, compute_fingerprint, plan_runs
from gnomon.rules.planning.window import list_runs_in_window
from gnomon.timetables import (
    ContinuousTimetable,
    CronDataIntervalTimetable,
    CronTriggerTimetable,
    DeltaTriggerTimetable,
    EventsTimetable,
    NullTimetable,
    OnceTimetable,
    Timetable,
    reference,
)

MIDNIGHT = datetime(2024, 3, 6, tzinfo=UTC)
DAY = timedelta(days=1)
HOURLY = CronTriggerTimetable("@hourly", timezone="UTC")
DAILY = CronTriggerTimetable("@daily", timezone="UTC")


def test_due_slots_in_order_and_the_one_that_follows() -> None:
    plan = _plan(DAILY, MIDNIGHT + 2.5 * DAY, start=MIDNIGHT, catchup=True)
    assert [run.run_id for run in plan.runs] == [
        "scheduled__2024-03-06T00:00:00+00:00",
        "scheduled__2024-03-07T00:00:00+00:00",
        "scheduled__2024-03-08T00:00:00+00:00",
    ]
    assert plan.cursor == _cursor(plan.runs[-1])
    assert plan.next_run is not None
    assert to_datetime(plan.next_run.run_after) == MIDNIGHT + 3 * DAY


def test_a_slot_is_due_at_its_very_instant_and_not_before() -> None:
    cursor = _cursor(_plan(DAILY, MIDNIGHT, start=MIDNIGHT, catchup=True).runs[0])
    late = to_instant(MIDNIGHT + DAY)
    assert _at(DAILY, late - 1, cursor=cursor).runs == ()
    assert len(_at(DAILY, late, cursor=cursor).runs) == 1


def test_without_catchup_only_the_newest_missed_slot_runs() -> None:
    plan = _plan(HOURLY, MIDNIGHT + timedelta(hours=5, minutes=20), start=MIDNIGHT)
    assert [to_datetime(run.run_after).hour for run in plan.runs] == [5]
    assert plan.next_run is not None
    assert to_datetime(plan.next_run.run_after).hour == 6


def test_room_bounds_the_runs_and_the_next_one_is_then_due() -> None:
    now = MIDNIGHT + timedelta(hours=5)
    plan = _plan(HOURLY, now, start=MIDNIGHT, catchup=True, max_new_runs=2)
    assert [to_datetime(run.run_after).hour for run in plan.runs] == [0, 1]
    assert plan.next_run is not None
    assert plan.next_run.run_after <= to_instant(now)
    full = _plan(HOURLY, now, start=MIDNIGHT, catchup=True, max_new_runs=0)
    assert (full.runs, full.cursor) == ((), None)
    assert full.next_run == plan.runs[0]


def test_one_call_is_bounded_whatever_room_there_is() -> None:
    plan = _plan(HOURLY, MIDNIGHT + 30 * DAY, start=MIDNIGHT, catchup=True, max_new_runs=10**9)
    assert len(plan.runs) == MAX_RUNS


def test_a_dag_ends_with_its_end_date() -> None:
    plan = _plan(DAILY, MIDNIGHT + 9 * DAY, start=MIDNIGHT, end=MIDNIGHT + 2 * DAY, catchup=True)
    assert len(plan.runs) == 3
    assert plan.next_run is None


def test_data_intervals_lie_before_their_run() -> None:
    plan = _plan(CronDataIntervalTimetable("@daily", "UTC"), MIDNIGHT + DAY, start=MIDNIGHT)
    (run,) = plan.runs
    assert (run.interval_start, run.interval_end) == (to_instant(MIDNIGHT), to_instant(MIDNIGHT + DAY))
    assert run.run_id == "scheduled__2024-03-07T00:00:00+00:00"
    assert run.slot_key == str(to_instant(MIDNIGHT))


def test_no_schedule_plans_nothing() -> None:
    assert _plan(NullTimetable(), MIDNIGHT, start=MIDNIGHT) == Plan((), None, None)


def test_a_once_timetable_plans_one_run() -> None:
    plan = _plan(OnceTimetable(), MIDNIGHT, start=None)
    assert len(plan.runs) == 1
    assert plan.next_run is None
    assert _at(OnceTimetable(), to_instant(MIDNIGHT + DAY), cursor=plan.cursor) == Plan((), plan.cursor, None)


def test_continuous_waits_for_its_run_to_end() -> None:
    timetable = ContinuousTimetable()
    first = _plan(timetable, MIDNIGHT, start=MIDNIGHT - DAY)
    assert (len(first.runs), first.next_run) == (1, None)
    later = to_instant(MIDNIGHT + timedelta(minutes=3))
    assert _at(timetable, later, cursor=first.cursor, max_new_runs=0, has_unfinished_runs=True) == Plan(
        (), first.cursor, None
    )
    (run,) = _at(timetable, later, cursor=first.cursor).runs
    assert (run.interval_start, run.interval_end) == (to_instant(MIDNIGHT), later)


def test_a_stored_next_run_does_not_move_when_it_is_planned_late() -> None:
    every_hour = DeltaTriggerTimetable(timedelta(hours=1))
    first = _plan(every_hour, MIDNIGHT, start=None)
    assert first.next_run is not None
    late = first.next_run.run_after + 200_000
    second = _at(every_hour, late, cursor=first.cursor, promised_run=first.next_run)
    assert second.runs == (first.next_run,)
    assert second.next_run is not None
    assert to_datetime(second.next_run.run_after) == MIDNIGHT + timedelta(hours=2)


def test_a_stored_event_that_was_missed_is_not_lost() -> None:
    events = EventsTimetable([MIDNIGHT + DAY, MIDNIGHT + 9 * DAY])
    first = _plan(events, MIDNIGHT, start=None)
    assert first.runs == ()
    late = _at(events, to_instant(MIDNIGHT + 2 * DAY), cursor=None, promised_run=first.next_run)
    assert [to_datetime(run.run_after) for run in late.runs] == [MIDNIGHT + DAY]


def test_a_stored_next_run_gives_way_to_a_newer_due_slot_when_late_beyond_the_grace() -> None:
    first = _plan(HOURLY, MIDNIGHT, start=MIDNIGHT)
    now = to_instant(MIDNIGHT + timedelta(hours=4, minutes=1))
    late = _at(HOURLY, now, cursor=first.cursor, promised_run=first.next_run)
    assert [to_datetime(run.run_after).hour for run in late.runs] == [4]
    soon = _at(
        HOURLY, to_instant(MIDNIGHT + timedelta(hours=1, seconds=59)), cursor=first.cursor, promised_run=first.next_run
    )
    assert soon.runs == (first.next_run,)


def test_a_changed_schedule_is_evaluated_from_the_last_run_on() -> None:
    before = _plan(DAILY, MIDNIGHT, start=MIDNIGHT, catchup=True)
    changed = CronTriggerTimetable("30 */6 * * *", timezone="UTC")
    plan = _at(changed, to_instant(MIDNIGHT + timedelta(hours=7)), cursor=before.cursor, start=MIDNIGHT, catchup=True)
    assert [to_datetime(run.run_after).strftime("%H:%M") for run in plan.runs] == ["00:30", "06:30"]
    intervals = CronDataIntervalTimetable("@hourly", "UTC")
    hourly = _at(
        intervals, to_instant(MIDNIGHT + timedelta(hours=2)), cursor=before.cursor, start=MIDNIGHT, catchup=True
    )
    assert [to_datetime(run.run_after).hour for run in hourly.runs] == [2]


def test_the_fingerprint_covers_every_input_of_the_plan() -> None:
    spec = _spec(DAILY, start=MIDNIGHT)
    marks = {
        compute_fingerprint(given.timetable, given)
        for given in (
            spec,
            _spec(HOURLY, start=MIDNIGHT),
            _spec(CronTriggerTimetable("@daily", timezone="Europe/Berlin"), start=MIDNIGHT),
            _spec(DAILY, start=MIDNIGHT + DAY),
            _spec(DAILY, start=MIDNIGHT, end=MIDNIGHT + DAY),
            _spec(DAILY, start=MIDNIGHT, catchup=True),
        )
    }
    assert len(marks) == 6
    renamed = DagSpec(dag_id="other", timetable=spec.timetable, start_at=spec.start_at, description="new words")
    assert compute_fingerprint(renamed.timetable, renamed) in marks


class Author(Timetable):
    """A timetable as an author writes it, which answers what it is told to."""

    def __init__(self, answer: Any, run_id: Any = None) -> None:
        self._answer = answer
        self._run_id = run_id

    def next_dagrun_info(self, *, last_automated_data_interval: Any, restriction: Any) -> Any:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


class Dated(Author):
    """Names its runs with the signature of Airflow 2."""

    def generate_run_id(self, *, run_type: Any, logical_date: Any, data_interval: Any) -> str:  # type: ignore[override]
        return f"{logical_date:%Y-%m-%d %A}"


class Long(Author):
    def generate_run_id(self, **facts: Any) -> str:  # type: ignore[override]
        return "x" * 251


BAD_ANSWERS = [
    (
        Author(ZeroDivisionError("division by zero")),
        "Author.next_dagrun_info raised ZeroDivisionError: division by zero",
    ),
    (Author("tomorrow"), "Author.next_dagrun_info returned str; return a DagRunInfo or None"),
    (
        Author(DagRunInfo.exact(datetime(2024, 1, 1))),
        "Author.next_dagrun_info returned the naive datetime 2024-01-01 00:00:00 as run_after; give it a time zone",
    ),
    (Author(DagRunInfo(MIDNIGHT, DataInterval(MIDNIGHT, MIDNIGHT - DAY))), "ends before it starts"),
    (Author(DagRunInfo.exact(MIDNIGHT)), "which is not later than the last one"),
    (Author(DagRunInfo.exact(MIDNIGHT - DAY)), "which is not later than the last one"),
    (Long(DagRunInfo.exact(MIDNIGHT + DAY)), "Long.generate_run_id returned 'xxx"),
    (CronTriggerTimetable("0 0 31 2 *", timezone="UTC"), "cron expression '0 0 31 2 *' can never fire"),
    (CronTriggerTimetable("often", timezone="UTC"), "cron expression 'often' has 1 field;"),
]


@pytest.mark.parametrize(("timetable", "sentence"), BAD_ANSWERS)
def test_a_bad_timetable_is_an_error_with_class_method_and_remedy(timetable: Any, sentence: str) -> None:
    last = Cursor(
        run_after=to_instant(MIDNIGHT), interval_start=to_instant(MIDNIGHT), interval_end=to_instant(MIDNIGHT)
    )
    with pytest.raises(PlanningError) as caught:
        plan_runs(
            dag=_spec(NullTimetable()),
            timetable=timetable,
            cursor=last,
            now=last.run_after,
            max_new_runs=1,
            has_unfinished_runs=False,
        )
    assert sentence in str(caught.value)


def test_an_author_may_name_runs_with_the_signature_of_airflow_2() -> None:
    dated = Dated(DagRunInfo.exact(MIDNIGHT))
    plan = plan_runs(
        dag=_spec(NullTimetable()),
        timetable=dated,
        cursor=None,
        now=to_instant(MIDNIGHT) - 1,
        max_new_runs=1,
        has_unfinished_runs=False,
    )
    assert plan.next_run is not None
    assert plan.next_run.run_id == "2024-03-06 Wednesday"


def test_a_run_after_its_interval_end_skips_no_interval() -> None:
    class Delayed(Timetable):
        """The day's data, eight hours after the day."""

        def next_dagrun_info(self, *, last_automated_data_interval: Any, restriction: Any) -> DagRunInfo:
            start = MIDNIGHT if last_automated_data_interval is None else last_automated_data_interval.end
            return DagRunInfo(start + DAY + timedelta(hours=8), DataInterval(start, start + DAY))

    plan = plan_runs(
        dag=_spec(NullTimetable()),
        timetable=Delayed(),
        cursor=None,
        now=to_instant(MIDNIGHT + 4 * DAY),
        max_new_runs=9,
        has_unfinished_runs=False,
    )
    assert [to_datetime(run.interval_start or 0).day for run in plan.runs] == [6, 7, 8]


FRIDAYS = CronDataIntervalTimetable("30 2 * * 5", "UTC")
EVENTS = EventsTimetable([MIDNIGHT + timedelta(hours=hour) for hour in (1, 2, 30)])


@pytest.mark.parametrize(
    ("former", "timetable", "back", "left_out"),
    [
        (CronTriggerTimetable("17 * * * *", timezone="UTC"), FRIDAYS, 0, [2 * DAY + timedelta(hours=2.5)]),
        (CronDataIntervalTimetable("@hourly", "UTC"), CronDataIntervalTimetable("@daily", "UTC"), 0, [DAY]),
        (CronDataIntervalTimetable("@daily", "UTC"), CronDataIntervalTimetable("@hourly", "UTC"), 0, []),
        (HOURLY, DAILY, 0, []),
        (DAILY, OnceTimetable(), 0, []),
        (HOURLY, CronTriggerTimetable("*/15 * * * *", timezone="UTC"), 40, [timedelta(hours=2.75), timedelta(hours=3)]),
        (HOURLY, EVENTS, 100, [timedelta(hours=2)]),
        (HOURLY, FRIDAYS, 40, [2 * DAY + timedelta(hours=2.5)]),
    ],
)
@pytest.mark.parametrize("catchup", [True, False])
def test_a_slot_that_a_changed_schedule_leaves_out_has_a_reason(
    former: Timetable, timetable: Timetable, back: int, left_out: list[timedelta], catchup: bool
) -> None:
    """`back`: minutes that the clock was set back before the change. The slots between the last one and the next run are those left out."""
    last = _cursor(_plan(former, MIDNIGHT + timedelta(hours=3.1), start=MIDNIGHT - DAY).runs[-1])
    now = to_instant(MIDNIGHT + timedelta(hours=3.2) - timedelta(minutes=back))
    plan = _at(timetable, now, cursor=last, start=MIDNIGHT - 9 * DAY, catchup=catchup)
    reason = f"the schedule changed: it continues after the slot due at {iso(last.run_after)} and its data interval"
    skipped = [skipped for skipped in plan.skipped if skipped.reason == reason]
    found = [
        slot.run_after
        for slot in list_runs_in_window(
            timetable, start=now + 1, end=now + to_units(9 * 86400), most=9, earliest=None
        ).runs
        if any(each.first <= slot.run_after < each.until for each in skipped)
    ]
    assert found == [to_instant(MIDNIGHT + after) for after in left_out]


def test_a_schedule_that_has_not_changed_leaves_nothing_out() -> None:
    for timetable in (FRIDAYS, HOURLY, DAILY, EVENTS, OnceTimetable(), CronDataIntervalTimetable("@daily", "UTC")):
        first = _plan(timetable, MIDNIGHT + 2.2 * DAY, start=MIDNIGHT - 9 * DAY, catchup=True)
        again = _at(
            timetable, to_instant(MIDNIGHT + 2.2 * DAY), cursor=first.cursor, start=MIDNIGHT - 9 * DAY, catchup=True
        )
        assert not [skipped for skipped in again.skipped if "schedule changed" in skipped.reason]


def _plan(timetable: Any, now: datetime, *, start: datetime | None, **rest: Any) -> Plan:
    return _at(timetable, to_instant(now), cursor=None, start=start, **rest)


def _at(
    timetable: Any,
    now: int,
    *,
    cursor: Cursor | None,
    max_new_runs: int = 16,
    has_unfinished_runs: bool = False,
    promised_run: PlannedRun | None = None,
    **bounds: Any,
) -> Plan:
    spec = _spec(timetable, **bounds)
    return plan_runs(
        dag=spec,
        timetable=timetable,
        cursor=cursor,
        now=now,
        max_new_runs=max_new_runs,
        has_unfinished_runs=has_unfinished_runs,
        promised_run=promised_run,
        misfire_grace_s=60.0,
    )


def _spec(
    timetable: Any, *, start: datetime | None = None, end: datetime | None = None, catchup: bool = False
) -> DagSpec:
    return DagSpec(
        dag_id="clock",
        timetable=reference(timetable),
        start_at=None if start is None else to_instant(start),
        end_at=None if end is None else to_instant(end),
        catchup=catchup,
    )


def _cursor(run: PlannedRun) -> Cursor:
    return Cursor(run_after=run.run_after, interval_start=run.interval_start, interval_end=run.interval_end)
