"""Planning of DAGs with an author's timetable: a timetable host runs `plan_runs`, and a later round applies the answer.

A stored next run is a promise: the scheduler creates it when it is due, without a request to the host, and also when the
timetable fails. Only the runs after it need an answer of the host.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gnomon.author_code.timetable_host import (
    PLAN_RUNS,
    TimetableHost,
    TimetableRequest,
    TimetableResponse,
    check_answer,
    pack_arguments,
    strip_for_planning,
    unpack_value,
)
from gnomon.author_code.timetable_host.pending_requests import NO_HOST, PendingRequests
from gnomon.ground import log
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import PlanChange
from gnomon.model.sentences import render
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import Dag
from gnomon.rules.planning import Plan, compute_creation_time, plan_runs
from gnomon.rules.timetables.simple_timetables import NullTimetable

_log = log.get_logger("scheduler.author_plans")

NEEDS_PLAN = ""
"""The stored fingerprint of a DAG whose promised run was created and whose next run is not known yet."""
_NO_MORE = NullTimetable()
"""Replaces the author's timetable when only the stored next run is planned: no run follows it."""


@dataclass(slots=True)
class _PendingPlan:
    """A request to the host that has no answer yet, and the state of the DAG when it was sent."""

    plan_seq: int
    version_pk: int
    fingerprint: str
    arguments: Mapping[str, Any]
    plan_again: bool = False
    """True if the DAG has to be planned again after the answer."""


class AuthorPlanner:
    """The pending requests to the host: at most one per DAG."""

    def __init__(self, engine_state: EngineState, host: TimetableHost | None) -> None:
        self._engine_state = engine_state
        self._requests: PendingRequests[int, _PendingPlan] = PendingRequests(host)
        """By dag_pk."""

    def reset(self) -> None:
        """Forgets the pending requests after the engine state was dropped: their answers are ignored."""
        self._requests.reset()

    def request_plan(self, dag: Dag, arguments: Mapping[str, Any], fingerprint: str, now: Instant) -> PlanChange | None:
        """The change that creates the promised run if it is due; else None, after a request to the host."""
        record = dag.record
        if not self._requests.has_host:
            return build_stopped_change(dag, render(NO_HOST))
        if record.error is not None or _is_on_time(arguments, now):
            change = _plan_promised_run(dag, arguments, fingerprint, now, record.error)
            if change is not None:
                return change
        pending = self._requests.get(record.dag_pk)
        if pending is not None and self._is_current(pending, dag, fingerprint):
            pending.plan_again = True
            return None
        self._requests.submit(
            record.dag_pk,
            _PendingPlan(record.plan_seq, dag.graph.version_pk, fingerprint, arguments),
            TimetableRequest(
                function=PLAN_RUNS,
                timetable=dag.graph.spec.timetable,
                file=record.file,
                input_hash=record.input_hash,
                arguments=pack_arguments(**{**arguments, "dag": strip_for_planning(dag.graph.spec)}),
            ),
        )
        return None

    def collect_changes(self, now: Instant) -> tuple[list[PlanChange], list[int]]:
        """The plan changes of the answers that have arrived, and the dag_pks that have to be planned again."""
        changes: list[PlanChange] = []
        again: list[int] = []
        for answered in self._requests.collect():
            dag_pk, pending = answered.key, answered.subject
            dag = self._engine_state.dags.get(dag_pk)
            if dag is None:
                continue
            if self._is_current(pending, dag, pending.fingerprint):
                changes.append(_build_answer_change(dag, pending, answered.response, now))
            else:
                pending.plan_again = True
            if pending.plan_again:
                again.append(dag_pk)
        return changes, again

    def wake_at(self, now: Instant) -> Instant | None:
        """When to call `collect_changes` without a wake-up; None if that is not needed."""
        return self._requests.wake_at(now)

    def filenos(self) -> list[int]:
        """File descriptors that become readable when the host has answers."""
        return self._requests.filenos()

    def _is_current(self, pending: _PendingPlan, dag: Dag, fingerprint: str) -> bool:
        """True if the DAG has not changed since the request."""
        question = (pending.plan_seq, pending.version_pk, pending.fingerprint)
        return dag.hold_reason is None and question == (dag.record.plan_seq, dag.graph.version_pk, fingerprint)


def _build_answer_change(dag: Dag, pending: _PendingPlan, answer: TimetableResponse, now: Instant) -> PlanChange:
    answer = check_answer(answer, Plan)
    if answer.error is not None:
        _log.error("planning_failed", dag_id=dag.record.dag_id, error=answer.error)
        change = _plan_promised_run(dag, pending.arguments, pending.fingerprint, now, answer.error)
        return change or build_stopped_change(dag, answer.error)
    plan: Plan = unpack_value(answer, Plan)
    if plan.error is not None:
        _log.error("planning_failed", dag_id=dag.record.dag_id, error=plan.error)
    return build_plan_change(dag, plan, pending.fingerprint, pending.arguments["active_since"], plan.error)


def _is_on_time(arguments: Mapping[str, Any], now: Instant) -> bool:
    """True if the stored next run is valid and not late: a late one may be skipped in favour of a newer slot."""
    planned = arguments["promised_run"]
    return (
        planned is not None
        and now - compute_creation_time(arguments["dag"], planned) <= arguments["misfire_grace_s"] * SECOND
    )


def _plan_promised_run(
    dag: Dag, arguments: Mapping[str, Any], fingerprint: str, now: Instant, error: str | None
) -> PlanChange | None:
    """The change that creates the stored next run by the usual rules; None if it is not due or the DAG has no room."""
    record = dag.record
    if (
        record.next_run is None
        or compute_creation_time(dag.graph.spec, record.next_run) > now
        or dag.graph.spec.timetable.follows_runs
    ):
        return None
    plan = plan_runs(timetable=_NO_MORE, **{**arguments, "promised_run": record.next_run, "now": now})
    if plan.cursor == record.cursor:
        return None
    return build_plan_change(dag, plan, NEEDS_PLAN if error is None else fingerprint, record.live_at, error)


def build_plan_change(
    dag: Dag, plan: Plan, fingerprint: str, active_since: Instant | None, error: str | None
) -> PlanChange:
    """The store change of a plan. `active_since`: the value that the plan was made with."""
    record = dag.record
    return PlanChange(
        dag_pk=record.dag_pk,
        group_no=record.group_no,
        believed_plan_seq=record.plan_seq,
        cursor=plan.cursor,
        next_run=plan.next_run,
        fingerprint=fingerprint,
        runs=plan.runs,
        version_pk=dag.graph.version_pk,
        error=error,
        skipped=plan.skipped,
        live_at=None if active_since == record.live_at else active_since,
    )


def build_stopped_change(dag: Dag, error: str | None) -> PlanChange:
    """A change that only records `error`; None removes it: cursor, next run and fingerprint keep their values until the next try."""
    record = dag.record
    return PlanChange(
        dag_pk=record.dag_pk,
        group_no=record.group_no,
        believed_plan_seq=record.plan_seq,
        cursor=record.cursor,
        next_run=record.next_run,
        fingerprint=record.fingerprint or NEEDS_PLAN,
        version_pk=dag.graph.version_pk,
        error=error,
    )
