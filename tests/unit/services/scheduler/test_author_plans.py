"""Plans of author timetables: posted, answered later, and a stored next run is made whatever becomes of the answer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import msgspec

from gnomon.author_code.timetable_host import TimetableRequest, TimetableResponse
from gnomon.author_code.timetable_host.in_process import InProcessTimetableHost
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import DagRecord, PlanChange, PlanOutcome
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.model.spec import DagSpec
from gnomon.rules.engine.state.engine_state import EngineLimits, EngineState
from gnomon.rules.engine.state.task_instance import Dag
from gnomon.rules.timetables.registry import reference
from gnomon.services.scheduler.author_plans import NEEDS_PLAN
from gnomon.services.scheduler.planner import Planner
from gnomon.services.scheduler.settings import PLAN_RETRY_S
from gnomon.timetables import CronTriggerTimetable, Timetable

NOW = 1_767_225_600 * SECOND
HOUR = 3600 * SECOND
FAULT: list[str] = []
"""While there is something in it, the timetable fails with it."""


class Hourly(Timetable):
    """What a newcomer writes."""

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        return DataInterval.exact(run_after)

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        if FAULT:
            raise ValueError(FAULT[0])
        if last_automated_data_interval is None:
            return None if restriction.earliest is None else DagRunInfo.exact(restriction.earliest)
        return DagRunInfo.exact(last_automated_data_interval.end + timedelta(hours=1))


class HeldBack:
    """A host that answers when told to."""

    def __init__(self) -> None:
        self.asked: list[TimetableRequest] = []
        self._own_run = InProcessTimetableHost()
        self._lost: list[TimetableResponse] = []

    def ask(self, question: TimetableRequest) -> None:
        self.asked.append(question)

    def answer_all(self) -> None:
        for question in self.asked:
            self._own_run.ask(question)
        self.asked = []

    def fail_all(self, why: str) -> None:
        self._lost += [TimetableResponse(number=question.number, error=why) for question in self.asked]
        self.asked = []

    def collect(self) -> list[TimetableResponse]:
        lost, self._lost = self._lost, []
        return [*self._own_run.collect(), *lost]

    def wake_in_s(self) -> float | None:
        return None

    def filenos(self) -> list[int]:
        return []

    def close(self) -> None:
        self.asked = []


class Rounds:
    """A planner, and a store that takes whatever it is given."""

    def __init__(self, timetable: Timetable | None = None, **about: Any) -> None:
        FAULT.clear()
        self.host = HeldBack()
        self.engine_state = EngineState(EngineLimits())
        ref = reference(timetable or Hourly())
        spec = DagSpec(dag_id="it", timetable=ref, start_at=NOW, catchup=True, **about)
        self.engine_state.dags[0] = Dag(
            DagRecord(0, "it", 0, False, True, 0, None, None, None, 1, spec, {}, "f.py", "h")
        )
        self.planner = Planner(self.engine_state, 60.0, self.host)
        self.planner.enqueue([0])
        self.made: list[str] = []

    @property
    def record(self) -> DagRecord:
        return self.engine_state.dags[0].record

    def round(self, now: Instant, accepted: bool = True) -> list[PlanChange]:
        """One call of the planner, and what the store makes of it."""
        changes = self.planner.plan(now, 10)
        for change in changes:
            self.planner.apply_outcome(change, PlanOutcome(0, accepted=accepted), now)
            self.made += [run.run_id for run in change.runs]
        return changes

    def settle(self, now: Instant) -> None:
        """Rounds and answers until nothing more happens."""
        for _ in range(10):
            self.host.answer_all()
            if not self.round(now) and not self.host.asked:
                return
        raise AssertionError("it never comes to rest")


def test_the_question_is_posted_and_the_answer_planned_with_a_later_round() -> None:
    it = Rounds()
    assert it.round(NOW - 1) == [] and len(it.host.asked) == 1
    assert it.round(NOW - 1) == [] and len(it.host.asked) == 1
    it.host.answer_all()
    (change,) = it.round(NOW - 1)
    assert change.error is None and change.next_run is not None and change.next_run.run_after == NOW
    assert it.planner.wake_at(NOW - 1) == NOW


def test_a_next_run_that_is_due_is_made_at_once_and_only_the_one_after_it_is_asked_for() -> None:
    it = Rounds()
    it.settle(NOW - 1)
    (change,) = it.round(NOW)
    assert len(change.runs) == 1 and change.fingerprint == NEEDS_PLAN and not it.host.asked
    assert it.planner.wake_at(NOW) == NOW
    it.settle(NOW)
    assert it.record.next_run is not None and it.record.next_run.run_after == NOW + HOUR
    assert it.record.fingerprint != NEEDS_PLAN


def test_what_is_stored_between_run_and_answer_is_asked_again_by_whoever_reads_it() -> None:
    it = Rounds()
    it.settle(NOW - 1)
    it.round(NOW)
    taken_over = Rounds()
    taken_over.engine_state.dags[0] = Dag(it.record)
    taken_over.planner.enqueue([0])
    taken_over.settle(NOW)
    assert taken_over.record.next_run is not None and taken_over.record.next_run.run_after == NOW + HOUR


def test_a_timetable_that_fails_leaves_its_sentence_and_its_next_run_is_made_all_the_same() -> None:
    it = Rounds()
    it.settle(NOW - 1)
    it.settle(NOW)
    FAULT.append("moody")
    it.settle(NOW + HOUR)
    assert len(it.made) == 2 and "ValueError: moody" in (it.record.error or "")
    assert it.record.next_run is None
    assert it.planner.wake_at(NOW + HOUR) == NOW + HOUR + int(PLAN_RETRY_S * SECOND)
    FAULT.clear()
    it.settle(NOW + HOUR + int(PLAN_RETRY_S * SECOND))
    assert it.record.error is None and it.record.next_run is not None
    assert it.record.next_run.run_after == NOW + 2 * HOUR


def test_one_that_fails_when_its_schedule_changes_keeps_the_next_run_of_the_old_one() -> None:
    it = Rounds()
    it.settle(NOW - 1)
    it.settle(NOW)
    FAULT.append("edited badly")
    spec = msgspec.structs.replace(
        it.record.spec, timetable=msgspec.structs.replace(it.record.spec.timetable, code="new")
    )
    record = it.record
    record.spec, record.version_pk = spec, 2
    it.engine_state.dags[0] = Dag(record)
    it.planner.enqueue([0])
    it.settle(NOW + 1)
    assert it.record.error is not None and it.record.next_run is not None and it.record.next_run.run_after == NOW + HOUR
    retried = 0
    while (at := it.planner.wake_at(NOW)) is not None and at < NOW + HOUR:
        retried += 1
        it.settle(at)
    assert 55 <= retried <= 60
    it.settle(NOW + HOUR)
    assert len(it.made) == 2 and it.record.error is not None


def test_a_run_that_falls_due_while_the_question_hangs_is_made_with_the_failure() -> None:
    it = Rounds()
    it.settle(NOW - 1)
    it.settle(NOW)
    late = NOW + HOUR + 120 * SECOND
    assert it.round(late) == [] and len(it.host.asked) == 1
    it.host.fail_all("Hourly.next_dagrun_info did not answer within 5 s")
    (change,) = it.round(late)
    assert len(change.runs) == 1 and change.error is not None


def test_an_answer_about_a_dag_that_has_changed_is_not_used() -> None:
    it = Rounds()
    it.round(NOW - 1)
    it.record.plan_seq += 1
    it.host.answer_all()
    assert it.round(NOW - 1) == [] and it.planner.wake_at(NOW - 1) == NOW - 1
    it.settle(NOW - 1)
    assert it.record.next_run is not None


def test_an_answer_that_comes_after_a_pause_is_not_used() -> None:
    it = Rounds()
    it.round(NOW - 1)
    it.record.paused = True
    it.host.answer_all()
    assert it.round(NOW - 1) == [] and it.round(NOW - 1) == [] and not it.host.asked


def test_answers_of_before_the_memory_was_dropped_are_not_used() -> None:
    it = Rounds()
    it.round(NOW - 1)
    it.planner.reset()
    it.host.answer_all()
    assert it.round(NOW - 1) == []


def test_a_refused_change_is_asked_anew() -> None:
    it = Rounds()
    it.round(NOW - 1)
    it.host.answer_all()
    assert len(it.round(NOW - 1, accepted=False)) == 1
    it.planner.enqueue([0])
    it.settle(NOW - 1)
    assert it.record.next_run is not None


def test_without_a_host_the_dag_says_so() -> None:
    it = Rounds()
    it.planner = Planner(it.engine_state, 60.0)
    it.planner.enqueue([0])
    (change,) = it.round(NOW - 1)
    assert change.error is not None and "author" in change.error


def test_built_in_timetables_never_go_to_the_host() -> None:
    it = Rounds(CronTriggerTimetable("0 * * * *", timezone="UTC"))
    it.settle(NOW)
    assert not it.host.asked and len(it.made) == 1


def test_a_long_past_is_made_in_batches_with_one_question_each() -> None:
    it = Rounds(max_active_runs=1000)
    asked: list[int] = []
    original: Callable[[TimetableRequest], None] = it.host.ask
    it.host.ask = lambda question: (asked.append(1), original(question))[1]  # type: ignore[method-assign]
    it.settle(NOW + 250 * HOUR)
    it.settle(NOW + 250 * HOUR)
    assert len(it.made) == 251 and len(asked) <= 5
