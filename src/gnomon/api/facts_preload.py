"""`FactsPreload`: reads the facts of all DAGs after the start of an api-server, because the first request for the time line of home would wait for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from gnomon.ground import log
from gnomon.model.errors.product import GnomonError
from gnomon.queries.report.listings.dag_facts import KEPT_MAX, VersionFactsCache
from gnomon.storage.store import Database
from gnomon.storage.store.pages.dag_pages import decode_version, read_version_rows

BEGIN_S = 1.0
"""The first requests come first."""
BATCH = 16
"""DAGs that are read at once: some milliseconds in which requests share the interpreter with the thread."""
REST_RATIO = 5
"""After each batch the thread rests for so many times its duration."""
RETRY_S = 5.0
ATTEMPTS_MAX = 12
"""When the database does not answer for a minute, the first request reads the facts."""
_log = log.get_logger("api")


class FactsPreload:
    """A thread that reads the facts once and ends."""

    def __init__(self, facts: VersionFactsCache, find_database: Callable[[], Database]) -> None:
        """`find_database`: opens the database, or raises GnomonError."""
        self._facts = facts
        self._find_database = find_database
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="facts-preload", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, at_most_s: float) -> None:
        """Have the thread end, and wait for it at most so long."""
        self._stopped.set()
        self._thread.join(at_most_s)

    def _run(self) -> None:
        pause_s = BEGIN_S
        for _ in range(ATTEMPTS_MAX):
            if self._stopped.wait(pause_s):
                return
            try:
                self.load()
            except GnomonError as error:
                _log.debug("facts_not_preloaded", error=str(error), again_in_s=RETRY_S)
                pause_s = RETRY_S
            except Exception as error:  # a row that cannot be read: the request that needs it says so
                _log.warning("facts_preload_failed", error=repr(error), next="the first request reads the facts")
                return
            else:
                return

    def load(self) -> None:
        """Read the facts of all DAGs, batch by batch. Returns early when the thread is stopped, and at once when there are more than are kept in memory."""
        with self._find_database().read() as tx:
            rows = read_version_rows(tx)
        if len(rows) > KEPT_MAX:
            return
        for first in range(0, len(rows), BATCH):
            began = time.monotonic()
            with self._find_database().read() as tx:
                self._facts.find(tx, [decode_version(row) for row in rows[first : first + BATCH]])
            if self._stopped.wait(REST_RATIO * (time.monotonic() - began)):
                return
        with self._find_database().read() as tx:
            self._facts.find_all(tx)
