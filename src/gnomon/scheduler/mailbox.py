"""What a scheduler hears: workers, mail, and once a second the pools and the register of workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gnomon import log
from gnomon.clock import Clock
from gnomon.engine import events as e
from gnomon.engine.state.engine_state import EngineState
from gnomon.executors.interface import WORKER_TTL_S, Executor, ExecutorEvent, InventoryReceived, WorkerDied
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import MailRecord
from gnomon.scheduler.event_translation import (
    find_dag_to_delete,
    take_mail_batch,
    translate_mail,
    translate_worker_events,
)
from gnomon.scheduler.multipart_requests import MultipartRequests
from gnomon.scheduler.settings import MAIL_BATCH, SWEEP_S
from gnomon.store import Database
from gnomon.store.ownership import group_state as store_load
from gnomon.store.ownership import leases, mailbox
from gnomon.wakeups import Listener

_log = log.get_logger("scheduler")


class Mailbox:
    """Collects events. What workers said is kept until it was applied: it is said once, and a round may fail after it."""

    def __init__(
        self, db: Database, executor: Executor, clock: Clock, ear: Listener | None, memory: EngineState,
        chains: MultipartRequests, delete_history: Callable[[int], bool], sweep_s: float = SWEEP_S,
    ) -> None:
        """`delete_history`: deletes a batch of the ended runs of a DAG; whether there are more."""
        self._db = db
        self._executor = executor
        self._clock = clock
        self._ear = ear
        self._memory = memory
        self._chains = chains
        self._delete_history = delete_history
        self._heard: list[ExecutorEvent] = []
        self._sweep_s = sweep_s
        self._next_sweep = 0.0
        self._mail_waits = True
        self._history_waits = False
        self._healthy_since: float | None = None

    def collect(self, epochs: Mapping[int, int]) -> tuple[list[e.EngineEvent], list[int]]:
        """Events of these groups since the last round, and the letters that they came with."""
        if self._ear is not None and self._ear.drain():
            self._mail_waits = True
        if self._db.poll_notifications():
            self._mail_waits = True
        events: list[e.EngineEvent] = self._sweep(epochs) if self._clock.monotonic() >= self._next_sweep else []
        self._heard += self._executor.poll_events()
        self._record_lost_workers([event.worker_id for event in self._heard if isinstance(event, WorkerDied)])
        said, to_ask = translate_worker_events(self._heard, epochs)
        for worker_id in to_ask:
            self.request_inventory(worker_id, epochs)
        letters: list[int] = []
        if self._mail_waits or self._history_waits or any(isinstance(event, e.InventoryRead) for event in said):
            with self._db.read() as tx:
                found, more = take_mail_batch(mailbox.read_messages(tx, sorted(epochs), MAIL_BATCH))
                ripe = found
                deletes = any(find_dag_to_delete(letter) is not None for letter in found)
                if not deletes:
                    events += translate_mail(tx, found, self._memory, self._chains)
            if deletes:  # which is written between the two looks
                ripe = [letter for letter in found if not self._has_undeleted_runs(letter)]
                with self._db.read() as tx:
                    events += translate_mail(tx, ripe, self._memory, self._chains)
            letters = [letter.mail_pk for letter in ripe]
            self._mail_waits = more
            self._history_waits = len(ripe) < len(found)
        return self._order_after_mail([*events, *said], epochs), letters

    def _has_undeleted_runs(self, letter: MailRecord) -> bool:
        """Whether it deletes a DAG that had more ended runs than one transaction deletes: it stays for the next round.

        So a long history goes a batch a round, between the work of all other DAGs, and a restart goes on with it.
        """
        dag_pk = find_dag_to_delete(letter)
        return dag_pk is not None and self._delete_history(dag_pk)

    def _order_after_mail(self, events: list[e.EngineEvent], epochs: Mapping[int, int]) -> list[e.EngineEvent]:
        """What a worker sent by mail still counts: losses, and inventories that no longer have it, come after all mail.

        Losses are last. While more mail waits, they are left to the next sweep, and inventories are asked for again;
        otherwise what a worker says stays in its order: an inventory knows nothing of what was submitted after it.
        """
        losses = [event for event in events if isinstance(event, e.WorkerLost)]
        first: list[e.EngineEvent] = [event for event in events if not isinstance(event, e.WorkerLost)]
        if not self._mail_waits:
            return [*first, *losses]
        for event in first:
            if isinstance(event, e.InventoryRead):
                self.request_inventory(event.worker_id, epochs)
        return [event for event in first if not isinstance(event, e.InventoryRead)]

    def confirm_applied(self) -> None:
        """All that was collected is stored."""
        self._heard = []
        if self._healthy_since is None:
            self._healthy_since = self._clock.monotonic()

    def reset(self) -> None:
        """Memory was dropped: everything is asked again. What workers said but inventories of the past still counts."""
        self._heard = [event for event in self._heard if not isinstance(event, InventoryReceived)]
        self._next_sweep = 0.0
        self._mail_waits = True

    def on_database_outage(self) -> None:
        """The database was: nobody is declared lost before this scheduler has been healthy for a full time to live."""
        self._healthy_since = None

    def on_groups_acquired(self, epochs: Mapping[int, int]) -> None:
        """There are new groups in memory: their mail and their attempts are asked for."""
        self._next_sweep = 0.0
        self._mail_waits = True
        for worker_id in self._memory.workers:
            self.request_inventory(worker_id, epochs)

    def request_inventory(self, worker_id: str, epochs: Mapping[int, int]) -> None:
        """An inventory of these groups will come."""
        self._executor.request_inventory(worker_id, sorted(epochs.items()))

    @property
    def sweep_at(self) -> Instant:
        """When to look again without a wake-up: at once while there is known to be more mail."""
        if self._mail_waits or self._history_waits:
            return self._clock.now()
        return self._clock.now() + int((self._next_sweep - self._clock.monotonic()) * SECOND)

    def _sweep(self, epochs: Mapping[int, int]) -> list[e.EngineEvent]:
        """Once a second: pools that people changed, workers that came and went, and mail of which no word came."""
        self._next_sweep = self._clock.monotonic() + self._sweep_s
        was_healthy = self._healthy_since is not None and self._clock.monotonic() - self._healthy_since > WORKER_TTL_S
        with self._db.autocommit() as tx:
            pools = store_load.load_pools(tx)
            workers = leases.list_workers(tx)
            is_silent = was_healthy and leases.has_silent_worker(tx, WORKER_TTL_S)
            self._mail_waits = self._mail_waits or bool(mailbox.read_messages(tx, sorted(epochs), 1))
        if is_silent:
            with self._db.write() as tx:
                for lost in leases.mark_silent_workers_lost(tx, WORKER_TTL_S):
                    _log.warning("worker_lost", worker=lost)
                workers = leases.list_workers(tx)
            self._mail_waits = True  # its last words may have come since this looked
        self._executor.refresh(workers)
        live = {worker.worker_id for worker in workers}
        believed = {cell.worker for cell in self._memory.attempts.values()} | set(self._memory.workers)
        events: list[e.EngineEvent] = [e.WorkerLost(worker_id) for worker_id in sorted(filter(None, believed)) if worker_id not in live]
        events.append(e.PoolsRead(tuple(pools)))
        return events

    def _record_lost_workers(self, worker_ids: list[str]) -> None:
        """Nobody gives these workers attempts any more, and no other scheduler waits for their time to live."""
        if not worker_ids:
            return
        with self._db.write() as tx:
            for worker_id in worker_ids:
                leases.retire_worker(tx, worker_id)
                _log.warning("worker_died", worker=worker_id)
