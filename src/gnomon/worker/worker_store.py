"""The worker's place in the store, as the service needs it; `stored.py` has it for real."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import msgspec

from gnomon import store, taskapi
from gnomon.errors import ConfigurationError, ResourceUnavailable
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.records import NewMail, WorkerRecord
from gnomon.model.task_api_requests import AnyTaskApiRequest, TriggerRun
from gnomon.store.ownership import leases, mailbox


class WorkerStoreUnavailable(Exception):
    """The store cannot be reached now; asking again later may help."""


REFUSALS = (taskapi.TaskApiRefused, WorkerStoreUnavailable)
"""Exceptions of `WorkerStore.answer_request` whose text is for the author."""


class WorkerStore(Protocol):
    """Short blocking calls; each raises StoreAway when the store does not answer."""

    def register(self, record: WorkerRecord) -> None:
        """Schedulers can find this incarnation."""

    def beat(self, worker_id: str) -> bool:
        """This incarnation lives; False when it was declared lost."""

    def retire(self, worker_id: str) -> None:
        """This incarnation is gone, in order."""

    def mail_results(self, worker_id: str, results: Sequence[AttemptResult]) -> None:
        """The owners of their groups find these results in their mail."""

    def answer_request(self, attempt: Attempt | None, question: AnyTaskApiRequest) -> object:
        """The answer to author code, with the rights of its attempt; raises `taskapi.Refused` in words.

        `attempt` None: a DAG file asks while it is imported.
        """


class DatabaseWorkerStore:
    """Opens the database at the first need, after the zygote was started, and again after it was away."""

    def __init__(self, open_database: Callable[[], store.Database], ring: Callable[[], object] = lambda: None) -> None:
        """`ring` wakes the schedulers of this host: a task has made a run."""
        self._open_database = open_database
        self._notify_schedulers = ring
        self._database: store.Database | None = None

    def register(self, record: WorkerRecord) -> None:
        with self._open_store() as database, database.write() as tx:
            leases.register_worker(tx, record)

    def beat(self, worker_id: str) -> bool:
        with self._open_store() as database, database.write() as tx:
            return leases.beat_worker(tx, worker_id)

    def retire(self, worker_id: str) -> None:
        with self._open_store() as database, database.write() as tx:
            leases.retire_worker(tx, worker_id)

    def mail_results(self, worker_id: str, results: Sequence[AttemptResult]) -> None:
        with self._open_store() as database, database.write() as tx:
            mailbox.send_messages(tx, [_result_mail(worker_id, result, tx) for result in results])
            store.notify_on_commit(tx)

    def answer_request(self, attempt: Attempt | None, question: AnyTaskApiRequest) -> object:
        with self._open_store() as database:
            answered = taskapi.answer_task(database, attempt, question)
        if isinstance(question, TriggerRun):
            self._notify_schedulers()
        return answered

    def close(self) -> None:
        """The connection is closed; the next call opens another."""
        if self._database is not None:
            self._database.close()
            self._database = None

    @contextmanager
    def _open_store(self) -> Iterator[store.Database]:
        try:
            if self._database is None:
                self._database = self._open_database()
            yield self._database
        except (ResourceUnavailable, ConfigurationError) as error:  # away, full, or not to be written: all of them pass
            self.close()
            raise WorkerStoreUnavailable(str(error)) from error


def _result_mail(worker_id: str, result: AttemptResult, tx: store.Transaction) -> NewMail:
    """What a deferral carries is not written in clear text, however short a letter lives."""
    if result.wait is None:
        body: dict[str, object] = {"worker_id": worker_id, "result": result}
    else:
        body = {"worker_id": worker_id, "sealed": tx.cipher.encrypt(msgspec.json.encode(result).decode())}
    return NewMail(
        group_no=result.group_no, kind="result", body=msgspec.json.encode(body).decode(), key=f"res:{result.attempt_id}"
    )
