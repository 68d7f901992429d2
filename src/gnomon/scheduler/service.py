"""One scheduler process: the loop around the engine."""

from __future__ import annotations

import select
from collections.abc import Callable

from gnomon import log
from gnomon.clock import Clock
from gnomon.engine import events as e
from gnomon.engine.admission import retract
from gnomon.engine.cells import Run
from gnomon.engine.load import drop, load
from gnomon.engine.memory import Memory
from gnomon.engine.step import step
from gnomon.engine.turn import Step
from gnomon.errors import OperatorMistake, WorldAway
from gnomon.errors.engine import StepFailed
from gnomon.executors.interface import Executor
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import RunRecord
from gnomon.scheduler.chains import Chains
from gnomon.scheduler.cursors import Moved, cursor_of, slots_decided, stand_for
from gnomon.scheduler.depending import Depending
from gnomon.scheduler.desk import Desk
from gnomon.scheduler.failing import pause_failing
from gnomon.scheduler.inbox import Inbox
from gnomon.scheduler.intake import read_dags, with_past
from gnomon.scheduler.isolation import Isolation
from gnomon.scheduler.lease import Lease
from gnomon.scheduler.planner import Planner
from gnomon.scheduler.settings import BEAT_S, FAULT_RETRY_S, RETRY_AWAY_S, Settings
from gnomon.store import CommitUncertain, Database, Fenced, PoolExhausted, commit, wake
from gnomon.store import load as store_load
from gnomon.userhost import TimetableHost
from gnomon.wakeups import Ear

_log = log.get("scheduler")


