"""The ledger of a running dag-processor: outcomes and deletions in short write transactions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gnomon import log, store
from gnomon.clock import Clock
from gnomon.dagfiles.ledger import Away, Recorded
from gnomon.errors.product import GnomonError, WorldAway
from gnomon.model.questions import Question
from gnomon.model.spec import FileInputs, ParsedFile, ParseFailure
from gnomon.taskapi import answer
from gnomon.wakeups import Bell

BATCH_DAGS = 200
"""One transaction records files of about so many DAGs."""
_log = log.get("dagfiles.stored")


class StoreLedger:
    """Records in the database, and wakes the schedulers."""

    def __init__(self, db: store.Database, clock: Clock, bell: Bell, *, paused_by_default: bool) -> None:
        self._db = db
        self._clock = clock
        self._bell = bell
        self._paused_by_default = paused_by_default

    def known(self) -> dict[str, FileInputs | None]:
        with _reachable(), self._db.read() as tx:
            return {row.path: row.inputs for row in store.files.known(tx)}

    def record(self, files: Sequence[ParsedFile]) -> Recorded:
        whole = Recorded()
        for batch in _batches(files):
            try:
                whole = _joined(whole, self._record(batch))
            except WorldAway as error:
                raise Away(str(error)) from None
            except Exception:
                _log.exception("batch_not_recorded", files=len(batch))
                whole = _joined(whole, self._record_singly(batch))
        self._bell.ring()
        return whole

    def gone(self, paths: Sequence[str]) -> None:
        with _reachable(), self._db.write() as tx:
            store.files.record_gone(tx, list(paths), self._clock.now())
            store.wake(tx)
        self._bell.ring()

    def answer(self, question: Question) -> object:
        """What author code asked while it was imported. Raises GnomonError with the words of a refusal."""
        return answer(self._db, None, question)

    def _record(self, batch: Sequence[ParsedFile]) -> Recorded:
        now = self._clock.now()
        with self._db.write() as tx:
            outcomes = [
                store.files.record_parsed(tx, parsed, at=now, paused_by_default=self._paused_by_default) for parsed in batch
            ]
            store.wake(tx)
        outranked = frozenset(parsed.path for parsed, outcome in zip(batch, outcomes, strict=True) if outcome.outranked)
        return Recorded(any(outcome.deactivated for outcome in outcomes), outranked)

    def _record_singly(self, batch: Sequence[ParsedFile]) -> Recorded:
        """Files that cannot be recorded get an error in the place of their DAGs; the others of the batch are as they are."""
        whole = Recorded()
        for parsed in batch:
            try:
                whole = _joined(whole, self._record([parsed]))
            except WorldAway as error:
                raise Away(str(error)) from None
            except Exception as error:
                _log.exception("file_not_recorded", path=parsed.path)
                whole = _joined(whole, self._record([_refused(parsed, error)]))
        return whole


def _joined(one: Recorded, other: Recorded) -> Recorded:
    return Recorded(one.freed or other.freed, one.outranked | other.outranked)


def _refused(parsed: ParsedFile, error: Exception) -> ParsedFile:
    what = str(error) if isinstance(error, GnomonError) else f"its DAGs could not be stored: {type(error).__name__}: {error}"
    failure = ParseFailure(kind="dag", message=f"{parsed.path}: {what}")
    return ParsedFile(path=parsed.path, inputs=parsed.inputs, failures=(*parsed.failures, failure), duration_s=parsed.duration_s)


def _batches(files: Sequence[ParsedFile]) -> Iterator[list[ParsedFile]]:
    batch: list[ParsedFile] = []
    dags = 0
    for parsed in files:
        if batch and dags + len(parsed.dags) > BATCH_DAGS:
            yield batch
            batch, dags = [], 0
        batch.append(parsed)
        dags += max(1, len(parsed.dags))
    if batch:
        yield batch


@contextmanager
def _reachable() -> Iterator[None]:
    try:
        yield
    except WorldAway as error:
        raise Away(str(error)) from None
