"""The store as a worker needs it: the interface, and its implementation with a database."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from gnomon.model.attempts import Attempt, AttemptResult, XComElement
from gnomon.model.errors import ConfigurationError, ResourceUnavailable
from gnomon.model.records import WorkerRecord
from gnomon.model.task_api_requests import AnyTaskApiRequest, TriggerRun
from gnomon.queries import taskapi
from gnomon.storage import store
from gnomon.storage.store.coordination import leases, mailbox
from gnomon.storage.store.coordination.service_figures import FiguresWriter


class WorkerStoreUnavailable(Exception):
    """The store cannot be reached now; a later call may succeed."""


class WorkerStoreAway(WorkerStoreUnavailable):
    """Nothing is wrong with the request: it is worth to ask again for some time, before author code learns of it."""


REFUSALS = (taskapi.TaskApiRefused, WorkerStoreUnavailable)
"""Exceptions of `WorkerStore.answer_request` whose text is for the author."""


class WorkerStore(Protocol):
    """Short blocking calls; each raises WorkerStoreUnavailable when the store does not answer."""

    def register(self, record: WorkerRecord) -> None:
        """Record this incarnation, so that schedulers find it."""

    def beat(self, worker_id: str) -> bool:
        """Record a heartbeat of this incarnation; False when it was declared lost."""

    def find_silence_limit(self, ttl_s: float) -> float:
        """For how many seconds an incarnation goes on whose heartbeats are not recorded, and which has no scheduler. `ttl_s`: the time to live of a worker."""

    def find_run_limit(self, ttl_s: float) -> float:
        """For how many seconds after the last recorded heartbeat attempts may run. Then they stand still until another heartbeat is recorded, or the incarnation ends."""

    def retire(self, worker_id: str) -> None:
        """Record the orderly end of this incarnation."""

    def mail_results(self, worker_id: str, results: Sequence[AttemptResult]) -> None:
        """Send these results to the mailboxes of their groups."""

    def answer_request(self, attempt: Attempt | None, request: AnyTaskApiRequest) -> object:
        """The value of the response to a request of author code, with the rights of its attempt.

        `attempt` None: the request of a DAG file that is being imported. Raises `taskapi.TaskApiRefused` with a text for the author, and WorkerStoreAway
        when the request is to be repeated.
        """

    def read_elements(self, attempt: Attempt) -> tuple[XComElement, ...]:
        """The elements that the attempt is mapped over, as far as the store still has the values that its scheduler counted."""


class DatabaseWorkerStore:
    """A WorkerStore that opens the database at the first call, after the start of the base zygote, and again after an outage."""

    def __init__(
        self,
        open_database: Callable[[], store.Database],
        notify_schedulers: Callable[[], object] = lambda: None,
        create_writer: Callable[[str], FiguresWriter] | None = None,
    ) -> None:
        """`notify_schedulers` wakes the schedulers of this host when a task has created a run.

        `create_writer`: the writer of the figures of a worker id, for /metrics; None: nothing is written.
        """
        self._open_database = open_database
        self._notify_schedulers = notify_schedulers
        self._database: store.Database | None = None
        self._create_writer = create_writer
        self._writers: dict[str, FiguresWriter] = {}
        """By worker id; one, that of the present incarnation."""

    def register(self, record: WorkerRecord) -> None:
        with self._open_store() as database, database.write() as tx:
            leases.register_worker(tx, record)

    def beat(self, worker_id: str) -> bool:
        with self._open_store() as database, database.write() as tx:
            is_known = leases.beat_worker(tx, worker_id)
            if is_known and self._create_writer is not None:
                self._find_writer(worker_id, self._create_writer).write_if_due(tx)
            return is_known

    def find_silence_limit(self, ttl_s: float) -> float:
        return ttl_s / 2

    def find_run_limit(self, ttl_s: float) -> float:
        return math.inf  # a scheduler of this host tells its worker what to end, also while the store is away

    def retire(self, worker_id: str) -> None:
        with self._open_store() as database, database.write() as tx:
            leases.retire_worker(tx, worker_id)
            if worker_id in self._writers:
                self._writers[worker_id].remove(tx)

    def mail_results(self, worker_id: str, results: Sequence[AttemptResult]) -> None:
        with self._open_store() as database, database.write() as tx:
            mailbox.send_messages(tx, [taskapi.build_result_mail(tx, worker_id, result) for result in results])
            store.notify_on_commit(tx)

    def answer_request(self, attempt: Attempt | None, request: AnyTaskApiRequest) -> object:
        with self._open_store() as database:
            value = taskapi.answer_task(database, attempt, request)
        if isinstance(request, TriggerRun):
            self._notify_schedulers()
        return value

    def read_elements(self, attempt: Attempt) -> tuple[XComElement, ...]:
        with self._open_store() as database:
            return taskapi.read_elements(database, attempt)

    def close(self) -> None:
        """Close the connection; the next call opens another."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _find_writer(self, worker_id: str, create: Callable[[str], FiguresWriter]) -> FiguresWriter:
        if worker_id not in self._writers:
            self._writers = {worker_id: create(worker_id)}
        return self._writers[worker_id]

    @contextmanager
    def _open_store(self) -> Iterator[store.Database]:
        try:
            if self._database is None:
                self._database = self._open_database()
            yield self._database
        except (ResourceUnavailable, ConfigurationError) as error:  # unreachable, full or read-only: each may pass
            self.close()
            raise WorkerStoreUnavailable(str(error)) from error
