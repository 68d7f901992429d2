"""Futures of a snapshot: independent DAGs alone, all others in the engine, by a script that says how long tries take."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.entry.projection.attempt_counter import AttemptCounter
from gnomon.entry.projection.divided_projection import DividedFuture, EngineShare, find_capacity, project_divided
from gnomon.entry.projection.drawn_times import DrawnTimes
from gnomon.entry.projection.independent_dags import IndependentDags, Resource
from gnomon.entry.projection.projector import Projector
from gnomon.entry.projection.run_ends import RunEnds
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.entry.projection.slot_demand import SlotDemand
from gnomon.entry.projection.snapshot import Snapshot
from gnomon.model.deferral import DeferralResult
from gnomon.model.instants import SECOND, Instant
from gnomon.model.states import TaskInstanceState
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.run_facts import describe_run
from gnomon.rules.planning import compute_jitter
from gnomon.services.scheduler.kept_plans import KeptPlans
from gnomon.services.scheduler.settings import SchedulerSettings

RUN_OUT_S = 86_400
"""How long after the horizon runs may go on that begin before it."""
UNKNOWN_WORKERS = 1_000
"""So many slots have all workers, when none is there and nothing limits their number."""


def find_capacity_of(snapshot: Snapshot, settings: SchedulerSettings) -> dict[Resource, int]:
    """What is limited in a deployment, and how many slots it has."""
    slots = sum(worker.slots for worker in snapshot.workers) or settings.limits.parallelism or UNKNOWN_WORKERS
    return find_capacity(snapshot.pools, settings, slots)


@dataclass
class KeptParts:
    """What earlier projections of a deployment leave for one of a part of it."""

    ends: RunEnds
    taken: SlotDemand | None = None
    """The slots of the DAGs that are not in the snapshot; None: all are."""


class Futures:
    """The futures of one snapshot until an instant. What all have in common is found once."""

    def __init__(
        self,
        snapshot: Snapshot,
        settings: SchedulerSettings,
        until: Instant,
        timetables: TimetableHost | None = None,
        *,
        with_tasks: bool | Collection[str],
        kept: KeptParts | None = None,
    ) -> None:
        """`with_tasks`: for all, or of independent DAGs for these."""
        self._snapshot, self._settings, self._timetables, self._kept = snapshot, settings, timetables, kept
        self._until, self._deadline = until, until + RUN_OUT_S * SECOND
        self._with_tasks = with_tasks
        self._kept_plans = KeptPlans()
        self._slots = 0 if snapshot.workers else settings.limits.parallelism or UNKNOWN_WORKERS
        self._capacity = find_capacity_of(snapshot, settings)
        self.independent = IndependentDags(
            snapshot.copy_state(), snapshot.pools, settings, snapshot.at, snapshot.graphs, snapshot.queued_events
        )

    def project(self, script: DrawnTimes, count_attempts: Callable[[], AttemptCounter] | None = None) -> DividedFuture:
        """One future. `count_attempts`: makes what bounds their number."""
        script.now = lambda: self._snapshot.at
        kept = self._kept
        return project_divided(
            self.independent,
            self._capacity,
            script.draw_try,
            self._until,
            self._deadline,
            lambda share: self._project_rest(share, script, count_attempts),
            with_tasks=self._with_tasks,
            count=None if count_attempts is None else count_attempts().add,
            taken=None if kept is None else kept.taken,
            ends=None if kept is None else kept.ends,
        )

    def _project_rest(
        self, share: EngineShare, script: DrawnTimes, count_attempts: Callable[[], AttemptCounter] | None
    ) -> tuple[list[RunOutcome], Instant | None]:
        snapshot, until, end = self._snapshot, self._until, self._deadline
        part = snapshot.leave_out(share.excluded, share.cut_pools(snapshot.pools))
        dags = part.state.dags
        counter = None if count_attempts is None else count_attempts()
        if counter is not None:
            counter.add(share.attempts, share.end)
        if not part.state.runs and not any(dag.active and not dag.paused for dag in dags):
            return [], None
        projector = Projector(
            settings=share.cut_settings(self._settings),
            start=snapshot.at,
            script=script.play,
            pools=(),
            worker_slots=self._slots,
            timetables=self._timetables,
            kept_plans=self._kept_plans,
            draw=script.draw_try,
        )
        script.now = lambda: projector.now
        projector.load(part, script.resume)
        _schedule_deferrals(projector, script)
        collector = share.observe(projector, dags, with_tasks=bool(self._with_tasks), counter=counter)
        try:
            projector.run_until(min(end, until + max((compute_jitter(dag.spec) for dag in dags), default=0)))
            while projector.now < end and (projector.now < share.end or _has_early_runs(projector, until)):
                projector.run_until(min(end, projector.now + 3600 * SECOND))
            return [*collector.runs, *collector.list_unfinished(projector.now, with_waits=False)], projector.now
        finally:
            projector.engine_state.release()


def _has_early_runs(projector: Projector, until: Instant) -> bool:
    return any(run.is_running and run.record.run_after < until for run in projector.engine_state.runs.values())


def _schedule_deferrals(projector: Projector, script: DrawnTimes) -> None:
    """The ends of deferrals that a trigger of an author decides about: those with a time of their own have a timer already."""
    for run in projector.engine_state.runs.values():
        facts = describe_run(run.dag.record.dag_id, run.record)
        for instances in run.task_instances:
            for ti in instances.values():
                wait = ti.deferral
                if (
                    ti.state is TaskInstanceState.DEFERRED
                    and wait is not None
                    and wait.result is None
                    and wait.due_at is None
                ):
                    began = wait.created_at if ti.started_at is None else ti.started_at
                    rest_s = script.draw_rest(
                        facts, ti.task.task_id, ti.map_index, ti.try_number, (projector.now - began) / SECOND
                    )
                    event = e.DeferralEnded(ti.key(), ti.defer_seq, DeferralResult(outcome="event"))
                    projector.schedule(projector.now + int(rest_s * SECOND), event)
