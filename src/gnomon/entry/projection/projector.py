"""`Projector`: the rounds of a scheduler on a virtual clock, over a store in memory and a worker that follows a script.

A round does what `SchedulerService.tick` does, with the same parts in the same order: events, a step of the engine, plans,
runs of assets, slots that runs wait for. What a scheduler needs for other schedulers and for a database that fails (leases,
fences, quarantine, retries of commits) has no place here. `tests/simulation/test_projection.py` proves that both make the same runs.
"""

from __future__ import annotations

import gc
import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.entry.projection.memory_store import MemoryStore
from gnomon.entry.projection.projected_worker import WORKER_ID, ProjectedWorker, Script
from gnomon.entry.projection.snapshot import Snapshot
from gnomon.entry.projection.undisturbed_runs import DrawTry, UndisturbedRuns
from gnomon.entry.testing.scripted import Play
from gnomon.model.attempts import Attempt
from gnomon.model.errors.product import UserError
from gnomon.model.ids import GROUPS
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import DagRecord, PoolRecord
from gnomon.model.sentences import say
from gnomon.model.slots import PlannedRun
from gnomon.model.states import FINISHED_RUN_STATES, DagRunState, DagRunType
from gnomon.rules.engine import events as e
from gnomon.rules.engine.admission.admission_pass import build_attempt
from gnomon.rules.engine.handlers.group_loading import load_groups
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import DagRun
from gnomon.rules.engine.step import end_followed_run, step
from gnomon.rules.engine.step_context import StepResult
from gnomon.services.scheduler.asset_runs import AssetRunCreator
from gnomon.services.scheduler.deadline_resolution import DeadlineResolver
from gnomon.services.scheduler.edge_resolution import EdgeResolver
from gnomon.services.scheduler.kept_plans import KeptPlans
from gnomon.services.scheduler.planner import Planner
from gnomon.services.scheduler.planning_cursors import CursorMove, build_cursor_events, read_cursor, record_manual_runs
from gnomon.services.scheduler.settings import SchedulerSettings
from gnomon.services.scheduler.timetable_multiplexer import TimetableHostMultiplexer
from gnomon.storage.store.ownership.planned_runs import create_planned_runs

OBJECTS_PER_COLLECTION = 50_000
MAX_ROUNDS_PER_INSTANT = 20_000
"""The most rounds at one instant: more is a circle, as of a DAG that follows its own runs and takes no time."""
CAUSED_PER_INSTANT, CAUSED_PER_DAG = 10_000, 10
"""The most runs that end at one instant and that no clock has started, in all and in addition for each DAG: more are a circle too."""
NAMED_DAGS = 10
"""An error about a circle names so many of the DAGs whose runs changed in its second half."""
NEVER: Instant = 2**63 - 1
UNDISTURBING = frozenset(
    (
        e.RunRead,
        e.FollowedRunEnded,
        e.FollowedTaskEnded,
        e.ResultReceived,
        e.AuthorCodeEntered,
        e.CursorMoved,
        e.SlotsResolved,
        e.SubscriptionRequested,
        e.AssetEventsQueued,
        e.DeadlineResolved,
        e.DeferralEnded,
        e.WorkerJoined,
    )
)
"""Events that say nothing about runs that have begun, but of those that they name. Before any other, the engine has all runs."""
Observer = Callable[[StepResult, Instant], object]
"""Sees the result of each step, without rows. What it names is the engine's: copy what is to be kept."""


class EndlessInstant(UserError):
    """At one instant something follows without end; `dag_ids` took part in it."""

    def __init__(self, at: Instant, dag_ids: Sequence[str]) -> None:
        super().__init__(say("simulated_time_stands_still", at=at, names=", ".join(dag_ids) or "-"))
        self.dag_ids = tuple(dag_ids)


@dataclass(slots=True)
class _DueParts:
    """When each part of the scheduler has something to do next, or NEVER: until then it is not asked."""

    plans: Instant
    asset_runs: Instant
    edges: Instant


def _or_never(at: Instant | None) -> Instant:
    return NEVER if at is None else at


