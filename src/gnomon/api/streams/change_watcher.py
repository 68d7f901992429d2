"""`ChangeWatcher`: the thread that reads the journal of changes for all streams of the process, while there are any."""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.ground import log
from gnomon.ground.wakeups import CHANGES_SUFFIX, Listener
from gnomon.model.errors.product import ConfigurationError, ResourceUnavailable
from gnomon.queries.report.activity.change_feed import ChangeEvent, ChangeFeed
from gnomon.storage.store import Database

if TYPE_CHECKING:
    from gnomon.storage.store.drivers.postgres import NotifyListener

ROWS_BACK = 2_000
"""Rows of the journal that are read at the start, for clients that continue an earlier stream."""
SWEEP_S = 1.0
"""Without a notification the journal is read this often: a notification may be lost, and commands send none."""
READS_APART_S = 0.02
"""Between two reads, so that many small commits become few pieces of data."""
KEY_MISSING_WAIT_S = 0.005
"""How long to wait for a transaction that has a key and has not ended."""
RETRY_S = 1.0
_log = log.get_logger("api")


class ChangeWatcher:
    """Calls `publish` in its thread with the changes of each read, and True if changes before them were lost."""

    def __init__(
        self,
        find_database: Callable[[], Database],
        run_folder: Path,
        feed: ChangeFeed,
        publish: Callable[[Sequence[ChangeEvent], bool], object],
    ) -> None:
        self._find_database = find_database
        self._run_folder = run_folder
        self._feed = feed
        self._publish = publish
        self._listener: Listener | None = None
        self._notifications: NotifyListener | None = None
        self._has_begun = False
        self._has_failed = False
        self._was_current = False
        self._is_unavailable = False
        self._stop_reading, self._stop_writing = os.pipe()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name="change-watcher", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Have the thread end soon; does not wait for it."""
        if not self._is_stopped:
            self._is_stopped = True
            os.close(self._stop_writing)

    def join(self, timeout_s: float) -> None:
        """Wait for the end of the thread, at most so long."""
        self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            while not self._is_stopped:
                try:
                    pause_s = self._look()
                    self._is_unavailable = False
                except (ResourceUnavailable, ConfigurationError) as error:
                    pause_s = self._on_unavailable(error)
                except Exception as error:  # a row that cannot be read must not stop all streams: pass over it, and have clients read anew
                    _log.error(
                        "change_watcher_failed", error=repr(error), next="streams continue with the newest changes"
                    )
                    self._has_begun, self._has_failed = False, True
                    pause_s = self._on_unavailable(None)
                self._sleep(pause_s)
        finally:
            self._close_listeners()
            os.close(self._stop_reading)

    def _look(self) -> float:
        """Reads once; returns after how many seconds to read again without a notification."""
        database = self._find_database()
        self._open_listeners(database)
        started = time.monotonic()
        with database.autocommit() as tx:
            if not self._has_begun:
                self._feed.begin(tx, 0 if self._has_failed else ROWS_BACK)
            events = self._feed.read_next(tx)
            has_lost = self._feed.has_lost or self._has_failed
        self._has_failed = False
        is_current = not self._feed.has_more
        if events or has_lost or self._feed.changed_accounts or (is_current and not self._was_current):
            self._publish(events, has_lost)
        self._has_begun, self._was_current = True, is_current
        if self._feed.has_more:
            return KEY_MISSING_WAIT_S
        if events:
            self._wait_for_stop(max(0.0, READS_APART_S - (time.monotonic() - started)))
        return SWEEP_S

    def _open_listeners(self, database: Database) -> None:
        if self._listener is None:
            self._listener = Listener(self._run_folder, f"api-{os.getpid()}-{id(self):x}", suffix=CHANGES_SUFFIX)
        if self._notifications is None:
            self._notifications = database.open_change_listener()

    def _close_listeners(self) -> None:
        if self._listener is not None:
            self._listener.close()
        if self._notifications is not None:
            self._notifications.close()
        self._listener = self._notifications = None

    def _on_unavailable(self, error: Exception | None) -> float:
        if error is not None and not self._is_unavailable:
            _log.warning("database_unavailable", error=str(error), next="streams of changes wait for the database")
        self._is_unavailable = True
        self._close_listeners()
        return RETRY_S

    def _sleep(self, pause_s: float) -> None:
        sources = [source for source in (self._listener, self._notifications) if source is not None]
        select.select([self._stop_reading, *sources], [], [], pause_s)
        if self._listener is not None:
            self._listener.drain()
        if self._notifications is not None:
            try:
                self._notifications.poll()
            except ResourceUnavailable:
                self._notifications = None

    def _wait_for_stop(self, pause_s: float) -> None:
        select.select([self._stop_reading], [], [], pause_s)
