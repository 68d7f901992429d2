"""Decides when each DAG is planned: PLAN in docs/contributing/ownership.md.

A DAG is planned when it was read, when one of its runs finished, and when its next run is due; never because time passed
or a file was parsed. The rules are in `gnomon.rules.planning`; this module keeps the heap of due times and builds the store
changes of the plans.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Any

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.ground import log
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import PlanChange, PlanOutcome
from gnomon.model.sentences import render, say
from gnomon.model.spec import DagSpec
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.rules.engine.lifecycle.run_lifecycle import active_runs_limit
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import Dag
from gnomon.rules.planning import (
    Plan,
    PlanningError,
    build_plan_arguments,
    compute_creation_time,
    compute_fingerprint,
    compute_room,
    plan_runs,
)
from gnomon.rules.timetables.base import Timetable
from gnomon.rules.timetables.registry import build
from gnomon.services.scheduler.author_plans import NEEDS_PLAN, AuthorPlanner, build_plan_change, build_stopped_change
from gnomon.services.scheduler.kept_plans import KeptPlans
from gnomon.services.scheduler.settings import MAX_WAITING_RUNS, PLAN_RETRY_S

_log = log.get_logger("scheduler.planner")


class Planner:
    """The due times of all DAGs in memory, and the plans of those that are due."""

    def __init__(
        self,
        engine_state: EngineState,
        misfire_grace_s: float,
        host: TimetableHost | None = None,
        max_waiting_runs: int = MAX_WAITING_RUNS,
        kept_plans: KeptPlans | None = None,
    ) -> None:
        """`host`: calls author timetables. `max_waiting_runs`: the maximum of runs per DAG that wait for other DAGs.

        `kept_plans`: plans that were made before of the same state; only a projection has them.
        """
        self._kept_plans = kept_plans
        self._engine_state = engine_state
        self._max_waiting_runs = max_waiting_runs
        self._misfire_grace_s = misfire_grace_s
        self.author_planner = AuthorPlanner(engine_state, host)
        self._due: list[tuple[Instant, int]] = []
        """Heap of (due time, dag_pk). An entry is valid only if `_due_at` has the same time for the DAG."""
        self._due_at: dict[int, Instant] = {}
        self._pending: dict[int, None] = {}
        self._timetables: dict[int, tuple[int, Timetable]] = {}
        self._fingerprints: dict[int, tuple[DagSpec, str]] = {}
        """By dag_pk, that of the newest version that was planned."""

    def enqueue(self, dag_pks: Iterable[int]) -> None:
        """Includes these DAGs in the next call of `plan`."""
        self._pending.update(dict.fromkeys(dag_pks))

    def waits_for_next_run(self, dag_pk: int, now: Instant) -> bool:
        """Whether the DAG is planned when its next run is due, and not before, however its runs end; it creates no runs by assets."""
        dag = self._engine_state.dags.get(dag_pk)
        return dag is not None and dag.graph.spec.asset_condition is None and self._due_at.get(dag_pk, now) > now

    def reset(self) -> None:
        """Forgets all due times after the engine state was dropped."""
        self._due, self._due_at, self._pending = [], {}, {}
        self.author_planner.reset()

    def plan(self, now: Instant, batch: int) -> list[PlanChange]:
        """The changes of at most `batch` DAGs that are due, and of the author plans that were answered."""
        while self._due and self._due[0][0] <= now:
            at, dag_pk = heapq.heappop(self._due)
            if self._due_at.get(dag_pk) == at:
                del self._due_at[dag_pk]
                self._pending[dag_pk] = None
        changes: list[PlanChange] = []
        while self._pending and len(changes) < batch:
            dag_pk = next(iter(self._pending))
            del self._pending[dag_pk]
            dag = self._engine_state.dags.get(dag_pk)
            if dag is None:
                self._timetables.pop(dag_pk, None)
                self._fingerprints.pop(dag_pk, None)
                continue
            change = self._plan_or_record_error(dag, now)
            if change is not None:
                changes.append(change)
        answered, again = self.author_planner.collect_changes(now)
        self.enqueue(again)
        return changes + answered

    def wake_at(self, now: Instant) -> Instant | None:
        """When `plan` has work next; None if no DAG has a due time."""
        if self._pending:
            return now
        times = (self._due[0][0] if self._due else None, self.author_planner.wake_at(now))
        return min((at for at in times if at is not None), default=None)

    def apply_outcome(self, change: PlanChange, outcome: PlanOutcome, now: Instant) -> None:
        """Updates the DAG in memory after the store has accepted or rejected a change."""
        dag = self._engine_state.dags.get(change.dag_pk)
        if dag is None or not outcome.accepted:
            return
        record = dag.record
        record.plan_seq += 1
        record.error = outcome.error or change.error
        change = outcome.instead or change
        if outcome.error is not None and outcome.instead is None:
            record.next_run = None  # its run id was rejected: the timetable computes the slot again
        else:
            record.fingerprint = change.fingerprint
            record.cursor, record.next_run = change.cursor, change.next_run
            record.live_at = record.live_at if change.live_at is None else change.live_at
        for slot in outcome.occupied_slots:
            _log.warning("slot_held", dag_id=record.dag_id, slot=slot)
        if record.error is not None:
            self._schedule_at(_retry_at(dag, now), change.dag_pk)
        elif change.fingerprint == NEEDS_PLAN:
            self.enqueue([change.dag_pk])
        elif record.next_run is not None:
            self._schedule_at(compute_creation_time(dag.graph.spec, record.next_run), change.dag_pk)

    def _schedule_at(self, at: Instant, dag_pk: int) -> None:
        if self._due_at.get(dag_pk) == at:
            return
        self._due_at[dag_pk] = at
        heapq.heappush(self._due, (at, dag_pk))
        if len(self._due) > 2 * len(self._due_at) + _MAX_EXTRA_ENTRIES:
            self._due = sorted((at, dag_pk) for dag_pk, at in self._due_at.items())

    def _plan_or_record_error(self, dag: Dag, now: Instant) -> PlanChange | None:
        """The change of the DAG. An error is recorded on the DAG and affects no other DAG."""
        try:
            return self._plan_dag(dag, now)
        except PlanningError as error:
            _log.error("planning_failed", dag_id=dag.record.dag_id, error=str(error))
            return build_stopped_change(dag, str(error))
        except Exception as error:
            _log.exception("planning_failed", dag_id=dag.record.dag_id, error=str(error))
            told = say("planning_failed", name=type(error).__name__, error=str(error))
            return build_stopped_change(dag, render(told))

    def _plan_dag(self, dag: Dag, now: Instant) -> PlanChange | None:
        record, spec = dag.record, dag.graph.spec
        if dag.hold_reason is not None or record.dependency_error is not None:
            return None
        if not spec.timetable.can_be_scheduled:
            is_stale = record.error is not None and spec.asset_condition is None  # of a schedule that an edit removed
            return build_stopped_change(dag, None) if is_stale else None
        fingerprint = self._find_fingerprint(record.dag_pk, spec)
        next_run = record.next_run
        unchanged = fingerprint == record.fingerprint and record.error is None
        if unchanged and next_run is None:
            if dag.runs or not self._follows_runs(dag):
                return None
        elif unchanged and next_run is not None and compute_creation_time(spec, next_run) > now:
            self._schedule_at(compute_creation_time(spec, next_run), record.dag_pk)
            return None
        unfinished = sum(
            run.backfill is None and run.record.state not in FINISHED_RUN_STATES
            for run in dag.runs.values()
            if run.pk not in dag.runs_waiting_upstream
        )
        max_new_runs = min(
            compute_room(spec, active_runs_limit(dag), unfinished),
            self._max_waiting_runs - len(dag.runs_waiting_upstream),
        )
        if max_new_runs <= 0 and unchanged:
            return None  # planned again when one of its runs finishes or starts to wait: a limit over all DAGs must not arrive as room 0
        return self._request_plan(dag, now, max_new_runs, unfinished > 0, fingerprint)

    def _request_plan(
        self, dag: Dag, now: Instant, max_new_runs: int, has_unfinished_regular_runs: bool, fingerprint: str
    ) -> PlanChange | None:
        record, spec = dag.record, dag.graph.spec
        arguments: dict[str, Any] = {
            **build_plan_arguments(record, spec, fingerprint, now),
            "now": now,
            "max_new_runs": max_new_runs,
            "has_unfinished_runs": bool(dag.runs),
            "has_unfinished_regular_runs": has_unfinished_regular_runs,
            "misfire_grace_s": self._misfire_grace_s,
        }
        if not spec.timetable.builtin:
            return self.author_planner.request_plan(dag, arguments, fingerprint, now)
        plan = self._make_plan(dag, arguments)
        if plan.error is not None:
            _log.error("planning_failed", dag_id=record.dag_id, error=plan.error)
        return build_plan_change(dag, plan, fingerprint, arguments["active_since"], plan.error)

    def _make_plan(self, dag: Dag, arguments: dict[str, Any]) -> Plan:
        timetable, kept_plans = self._timetable(dag), self._kept_plans
        if kept_plans is None:
            return plan_runs(timetable=timetable, **arguments)
        return kept_plans.find(
            dag.record.dag_pk,
            dag.graph.version_pk,
            timetable,
            arguments,
            lambda: plan_runs(timetable=timetable, **arguments),
        )

    def _follows_runs(self, dag: Dag) -> bool:
        ref = dag.graph.spec.timetable
        return self._timetable(dag).follows_runs if ref.builtin else ref.follows_runs

    def _find_fingerprint(self, dag_pk: int, spec: DagSpec) -> str:
        cached = self._fingerprints.get(dag_pk)
        if cached is None or cached[0] is not spec:
            cached = self._fingerprints[dag_pk] = (spec, compute_fingerprint(spec.timetable, spec))
        return cached[1]

    def _timetable(self, dag: Dag) -> Timetable:
        version = dag.graph.version_pk
        cached = self._timetables.get(dag.record.dag_pk)
        if cached is None or cached[0] != version:
            cached = self._timetables[dag.record.dag_pk] = (version, build(dag.graph.spec.timetable))
        return cached[1]


def _retry_at(dag: Dag, now: Instant) -> Instant:
    """When to plan a DAG again whose timetable failed: after PLAN_RETRY_S, or earlier when its stored next run is due."""
    later = now + int(PLAN_RETRY_S * SECOND)
    next_run = dag.record.next_run
    due = later if next_run is None else compute_creation_time(dag.graph.spec, next_run)
    return min(later, due) if due > now else later


_MAX_EXTRA_ENTRIES = 64
"""The heap is rebuilt when its invalid entries outnumber the valid ones by more than this."""
