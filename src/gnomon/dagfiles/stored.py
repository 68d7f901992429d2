"""The ledger of a running dag-processor: outcomes and deletions in short write transactions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gnomon import log, store
from gnomon.clock import Clock
from gnomon.dagfiles.graph import Graph
from gnomon.dagfiles.ledger import Away
from gnomon.errors import GnomonError, OperatorMistake, WorldAway
from gnomon.model.spec import FileInputs, ParsedFile, ParseFailure
from gnomon.store import files
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
        self._graph = Graph(db, clock)
        self._is_looked_at = False
        """Whether the errors of dependencies between DAGs are those of what is on record."""

    def known(self) -> dict[str, FileInputs]:
        with _reachable(), self._db.read() as tx:
            return {row.path: row.inputs for row in files.known(tx)}

    def failed_imports(self) -> set[str]:
        with _reachable(), self._db.read() as tx:
            return {row.path for row in files.import_errors(tx) if row.kind == "import"}

    def stale(self) -> set[str]:
        if not self._is_looked_at and self._look():
            self._bell.ring()
        with _reachable(), self._db.read() as tx:
            return set(files.stale(tx))

    def record(self, parsed: Sequence[ParsedFile]) -> set[str]:
        again: set[str] = set()
        self._is_looked_at = False
        for batch in _batches(parsed):
            try:
                with _reachable():
                    again |= self._record(batch)
            except Away:
                raise
            except Exception:
                _log.exception("batch_not_recorded", files=len(batch))
                again |= self._record_singly(batch)
        self._look()
        self._bell.ring()
        return again

    def gone(self, paths: Sequence[str]) -> set[str]:
        with _reachable(), self._db.write() as tx:
            outcome = files.record_gone(tx, paths, self._clock.now())
            store.wake(tx)
        self._look()
        self._bell.ring()
        return set(outcome.parse_again)

    def _record(self, batch: Sequence[ParsedFile]) -> set[str]:
        with self._db.write() as tx:
            outcomes = files.record_many(tx, batch, at=self._clock.now(), paused_by_default=self._paused_by_default)
            store.wake(tx)
        return {path for outcome in outcomes for path in outcome.parse_again}

    def _record_singly(self, batch: Sequence[ParsedFile]) -> set[str]:
        """Files that cannot be recorded get an error in the place of their DAGs; the others of the batch are as they are."""
        again: set[str] = set()
        for parsed in batch:
            try:
                with _reachable():
                    again |= self._record([parsed])
            except Away:
                raise
            except Exception as error:
                _log.exception("file_not_recorded", path=parsed.path)
                again |= self._record([_refused(parsed, error)])
        return again

    def _look(self) -> bool:
        """Whether other errors of dependencies between DAGs stand now. While the store is away, `stale` comes back to it."""
        self._is_looked_at = True
        try:
            with _reachable():
                return self._graph.look()
        except Away:
            self._is_looked_at = False
        except Exception:
            _log.exception("dependencies_not_looked_at")  # the files are on record all the same
        return False


def _refused(parsed: ParsedFile, error: Exception) -> ParsedFile:
    what = str(error) if isinstance(error, GnomonError) else f"its DAGs could not be stored: {type(error).__name__}: {error}"
    failure = ParseFailure(kind="dag", message=f"{parsed.path}: {what}")
    return ParsedFile(path=parsed.path, inputs=parsed.inputs, failures=(*parsed.failures, failure), duration_s=parsed.duration_s)


def _batches(outcomes: Sequence[ParsedFile]) -> Iterator[list[ParsedFile]]:
    batch: list[ParsedFile] = []
    dags = 0
    for parsed in outcomes:
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
    except (WorldAway, OperatorMistake) as error:  # away, full, or not to be written: all of them pass
        raise Away(str(error)) from None