class SchedulerService:
    """Owns groups, plans and runs their DAGs. `tick` is one round; everything from outside is an argument."""

    def __init__(
        self, *, settings: Settings, db: Database, executor: Executor, clock: Clock, ear: Ear | None,
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
        self.memory = Memory(settings.limits)
        self.lease = Lease(db, clock, scheduler_id, host, is_dead, beat_s=settings.beat_s)
        desk = None if timetables is None else Desk(timetables)
        self._planner = Planner(
            self.memory, settings.misfire_grace_s, None if desk is None else desk.place(), settings.max_waiting_runs
        )
        self._depending = Depending(db, self.memory, None if desk is None else desk.place())
        self._chains = Chains(self.memory)
        self._inbox = Inbox(
            db, executor, clock, ear, self.memory, self._chains, self._delete_history, sweep_s=settings.sweep_s
        )
        self._isolation = Isolation()
        self._loaded: list[Run] = []
        self._asks: list[e.Event] = []
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
                self._advance(events, letters, now)
            self._inbox.applied()
            self._plan(now)
            found = self._depending.find(now)
            if found:
                self._advance(found, [], now)
        except Fenced:
            self.refused_commits += 1
            raise
        except (WorldAway, OperatorMistake) as error:
            return self._give_up(error)
        except Exception as error:
            return self._give_up_fault(error)
        self._faults = 0
        plan_at = self._planner.wake_at(now) if self._settings.use_schedule else None
        times = (self._wake_at, plan_at, self._depending.wake_at(now), self.lease.next_beat, self._inbox.sweep_at)
        return min(at for at in times if at is not None)

    def _is_due(self, now: Instant) -> bool:
        return self._wake_at is not None and self._wake_at <= now

    def _epochs(self) -> dict[int, int]:
        """The owned groups that are in memory, with their epochs."""
        return {group: epoch for group, epoch in self.lease.epochs.items() if group not in self._isolation}

    def _take_groups(self) -> None:
        gained = self.lease.keep()
        back = self._isolation.back(self._clock.monotonic())
        gained |= {group: self.lease.epochs[group] for group in back if group in self.lease.epochs}
        if self._reload:
            gained = self._epochs()
        if not gained and not self._reload:
            return
        drop(self.memory, gained)
        with self._db.read() as tx:
            state = store_load.load_groups(tx, sorted(gained))
            pools = store_load.load_pools(tx)
        self.lease.stay()
        self._loaded += load(self.memory, state, gained)
        self.lease.stay()
        self._asks += [e.WaitsAsked(ask, facts) for ask, facts in state.asks]
        self.memory.set_pools(pools)
        self._planner.look_at(dag.dag_pk for dag in state.dags)
        self._reload = False
        self._inbox.groups_came(self._epochs())
        if any(row.waiting is not None and row.waiting.due_at is None and row.waiting.fired is None for row in state.tasks):
            self._wake_triggerers()
        _log.info("groups_loaded", groups=len(gained), dags=len(state.dags), runs=len(state.runs))

    def _collect(self, now: Instant) -> tuple[list[e.Event], list[int]]:
        """Events since the last round, and the letters that they came with."""
        asks, self._asks = self._asks, []
        events, letters = self._inbox.collect(self._epochs())
        return [*asks, *events], letters

    # ---- decide, commit, act -----------------------------------------------------------------------------------------
    def _advance(self, events: list[e.Event], letters: list[int], now: Instant) -> None:
        loaded, self._loaded = self._loaded, []
        decided = step(self.memory, events, now, self._new_id, loaded)
        decided.changes.mail_deleted += letters
        self._chains.pass_on(decided.changes, now)
        self._touched = decided.groups
        self._commit(decided)
        self._touched = set()
        self._wake_at = decided.wake_at
        self._planner.look_at(sorted(decided.plannable))
        self._depending.put(decided.unresolved)
        for worker_id, attempt_ids in decided.acknowledges.items():
            self._executor.acknowledge(worker_id, attempt_ids)
        for worker_id, attempts in decided.submits.items():
            self._executor.submit(worker_id, attempts)
        for order in decided.cancels:
            self._executor.cancel(order.worker_id, order.attempt_id, order.reason, self.memory.limits.cancel_grace_s)
        paused = pause_failing(self._db, self.lease.scheduler_id, self.memory, decided.failing, now)
        if paused:
            self._advance(paused, [], now)

    def _commit(self, decided: Step) -> None:
        """The step is stored; nothing is sent to a worker without the proof that this scheduler still owns what it decides."""
        if not (decided.changes or decided.deleted_runs or decided.deleted_dags or decided.submits or decided.cancels):
            return
        while True:
            try:
                with self._db.owner(self.lease.scheduler_id) as tx:
                    commit.apply(tx, decided.changes)
                    commit.delete_runs(tx, decided.deleted_runs)
                    commit.delete_dags(tx, decided.deleted_dags)
                    if decided.changes.mail_sent:
                        wake(tx)
                break
            except PoolExhausted as refused:
                if not retract(self.memory, decided, refused.pool):
                    raise  # each time one pool fewer: this ends
                self.contended += 1
        self._isolation.committed(decided.groups)
        changes = decided.changes
        if any(killed for _, killed in changes.waits_gone) or any(wait.due_at is None for wait in changes.waits.values()):
            self._wake_triggerers()

    def _delete_history(self, dag_pk: int) -> bool:
        """A batch of the ended runs of a DAG that goes is gone; whether there are more."""
        with self._db.owner(self.lease.scheduler_id) as tx:
            return commit.delete_history(tx, dag_pk)

    def _plan(self, now: Instant) -> None:
        if not self._settings.use_schedule:
            return
        changes = self._planner.plan(now, self._settings.plan_batch)
        if not changes:
            return
        with self._db.owner(self.lease.scheduler_id) as tx:
            outcomes = commit.plan(tx, changes, now)
        created: list[RunRecord] = []
        stale: list[int] = []
        moved: list[Moved] = []
        for change, outcome in zip(changes, outcomes, strict=True):
            before = cursor_of(self.memory, change.dag_pk)
            self._planner.settle(change, outcome, now)
            moved.append(Moved(change.dag_pk, before, cursor_of(self.memory, change.dag_pk)))
            if not outcome.accepted:
                stale.append(change.dag_pk)
            created += outcome.created
            stand_for(self.memory, outcome)
            if outcome.error is not None:
                _log.error("plan_refused", dag_id=self.memory.dags[change.dag_pk].record.dag_id, error=outcome.error)
        events = with_past(self._db, created, self.memory)
        events += slots_decided(self._db, moved, self.memory)
        if stale:
            with self._db.read() as tx:
                events += read_dags(tx, stale, self.memory)
        if events:
            self._advance(events, [], now)

    def _give_up(self, error: Exception) -> Instant:
        """Nobody knows what the store has: drop everything owned, read it again with the next round."""
        self.refused_commits += 1
        _log.warning("commit_refused", error=str(error), kind=type(error).__name__)
        self._drop_memory()
        if isinstance(error, CommitUncertain):
            return self._clock.now()
        self._inbox.was_away()
        return self._clock.now() + int(RETRY_AWAY_S * SECOND)

    def _give_up_fault(self, error: Exception) -> Instant:
        """A fault of ours, or the store refused what memory believed: whose it is, is set aside; the others go on at once."""
        self.refused_commits += 1
        self._faults += 1
        now = self._clock.monotonic()
        if isinstance(error, StepFailed) and error.group_no is not None:
            aside = [error.group_no]
            self._isolation.set_aside(aside, now)
        else:
            aside = self._isolation.refused(self._touched, now)
        at = error.dag_id if isinstance(error, StepFailed) else None
        _log.exception("round_failed", error=str(error), kind=type(error).__name__, dag_id=at, groups_set_aside=aside)
        self._drop_memory()
        return self._clock.now() + int(min(FAULT_RETRY_S * 2 ** min(self._faults, 10), BEAT_S) * SECOND)

    def _drop_memory(self) -> None:
        drop(self.memory, list(self.lease.epochs))
        self._planner.forget()
        self._depending.forget()
        self._chains.forget()
        self._inbox.start_anew()
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
            self.lease.retire()
        except (WorldAway, OperatorMistake) as error:
            _log.warning("retire_failed", error=str(error))

    def _sleep(self, seconds: float) -> None:
        if seconds <= 0:
            return
        if self._reload:  # nothing is heard before the store is back: what was said must not end each sleep
            select.select([], [], [], seconds)
            return
        descriptors = [*self._executor.filenos(), *self._planner.authored.filenos()]
        if self._ear is not None:
            descriptors.append(self._ear.fileno())
        try:
            notify = self._db.fileno_notify()
        except WorldAway:
            notify = None  # the next tick finds it away too, and says so
        if notify is not None:
            descriptors.append(notify)
        select.select(descriptors, self._executor.unsent(), [], seconds)
