"""The dag-processor between its parts: folders, watch, agenda, parse pool, ledger. A turn never waits."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from typing import Protocol

import msgspec

from gnomon import log
from gnomon.clock import Clock
from gnomon.dagfiles import missing_files
from gnomon.dagfiles.discovery import FileDiscovery, FolderIdentity, FolderListing
from gnomon.dagfiles.file_registry import FileRegistry, RegistryUnavailable
from gnomon.dagfiles.inputs import StampCache, StampOf
from gnomon.dagfiles.package_changes import LOOK_S, InstallWatch
from gnomon.dagfiles.parse_queue import ParseQueue
from gnomon.dagfiles.settings import CHECK_INPUTS_S, DagProcessorSettings, SourceFolder
from gnomon.loading import archives, new_packages
from gnomon.model.spec import ParsedFile

RECORD_AFTER_S = 0.05
"""Outcomes wait so long for company, so that many small files share a transaction."""
RECORD_BATCH = 64
UNRECORDED_MAX = 200
"""While so many outcomes wait for the store, no further file is parsed."""
STORE_RETRY_S = 1.0
"""Between two tries while the store is away."""
STALE_CHECK_S = 2.0
"""Between two questions to the store for files that are to be parsed again."""
LISTING_MIN_INTERVAL_S = 0.2
"""Events ask for a listing at most so often."""
_log = log.get_logger("dagfiles")


class ParseExecutor(Protocol):
    """Where files are parsed: `pool.ParsePool`."""

    def start(self, path: str) -> None: ...
    def running(self) -> dict[str, float]: ...
    def poll(self) -> list[ParsedFile]: ...


class DagProcessor:
    """Keeps the ledger true to the folders. Not for threads."""

    def __init__(self, settings: DagProcessorSettings, pool: ParseExecutor, ledger: FileRegistry, facts: StampOf, clock: Clock) -> None:
        self._settings = settings
        self._pool = pool
        self._registry = ledger
        self._stamp_of = facts
        self._clock = clock
        self._discovery = FileDiscovery(regexp_ignore=settings.regexp_ignore, safe_mode=settings.safe_mode)
        self.queue = ParseQueue(processes=settings.processes, reparse_s=settings.reparse_s, sort_mode=settings.sort_mode)
        self.folders: dict[str, FolderIdentity] = {}
        """Every folder below the roots, as it was listed last."""
        self._unrecorded: list[ParsedFile] = []
        self._finished_at = 0.0
        self._recorded: dict[str, bytes] = {}
        self._next_listing_at = self._next_check_at = self._next_record_at_least = self._next_stale_check_at = clock.monotonic()
        self._listed_at = self._next_listing_at
        self._installs = InstallWatch(new_packages.stamp)
        self._installs_at = self._next_listing_at
        self._told_of_folders: set[str] = set()
        """What the last listing warned of, or would have if the one before had not."""
        self._told_before: set[str] = set()
        """The same of the listing before."""
        self._told_of_store: set[str] = set()
        """What was told of the store since it last took something."""

    def restore(self) -> None:
        """What earlier processes recorded is remembered, and not parsed again unless it changed or could not be imported. Raises Away."""
        now = self._clock.monotonic()
        for path, inputs in self._registry.list_files().items():
            self.queue.restore_file(path, inputs, now)
        self.queue.enqueue_changed(StampCache(self._stamp_of))
        for path in self._registry.failed_imports():
            self.queue.enqueue(path)  # what was missing may have been installed while nobody looked

    def on_changes(self, changed: Iterable[str]) -> None:
        """Something happened to these paths: files, folders, inputs of files. A whole root: anything may have."""
        paths = list(changed)
        if any(path in self._settings.folders for path in paths):
            self._next_listing_at = self._next_check_at = self._clock.monotonic()
            return
        readers = {reader for path in paths for reader in self.queue.readers(path)}
        self.queue.enqueue_changed(StampCache(self._stamp_of), readers)
        self._next_listing_at = min(self._next_listing_at, self._listed_at + LISTING_MIN_INTERVAL_S)

    def run_once(self) -> float:
        """Everything that can be done now is done; returns the monotonic second at which there is more, unless woken."""
        now = self._clock.monotonic()
        for parsed in self._pool.poll():
            self._on_parsed(parsed, now)
        if now >= self._next_listing_at:
            self._list_folders(now)
        if now >= self._next_check_at:
            self.queue.enqueue_changed(StampCache(self._stamp_of))
            self._next_check_at = now + CHECK_INPUTS_S
        if now >= self._next_stale_check_at:
            self._enqueue_stale(now)
        installs_at = self._look_at_installs(now)
        due = self.queue.enqueue_due(now)
        if len(self._unrecorded) < UNRECORDED_MAX:
            for path in self.queue.take_next(self._pool.running(), now):
                self._installs.parse_begins(path)
                self._pool.start(path)
        self._record(now)
        next_ones = (self._next_listing_at, self._next_check_at, self._next_stale_check_at, installs_at, due, self._next_record(), self._next_slot_check(now))
        return min(at for at in next_ones if at is not None)

    def is_idle(self) -> bool:
        """Nothing runs, waits or is to be recorded."""
        return not (self._unrecorded or self._pool.running() or self.queue.has_waiting())

    def _on_parsed(self, parsed: ParsedFile, now: float) -> None:
        self.queue.finish_parse(parsed, now)
        if parsed.path not in self.queue:
            return  # it is gone meanwhile
        if parsed.failures and not os.path.lexists(archives.locate_source(parsed.path).file):
            self._next_listing_at = now  # removed while it was parsed: the listing says what that means
            return
        digest = _outcome_digest(parsed)
        if self._recorded.get(parsed.path) == digest:
            return
        self._recorded[parsed.path] = digest
        if not self._unrecorded:
            self._finished_at = now
        self._unrecorded.append(parsed)

    def _list_folders(self, now: float) -> None:
        self._told_before, self._told_of_folders = self._told_of_folders, set()
        new: list[str] = []
        ours: set[str] = set()
        for root in self._settings.listed_folders:
            listing = self._discovery.list_folder(root)
            ours |= self._remove_missing(root, listing)
            new += self.queue.update_listing(listing.files)
        strangers = sorted(path for path in self.queue.paths() - ours if not self._is_below_root(path))
        self._remove_files(strangers)
        if new:
            self.queue.enqueue_failed_imports()
        self._listed_at, self._next_listing_at = now, now + self._settings.refresh_s

    def _remove_missing(self, root: SourceFolder, listing: FolderListing) -> set[str]:
        """Files that vanished below `root` are forgotten; returns the files that it has."""
        below = os.path.join(root.folder, "")
        known = [path for path in self.queue.paths() if path.startswith(below)]
        found = missing_files.classify_missing(known, listing, self.folders)
        for folder, files in found.unknown.items():
            self._tell_of_folder(f"{folder} is silent", "folder_is_silent", folder=folder,
                                 files=len(files), because=listing.unreadable.get(folder, "it is empty and not the folder that was there before"),
                                 remedy="mount it again or make it readable; if its DAG files are meant to be gone, put any file into it")
        for path, reason in listing.unreadable.items():
            self._tell_of_folder(f"{path}: {reason}", "not_readable", path=path, reason=reason,
                                 remedy="give the dag-processor's user the right to read it")
        for problem in listing.problems:
            self._tell_of_folder(problem, "ignore_rule", problem=problem)
        self._remove_files(found.deleted)
        held = {os.path.dirname(path) for files in found.unknown.values() for path in files} | set(found.unknown)
        self.folders = {path: identity for path, identity in self.folders.items() if not f"{path}/".startswith(below) or path in held}
        self.folders |= {path: identity for path, identity in listing.folders.items() if path not in held}
        return set(listing.files)

    def _remove_files(self, paths: list[str]) -> None:
        if not paths:
            return
        try:
            again = self._registry.remove_files(paths)
        except RegistryUnavailable as error:
            self._tell_of_store(str(error))
            return  # they are still known: the next listing finds them gone again
        for path in paths:
            self.queue.remove_file(path)
            self._installs.forget(path)
            self._recorded.pop(path, None)
        self._unrecorded = [parsed for parsed in self._unrecorded if parsed.path not in set(paths)]
        _log.info("files_gone", files=len(paths), first=paths[0])
        self._enqueue_again(again)

    def _look_at_installs(self, now: float) -> float | None:
        """Files that could not be imported are parsed again after an installation; returns when to look next, None for never."""
        failed = self.queue.failed_imports()
        if failed and now >= self._installs_at:
            self._installs_at = now + LOOK_S
            for path in self._installs.to_parse(failed):
                self.queue.enqueue(path)
        return self._installs_at if failed else None

    def _enqueue_stale(self, now: float) -> None:
        """Somebody may have deleted a DAG whose file is still there."""
        self._next_stale_check_at = now + STALE_CHECK_S
        try:
            stale = self._registry.list_stale()
        except RegistryUnavailable as error:
            self._tell_of_store(str(error))
            return
        under_way = {parsed.path for parsed in self._unrecorded} | set(self._pool.running())
        self._enqueue_again(stale - under_way)

    def _enqueue_again(self, paths: Iterable[str]) -> None:
        """These files are parsed, and recorded even when nothing in them has changed."""
        for path in paths:
            self._recorded.pop(path, None)
            self.queue.enqueue(path)

    def _is_below_root(self, path: str) -> bool:
        return any(path.startswith(os.path.join(root.folder, "")) for root in self._settings.listed_folders)

    def _record(self, now: float) -> None:
        if not self._unrecorded or now < self._next_record_at():
            return
        try:
            again = self._registry.record_outcomes(self._unrecorded)
        except RegistryUnavailable as error:
            self._next_record_at_least = now + STORE_RETRY_S
            self._tell_of_store(str(error))
            return
        self._told_of_store.clear()
        for parsed in self._unrecorded:
            _log_outcome(parsed)
        self._unrecorded = []
        self._enqueue_again(again)

    def _next_record(self) -> float | None:
        return self._next_record_at() if self._unrecorded else None

    def _next_record_at(self) -> float:
        full = len(self._unrecorded) >= RECORD_BATCH
        return max(self._next_record_at_least, self._finished_at + (0 if full else RECORD_AFTER_S))

    def _next_slot_check(self, now: float) -> float | None:
        """A slow parse gives its place away without a word: somebody must look."""
        return now + 1.0 if self.queue.has_waiting() else None

    def _tell_of_folder(self, key: str, event: str, **fields: object) -> None:
        """A warning, once until a listing finds nothing to warn of under this key."""
        if key not in self._told_before and key not in self._told_of_folders:
            _log.warning(event, **fields)
        self._told_of_folders.add(key)

    def _tell_of_store(self, error: str) -> None:
        """A warning, once until the store takes something."""
        if error not in self._told_of_store:
            self._told_of_store.add(error)
            _log.warning("store_away", error=error)


def _outcome_digest(parsed: ParsedFile) -> bytes:
    """What the store would keep of an outcome."""
    kept = (parsed.inputs.input_hash, parsed.inputs.fresh, parsed.dags, parsed.failures, parsed.warnings)
    return hashlib.sha256(msgspec.msgpack.encode(kept)).digest()


def _log_outcome(parsed: ParsedFile) -> None:
    seconds = round(parsed.duration_s, 3)
    for failure in parsed.failures:
        _log.warning("dag_file_failed", path=parsed.path, kind=failure.kind, message=failure.message, seconds=seconds)
    if parsed.dags:
        _log.info("dag_file_parsed", path=parsed.path, dags=len(parsed.dags), seconds=seconds)
