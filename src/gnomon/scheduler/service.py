"""One scheduler process: the loop around the engine."""

from __future__ import annotations

import select
from collections.abc import Callable

from gnomon import log
from gnomon.clock import Clock
from gnomon.engine import events as e
from gnomon.engine.cells import Run
from gnomon.engine.load import drop, load
from gnomon.engine.memory import Memory
from gnomon.engine.step import step
from gnomon.engine.turn import Step
from gnomon.errors import OperatorMistake, WorldAway
from gnomon.executors.interface import Executor, WorkerGone
from gnomon.model.instants import SECOND, Instant
from gnomon.scheduler.intake import from_mail, from_workers, read_dags
from gnomon.scheduler.lease import Lease
from gnomon.scheduler.planner import Planner
from gnomon.scheduler.settings import MAIL_BATCH, RETRY_AWAY_S, SWEEP_S, WORKER_TTL_S, Settings
from gnomon.store import CommitUncertain, Database, Fenced, PoolExhausted, RowsMissing, commit, leases, mail
from gnomon.store import load as store_load
from gnomon.wakeups import Ear

_log = log.get("scheduler")


class SchedulerService:
    """Owns groups, plans and runs their DAGs. `tick` is one round; everything from outside is an argument."""

    def __init__(
        self, *, settings: Settings, db: Database, executor: Executor, clock: Clock, ear: Ear | None,
        new_id: Callable[[], str], scheduler_id: str, host: str, is_dead: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`is_dead`: whether the process of a scheduler id is known, not suspected, to have ended."""
        self._settings = settings
        self._db = db
        self._executor = executor
        self._clock = clock
        self._ear = ear
        self._new_id = new_id
        self.memory = Memory(settings.limits)
        self.lease = Lease(db, clock, scheduler_id, host, is_dead)
        self._planner = Planner(self.memory, settings.misfire_grace_s)
        self._loaded: list[Run] = []
        self._reload = False
        self._next_sweep = 0.0
        self._mail_waits = True
        self._wake_at: Instant | None = None
        self._healthy_since: float | None = None
        self.refused_commits = 0
        """Commits that the store refused or left uncertain, since the start."""

    # ---- one round ---------------------------------------------------------------------------------------------------
    def tick(self) -> Instant:
        """One bounded round; returns when to call again at the latest. Raises Fenced when this incarnation is over."""
        now = self._clock.now()
        try:
            self._take_groups()
            events, letters = self._collect(now)
            if events or letters or self._loaded or self._is_due(now):
                self._advance(events, letters, now)
            self._plan(now)
            if self._healthy_since is None:
                self._healthy_since = self._clock.monotonic()
        except (WorldAway, OperatorMistake, RowsMissing, PoolExhausted) as error:
            return self._give_up(error)
        except Fenced:
            self.refused_commits += 1
            raise
        sweep_at = self._clock.now() + int((self._next_sweep - self._clock.monotonic()) * SECOND)
        plan_at = self._planner.wake_at(now) if self._settings.use_schedule else None
        times = (self._wake_at, plan_at, self.lease.next_beat, sweep_at)
        return min(at for at in times if at is not None)

    def _is_due(self, now: Instant) -> bool:
        return self._wake_at is not None and self._wake_at <= now

    def _take_groups(self) -> None:
        gained = self.lease.keep()
        if self._reload:
            gained = dict(self.lease.epochs)
        if not gained:
            return
        drop(self.memory, gained)
        with self._db.read() as tx:
            state = store_load.load_groups(tx, sorted(gained))
            pools = store_load.load_pools(tx)
        self._loaded += load(self.memory, state, gained)
        self.memory.set_pools(pools)
        self._planner.look_at(dag.dag_pk for dag in state.dags)
        self._reload = False
        self._next_sweep = 0.0
        for worker in self.memory.workers.values():
            self._ask_inventory(worker.worker_id)
        _log.info("groups_loaded", groups=len(gained), dags=len(state.dags), runs=len(state.runs))

    def _collect(self, now: Instant) -> tuple[list[e.Event], list[int]]:
        """Events since the last round, and the letters that they came with."""
        if self._ear is not None and self._ear.drain():
            self._mail_waits = True
        if self._db.poll_notify():
            self._mail_waits = True
        swept = self._clock.monotonic() >= self._next_sweep
        events: list[e.Event] = []
        if swept:
            events += self._sweep()
        heard = self._executor.poll()
        self._record_gone([event.worker_id for event in heard if isinstance(event, WorkerGone)])
        said, to_ask = from_workers(heard, self.lease.epochs)
        events += said
        for worker_id in to_ask:
            self._ask_inventory(worker_id)
        letters: list[int] = []
        if self._mail_waits or swept:
            with self._db.read() as tx:
                found = mail.take(tx, sorted(self.lease.epochs), MAIL_BATCH)
                events += from_mail(tx, found, self.memory)
            letters = [letter.mail_pk for letter in found]
            self._mail_waits = len(found) == MAIL_BATCH
        return self._losses_last(events), letters

    def _losses_last(self, events: list[e.Event]) -> list[e.Event]:
        """What a worker sent by mail before it was gone still counts: losses wait until the mail is read. Sweeps repeat them."""
        lost = [event for event in events if isinstance(event, e.WorkerLost)]
        if not lost:
            return events
        others: list[e.Event] = [event for event in events if not isinstance(event, e.WorkerLost)]
        return others if self._mail_waits else [*others, *lost]

    def _sweep(self) -> list[e.Event]:
        """Once a second: pools that people changed, workers that came and went."""
        self._next_sweep = self._clock.monotonic() + SWEEP_S
        with self._db.read() as tx:
            pools = store_load.load_pools(tx)
            workers = leases.workers(tx)
        if self._healthy_since is not None and self._clock.monotonic() - self._healthy_since > WORKER_TTL_S:
            with self._db.write() as tx:
                for lost in leases.mark_lost(tx, WORKER_TTL_S):
                    _log.warning("worker_lost", worker=lost)
                workers = leases.workers(tx)
        self._executor.refresh(workers)
        live = {worker.worker_id for worker in workers}
        believed = {cell.worker for cell in self.memory.attempts.values()} | set(self.memory.workers)
        events: list[e.Event] = [e.WorkerLost(worker_id) for worker_id in sorted(filter(None, believed)) if worker_id not in live]
        events.append(e.PoolsRead(tuple(pools)))
        return events

    def _record_gone(self, worker_ids: list[str]) -> None:
        """Nobody gives these workers attempts any more, and no other scheduler waits for their time to live."""
        if not worker_ids:
            return
        with self._db.write() as tx:
            for worker_id in worker_ids:
                leases.retire_worker(tx, worker_id)
                _log.warning("worker_died", worker=worker_id)

    def _ask_inventory(self, worker_id: str) -> None:
        self._executor.ask_inventory(worker_id, sorted(self.lease.epochs.items()))

    # ---- decide, commit, act -----------------------------------------------------------------------------------------
    def _advance(self, events: list[e.Event], letters: list[int], now: Instant) -> None:
        loaded, self._loaded = self._loaded, []
        decided = step(self.memory, events, now, self._new_id, loaded)
        decided.changes.mail_deleted += letters
        self._commit(decided)
        self._wake_at = decided.wake_at
        self._planner.look_at(sorted(decided.plannable))
        for worker_id, attempt_ids in decided.acknowledges.items():
            self._executor.acknowledge(worker_id, attempt_ids)
        for worker_id, attempts in decided.submits.items():
            self._executor.submit(worker_id, attempts)
        for order in decided.cancels:
            self._executor.cancel(order.worker_id, order.attempt_id, order.reason, self.memory.limits.cancel_grace_s)

    def _commit(self, decided: Step) -> None:
        if not (decided.changes or decided.deleted_runs or decided.deleted_dags):
            return
        with self._db.owner(self.lease.scheduler_id) as tx:
            commit.apply(tx, decided.changes)
            commit.delete_runs(tx, decided.deleted_runs)
            commit.delete_dags(tx, decided.deleted_dags)

    def _plan(self, now: Instant) -> None:
        if not self._settings.use_schedule:
            return
        changes = self._planner.plan(now, self._settings.plan_batch)
        if not changes:
            return
        with self._db.owner(self.lease.scheduler_id) as tx:
            outcomes = commit.plan(tx, changes, now)
        events: list[e.Event] = []
        stale: list[int] = []
        for change, outcome in zip(changes, outcomes, strict=True):
            self._planner.settle(change, outcome, now)
            if not outcome.accepted:
                stale.append(change.dag_pk)
            events += [e.RunRead(run) for run in outcome.created]
            if outcome.error is not None:
                _log.error("plan_refused", dag_id=self.memory.dags[change.dag_pk].record.dag_id, error=outcome.error)
        if stale:
            with self._db.read() as tx:
                events += read_dags(tx, stale)
        if events:
            self._advance(events, [], now)

    def _give_up(self, error: Exception) -> Instant:
        """Nobody knows what the store has: drop everything owned, read it again with the next round."""
        self.refused_commits += 1
        _log.warning("commit_refused", error=str(error), kind=type(error).__name__)
        drop(self.memory, list(self.lease.epochs))
        self._planner.forget()
        self._loaded = []
        self._reload = True
        self._mail_waits = True
        self._wake_at = None
        if isinstance(error, (WorldAway, OperatorMistake)) and not isinstance(error, CommitUncertain):
            self._healthy_since = None
            return self._clock.now() + int(RETRY_AWAY_S * SECOND)
        return self._clock.now()

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
        descriptors = [*self._executor.filenos()]
        if self._ear is not None:
            descriptors.append(self._ear.fileno())
        try:
            notify = self._db.fileno_notify()
        except WorldAway:
            notify = None  # the next tick finds it away too, and says so
        if notify is not None:
            descriptors.append(notify)
        select.select(descriptors, [], [], seconds)