@contextmanager
def rare_collections() -> Iterator[None]:
    """Within it, cyclic garbage is looked for after many more new objects than usual: runs that end leave none (`_release_run`)."""
    thresholds = gc.get_threshold()
    gc.set_threshold(OBJECTS_PER_COLLECTION, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def is_caused(run: DagRun) -> bool:
    """True for a run that no clock has started, but another run: circles consist of these."""
    return run.record.run_type is DagRunType.ASSET_TRIGGERED or run.graph.spec.timetable.follows_runs


def _release_run(run: DagRun) -> None:
    """Undo the references of an ended run and its task instances to one another, unless a later run may look at them."""
    if not run.graph.depends_on_previous_run:
        run.task_instances = []


class Projector:
    """One deployment from an instant on. Nothing is read from a clock, a file or a database; the same script makes the same runs."""

    def __init__(
        self,
        *,
        settings: SchedulerSettings,
        start: Instant,
        script: Script,
        pools: Iterable[PoolRecord],
        worker_slots: int,
        timetables: TimetableHost | None = None,
        kept_plans: KeptPlans | None = None,
        draw: DrawTry | None = None,
    ) -> None:
        """`draw`: what the script says of a try, for less.

        `worker_slots`: attempts that all workers together run at once; 0: those of a snapshot join. `timetables`: calls author timetables, in this process.

        `kept_plans`: those of other projections of the same snapshot.
        """
        self.now = start
        self.engine_state = EngineState(settings.limits)
        self.engine_state.epochs = dict.fromkeys(range(GROUPS), 1)
        self.engine_state.update_pools(pools)
        self.store = MemoryStore()
        self._settings = settings
        self._worker = ProjectedWorker(script)
        self.observe: Observer = lambda _result, _now: None
        """Sees the result of each step."""
        self._numbers = itertools.count(1)
        store: Any = self.store
        multiplexer = None if timetables is None else TimetableHostMultiplexer(timetables)
        clients = [None if multiplexer is None else multiplexer.open_client() for _ in range(3)]
        self._planner = Planner(
            self.engine_state, settings.misfire_grace_s, clients[0], settings.max_waiting_runs, kept_plans
        )
        self._edge_resolver = EdgeResolver(store, self.engine_state, clients[1])
        self._asset_runs = AssetRunCreator(
            store, self.engine_state, "", self._new_id, settings.partition_keys_max, clients[2]
        )
        self._deadline_resolver = DeadlineResolver(store, self.engine_state)
        self._undisturbed = UndisturbedRuns(
            self.engine_state, self._worker, script, self.store.runs.list_watched_tasks, draw, self
        )
        self._pending: list[e.EngineEvent] = []
        """Events of the next round."""
        if worker_slots:
            self._pending.append(e.WorkerJoined(WORKER_ID, worker_slots))
        self._loaded: list[DagRun] = []
        """Runs of a snapshot, which the first step evaluates."""
        self._scheduled: list[tuple[Instant, int, e.EngineEvent]] = []
        """Heap of events from outside, with a number that keeps their order."""
        self._late_dag_ids: set[str] | None = None
        """The DAGs whose runs change at this instant, once it has half of the rounds, or of the runs, that it may have."""
        self._caused_now = 0
        """Runs that have ended at this instant and that no clock has started."""
        self._wake_at: Instant | None = None
        self._due = _DueParts(start, start, start)
        self._calls_authors = multiplexer is not None

    def _new_id(self) -> str:
        return f"{next(self._numbers):08x}-projected"

    # ---- what happens from outside -------------------------------------------------------------------------------------
    def add_dags(
        self, records: Sequence[DagRecord], past_slots: Mapping[int, Iterable[PlannedRun]] | None = None
    ) -> None:
        """New DAGs, or new versions of DAGs, in the next round. `past_slots`: by dag_pk, slots whose runs have succeeded."""
        for record in records:
            self.store.put_dag(record)
            self._pending.append(e.DagRead(record))
        for dag_pk, slots in (past_slots or {}).items():
            self.store.runs.put_past_slots(
                dag_pk, [(slot.run_after, slot.run_id, DagRunState.SUCCESS, frozenset()) for slot in slots]
            )

    def load(self, snapshot: Snapshot, resume: Callable[[Attempt, float], Play]) -> None:
        """Begin with what a store has, as a scheduler that takes all groups over.

        `resume`: what an attempt does that has run for so many seconds; `run_s` counts from its start.
        """
        engine_state, store, state = self.engine_state, self.store, snapshot.copy_state()
        engine_state.graphs = snapshot.graphs
        for record in state.dags:
            store.put_dag(record)
        store.runs.put_unfinished(state.runs, state.tasks)
        for dag_pk, slots in snapshot.past_slots.items():
            ended = [
                (slot.at, slot.run_id, slot.state, slot.failed_tasks)
                for slot in slots
                if slot.state in FINISHED_RUN_STATES
            ]
            store.runs.put_past_slots(dag_pk, ended)
        for dag_pk, ends in snapshot.newest_ends.items():
            store.runs.put_ended(dag_pk, ends)
        for dag_pk, events in snapshot.queued_events.items():
            store.assets.put_queue(dag_pk, events)
        self._loaded = load_groups(engine_state, state, dict.fromkeys(range(GROUPS), 1))
        engine_state.update_pools(snapshot.pools)  # after the load, which counts the slots of live attempts once more
        self._pending += [e.WorkerJoined(worker.worker_id, worker.slots) for worker in snapshot.workers]
        self._pending += [e.SubscriptionRequested(message, facts) for message, facts in state.subscriptions]
        dag_pks = [dag.dag_pk for dag in state.dags]
        self._enqueue_dags(dag_pks)
        for ti in engine_state.attempts.values():
            attempt, started_at = build_attempt(engine_state, ti), ti.started_at if ti.entered else None
            age_s = 0.0 if started_at is None else (self.now - started_at) / SECOND
            self._worker.resume(attempt, resume(attempt, age_s), started_at, self.now)

    def schedule(self, at: Instant, event: e.EngineEvent) -> None:
        """An event from outside, at that instant or now if it is past."""
        heapq.heappush(self._scheduled, (at, next(self._numbers), event))

    # ---- the passing of time -------------------------------------------------------------------------------------------
    def run_until(self, end: Instant) -> None:
        """Run everything that is due before `end`, and set the clock to it."""
        with rare_collections():
            while self.now < end:
                wake_at = self._run_instant()
                at = end if wake_at is None else max(self.now, min(wake_at, end))
                self.now = max(self.now, self._undisturbed.run_alone(at))
        self._loaded += self._undisturbed.give_all_back(self.now)
        if self._worker.has_entered_before(end):
            self.now = end - 1  # what is due at the end is not due yet
            self._step([*self._worker.collect_entered(self.now)])
            self.now = end

    def _run_instant(self) -> Instant | None:
        """Rounds until nothing is due now; returns when something is due next."""
        self._late_dag_ids, self._caused_now = None, 0
        most_caused = CAUSED_PER_INSTANT + CAUSED_PER_DAG * len(self.engine_state.dags)
        for number in range(MAX_ROUNDS_PER_INSTANT):
            wake_at = self._run_round()
            if wake_at is None or wake_at > self.now:
                return wake_at
            if self._caused_now > most_caused:
                break
            if self._late_dag_ids is None and (
                2 * number > MAX_ROUNDS_PER_INSTANT or 2 * self._caused_now > most_caused
            ):
                self._late_dag_ids = set()
        raise EndlessInstant(self.now, sorted(self._late_dag_ids or ())[:NAMED_DAGS])

    def _run_round(self) -> Instant | None:
        now, due = self.now, self._due
        events = self._take_events(now)
        if events and any(type(event) not in UNDISTURBING for event in events):
            self._loaded += self._undisturbed.give_all_back(now)
        if events or self._loaded or self._undisturbed.has_work or (self._wake_at is not None and self._wake_at <= now):
            self._step(events)
        if due.plans <= now:
            self._plan()
            due.plans = _or_never(self._planner.wake_at(now))
        if due.asset_runs <= now:
            created = self._asset_runs.create_runs(now)
            if created:
                self._step([e.RunRead(run) for run in created])
            due.asset_runs = now if self._asset_runs.has_work() else _or_never(self._asset_runs.wake_at(now))
        if due.edges <= now:
            resolved = self._edge_resolver.resolve_batch(now)
            if resolved:
                self._step(resolved)
            due.edges = _or_never(self._edge_resolver.wake_at(now))
        if self._deadline_resolver.has_work:
            self._step(self._deadline_resolver.resolve_batch())
        return self._find_next()

    def _take_events(self, now: Instant) -> list[e.EngineEvent]:
        """What has happened: what is earlier than now comes first."""
        worker, mail = self._worker, self.store.assets.mail
        events: list[e.EngineEvent] = [*worker.collect_entered(now - 1)] if worker.has_entered_before(now) else []
        if self._pending:
            events += self._pending
            self._pending = []
            self._due.edges = now  # edges that failed are tried again with the next version of their DAG
        if mail:
            events += [e.AssetEventsQueued(dag_pks) for dag_pks in self.store.take_asset_mail()]
        while self._scheduled and self._scheduled[0][0] <= now:
            events.append(heapq.heappop(self._scheduled)[2])
            self._due.edges = now
        events += worker.collect(now)
        events += self._undisturbed.collect(now)
        return events

    def _find_next(self) -> Instant | None:
        now, due = self.now, self._due
        if self._pending or self.store.assets.mail or self._deadline_resolver.has_work or self._undisturbed.is_due(now):
            return now
        if self._calls_authors:  # an answer to one part may be what another waits for
            due.plans = _or_never(self._planner.wake_at(now))
            due.edges = _or_never(self._edge_resolver.wake_at(now))
            due.asset_runs = now if self._asset_runs.has_work() else _or_never(self._asset_runs.wake_at(now))
        at = min(due.plans, due.asset_runs, due.edges)
        for other in (
            self._wake_at,
            self._worker.next_at(),
            self._scheduled[0][0] if self._scheduled else None,
        ):
            if other is not None and other < at:
                at = other
        return None if at == NEVER else at

    def end_quietly(self, run: DagRun, attempts: int) -> bool:
        """End a followed run now, if nothing follows from its end. False: a round has to find out what does."""
        state, dag = self.engine_state, run.dag
        if (
            dag.queued_runs
            or dag.backfills
            or dag.record.dag_id in state.subscriptions
            or is_caused(run)
            or not self._planner.waits_for_next_run(run.record.dag_pk, self.now)
        ):
            return False
        result = end_followed_run(state, e.FollowedRunEnded(run.pk, attempts), self.now, self._new_id)
        self.store.apply_result(result)
        self.observe(result, self.now)
        self._undisturbed.forget(run)
        return True

    # ---- decide and act --------------------------------------------------------------------------------------------------
    def _step(self, events: list[e.EngineEvent]) -> None:
        loaded, self._loaded = self._loaded, []
        result = step(self.engine_state, events, self.now, self._new_id, loaded, keeps_rows=False)
        self.store.apply_result(result)
        self.observe(result, self.now)
        if self._late_dag_ids is not None:
            self._late_dag_ids.update(self.engine_state.dags[run.dag_pk].record.dag_id for run in result.changes.runs)
        for run in result.ended_runs:
            self._caused_now += is_caused(run)
            if run.follower is not None:
                self._undisturbed.forget(run)
            _release_run(run)
        self._wake_at = result.wake_at
        self._enqueue(result, has_ends_only=all(type(event) in UNDISTURBING for event in events))
        for attempts in result.submits.values():
            self._worker.submit(attempts, self.now)
        for order in result.cancels:
            self._worker.cancel(order.attempt_id, order.reason, self.now)
        if result.failing_dags and (paused := self._pause_failing(result.failing_dags)):
            self._step(paused)

    def _enqueue(self, result: StepResult, *, has_ends_only: bool) -> None:
        """`has_ends_only`: the DAGs are to be planned because runs of theirs have ended, which says nothing to one whose next run is due later."""
        dag_pks = sorted(result.plannable_dags)
        if has_ends_only:
            dag_pks = [dag_pk for dag_pk in dag_pks if not self._planner.waits_for_next_run(dag_pk, self.now)]
        if dag_pks:
            self._enqueue_dags(dag_pks)
        if result.unresolved_edges:
            self._edge_resolver.enqueue(result.unresolved_edges)
            self._due.edges = self.now
        if result.unresolved_deadlines:
            self._deadline_resolver.enqueue(result.unresolved_deadlines)

    def _enqueue_dags(self, dag_pks: Sequence[int]) -> None:
        self._planner.enqueue(dag_pks)
        self._asset_runs.enqueue(dag_pks)
        self._due.plans = self._due.asset_runs = self.now

    def _pause_failing(self, dag_pks: Iterable[int]) -> list[e.EngineEvent]:
        """As `pause_failing_dags`: a DAG whose newest runs have all failed is paused."""
        events: list[e.EngineEvent] = []
        for dag_pk in sorted(dag_pks):
            dag = self.engine_state.dags.get(dag_pk)
            if dag is None or dag.record.paused:
                continue
            most = dag.graph.spec.max_consecutive_failed_dag_runs
            newest = self.store.runs.list_newest_ends(dag_pk, most)
            if len(newest) == most and all(state is DagRunState.FAILED for state in newest):
                record = replace(dag.record, paused=True, plan_seq=dag.record.plan_seq + 1)
                self.store.put_dag(record)
                events.append(e.DagRead(record))
        return events

    def _plan(self) -> None:
        """As `SchedulerService._plan`."""
        changes = self._planner.plan(self.now, self._settings.plan_batch)
        if not changes:
            return
        with self.store.scheduler_write("") as tx:
            outcomes = create_planned_runs(tx, changes, self.now)  # type: ignore[arg-type]
        created = []
        moved: list[CursorMove] = []
        for change, outcome in zip(changes, outcomes, strict=True):
            before = read_cursor(self.engine_state, change.dag_pk)
            self._planner.apply_outcome(change, outcome, self.now)
            moved.append(CursorMove(change.dag_pk, before, read_cursor(self.engine_state, change.dag_pk)))
            created += outcome.created
            record_manual_runs(self.engine_state, outcome)
        events: list[e.EngineEvent] = [e.RunRead(run) for run in created]
        events += build_cursor_events(self.store, moved, self.engine_state)  # type: ignore[arg-type]
        if events:
            self._step(events)
