"""One scheduler process: the loop around the engine."""

from __future__ import annotations

import select
from collections.abc import Callable

from gnomon import log
from gnomon.clock import Clock
from gnomon.engine import events as e
from gnomon.engine.admission.admission_pass import retract_admissions
from gnomon.engine.lifecycle.group_loading import drop_groups, load_groups
from gnomon.engine.state.engine_state import EngineState
from gnomon.engine.state.task_instance import DagRun
from gnomon.engine.step import step
from gnomon.engine.step_context import StepResult
from gnomon.errors import ConfigurationError, ResourceUnavailable
from gnomon.errors.product import EngineStepError
from gnomon.executors.interface import Executor
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import RunRecord
from gnomon.scheduler.consecutive_failures import pause_failing_dags
from gnomon.scheduler.edge_resolution import EdgeResolver
from gnomon.scheduler.event_translation import read_created_runs, read_dags
from gnomon.scheduler.lease import Lease
from gnomon.scheduler.mailbox import Mailbox
from gnomon.scheduler.multipart_requests import MultipartRequests
from gnomon.scheduler.planner import Planner
from gnomon.scheduler.planning_cursors import CursorMove, build_cursor_events, read_cursor, record_manual_runs
from gnomon.scheduler.quarantine import GroupQuarantine
from gnomon.scheduler.settings import BEAT_S, FAULT_RETRY_S, RETRY_AWAY_S, SchedulerSettings
from gnomon.scheduler.timetable_multiplexer import TimetableHostMultiplexer
from gnomon.store import CommitUncertain, Database, FencedError, PoolExhausted, notify_on_commit
from gnomon.store.ownership import commit
from gnomon.store.ownership import group_state as store_load
from gnomon.timetable_host import TimetableHost
from gnomon.wakeups import Listener

_log = log.get_logger("scheduler")


