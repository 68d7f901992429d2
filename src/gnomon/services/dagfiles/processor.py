"""The dag-processor: lists folders, queues files, starts parses and records outcomes. `run_once` never blocks."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from typing import Protocol

import msgspec

from gnomon.author_code.loading import archives, new_packages
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.metrics import ProcessFigures, definitions
from gnomon.ground.wakeups.store_retry import STORE_RETRY_S
from gnomon.model.instants import SECOND
from gnomon.model.spec import ParsedFile
from gnomon.services.dagfiles import missing_files
from gnomon.services.dagfiles.bundle_folders import BundleFolders
from gnomon.services.dagfiles.discovery import FileDiscovery, FolderIdentity, FolderListing
from gnomon.services.dagfiles.file_registry import FileRegistry, RegistryUnavailable
from gnomon.services.dagfiles.inputs import StampCache, StampOf
from gnomon.services.dagfiles.package_changes import LOOK_S, InstallWatch
from gnomon.services.dagfiles.parse_queue import ParseQueue
from gnomon.services.dagfiles.parse_statistics import ParseStatistics
from gnomon.services.dagfiles.settings import CHECK_INPUTS_S, DagProcessorSettings, SourceFolder

RECORD_AFTER_S = 0.05
"""Outcomes are collected for this time, so that many small files share a transaction."""
RECORD_BATCH = 64
UNRECORDED_MAX = 200
"""While this many outcomes are not recorded, no further file is parsed."""
STALE_CHECK_S = 2.0
"""Interval between reads of the files that the store wants parsed again."""
LISTING_MIN_INTERVAL_S = 0.2
"""Minimum interval between listings that change events cause."""
_log = log.get_logger("dagfiles")


class ParseExecutor(Protocol):
    """Parses files in other processes; implemented by `parse_pool.ParsePool`."""

    def start(self, path: str) -> None: ...
    def running(self) -> dict[str, float]: ...
    def poll(self) -> list[ParsedFile]: ...


class DagProcessor:
    """Keeps the recorded files equal to the files in the folders. Not thread-safe."""

    def __init__(
        self,
        settings: DagProcessorSettings,
        pool: ParseExecutor,
        registry: FileRegistry,
        facts: StampOf,
        clock: Clock,
        is_refreshing: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`is_refreshing`: whether the files of the DAG bundle of that name may be changing now."""
        self._settings = settings
        self._pool = pool
        self._registry = registry
        self._stamp_of = facts
        self._clock = clock
        self._bundles = BundleFolders(settings, is_refreshing)
        self._discovery = FileDiscovery(regexp_ignore=settings.regexp_ignore, safe_mode=settings.safe_mode)
        self.queue = ParseQueue(
            processes=settings.processes, reparse_s=settings.reparse_s, sort_mode=settings.sort_mode
        )
        self.folders: dict[str, FolderIdentity] = {}
        """Every folder below the roots, with its identity at the last listing."""
        self.figures = ProcessFigures()
        """What /metrics shows of this process."""
        self._statistics = ParseStatistics(settings.stats_interval_s, clock.monotonic())
        self._unrecorded: list[ParsedFile] = []
        self._finished_at = 0.0
        self._recorded: dict[str, bytes] = {}
        self._next_listing_at = self._next_check_at = self._next_record_at_least = self._next_stale_check_at = (
            clock.monotonic()
        )
        self._listed_at = self._next_listing_at
        self._installs = InstallWatch(new_packages.stamp)
        self._next_install_check_at = self._next_listing_at
        self._folder_warnings: set[str] = set()
        """Keys of the current conditions at the last listing."""
        self._last_folder_warnings: set[str] = set()
        """Keys at the listing before; they are not logged again."""
        self._store_warnings: set[str] = set()
        """Errors of the store that were logged since it last recorded something."""

    def restore(self) -> None:
        """Load the files that earlier processes recorded; a file is parsed again when it changed or could not be imported.

        Raises RegistryUnavailable.
        """
        now = self._clock.monotonic()
        for path, inputs in self._registry.list_files().items():
            self.queue.restore_file(path, inputs, now)
        self.queue.enqueue_changed(StampCache(self._stamp_of))
        for path in self._registry.failed_imports():
            self.queue.enqueue(path)  # a missing package may have been installed meanwhile

    def on_changes(self, changed: Iterable[str]) -> None:
        """These paths changed: files, folders or inputs of files. A path that is a root: anything below it may have changed."""
        paths = list(changed)
        if any(path in self._settings.folders for path in paths):
            self._next_listing_at = self._next_check_at = self._clock.monotonic()
            return
        readers = {reader for path in paths for reader in self.queue.readers(path)}
        self.queue.enqueue_changed(StampCache(self._stamp_of), readers)
        self._next_listing_at = min(self._next_listing_at, self._listed_at + LISTING_MIN_INTERVAL_S)

    def on_bundle_refreshed(self, name: str, path: str | None, version: str | None) -> None:
        """The refresh of a DAG bundle has ended; `path` is its folder, None while there is none."""
        now = self._clock.monotonic()
        is_changed = path is not None and self._bundles.may_have_changed(name, path, version)
        for parsed, is_current in self._bundles.on_refreshed(name, path, version):
            self._on_bundle_parsed(parsed, now, is_current)
        if is_changed:
            self._next_listing_at = self._next_check_at = now

    def run_once(self) -> float:
        """Do everything that can be done now; returns the monotonic second at which to call again unless woken before."""
        now = self._clock.monotonic()
        for parsed in self._pool.poll():
            self._statistics.on_parsed(parsed)
            self._count_parse(parsed)
            if not self._bundles.hold(parsed):
                self._on_bundle_parsed(parsed, now, self._bundles.is_current(parsed.path))
        if now >= self._next_listing_at:
            self._list_folders(now)
        if now >= self._next_check_at:
            self.queue.enqueue_changed(StampCache(self._stamp_of))
            self._next_check_at = now + CHECK_INPUTS_S
        if now >= self._next_stale_check_at:
            self._enqueue_stale(now)
        install_check_at = self._enqueue_after_install(now)
        due = self.queue.enqueue_due(now)
        if len(self._unrecorded) < UNRECORDED_MAX:
            for path in self.queue.take_next(self._pool.running(), now):
                self._installs.parse_begins(path)
                self._bundles.parse_begins(path)
                self._pool.start(path)
        self._record(now)
        self._move_bundles()
        stats_at = self._statistics.log_if_due(now, len(self.queue))
        next_times = (
            stats_at,
            self._next_listing_at,
            self._next_check_at,
            self._next_stale_check_at,
            install_check_at,
            due,
            self._next_record(),
            self._next_slot_check(now),
        )
        return min(at for at in next_times if at is not None)

    def is_idle(self) -> bool:
        """Whether no parse runs or waits, and every outcome is recorded."""
        return not (self._unrecorded or self._pool.running() or self.queue.has_waiting() or self._bundles.has_held)

    def _count_parse(self, parsed: ParsedFile) -> None:
        self.figures.observe(definitions.PARSE_DURATION, parsed.duration_s)
        self.figures.count(definitions.PARSE_FAILURES, 1 if parsed.failures else 0)
        self.figures.put(definitions.LAST_PARSE, self._clock.now() / SECOND)

    def _on_bundle_parsed(self, parsed: ParsedFile, now: float, is_current: bool) -> None:
        """Handle an outcome; one whose files changed during the parse is not recorded, and the file is parsed again."""
        if is_current:
            self._on_parsed(self._bundles.label(parsed), now)
        else:
            self.queue.finish_parse(parsed, now)
            self.queue.enqueue(parsed.path)

    def _move_bundles(self) -> None:
        """Record new versions of bundles once their changed files are parsed and recorded; a run that starts then takes the new version."""
        for name, folder, version in self._bundles.list_unmoved():
            if not self.queue.is_settled(folder) or any(parsed.bundle_name == name for parsed in self._unrecorded):
                continue
            try:
                files = self._registry.move_to_bundle_version(name, version)
            except RegistryUnavailable as error:
                self._warn_of_store(str(error))
                return
            self._bundles.moved(name)
            _log.info("bundle_version_recorded", bundle=name, version=version, files=files)

    def _on_parsed(self, parsed: ParsedFile, now: float) -> None:
        self.queue.finish_parse(parsed, now)
        if parsed.path not in self.queue:
            return  # it was removed during the parse
        if parsed.failures and not os.path.lexists(archives.locate_source(parsed.path).file):
            self._next_listing_at = now  # missing during the parse: the next listing decides whether it was deleted
            return
        digest = _outcome_digest(parsed)
        if self._recorded.get(parsed.path) == digest:
            return
        self._recorded[parsed.path] = digest
        if not self._unrecorded:
            self._finished_at = now
        self._unrecorded.append(parsed)

    def _list_folders(self, now: float) -> None:
        self._last_folder_warnings, self._folder_warnings = self._folder_warnings, set()
        new: list[str] = []
        listed: set[str] = set()
        for root in self._bundles.roots():
            listing = self._discovery.list_folder(root)
            listed |= self._remove_missing(root, listing)
            new += self.queue.update_listing(listing.files)
        strangers = sorted(path for path in self.queue.paths() - listed if not self._is_below_root(path))
        if self._bundles.are_all_known:
            self._remove_files(strangers)
        if new:
            self.queue.enqueue_failed_imports()
        self._listed_at, self._next_listing_at = now, now + self._settings.refresh_s
        self.figures.put(definitions.DAG_FILES, len(self.queue))

    def _remove_missing(self, root: SourceFolder, listing: FolderListing) -> set[str]:
        """Files that vanished below `root` are forgotten; returns the files that it has."""
        below = os.path.join(root.folder, "")
        known_files = [path for path in self.queue.paths() if path.startswith(below)]
        missing = missing_files.classify_missing(known_files, listing, self.folders)
        for folder, files in missing.unknown.items():
            self._warn_of_folder(
                f"{folder} is unavailable",
                "folder_unavailable",
                folder=folder,
                files=len(files),
                because=listing.unreadable.get(folder, "it is empty, and is not the same folder as before"),
                remedy="mount it again or make it readable; if its DAG files were removed on purpose, put any file into it",
            )
        for path, reason in listing.unreadable.items():
            self._warn_of_folder(
                f"{path}: {reason}",
                "path_unreadable",
                path=path,
                reason=reason,
                remedy="give the dag-processor's user the right to read it",
            )
        for problem in listing.problems:
            self._warn_of_folder(problem, "ignore_file_error", problem=problem)
        self._remove_files(missing.deleted)
        kept_folders = {os.path.dirname(path) for files in missing.unknown.values() for path in files} | set(
            missing.unknown
        )
        self.folders = {
            path: identity
            for path, identity in self.folders.items()
            if not f"{path}/".startswith(below) or path in kept_folders
        }
        self.folders |= {path: identity for path, identity in listing.folders.items() if path not in kept_folders}
        return set(listing.files)

    def _remove_files(self, paths: list[str]) -> None:
        if not paths:
            return
        try:
            again = self._registry.remove_files(paths)
        except RegistryUnavailable as error:
            self._warn_of_store(str(error))
            return  # they are still recorded: the next listing tries again
        for path in paths:
            self.queue.remove_file(path)
            self._installs.forget(path)
            self._recorded.pop(path, None)
        self._unrecorded = [parsed for parsed in self._unrecorded if parsed.path not in set(paths)]
        _log.info("files_removed", files=len(paths), first=paths[0])
        self._enqueue_again(again)

    def _enqueue_after_install(self, now: float) -> float | None:
        """Queue the files that could not be imported after an installation; returns when to check next, None for never."""
        failed = self.queue.failed_imports()
        if failed and now >= self._next_install_check_at:
            self._next_install_check_at = now + LOOK_S
            for path in self._installs.to_parse(failed):
                self.queue.enqueue(path)
        return self._next_install_check_at if failed else None

    def _enqueue_stale(self, now: float) -> None:
        """Queue the files that the store wants parsed again, for example because a DAG was deleted whose file still exists."""
        self._next_stale_check_at = now + STALE_CHECK_S
        try:
            stale = self._registry.list_stale()
        except RegistryUnavailable as error:
            self._warn_of_store(str(error))
            return
        under_way = {parsed.path for parsed in self._unrecorded} | set(self._pool.running())
        self._enqueue_again(stale - under_way)

    def _enqueue_again(self, paths: Iterable[str]) -> None:
        """Queue these files, and record their outcomes even when nothing has changed."""
        for path in paths:
            self._recorded.pop(path, None)
            self.queue.enqueue(path)

    def _is_below_root(self, path: str) -> bool:
        return any(path.startswith(os.path.join(root.folder, "")) for root in self._bundles.roots())

    def _record(self, now: float) -> None:
        if not self._unrecorded or now < self._next_record_at():
            return
        try:
            again = self._registry.record_outcomes(self._unrecorded)
        except RegistryUnavailable as error:
            self._next_record_at_least = now + STORE_RETRY_S
            self._warn_of_store(str(error))
            return
        self._store_warnings.clear()
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
        """A slow parse frees its slot without an event: check again in a second while files wait."""
        return now + 1.0 if self.queue.has_waiting() else None

    def _warn_of_folder(self, key: str, event: str, **fields: object) -> None:
        """Log a warning; a repeated key is logged again only after a listing without it."""
        if key not in self._last_folder_warnings and key not in self._folder_warnings:
            _log.warning(event, **fields)
        self._folder_warnings.add(key)

    def _warn_of_store(self, error: str) -> None:
        """Log a warning, once until the store records something."""
        if error not in self._store_warnings:
            self._store_warnings.add(error)
            _log.warning("database_unavailable", error=error)


def _outcome_digest(parsed: ParsedFile) -> bytes:
    """A digest of the parts of an outcome that the store records."""
    recorded_parts = (parsed.inputs.input_hash, parsed.inputs.fresh, parsed.dags, parsed.failures, parsed.warnings)
    return hashlib.sha256(msgspec.msgpack.encode(recorded_parts)).digest()


def _log_outcome(parsed: ParsedFile) -> None:
    seconds = round(parsed.duration_s, 3)
    for failure in parsed.failures:
        _log.warning("dag_file_failed", path=parsed.path, kind=failure.kind, message=failure.message, seconds=seconds)
    if parsed.dags:
        _log.info("dag_file_parsed", path=parsed.path, dags=len(parsed.dags), seconds=seconds)
