"""The input of a scheduler: executor events, mail, and once per sweep the pools and the list of workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.wakeups import Listener
from gnomon.model.executors import WORKER_TTL_S
from gnomon.model.instants import SECOND, Instant, to_wait
from gnomon.model.records import MailRecord
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.services.executors.interface import Executor, ExecutorEvent, InventoryReceived, WorkerDied
from gnomon.services.scheduler.event_translation import (
    find_dag_to_delete,
    take_mail_batch,
    translate_mail,
    translate_worker_events,
)
from gnomon.services.scheduler.multipart_requests import MultipartRequests
from gnomon.services.scheduler.settings import MAIL_BATCH, SWEEP_S
from gnomon.storage.store import Database
from gnomon.storage.store.coordination import leases, mailbox
from gnomon.storage.store.ownership import group_state as store_load

_log = log.get_logger("scheduler")

PAUSE_S = 5.0
"""A sweep that is later than this is the first one after a pause of this process, or of its machine: workers may have paused as well."""
MARK_WAIT_S = 0.25
"""When a worker can be declared lost only after a longer wait for the database, its heartbeat may wait there as well."""
POSTPONE_MAX = 2
"""How many times in sequence a declaration is postponed for that reason, by one sweep each."""


RoundItem = MailRecord | e.EngineEvent
"""One message, or one event that came by no message."""


class _SweepPostponed(Exception):
    """Ends the transaction that declares workers lost without effect."""


class Mailbox:
    """Collects engine events. Executor events arrive only once, so they are kept until a round has applied them."""

    def __init__(
        self,
        db: Database,
        executor: Executor,
        clock: Clock,
        listener: Listener | None,
        engine_state: EngineState,
        multipart: MultipartRequests,
        delete_history: Callable[[int], bool],
        sweep_s: float = SWEEP_S,
    ) -> None:
        """`delete_history`: deletes a batch of the finished runs of a DAG, and returns true if more are left."""
        self._db = db
        self._executor = executor
        self._clock = clock
        self._listener = listener
        self._engine_state = engine_state
        self._multipart = multipart
        self._delete_history = delete_history
        self._worker_events: list[ExecutorEvent] = []
        self._sweep_s = sweep_s
        self._next_sweep = 0.0
        self._has_mail = True
        self._has_history_to_delete = False
        self._healthy_since: float | None = None
        self._swept_at: tuple[float, Instant] | None = None
        """The last sweep: in monotonic seconds, and by the wall clock, which goes on while a machine sleeps."""
        self._postponed = 0
        self._unreadable: list[tuple[MailRecord, Exception]] = []

    def collect(self, epochs: Mapping[int, int]) -> tuple[list[e.EngineEvent], list[int]]:
        """Events of these groups since the last round, and the mail_pks of the messages that they come from."""
        if self._listener is not None and self._listener.drain():
            self._has_mail = True
        if self._db.poll_notifications():
            self._has_mail = True
        events: list[e.EngineEvent] = self._sweep(epochs) if self._clock.monotonic() >= self._next_sweep else []
        self._worker_events += self._executor.poll_events()
        self._record_lost_workers([event.worker_id for event in self._worker_events if isinstance(event, WorkerDied)])
        worker_events, to_ask = translate_worker_events(self._worker_events, epochs)
        for worker_id in to_ask:
            self.request_inventory(worker_id, epochs)
        message_pks: list[int] = []
        if (
            self._has_mail
            or self._has_history_to_delete
            or any(isinstance(event, e.InventoryRead) for event in worker_events)
        ):
            with self._db.read() as tx:
                batch, more = take_mail_batch(mailbox.read_messages(tx, sorted(epochs), MAIL_BATCH))
                ready = batch
                deletes = any(find_dag_to_delete(message) is not None for message in batch)
                if not deletes:
                    events += translate_mail(tx, batch, self._engine_state, self._multipart, self._unreadable)
            if deletes:  # the deletion needs a write transaction between the two reads
                ready = [message for message in batch if not self._has_undeleted_runs(message)]
                with self._db.read() as tx:
                    events += translate_mail(tx, ready, self._engine_state, self._multipart, self._unreadable)
            message_pks = [message.mail_pk for message in ready]
            self._has_mail = more
            self._has_history_to_delete = len(ready) < len(batch)
        return self._order_after_mail([*events, *worker_events], epochs), message_pks

    def take_unreadable(self) -> list[tuple[MailRecord, Exception]]:
        """The messages that could not be read since the last call, with what their decoding raised."""
        unreadable, self._unreadable = self._unreadable, []
        return unreadable

    def collect_items(self, epochs: Mapping[int, int]) -> list[RoundItem]:
        """As `collect`, not translated yet: the messages and events of a round one by one, in their order.

        The message that deletes a DAG whose history is still being deleted is left out: it stays for the next round.
        """
        events: list[e.EngineEvent] = self._sweep(epochs)
        self._worker_events += self._executor.poll_events()
        self._record_lost_workers([event.worker_id for event in self._worker_events if isinstance(event, WorkerDied)])
        worker_events, to_ask = translate_worker_events(self._worker_events, epochs)
        for worker_id in to_ask:
            self.request_inventory(worker_id, epochs)
        with self._db.read() as tx:
            batch, self._has_mail = take_mail_batch(mailbox.read_messages(tx, sorted(epochs), MAIL_BATCH))
        messages = [message for message in batch if not self._has_undeleted_runs(message)]
        self._has_history_to_delete = len(messages) < len(batch)
        ordered = self._order_after_mail([*events, *worker_events], epochs)
        before = [event for event in ordered if isinstance(event, e.PoolsRead | e.WorkerJoined)]
        return [
            *before,
            *messages,
            *(event for event in ordered if not isinstance(event, e.PoolsRead | e.WorkerJoined)),
        ]

    def translate(self, items: Iterable[RoundItem]) -> list[e.EngineEvent]:
        """The engine events of these items of `collect_items`, as the engine state is now."""
        events: list[e.EngineEvent] = []
        messages: list[MailRecord] = []
        for item in [*items, None]:
            if isinstance(item, MailRecord):
                messages.append(item)
                continue
            if messages:
                with self._db.read() as tx:
                    events += translate_mail(tx, messages, self._engine_state, self._multipart, self._unreadable)
                messages = []
            if item is not None:
                events.append(item)
        return events

    def _has_undeleted_runs(self, message: MailRecord) -> bool:
        """True if the message deletes a DAG that has more finished runs than one transaction deletes.

        The message then stays for the next round: a long history is deleted one batch per round, between the work of the
        other DAGs, and continues after a restart.
        """
        dag_pk = find_dag_to_delete(message)
        return dag_pk is not None and self._delete_history(dag_pk)

    def _order_after_mail(self, events: list[e.EngineEvent], epochs: Mapping[int, int]) -> list[e.EngineEvent]:
        """Orders the events so that a result that came by mail is applied before the loss or inventory of its worker.

        Losses come last. While more mail waits, losses are dropped until the next sweep finds them again, and inventories
        are requested again. The other events keep their order: an inventory does not list attempts submitted after it.
        """
        losses = [event for event in events if isinstance(event, e.WorkerLost)]
        others: list[e.EngineEvent] = [event for event in events if not isinstance(event, e.WorkerLost)]
        if not self._has_mail:
            return [*others, *losses]
        for event in others:
            if isinstance(event, e.InventoryRead):
                self.request_inventory(event.worker_id, epochs)
        return [event for event in others if not isinstance(event, e.InventoryRead)]

    def confirm_applied(self) -> None:
        """Forgets the executor events: the round that applied them was committed."""
        self._worker_events = []
        if self._healthy_since is None:
            self._healthy_since = self._clock.monotonic()

    def reset(self) -> None:
        """Reads everything again after the engine state was dropped. Executor events are kept, except outdated inventories."""
        self._worker_events = [event for event in self._worker_events if not isinstance(event, InventoryReceived)]
        self._next_sweep = 0.0
        self._has_mail = True
        self._unreadable = []

    def expect_mail(self) -> None:
        """Reads the mail with the next round: the last commit sent some, perhaps to this scheduler."""
        self._has_mail = True

    def on_database_outage(self) -> None:
        """After an outage, no worker is marked lost before this scheduler has been healthy for WORKER_TTL_S seconds."""
        self._healthy_since = None

    def on_groups_acquired(self, epochs: Mapping[int, int]) -> None:
        """Reads the mail of the new groups with the next round, and requests the inventories of all workers."""
        self._next_sweep = 0.0
        self._has_mail = True
        for worker_id in self._engine_state.workers:
            self.request_inventory(worker_id, epochs)

    def request_inventory(self, worker_id: str, epochs: Mapping[int, int]) -> None:
        """Requests the worker's attempts and results of these groups."""
        self._executor.request_inventory(worker_id, sorted(epochs.items()))

    @property
    def sweep_at(self) -> Instant:
        """When `collect` has to be called without a wake-up: at once while more mail is known to wait."""
        if self._has_mail or self._has_history_to_delete:
            return self._clock.now()
        return self._clock.now() + to_wait(self._next_sweep - self._clock.monotonic())

    def _sweep(self, epochs: Mapping[int, int]) -> list[e.EngineEvent]:
        """Every `sweep_s` seconds: reads pools and workers, and looks for mail whose notification was lost."""
        self._next_sweep = self._clock.monotonic() + self._sweep_s
        self._detect_pause()
        was_healthy = self._healthy_since is not None and self._clock.monotonic() - self._healthy_since > WORKER_TTL_S
        with self._db.autocommit() as tx:
            pools = store_load.load_pools(tx)
            workers = leases.list_workers(tx)
            is_silent = was_healthy and leases.has_silent_worker(tx, WORKER_TTL_S)
            self._has_mail = self._has_mail or bool(mailbox.read_messages(tx, sorted(epochs), 1))
        if is_silent and self._mark_silent_workers_lost():
            with self._db.autocommit() as tx:
                workers = leases.list_workers(tx)
            self._has_mail = True  # the worker may have sent results since the mailbox was read
        self._executor.refresh(workers)
        live = {worker.worker_id for worker in workers} | self._executor.standing_workers
        callbacks = {pending.record.worker for pending in self._engine_state.callback_attempts.values()}
        believed = (
            {cell.worker for cell in self._engine_state.attempts.values()} | callbacks | set(self._engine_state.workers)
        )
        events: list[e.EngineEvent] = [
            e.WorkerLost(worker_id) for worker_id in sorted(filter(None, believed)) if worker_id not in live
        ]
        events.append(e.PoolsRead(tuple(pools)))
        return events

    def _detect_pause(self) -> None:
        """After a pause, no worker is marked lost before this scheduler has been healthy for WORKER_TTL_S seconds: its heartbeats come now."""
        monotonic, now = self._clock.monotonic(), self._clock.now()
        if self._swept_at is not None and self._healthy_since is not None:
            before, before_at = self._swept_at
            late_s = max(monotonic - before, (now - before_at) / SECOND) - self._sweep_s
            if late_s > PAUSE_S:
                _log.warning("scheduler_paused", seconds=round(late_s, 1))
                self._healthy_since = monotonic
        self._swept_at = (monotonic, now)

    def _mark_silent_workers_lost(self) -> bool:
        """Declare silent workers lost; False when that was postponed, because a lock may have kept their heartbeats from the database too."""
        began = self._clock.monotonic()
        try:
            with self._db.write() as tx:
                lost = leases.mark_silent_workers_lost(tx, WORKER_TTL_S)
                if lost and self._clock.monotonic() - began > MARK_WAIT_S and self._postponed < POSTPONE_MAX:
                    raise _SweepPostponed
        except _SweepPostponed:
            self._postponed += 1
            _log.warning("worker_loss_postponed", workers=lost, waited_s=round(self._clock.monotonic() - began, 1))
            return False
        self._postponed = 0
        for worker_id in lost:
            _log.warning("worker_lost", worker=worker_id)
        return True

    def _record_lost_workers(self, worker_ids: list[str]) -> None:
        """Retires these workers, so that no scheduler submits to them or waits for their heartbeat to expire."""
        if not worker_ids:
            return
        with self._db.write() as tx:
            for worker_id in worker_ids:
                leases.retire_worker(tx, worker_id)
                _log.warning("worker_died", worker=worker_id)