class SchedulerService:
    """Owns groups, plans and runs their DAGs. `tick` is one round; everything from outside is an argument."""

    def __init__(
        self, *, settings: SchedulerSettings, db: Database, executor: Executor, clock: Clock, ear: Listener | None,
        new_id: Callable[[], str], scheduler_id: str, host: str, is_dead: Callable[[str], bool] = lambda _: False,
        timetables: TimetableHost | None = None, wake_triggerers: Callable[[], object] = lambda: None,
    ) -> None:
        """`is_dead`: whether the process of a scheduler id is known, not suspected, to have ended.

        `wake_triggerers`: something waits for a trigger, or no longer does.

        `timetables`: where author timetables are asked; None: nowhere, and their DAGs say so.
        """
        self._settings = settings
        self._db = db
        self._executor = executor
        self._clock = clock
        self._ear = ear
        self._new_id = new_id
        self._wake_triggerers = wake_triggerers
        self.memory = EngineState(settings.limits)
        self.lease = Lease(db, clock, scheduler_id, host, is_dead, beat_s=settings.beat_s)
        desk = None if timetables is None else TimetableHostMultiplexer(timetables)
        self._planner = Planner(
            self.memory, settings.misfire_grace_s, None if desk is None else desk.open_client(), settings.max_waiting_runs
        )
        self._depending = EdgeResolver(db, self.memory, None if desk is None else desk.open_client())
        self._chains = MultipartRequests(self.memory)
        self._inbox = Mailbox(
            db, executor, clock, ear, self.memory, self._chains, self._delete_history, sweep_s=settings.sweep_s
        )
        self._isolation = GroupQuarantine()
        self._loaded: list[DagRun] = []
        self._asks: list[e.EngineEvent] = []
        """Who waits for DAGs of the groups that were loaded."""
        self._reload = False
        self._wake_at: Instant | None = None
        self._faults = 0
        """Rounds on end that failed by a fault of ours."""
        self.refused_commits = 0
        """Rounds that the store refused or left uncertain, or that failed by a fault of ours, since the start."""
        self.contended = 0
        """Admissions to one pool that were taken back, because another scheduler was faster."""
        self._touched: set[int] = set()
        """Groups of the step that is being committed."""

    # ---- one round ---------------------------------------------------------------------------------------------------
    def tick(self) -> Instant:
        """One bounded round; returns when to call again at the latest. Raises Fenced when this incarnation is over."""
        now = self._clock.now()
        try:
            self._take_groups()
            events, letters = self._collect(now)
            if events or letters or self._loaded or self._is_due(now):
                self._step_and_commit(events, letters, now)
            self._inbox.confirm_applied()
            self._plan(now)
            found = self._depending.resolve_batch(now)
            if found:
                self._step_and_commit(found, [], now)
        except FencedError:
            self.refused_commits += 1
            raise
        except (ResourceUnavailable, ConfigurationError) as error:
            return self._reset_after_outage(error)
        except Exception as error:
            return self._quarantine_after_error(error)
        self._faults = 0
        plan_at = self._planner.wake_at(now) if self._settings.use_schedule else None
        times = (self._wake_at, plan_at, self._depending.wake_at(now), self.lease.next_beat_at, self._inbox.sweep_at)
        return min(at for at in times if at is not None)

    def _is_due(self, now: Instant) -> bool:
        return self._wake_at is not None and self._wake_at <= now

    def _epochs(self) -> dict[int, int]:
        """The owned groups that are in memory, with their epochs."""
        return {group: epoch for group, epoch in self.lease.epochs.items() if group not in self._isolation}

    def _take_groups(self) -> None:
        gained = self.lease.renew_and_claim()
        back = self._isolation.release_expired(self._clock.monotonic())
        gained |= {group: self.lease.epochs[group] for group in back if group in self.lease.epochs}
        if self._reload:
            gained = self._epochs()
        if not gained and not self._reload:
            return
        drop_groups(self.memory, gained)
        with self._db.read() as tx:
            state = store_load.load_groups(tx, sorted(gained))
            pools = store_load.load_pools(tx)
        self.lease.renew()
        self._loaded += load_groups(self.memory, state, gained)
        self.lease.renew()
        self._asks += [e.SubscriptionRequested(ask, facts) for ask, facts in state.subscriptions]
        self.memory.update_pools(pools)
        self._planner.enqueue(dag.dag_pk for dag in state.dags)
        self._reload = False
        self._inbox.on_groups_acquired(self._epochs())
        if any(row.deferral is not None and row.deferral.due_at is None and row.deferral.result is None for row in state.tasks):
            self._wake_triggerers()
        _log.info("groups_loaded", groups=len(gained), dags=len(state.dags), runs=len(state.runs))

    def _collect(self, now: Instant) -> tuple[list[e.EngineEvent], list[int]]:
        """Events since the last round, and the letters that they came with."""
        asks, self._asks = self._asks, []
        events, letters = self._inbox.collect(self._epochs())
        return [*asks, *events], letters

    # ---- decide, commit, act -----------------------------------------------------------------------------------------
    def _step_and_commit(self, events: list[e.EngineEvent], letters: list[int], now: Instant) -> None:
        loaded, self._loaded = self._loaded, []
        decided = step(self.memory, events, now, self._new_id, loaded)
        decided.changes.mail_deleted += letters
        self._chains.forward_requests(decided.changes, now)
        self._touched = decided.touched_groups
        self._commit(decided)
        self._touched = set()
        self._wake_at = decided.wake_at
        self._planner.enqueue(sorted(decided.plannable_dags))
        self._depending.enqueue(decided.unresolved_edges)
        for worker_id, attempt_ids in decided.acknowledges.items():
            self._executor.acknowledge(worker_id, attempt_ids)
        for worker_id, attempts in decided.submits.items():
            self._executor.submit(worker_id, attempts)
        for order in decided.cancels:
            self._executor.cancel(order.worker_id, order.attempt_id, order.reason, self.memory.limits.cancel_grace_s)
        paused = pause_failing_dags(self._db, self.lease.scheduler_id, self.memory, decided.failing_dags, now)
        if paused:
            self._step_and_commit(paused, [], now)

    def _commit(self, decided: StepResult) -> None:
        """The step is stored; nothing is sent to a worker without the proof that this scheduler still owns what it decides."""
        if not (decided.changes or decided.deleted_runs or decided.deleted_dags or decided.submits or decided.cancels):
            return
        while True:
            try:
                with self._db.scheduler_write(self.lease.scheduler_id) as tx:
                    commit.apply_changes(tx, decided.changes)
                    commit.delete_runs(tx, decided.deleted_runs)
                    commit.delete_dags(tx, decided.deleted_dags)
                    if decided.changes.mail_sent:
                        notify_on_commit(tx)
                break
            except PoolExhausted as refused:
                if not retract_admissions(self.memory, decided, refused.pool):
                    raise  # each time one pool fewer: this ends
                self.contended += 1
        self._isolation.record_commit(decided.touched_groups)
        changes = decided.changes
        if any(killed for _, killed in changes.deferrals_deleted) or any(wait.due_at is None for wait in changes.deferrals.values()):
            self._wake_triggerers()

    def _delete_history(self, dag_pk: int) -> bool:
        """A batch of the ended runs of a DAG that goes is gone; whether there are more."""
        with self._db.scheduler_write(self.lease.scheduler_id) as tx:
            return commit.delete_history(tx, dag_pk)

    def _plan(self, now: Instant) -> None:
        if not self._settings.use_schedule:
            return
        changes = self._planner.plan(now, self._settings.plan_batch)
        if not changes:
            return
        with self._db.scheduler_write(self.lease.scheduler_id) as tx:
            outcomes = commit.create_planned_runs(tx, changes, now)
        created: list[RunRecord] = []
        stale: list[int] = []
        moved: list[CursorMove] = []
        for change, outcome in zip(changes, outcomes, strict=True):
            before = read_cursor(self.memory, change.dag_pk)
            self._planner.apply_outcome(change, outcome, now)
            moved.append(CursorMove(change.dag_pk, before, read_cursor(self.memory, change.dag_pk)))
            if not outcome.accepted:
                stale.append(change.dag_pk)
            created += outcome.created
            record_manual_runs(self.memory, outcome)
            if outcome.error is not None:
                _log.error("plan_refused", dag_id=self.memory.dags[change.dag_pk].record.dag_id, error=outcome.error)
        events = read_created_runs(self._db, created, self.memory)
        events += build_cursor_events(self._db, moved, self.memory)
        if stale:
            with self._db.read() as tx:
                events += read_dags(tx, stale, self.memory)
        if events:
            self._step_and_commit(events, [], now)

    def _reset_after_outage(self, error: Exception) -> Instant:
        """Nobody knows what the store has: drop everything owned, read it again with the next round."""
        self.refused_commits += 1
        _log.warning("commit_refused", error=str(error), kind=type(error).__name__)
        self._reset_state()
        if isinstance(error, CommitUncertain):
            return self._clock.now()
        self._inbox.on_database_outage()
        return self._clock.now() + int(RETRY_AWAY_S * SECOND)

    def _quarantine_after_error(self, error: Exception) -> Instant:
        """A fault of ours, or the store refused what memory believed: whose it is, is set aside; the others go on at once."""
        self.refused_commits += 1
        self._faults += 1
        now = self._clock.monotonic()
        if isinstance(error, EngineStepError) and error.group_no is not None:
            aside = [error.group_no]
            self._isolation.quarantine_groups(aside, now)
        else:
            aside = self._isolation.record_refusal(self._touched, now)
        at = error.dag_id if isinstance(error, EngineStepError) else None
        _log.exception("round_failed", error=str(error), kind=type(error).__name__, dag_id=at, groups_set_aside=aside)
        self._reset_state()
        return self._clock.now() + int(min(FAULT_RETRY_S * 2 ** min(self._faults, 10), BEAT_S) * SECOND)

    def _reset_state(self) -> None:
        drop_groups(self.memory, list(self.lease.epochs))
        self._planner.reset()
        self._depending.reset()
        self._chains.reset()
        self._inbox.reset()
        self._loaded, self._asks, self._touched = [], [], set()
        self._reload = True
        self._wake_at = None

    # ---- the loop ----------------------------------------------------------------------------------------------------
    def run(self, stop: Callable[[], bool]) -> None:
        """Tick until `stop()`; then give the groups away. Raises Fenced."""
        while not stop():
            wake_at = self.tick()
            self._sleep((wake_at - self._clock.now()) / SECOND)
        try:
            self.lease.release_all()
        except (ResourceUnavailable, ConfigurationError) as error:
            _log.warning("retire_failed", error=str(error))

    def _sleep(self, seconds: float) -> None:
        if seconds <= 0:
            return
        if self._reload:  # nothing is heard before the store is back: what was said must not end each sleep
            select.select([], [], [], seconds)
            return
        descriptors = [*self._executor.read_filenos(), *self._planner.authored.filenos()]
        if self._ear is not None:
            descriptors.append(self._ear.fileno())
        try:
            notify = self._db.notification_fileno()
        except ResourceUnavailable:
            notify = None  # the next tick finds it away too, and says so
        if notify is not None:
            descriptors.append(notify)
        select.select(descriptors, self._executor.write_filenos(), [], seconds)
