"""Plans of DAGs whose timetable is an author's: the question goes to a host, the answer comes with a later round.

A next run that was stored is a promise: it is made when it falls due, asked or not, and also when the timetable fails.
Only what follows it needs an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gnomon import log
from gnomon.engine.state.engine_state import EngineState
from gnomon.engine.state.task_instance import Dag
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import PlanChange
from gnomon.planning import Plan, compute_creation_time, plan_runs
from gnomon.timetable_host import (
    PLAN_RUNS,
    TimetableHost,
    TimetableRequest,
    TimetableResponse,
    pack_arguments,
    strip_for_planning,
    unpack_value,
)
from gnomon.timetables.simple_timetables import NullTimetable

_log = log.get_logger("scheduler.authored")

TO_ASK = ""
"""The fingerprint of a DAG whose promised run was made and whose timetable is to be asked for the next."""
_NO_HOST = "its timetable is an author's class, and this process asks none"
_NO_MORE = NullTimetable()
"""Stands in for a timetable that is not asked now: nothing follows the stored next run."""


@dataclass(slots=True)
class _PendingPlan:
    """A question that is under way for a DAG, and what it was asked about."""

    number: int
    plan_seq: int
    version_pk: int
    mark: str
    arguments: Mapping[str, Any]
    looked_again: bool = False


class AuthorPlanner:
    """The questions that are under way, one a DAG."""

    def __init__(self, memory: EngineState, host: TimetableHost | None) -> None:
        self._memory = memory
        self._host = host
        self._waiting: dict[int, _PendingPlan] = {}
        self._asked = 0
        self._dag_of: dict[int, int] = {}
        """By number of the question."""

    def reset(self) -> None:
        """Memory was dropped: no answer counts any more."""
        self._waiting, self._dag_of = {}, {}

    def request_plan(self, dag: Dag, arguments: Mapping[str, Any], mark: str, now: Instant) -> PlanChange | None:
        """The promised run, if it is due; else None, and the timetable is asked about the rest."""
        record = dag.record
        if self._host is None:
            return build_stopped_change(dag, _NO_HOST)
        if record.error is not None or _is_on_time(arguments, now):
            kept = _plan_promised_run(dag, arguments, mark, now, record.error)
            if kept is not None:
                return kept
        waiting = self._waiting.get(record.dag_pk)
        if waiting is not None and self._is_about(waiting, dag, mark):
            waiting.looked_again = True
            return None
        self._asked += 1
        self._waiting[record.dag_pk] = _PendingPlan(self._asked, record.plan_seq, dag.graph.version_pk, mark, arguments)
        self._dag_of[self._asked] = record.dag_pk
        self._host.ask(TimetableRequest(
            number=self._asked, function=PLAN_RUNS, timetable=dag.graph.spec.timetable, file=record.file,
            input_hash=record.input_hash, arguments=pack_arguments(**{**arguments, "dag": strip_for_planning(dag.graph.spec)}),
        ))
        return None

    def collect_changes(self, now: Instant) -> tuple[list[PlanChange], list[int]]:
        """What the answers that have come mean for the store, and the DAGs that are to be looked at again."""
        changes: list[PlanChange] = []
        again: list[int] = []
        for answer in self._host.collect() if self._host is not None else ():
            dag_pk = self._dag_of.pop(answer.number, None)
            waiting = None if dag_pk is None else self._waiting.get(dag_pk)
            if dag_pk is None or waiting is None or waiting.number != answer.number:
                continue
            del self._waiting[dag_pk]
            dag = self._memory.dags.get(dag_pk)
            if dag is None:
                continue
            if self._is_about(waiting, dag, waiting.mark):
                changes.append(_build_answer_change(dag, waiting, answer, now))
            else:
                waiting.looked_again = True
            if waiting.looked_again:
                again.append(dag_pk)
        return changes, again

    def wake_at(self, now: Instant) -> Instant | None:
        """When to look for answers though nobody rang."""
        seconds = self._host.wake_in_s() if self._host is not None else None
        return None if seconds is None else now + int(seconds * SECOND)

    def filenos(self) -> list[int]:
        """Descriptors that are readable when answers have come."""
        return self._host.filenos() if self._host is not None else []

    def _is_about(self, waiting: _PendingPlan, dag: Dag, mark: str) -> bool:
        """Whether the DAG is still as it was when the question was asked."""
        asked_about = (waiting.plan_seq, waiting.version_pk, waiting.mark)
        return dag.hold_reason is None and asked_about == (dag.record.plan_seq, dag.graph.version_pk, mark)


def _build_answer_change(dag: Dag, waiting: _PendingPlan, answer: TimetableResponse, now: Instant) -> PlanChange:
    if answer.error is not None:
        _log.error("planning_failed", dag_id=dag.record.dag_id, error=answer.error)
        kept = _plan_promised_run(dag, waiting.arguments, waiting.mark, now, answer.error)
        return kept or build_stopped_change(dag, answer.error)
    plan: Plan = unpack_value(answer, Plan)
    if plan.error is not None:
        _log.error("planning_failed", dag_id=dag.record.dag_id, error=plan.error)
    return build_plan_change(dag, plan, waiting.mark, waiting.arguments["since"], plan.error)


def _is_on_time(arguments: Mapping[str, Any], now: Instant) -> bool:
    """Whether the stored next run holds and is not so late that another might take its place."""
    planned = arguments["planned"]
    return planned is not None and now - compute_creation_time(arguments["dag"], planned) <= arguments["misfire_grace_s"] * SECOND


def _plan_promised_run(dag: Dag, arguments: Mapping[str, Any], mark: str, now: Instant, error: str | None) -> PlanChange | None:
    """The stored next run is made, by the same rules as any; None when it is not due or there is no room."""
    record = dag.record
    if record.next_run is None or compute_creation_time(dag.graph.spec, record.next_run) > now or dag.graph.spec.timetable.follows_runs:
        return None
    plan = plan_runs(timetable=_NO_MORE, **{**arguments, "planned": record.next_run, "now": now})
    if plan.cursor == record.cursor:
        return None
    return build_plan_change(dag, plan, TO_ASK if error is None else mark, record.live_at, error)


def build_plan_change(dag: Dag, plan: Plan, mark: str, since: Instant | None, error: str | None) -> PlanChange:
    """What a plan means for the store. `since`: what it was made with."""
    record = dag.record
    return PlanChange(
        dag_pk=record.dag_pk, group_no=record.group_no, believed_plan_seq=record.plan_seq, cursor=plan.cursor,
        next_run=plan.next_run, fingerprint=mark, runs=plan.runs, version_pk=dag.graph.version_pk, error=error,
        passed=plan.passed, live_at=None if since == record.live_at else since,
    )


def build_stopped_change(dag: Dag, error: str) -> PlanChange:
    """Cursor, next run and fingerprint stay: the last good answer stands beside the sentence until a later try."""
    record = dag.record
    return PlanChange(
        dag_pk=record.dag_pk, group_no=record.group_no, believed_plan_seq=record.plan_seq, cursor=record.cursor,
        next_run=record.next_run, fingerprint=record.fingerprint or TO_ASK, version_pk=dag.graph.version_pk, error=error,
    )
