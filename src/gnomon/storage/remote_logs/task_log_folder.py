"""`TaskLogFolder`: the logs of tasks for those who read them, on this machine or as copies from the remote folder."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.log.confined_files import ConfinedFile, list_files
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say
from gnomon.storage.remote_logs.live_copies import LiveCopies
from gnomon.storage.remote_logs.remote_log_folder import RemoteLogError, RemoteLogFolder
from gnomon.storage.remote_logs.remote_log_names import list_remote_names

COPIES = "remote_copies"
"""The folder of copies, below the folder of logs."""
COPIES_MAX_BYTES = 1_073_741_824
"""When copies are larger in all, those that were made first are deleted."""
LISTING_TTL_S = 2.0
"""How long a listing of the remote folder is used again: a page asks for a log every second."""
LISTINGS_MAX = 256
T = TypeVar("T")
_log = log.get_logger("remote_logs")


class TaskLogFolder:
    """The folder of logs with the remote one behind it, if there is one. Names are paths below the folder. Threads may share it."""

    def __init__(
        self,
        folder: Path,
        remote: RemoteLogFolder | None,
        clock: Clock,
        limit_calls: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext,
    ) -> None:
        """`limit_calls`: entered around each call of the remote folder, which may last; raises when too many are being made."""
        self.folder = folder
        self.remote = remote
        self.live = LiveCopies(folder)
        self._clock = clock
        self._limit_calls = limit_calls
        self._listings: dict[str, tuple[float, dict[str, int]]] = {}
        self._guard = threading.Lock()
        self._downloads: dict[str, threading.Lock] = {}
        """By name, of logs that are downloaded now: one that a store does not send keeps no other waiting."""

    def look_up(self) -> LogLookup:
        """A look for logs, of one request."""
        return LogLookup(self)

    def locate(self, name: str) -> ConfinedFile:
        """The log on this machine, which may not exist."""
        return ConfinedFile(self.folder, name)

    def fetch(self, name: str) -> ConfinedFile:
        """A file with the log: the local one, a copy of the remote one that is made now, or what its worker has sent so far.

        A log that is nowhere: the local file.

        Raises RemoteLogError when the remote folder cannot be read.
        """
        own = self.locate(name)
        if own.is_file():
            return own
        if self.remote is None:
            return self._find_live_copy(name)
        folder = name.rpartition("/")[0]
        size = _find_remote_size(name, self.list_sizes(folder)) or _find_remote_size(
            name, self.list_sizes(folder, fresh=True)
        )
        if size is None:
            return self._find_live_copy(name)
        copy = ConfinedFile(self.folder, f"{COPIES}/{name}")
        with self._limit_calls(), self._hold_download(name):
            if _find_size(copy) != size:
                try:
                    self.remote.download(name, size, copy)
                except FileNotFoundError:
                    return self._find_live_copy(name)
                self._delete_old_copies(copy)
        return copy

    @contextlib.contextmanager
    def _hold_download(self, name: str) -> Iterator[None]:
        """Let one thread at a time download the log; the next one finds the copy."""
        with self._guard:
            own = self._downloads.setdefault(name, threading.Lock())
        try:
            with own:
                yield
        finally:
            with self._guard:
                self._downloads.pop(name, None)

    def _find_live_copy(self, name: str) -> ConfinedFile:
        copy = self.live.locate(name)
        return copy if copy.is_file() else self.locate(name)

    def list_sizes(self, folder: str, *, fresh: bool = False) -> dict[str, int]:
        """The remote files in a folder of logs, by the last part of their names; none without a remote folder. Raises RemoteLogError.

        `fresh`: a listing of a moment ago is not used again: the local file may have been deleted since.
        """
        if self.remote is None:
            return {}
        now = self._clock.monotonic()
        with self._guard:
            cached = self._listings.get(folder)
        if not fresh and cached is not None and now - cached[0] < LISTING_TTL_S:
            return cached[1]
        with self._limit_calls():
            sizes = self.remote.list_sizes(folder)
        with self._guard:
            self._listings.pop(folder, None)
            while len(self._listings) >= LISTINGS_MAX:
                del self._listings[next(iter(self._listings))]
            self._listings[folder] = (now, sizes)
        return sizes

    def _delete_old_copies(self, newest: ConfinedFile) -> None:
        copies = []
        for copy in list_files(self.folder, f"{COPIES}/dag_id=*/run_id=*/*.log"):
            with contextlib.suppress(OSError):
                stat_result = copy.stat()
                copies.append((stat_result.st_mtime, stat_result.st_size, copy))
        size = sum(each for _, each, _ in copies)
        for _, each, copy in sorted(copies, key=lambda entry: entry[:2]):
            if size <= COPIES_MAX_BYTES:
                return
            if copy != newest:
                copy.unlink(missing_ok=True)
                size -= each


class LogLookup:
    """Tells which logs exist. The remote folder is asked outside of transactions, and only when a log is not on this machine."""

    def __init__(self, logs: TaskLogFolder) -> None:
        self._logs = logs
        self._remote: dict[str, dict[str, int]] = {}
        self._missing: set[str] = set()
        self._is_second = False

    def has(self, name: str) -> bool:
        """Whether the log, or a part that its worker has sent, is on this machine, or, as far as `search` has asked, in the remote folder."""
        if self._logs.locate(name).is_file() or self._logs.live.locate(name).is_file():
            return True
        folder, _, _ = name.rpartition("/")
        if not self._is_second:
            self._missing.add(folder)
        return _find_remote_size(name, self._remote.get(folder, {})) is not None

    def locate(self, name: str) -> Path:
        """The path that the log has on this machine."""
        return self._logs.folder / name

    @property
    def elsewhere(self) -> str:
        """For a sentence about a log that does not exist: where else it was looked for."""
        return (
            ""
            if self._logs.remote is None
            else f", and it is not in {self._logs.remote.settings.address} ([logging] remote_base_log_folder)"
        )

    def search(self, find: Callable[[], T]) -> T:
        """The result of `find`, which calls `has`. When a log was not on this machine, the remote folder is asked and `find` is called again.

        Raises what `find` raises; UserError also says why the remote folder could not be asked.
        """
        refusal, results = _call(find)
        if self._logs.remote is None or not self._missing:
            return _unwrap(refusal, results)
        try:
            self._remote = {
                folder: self._logs.list_sizes(folder, fresh=refusal is not None) for folder in sorted(self._missing)
            }
        except RemoteLogError as error:
            if refusal is not None:
                raise UserError(say("refusal_and_error", reason=str(refusal), error=str(error))) from None
            _log.warning("remote_logs_not_listed", error=str(error))
            return _unwrap(refusal, results)
        self._is_second = True
        return find()


def _call(find: Callable[[], T]) -> tuple[UserError | None, list[T]]:
    try:
        return None, [find()]
    except UserError as error:
        return error, []


def _unwrap(refusal: UserError | None, results: list[T]) -> T:
    if refusal is not None:
        raise refusal
    return results[0]


def _find_remote_size(name: str, sizes: Mapping[str, int]) -> int | None:
    """The bytes of the log with this local name among the remote files of its folder."""
    basenames = (path.rpartition("/")[2] for path in list_remote_names(name))
    return next((sizes[basename] for basename in basenames if basename in sizes), None)


def _find_size(file: ConfinedFile) -> int | None:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return None
