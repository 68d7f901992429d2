"""The FileRegistry of a running dag-processor: records outcomes and deletions in the database, in short write transactions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.wakeups import Notifier
from gnomon.model.errors import ConfigurationError, GnomonError, ResourceUnavailable
from gnomon.model.errors.error_text import describe_error
from gnomon.model.spec import FileInputs, ParsedFile, ParseFailure
from gnomon.model.storable_text import escape_unstorable
from gnomon.services.dagfiles.dependency_check import DependencyChecker
from gnomon.services.dagfiles.file_registry import RegistryUnavailable
from gnomon.services.dagfiles.listener_findings import KnownDeclarations, find_calls, read_known
from gnomon.services.dagfiles.listener_process import ListenerProcess
from gnomon.storage import store
from gnomon.storage.store.parsed_files import dag_files

BATCH_DAGS = 200
"""One transaction records files with about this many DAGs."""
_log = log.get_logger("dagfiles.stored")


class DatabaseFileRegistry:
    """Records files in the database, and wakes the schedulers."""

    def __init__(
        self,
        db: store.Database,
        clock: Clock,
        notifier: Notifier,
        *,
        paused_by_default: bool,
        listener_process: ListenerProcess | None = None,
    ) -> None:
        """`listener_process`: is told what listeners of plugins are called for; None: none is called."""
        self._db = db
        self._clock = clock
        self._notifier = notifier
        self._paused_by_default = paused_by_default
        self._dependency_checker = DependencyChecker(db, clock)
        self._listener_process = listener_process
        self._is_graph_checked = False
        """Whether the recorded errors of dependencies between DAGs are up to date."""

    def list_files(self) -> dict[str, FileInputs]:
        with _translate_unavailable(), self._db.read() as tx:
            return {row.path: row.inputs for row in dag_files.list_files(tx)}

    def failed_imports(self) -> set[str]:
        with _translate_unavailable(), self._db.read() as tx:
            return {row.path for row in dag_files.list_import_errors(tx) if row.kind == "import"}

    def list_stale(self) -> set[str]:
        if not self._is_graph_checked and self._check_dependencies():
            self._notifier.notify()
        with _translate_unavailable(), self._db.read() as tx:
            return set(dag_files.list_stale_files(tx))

    def record_outcomes(self, parsed: Sequence[ParsedFile]) -> set[str]:
        again: set[str] = set()
        self._is_graph_checked = False
        known_calls = self._read_known()
        for batch in _batches(parsed):
            try:
                with _translate_unavailable():
                    again |= self._record(batch)
            except RegistryUnavailable:
                raise
            except Exception:
                _log.exception("record_batch_failed", files=len(batch))
                again |= self._record_singly(batch)
        self._check_dependencies()
        self._notifier.notify()
        if known_calls is not None and self._listener_process is not None:
            for call in find_calls(known_calls, parsed):
                self._listener_process.add(call)
        return again

    def _read_known(self) -> KnownDeclarations | None:
        """What is known before files are recorded; None when no listener can be called."""
        if self._listener_process is None or not self._listener_process.may_have_listeners():
            return None
        with _translate_unavailable(), self._db.read() as tx:
            return read_known(tx)

    def remove_files(self, paths: Sequence[str]) -> set[str]:
        with _translate_unavailable(), self._db.write() as tx:
            outcome = dag_files.record_deleted_files(tx, paths, self._clock.now())
            store.notify_on_commit(tx)
        self._check_dependencies()
        self._notifier.notify()
        return set(outcome.parse_again)

    def move_to_bundle_version(self, bundle_name: str, version: str) -> int:
        with _translate_unavailable(), self._db.write() as tx:
            moved = dag_files.move_to_bundle_version(tx, bundle_name, version, self._clock.now())
        if moved:
            self._notifier.notify()
        return moved

    def _record(self, batch: Sequence[ParsedFile]) -> set[str]:
        with self._db.write() as tx:
            outcomes = dag_files.record_parsed_files(
                tx, batch, at=self._clock.now(), paused_by_default=self._paused_by_default
            )
            store.notify_on_commit(tx)
        return {path for outcome in outcomes for path in outcome.parse_again}

    def _record_singly(self, batch: Sequence[ParsedFile]) -> set[str]:
        """Record each file in a transaction of its own; a file that cannot be recorded gets an error instead of its DAGs."""
        again: set[str] = set()
        for parsed in batch:
            try:
                with _translate_unavailable():
                    again |= self._record([parsed])
            except RegistryUnavailable:
                raise
            except Exception as error:
                _log.exception("record_file_failed", path=parsed.path)
                again |= self._record([_storage_failure(parsed, error)])
        return again

    def _check_dependencies(self) -> bool:
        """Check the dependencies between DAGs; True when recorded errors changed. `list_stale` tries again after a failure."""
        self._is_graph_checked = True
        try:
            with _translate_unavailable():
                return self._dependency_checker.update_errors()
        except RegistryUnavailable:
            self._is_graph_checked = False
        except Exception:
            _log.exception("dependency_check_failed")  # the files are recorded nevertheless
        return False


def _storage_failure(parsed: ParsedFile, error: Exception) -> ParsedFile:
    what = (
        str(error)
        if isinstance(error, GnomonError)
        else f"the DAGs of the file could not be stored: {describe_error(error)}"
    )
    failures = [
        _escape(failure) for failure in (*parsed.failures, ParseFailure(kind="dag", message=f"{parsed.path}: {what}"))
    ]
    return msgspec.structs.replace(parsed, dags=(), failures=tuple(failures), warnings=(), source=b"")


def _escape(failure: ParseFailure) -> ParseFailure:
    """The failure with texts that the store takes: its file's process wrote them."""
    line = failure.line if failure.line is not None and 0 <= failure.line < 2**31 else None
    return ParseFailure(
        kind=escape_unstorable(failure.kind)[:40],
        message=escape_unstorable(failure.message),
        line=line,
        traceback=escape_unstorable(failure.traceback),
    )


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
def _translate_unavailable() -> Iterator[None]:
    try:
        yield
    except (ResourceUnavailable, ConfigurationError) as error:  # unavailable, full or read-only: temporary
        raise RegistryUnavailable(str(error)) from None
