"""The worker's place in the store: registration, beats, results by mail, answers to tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from gnomon import store, taskapi
from gnomon.errors import OperatorMistake, WorldAway
from gnomon.model.facts import Attempt, AttemptResult
from gnomon.model.questions import AnyQuestion, TriggerRun
from gnomon.model.records import NewMail, WorkerRecord
from gnomon.store import leases, mail
from gnomon.worker.presence import StoreAway


class StoredPresence:
    """Opens the database at the first need, after the zygote was started, and again after it was away."""

    def __init__(self, open_database: Callable[[], store.Database], ring: Callable[[], object] = lambda: None) -> None:
        """`ring` wakes the schedulers of this host: a task has made a run."""
        self._open_database = open_database
        self._ring = ring
        self._database: store.Database | None = None

    def register(self, record: WorkerRecord) -> None:
        with self._reached() as database, database.write() as tx:
            leases.register_worker(tx, record)

    def beat(self, worker_id: str) -> bool:
        with self._reached() as database, database.write() as tx:
            return leases.beat_worker(tx, worker_id)

    def retire(self, worker_id: str) -> None:
        with self._reached() as database, database.write() as tx:
            leases.retire_worker(tx, worker_id)

    def mail(self, worker_id: str, results: Sequence[AttemptResult]) -> None:
        with self._reached() as database, database.write() as tx:
            mail.send(tx, [_letter(worker_id, result, tx) for result in results])
            store.wake(tx)

    def answer(self, attempt: Attempt | None, question: AnyQuestion) -> object:
        with self._reached() as database:
            answered = taskapi.answer(database, attempt, question)
        if isinstance(question, TriggerRun):
            self._ring()
        return answered

    def close(self) -> None:
        """The connection is closed; the next call opens another."""
        if self._database is not None:
            self._database.close()
            self._database = None

    @contextmanager
    def _reached(self) -> Iterator[store.Database]:
        try:
            if self._database is None:
                self._database = self._open_database()
            yield self._database
        except (WorldAway, OperatorMistake) as error:  # away, full, or not to be written: all of them pass
            self.close()
            raise StoreAway(str(error)) from error


def _letter(worker_id: str, result: AttemptResult, tx: store.Transaction) -> NewMail:
    """What a deferral carries is not written in clear text, however short a letter lives."""
    if result.wait is None:
        body: dict[str, object] = {"worker_id": worker_id, "result": result}
    else:
        body = {"worker_id": worker_id, "sealed": tx.cipher.seal(msgspec.json.encode(result).decode())}
    return NewMail(
        group_no=result.group_no, kind="result", body=msgspec.json.encode(body).decode(), key=f"res:{result.attempt_id}"
    )
