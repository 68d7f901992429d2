"""Cleans a home: rows of the database and files of logs that are older than their retention, with pauses for running work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.log.confined_files import ConfinedFile, list_files, list_folders, remove_empty_folder
from gnomon.model.instants import SECOND, Instant, add_seconds
from gnomon.storage.remote_logs.live_copies import LIVE
from gnomon.storage.remote_logs.task_log_folder import COPIES
from gnomon.storage.remote_logs.upload_spool import list_unsent_logs
from gnomon.storage.store import Database
from gnomon.storage.store.housekeeping import retention
from gnomon.storage.store.housekeeping.retention import Retention

LOGS = "logs"
TABLES = (*retention.TABLES, LOGS)
DEFAULT_TABLES = ("runs", "events", "alerts", "asset_events", "dag_versions", LOGS)
PAUSE_SHARE = 2.0
"""After each transaction the clean pauses for this multiple of the time that the transaction took, so that others get their turn."""
PAUSE_MIN_S = 0.02
FILES_PER_PAUSE = 500
LOG_FILES = (
    "dag_id=*/run_id=*/*.log",
    "asset_watchers/*.log",
    f"{COPIES}/dag_id=*/run_id=*/*.log",
    f"{LIVE}/dag_id=*/run_id=*/*.log",
)
"""The files below the folder of the logs that Gnomon wrote (`gnomon.model.attempts` builds their paths), and copies of remote and of running ones."""
LOG_FOLDERS = (
    "dag_id=*/run_id=*",
    "dag_id=*",
    "asset_watchers",
    f"{COPIES}/dag_id=*/run_id=*",
    f"{COPIES}/dag_id=*",
    f"{LIVE}/dag_id=*/run_id=*",
    f"{LIVE}/dag_id=*",
)
"""The folders in which these files are, the inner ones first."""
_log = log.get_logger("app")


@dataclass(frozen=True, slots=True)
class CleanedTable:
    """How much of a table was deleted, or would be."""

    table: str
    deleted: int


class Housekeeping:
    """One clean. `sleep` is called with seconds between transactions; `stop` ends the clean early."""

    def __init__(
        self,
        db: Database,
        logs_folder: Path,
        clock: Clock,
        sleep: Callable[[float], object],
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._db = db
        self._logs_folder = logs_folder
        self._clock = clock
        self._sleep = sleep
        self._stop = stop

    def run(
        self, older_than_s: float, keep_last: int, tables: Iterable[str], *, dry_run: bool = False
    ) -> list[CleanedTable]:
        """Delete what ended more than `older_than_s` seconds ago; with `dry_run`, only count it."""
        limits = Retention(add_seconds(self._clock.now(), -older_than_s), keep_last)
        return [CleanedTable(table, self._clean(table, limits, dry_run)) for table in tables]

    def _clean(self, table: str, limits: Retention, dry_run: bool) -> int:
        if table == LOGS:
            return self._clean_logs(limits.before, dry_run)
        if table != "runs":
            if dry_run:
                return retention.count_expired_rows(self._db, table, limits)
            return self._repeat(retention.prepare_deletion(self._db, table, limits))
        histories = retention.list_histories(self._db)
        if dry_run:
            return sum(retention.count_expired_runs(self._db, history, limits) for history in histories)
        return sum(
            self._repeat(partial(retention.delete_expired_runs, self._db, history, limits))
            for history in histories
            if history.ended > limits.keep_last
        )

    def _repeat(self, delete: Callable[[], int]) -> int:
        """Call `delete` until nothing is left, with pauses; returns the total."""
        total = 0
        while not self._stop():
            began = self._clock.monotonic()
            deleted = delete()
            if not deleted:
                break
            total += deleted
            self._sleep(max(PAUSE_MIN_S, PAUSE_SHARE * (self._clock.monotonic() - began)))
        return total

    def _clean_logs(self, before: Instant, dry_run: bool) -> int:
        """Delete log files that were written last before an instant, and folders that this leaves empty. A log that is not uploaded yet stays."""
        count = 0
        unsent = list_unsent_logs(self._logs_folder)
        for file in _list_old_files(self._logs_folder, before / SECOND):
            if self._stop():
                break
            if file.relative in unsent:
                continue
            if not dry_run:
                try:
                    file.unlink(missing_ok=True)
                except OSError as error:  # such as a file of another user: the others are deleted all the same
                    _log.warning("log_file_not_deleted", path=str(file), error=error.strerror)
                    continue
            count += 1
            if dry_run:
                continue
            if count % FILES_PER_PAUSE == 0:
                self._sleep(PAUSE_MIN_S)
        if not dry_run:
            _remove_empty_folders(self._logs_folder, before / SECOND)
        return count


def _list_old_files(folder: Path, before_s: float) -> Iterator[ConfinedFile]:
    """Log files of attempts, callbacks and watchers that were written last before an instant, and old links in their places; other files in the folder are not Gnomon's."""
    for pattern in LOG_FILES:
        for file in list_files(folder, pattern):
            try:
                if file.changed_s() < before_s:
                    yield file
            except FileNotFoundError:
                continue


def _remove_empty_folders(folder: Path, before_s: float) -> None:
    """Remove empty folders that were changed last before an instant: a task may be about to write into a newer one."""
    for pattern in LOG_FOLDERS:
        for empty in list_folders(folder, pattern):
            try:
                remove_empty_folder(empty, before_s)
            except OSError:
                continue  # it is not empty, or is gone
