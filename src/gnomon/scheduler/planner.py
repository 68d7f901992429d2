"""When the next run of each DAG is due, and making it: OWNERSHIP.md lines 22 and 23.

A DAG is looked at when it was read, when one of its runs ended, and when its next run is due; never because time passed
or a file was parsed. The rules are `planning`; this file keeps the heap and carries plans to the store.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from gnomon import log
from gnomon.engine.cells import Dag
from gnomon.engine.memory import Memory
from gnomon.engine.runs import active_runs_limit
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import PlanChange, PlanOutcome
from gnomon.model.states import FINISHED_RUN_STATES, DagRunType
from gnomon.planning import PlanningError, fingerprint, plan_runs
from gnomon.scheduler.settings import PLAN_RETRY_S
from gnomon.timetables import Timetable
from gnomon.timetables.registry import build

_log = log.get("scheduler.planner")


class Planner:
    """The heap of due times, and the questions to timetables."""

    def __init__(self, memory: Memory, misfire_grace_s: float) -> None:
        self._memory = memory
        self._misfire_grace_s = misfire_grace_s
        self._due: list[tuple[Instant, int]] = []
        """(when to look at it, dag_pk); only the entry that `_due_at` names counts."""
        self._due_at: dict[int, Instant] = {}
        self._pending: dict[int, None] = {}
        self._timetables: dict[int, tuple[int, Timetable]] = {}

    def look_at(self, dag_pks: Iterable[int]) -> None:
        """Look at these DAGs with the next plan."""
        self._pending.update(dict.fromkeys(dag_pks))

    def forget(self) -> None:
        """Start anew: memory was dropped."""
        self._due, self._due_at, self._pending = [], {}, {}

    def plan(self, now: Instant, batch: int) -> list[PlanChange]:
        """What to write now, for at most `batch` DAGs; the others stay for the next call."""
        while self._due and self._due[0][0] <= now:
            at, dag_pk = heapq.heappop(self._due)
            if self._due_at.get(dag_pk) == at:
                del self._due_at[dag_pk]
                self._pending[dag_pk] = None
        changes: list[PlanChange] = []
        while self._pending and len(changes) < batch:
            dag_pk = next(iter(self._pending))
            del self._pending[dag_pk]
            dag = self._memory.dags.get(dag_pk)
            if dag is None:
                self._timetables.pop(dag_pk, None)
                continue
            change = self._plan_safely(dag, now)
            if change is not None:
                changes.append(change)
        return changes

    def wake_at(self, now: Instant) -> Instant | None:
        """When there is something to plan; None when never."""
        if self._pending:
            return now
        return self._due[0][0] if self._due else None

    def settle(self, change: PlanChange, outcome: PlanOutcome, now: Instant) -> None:
        """Memory follows what the store did with a change."""
        dag = self._memory.dags.get(change.dag_pk)
        if dag is None or not outcome.accepted:
            return
        record = dag.record
        record.plan_seq += 1
        record.fingerprint = change.fingerprint
        record.error = outcome.error or change.error
        if record.error is not None:
            self._later(now + int(PLAN_RETRY_S * SECOND), change.dag_pk)
            return
        record.cursor, record.next_run = change.cursor, change.next_run
        for held in outcome.held:
            _log.warning("slot_held", dag_id=record.dag_id, slot=held)
        if record.next_run is not None:
            self._later(record.next_run.run_after, change.dag_pk)

    def _later(self, at: Instant, dag_pk: int) -> None:
        if self._due_at.get(dag_pk) == at:
            return
        self._due_at[dag_pk] = at
        heapq.heappush(self._due, (at, dag_pk))
        if len(self._due) > 2 * len(self._due_at) + _SWEEP_AT:
            self._due = sorted((at, dag_pk) for dag_pk, at in self._due_at.items())

    def _plan_safely(self, dag: Dag, now: Instant) -> PlanChange | None:
        """What to write for the DAG; whatever goes wrong with it stands on it, and disturbs no other."""
        try:
            return self._plan_dag(dag, now)
        except PlanningError as error:
            _log.error("planning_failed", dag_id=dag.record.dag_id, error=str(error))
            return _stopped(dag, str(error))
        except Exception as error:
            _log.exception("planning_failed", dag_id=dag.record.dag_id, error=str(error))
            return _stopped(dag, f"planning failed: {type(error).__name__}: {error}; see to its timetable, or report this")

    def _plan_dag(self, dag: Dag, now: Instant) -> PlanChange | None:
        record, spec = dag.record, dag.graph.spec
        if dag.held is not None or not spec.timetable.can_be_scheduled:
            return None
        mark = fingerprint(spec.timetable, spec)
        next_run = record.next_run
        unchanged = mark == record.fingerprint and record.error is None
        if unchanged and next_run is None:
            if dag.runs or not self._timetable(dag).follows_runs:
                return None
        elif unchanged and next_run is not None and next_run.run_after > now:
            self._later(next_run.run_after, record.dag_pk)
            return None
        unfinished = sum(
            run.record.run_type is not DagRunType.BACKFILL and run.record.state not in FINISHED_RUN_STATES
            for run in dag.runs.values()
        )
        room = active_runs_limit(dag) - unfinished
        if room <= 0 and unchanged:
            return None  # looked at again when a run of it ends
        return self._ask(dag, now, max(room, 0), mark)

    def _ask(self, dag: Dag, now: Instant, room: int, mark: str) -> PlanChange:
        record, spec = dag.record, dag.graph.spec
        unchanged = mark == record.fingerprint and record.error is None
        plan = plan_runs(
            dag=spec, timetable=self._timetable(dag), cursor=record.cursor, now=now, room=room,
            active=bool(dag.runs), planned=record.next_run if unchanged else None,
            misfire_grace_s=self._misfire_grace_s,
        )
        return PlanChange(
            dag_pk=record.dag_pk, group_no=record.group_no, believed_plan_seq=record.plan_seq, cursor=plan.cursor,
            next_run=plan.next_run, fingerprint=mark, runs=plan.runs, version_pk=dag.graph.version_pk,
        )

    def _timetable(self, dag: Dag) -> Timetable:
        version = dag.graph.version_pk
        known = self._timetables.get(dag.record.dag_pk)
        if known is None or known[0] != version:
            known = self._timetables[dag.record.dag_pk] = (version, build(dag.graph.spec.timetable))
        return known[1]


def _stopped(dag: Dag, error: str) -> PlanChange:
    """Cursor and next run stay; the sentence stands on the DAG until a later try."""
    record = dag.record
    return PlanChange(
        dag_pk=record.dag_pk, group_no=record.group_no, believed_plan_seq=record.plan_seq, cursor=record.cursor,
        next_run=record.next_run, fingerprint=fingerprint(dag.graph.spec.timetable, dag.graph.spec),
        version_pk=dag.graph.version_pk, error=error,
    )


_SWEEP_AT = 64
"""So many void entries may stand in the heap beyond as many as there are valid ones."""
