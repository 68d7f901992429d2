"""catchup, catchup_window, misfire, overlap and jitter: held against a model that goes through all slots one by one."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.slots import MAX_COUNTED_SLOTS, Cursor, DagRunInfo, DataInterval, PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.rules.planning import Plan, compute_creation_time, compute_jitter, plan_runs
from gnomon.timetables import CronDataIntervalTimetable, CronTriggerTimetable, EventsTimetable, Timetable, reference

law = settings(derandomize=True, max_examples=150, deadline=None)
START = datetime(2026, 3, 1, tzinfo=UTC)
BEGIN = to_instant(START)
MINUTE = 60 * SECOND
GRACE = 60 * SECOND
CRONS = ("*/10 * * * *", "7,8,9 * * * *", "*/20 * * * * *")
"""Apart, close together, and closer than the grace."""
HOURS = 3

policies = st.fixed_dictionaries(
    {
        "catchup": st.booleans(),
        "catchup_window_s": st.sampled_from([None, 0.0, 1200.0, 4000.0]),
        "misfire": st.sampled_from([None, "latest", "all", "skip"]),
        "overlap": st.sampled_from(["queue", "allow", "skip", "cancel_running"]),
    }
)
acts = st.lists(
    st.tuples(st.sampled_from(["look", "look", "look", "pause", "unpause", "end"]), st.integers(1, 900)), max_size=25
)


@dataclass
class Model:
    """One DAG by the words of the rules: every slot is decided on once, in order."""

    slots: list[Instant]
    spec: DagSpec
    active_since: Instant
    at: int = 0
    """The first slot that nothing is decided about."""
    is_asked: bool = False
    made: list[Instant] = field(default_factory=list)
    skipped: list[Instant] = field(default_factory=list)

    def look(self, now: Instant, max_new_runs: int, has_unfinished_regular_runs: bool) -> list[Instant]:
        spec, made, was_asked = self.spec, list[Instant](), self.is_asked
        misfire = spec.misfire or ("all" if spec.catchup else "latest")
        self.is_asked = True
        if not was_asked and not spec.catchup:
            self._to_newest(now if misfire == "latest" else min(now, self.active_since - 1))
        while self.at < len(self.slots) and (slot := self.slots[self.at]) <= now and len(made) < max_new_runs:
            is_late, is_old = now - slot > GRACE, slot < self.active_since
            if (
                is_old
                and spec.catchup_window_s is not None
                and slot < self.active_since - int(spec.catchup_window_s * SECOND)
            ):
                self._skip()
                continue
            if is_late and not is_old and misfire == "skip":
                self._skip()
                continue
            if is_late and is_old and not spec.catchup:
                self._to_newest(now if misfire == "latest" else min(now, self.active_since - 1))
            elif is_late and not is_old and misfire == "latest":
                self._to_newest(now)
            is_skipped = (
                has_unfinished_regular_runs
                if spec.overlap == "skip"
                else spec.overlap == "cancel_running" and self._following_is_due(now)
            )
            if is_skipped:
                self._skip()
                self._jump(now, misfire)
            else:
                made.append(self.slots[self.at])
                has_unfinished_regular_runs = True
                self.at += 1
                self._jump(now, misfire)
        self.made += made
        return made

    def _following_is_due(self, now: Instant) -> bool:
        return self.at + 1 < len(self.slots) and self.slots[self.at + 1] <= now

    def _jump(self, now: Instant, misfire: str) -> None:
        """Before the DAG became active, and without catchup, only the newest counts."""
        if not self.spec.catchup and self.slots[self.at - 1] < self.active_since:
            self._to_newest(now if misfire == "latest" else min(now, self.active_since - 1))

    def _to_newest(self, upto: Instant) -> None:
        newest = bisect_right(self.slots, upto) - 1
        while self.at < newest:
            self._skip()

    def _skip(self) -> None:
        self.skipped.append(self.slots[self.at])
        self.at += 1


UNPAUSED_ON_A_SLOT = [("look", 1), ("look", 1), ("look", 304), ("pause", 900), ("end", 900), ("unpause", 900)]


@law
@given(st.sampled_from(CRONS), policies, acts, st.integers(0, 3600), st.integers(1, 3))
@example(CRONS[0], {"catchup_window_s": 1200.0, "misfire": "all"}, [*UNPAUSED_ON_A_SLOT, ("look", 1)], 594, 1)
@example(CRONS[0], {"catchup_window_s": 1200.0, "misfire": "skip"}, [*UNPAUSED_ON_A_SLOT, ("look", 61)], 594, 1)
def test_plans_equal_the_rules_applied_slot_by_slot(
    cron: str, given_policies: dict[str, Any], history: list[tuple[str, int]], first: int, limit: int
) -> None:
    timetable = CronTriggerTimetable(cron, timezone="UTC")
    spec = _spec(timetable, **given_policies)
    slots = [to_instant(at) for at in timetable.slots_between(START, START + timedelta(hours=12))]
    now = BEGIN + first * SECOND
    model = Model(slots, spec, active_since=now)
    cursor: Cursor | None = None
    promised_run: PlannedRun | None = None
    active_since, paused, unfinished, asked = now, False, 0, False
    for act, seconds in history:
        now += seconds * SECOND
        if act == "pause":
            paused = True
        elif act == "unpause" and paused:
            paused, active_since, model.active_since = False, now, now
        elif act == "end":
            unfinished = max(0, unfinished - 1)
        elif act == "look" and not paused:
            for _ in range(len(slots)):
                max_new_runs = {"queue": max(limit - unfinished, 0), "cancel_running": 1}.get(spec.overlap, 100)
                if max_new_runs == 0 and asked:
                    break
                plan = plan_runs(
                    dag=spec,
                    timetable=timetable,
                    cursor=cursor,
                    now=now,
                    max_new_runs=max_new_runs,
                    has_unfinished_runs=unfinished > 0,
                    has_unfinished_regular_runs=unfinished > 0,
                    promised_run=promised_run,
                    active_since=active_since,
                )
                expected = model.look(now, max_new_runs, unfinished > 0)
                assert [run.run_after for run in plan.runs] == expected
                moved = plan.cursor != cursor
                cursor, promised_run, asked = plan.cursor, plan.next_run, True
                unfinished = min(1, unfinished) if spec.overlap == "cancel_running" else unfinished
                unfinished += len(plan.runs) if spec.overlap != "cancel_running" or not unfinished else 0
                if not moved:
                    break
    assert model.made == sorted(set(model.made))
    assert not set(model.made) & set(model.skipped)


@law
@given(st.sampled_from(CRONS), policies, st.integers(0, 3600), st.integers(0, 20000), st.integers(0, 20000))
def test_jitter_delays_all_runs_and_changes_no_slot(
    cron: str, given_policies: dict[str, Any], jitter_s: int, since_s: int, late_s: int
) -> None:
    timetable = CronTriggerTimetable(cron, timezone="UTC")
    without = _spec(timetable, **given_policies)
    with_it = replace(without, jitter_s=float(jitter_s))
    moved = compute_jitter(with_it)
    assert 0 <= moved <= jitter_s * SECOND
    active_since, now = BEGIN + since_s * SECOND, BEGIN + (since_s + late_s) * SECOND
    asked: dict[str, Any] = {"timetable": timetable, "cursor": None, "max_new_runs": 5, "has_unfinished_runs": False}
    assert plan_runs(dag=without, now=now, active_since=active_since, **asked) == plan_runs(
        dag=with_it, now=now + moved, active_since=active_since + moved, **asked
    )


def test_jitter_is_constant_for_a_dag_and_differs_between_dags() -> None:
    spec = replace(_spec(CronTriggerTimetable("@daily", timezone="UTC")), jitter_s=600.0)
    delays = {compute_jitter(replace(spec, dag_id=f"dag_{number}")) for number in range(50)}
    assert len(delays) == 50 and max(delays) > 400 * SECOND and min(delays) < 200 * SECOND
    assert compute_jitter(replace(spec, dag_id="dag_0")) == 206_964_520
    run = PlannedRun(run_id="a", run_after=7, interval_start=None, interval_end=None)
    assert compute_creation_time(replace(spec, dag_id="dag_0"), run) == 206_964_527


@pytest.mark.parametrize(
    ("given_policies", "hours"),
    [
        ({}, [9]),
        ({"catchup": True}, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ({"misfire": "all"}, [4, 5, 6, 7, 8, 9]),
        ({"misfire": "skip"}, [4, 9]),
        ({"misfire": "skip", "catchup": True}, [1, 2, 3, 4, 9]),
        ({"misfire": "latest", "catchup": True}, [1, 2, 3, 4, 9]),
        ({"catchup": True, "catchup_window_s": 7200.0}, [3, 4, 5, 6, 7, 8, 9]),
        ({"catchup_window_s": 0.0, "misfire": "skip"}, [9]),
        ({"overlap": "skip", "catchup": True}, [1]),
        ({"overlap": "cancel_running", "catchup": True}, [9]),
    ],
)
def test_policies_of_a_dag_unpaused_at_half_past_four_and_planned_at_nine(
    given_policies: dict[str, Any], hours: list[int]
) -> None:
    """Slots each hour from one o'clock; the scheduler was away from half past four to nine o'clock and thirty seconds."""
    timetable = CronTriggerTimetable("0 * * * *", timezone="UTC")
    spec = _spec(timetable, start=START + timedelta(hours=1), **given_policies)
    promised_run = plan_runs(
        dag=spec, timetable=timetable, cursor=None, now=BEGIN, max_new_runs=0, has_unfinished_runs=False
    ).next_run
    plan = plan_runs(
        dag=spec,
        timetable=timetable,
        cursor=None,
        now=BEGIN + 540 * MINUTE + 30 * SECOND,
        max_new_runs=100,
        has_unfinished_runs=False,
        active_since=BEGIN + 270 * MINUTE,
        promised_run=promised_run,
    )
    assert [to_datetime(run.run_after).hour for run in plan.runs] == hours
    passed = sum(one.count for one in plan.skipped)
    assert passed == 9 - len(hours)
    assert all(one.reason and one.first < one.until for one in plan.skipped)


def test_skipped_slots_are_one_entry_per_decision() -> None:
    timetable = CronTriggerTimetable("* * * * *", timezone="UTC")
    spec = _spec(timetable, catchup=True, misfire="skip")
    first = plan_runs(
        dag=spec,
        timetable=timetable,
        cursor=None,
        now=BEGIN,
        max_new_runs=5,
        has_unfinished_runs=False,
        active_since=BEGIN,
    )
    week = BEGIN + 7 * 1440 * MINUTE + 30 * SECOND
    later = plan_runs(
        dag=spec,
        timetable=timetable,
        cursor=first.cursor,
        now=week,
        max_new_runs=5,
        has_unfinished_runs=False,
        active_since=BEGIN,
        promised_run=first.next_run,
    )
    assert [to_datetime(run.run_after) for run in later.runs] == [to_datetime(week - 30 * SECOND)]
    (note,) = later.skipped
    assert (note.count, note.first, note.until) == (MAX_COUNTED_SLOTS, BEGIN + MINUTE, week - 90 * SECOND + 1)


def test_a_skipped_data_interval_is_skipped_and_the_next_one_follows_it() -> None:
    timetable = CronDataIntervalTimetable("0 * * * *", "UTC")
    spec = _spec(timetable, misfire="skip")
    first = plan_runs(
        dag=spec,
        timetable=timetable,
        cursor=None,
        now=BEGIN + 60 * MINUTE,
        max_new_runs=5,
        has_unfinished_runs=False,
        active_since=BEGIN,
    )
    late = BEGIN + 350 * MINUTE
    plan = plan_runs(
        dag=spec,
        timetable=timetable,
        cursor=first.cursor,
        now=late,
        max_new_runs=5,
        has_unfinished_runs=False,
        active_since=BEGIN,
        promised_run=first.next_run,
    )
    assert plan.runs == ()
    assert plan.next_run is not None and to_datetime(plan.next_run.run_after).hour == 6
    assert plan.next_run.interval_start == BEGIN + 300 * MINUTE


def test_a_first_event_is_not_lost_when_its_file_is_edited_as_it_falls_due() -> None:
    event = START + timedelta(hours=1)
    edited = EventsTimetable([event, event + timedelta(days=9)])
    now = to_instant(event) + SECOND
    asked: dict[str, Any] = {
        "dag": _spec(edited),
        "timetable": edited,
        "cursor": None,
        "now": now,
        "max_new_runs": 5,
        "has_unfinished_runs": False,
    }
    assert plan_runs(**asked).runs == ()
    assert [run.run_after for run in plan_runs(evaluate_as_of=to_instant(event), active_since=now, **asked).runs] == [
        to_instant(event)
    ]


class Forgetful(Timetable):
    """Days, whatever `restriction.catchup` says: as many are written."""

    def next_dagrun_info(self, *, last_automated_data_interval: Any, restriction: Any) -> DagRunInfo:
        start = START if last_automated_data_interval is None else last_automated_data_interval.end
        return DagRunInfo(start + timedelta(days=1), DataInterval(start, start + timedelta(days=1)))


@pytest.mark.parametrize(("misfire", "days"), [(None, [2, 3, 4]), ("latest", [4]), ("skip", [])])
def test_an_authors_timetable_decides_about_catchup_unless_the_dag_sets_misfire(
    misfire: str | None, days: list[int]
) -> None:
    spec = replace(_spec(CronTriggerTimetable("@daily", timezone="UTC")), misfire=misfire)
    timetable = Forgetful()
    first = plan_runs(
        dag=spec,
        timetable=timetable,
        cursor=None,
        now=BEGIN,
        max_new_runs=5,
        has_unfinished_runs=False,
        active_since=BEGIN,
    )
    now = BEGIN + 3 * 1440 * MINUTE + 5 * MINUTE
    plan: Plan = plan_runs(
        dag=spec,
        timetable=timetable,
        cursor=first.cursor,
        now=now,
        max_new_runs=9,
        has_unfinished_runs=False,
        active_since=BEGIN,
        promised_run=first.next_run,
    )
    assert [to_datetime(run.run_after).day for run in plan.runs] == days


def _spec(timetable: Any, *, start: datetime = START, **given_policies: Any) -> DagSpec:
    return DagSpec(dag_id="clock", timetable=reference(timetable), start_at=to_instant(start), **given_policies)


@pytest.mark.parametrize(
    "timetable",
    [
        CronTriggerTimetable("0 * * * *", timezone="UTC"),
        EventsTimetable([START + timedelta(hours=hour) for hour in range(9)]),
    ],
)
def test_the_newest_after_an_absence_is_the_newest_that_the_end_date_allows(timetable: Timetable) -> None:
    spec = DagSpec(dag_id="d", timetable=reference(timetable), start_at=BEGIN, end_at=BEGIN + 300 * MINUTE)
    known = {
        "dag": spec,
        "timetable": timetable,
        "max_new_runs": 9,
        "has_unfinished_runs": False,
        "active_since": BEGIN,
    }
    first = plan_runs(cursor=None, now=BEGIN, **known)  # type: ignore[arg-type]
    assert first.next_run is not None and first.next_run.run_after == BEGIN + 60 * MINUTE
    after = plan_runs(cursor=first.cursor, now=BEGIN + 9 * 60 * MINUTE, promised_run=first.next_run, **known)  # type: ignore[arg-type]
    assert [run.run_after for run in after.runs] == [BEGIN + 300 * MINUTE]
    assert after.next_run is None
    assert [(note.first, note.count) for note in after.skipped] == [(BEGIN + 60 * MINUTE, 4)]


@pytest.mark.parametrize(
    ("window_s", "words"), [(172_800.0, "2 days"), (5400.0, "1:30:00"), (90_000.0, "1 day, 1:00:00")]
)
def test_the_catchup_window_is_shown_as_a_timedelta(window_s: float, words: str) -> None:
    timetable = CronTriggerTimetable("0 * * * *", timezone="UTC")
    plan = plan_runs(
        dag=_spec(timetable, catchup=True, catchup_window_s=window_s),
        timetable=timetable,
        cursor=None,
        now=BEGIN + 7 * 1440 * MINUTE,
        max_new_runs=5,
        has_unfinished_runs=False,
    )
    assert plan.skipped[0].reason == f"catchup_window: the slot is more than {words} before the DAG became active"
