"""Hears of changes below the folders at once. A lost event is found by the next sweep; without a watch only sweeps find them."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable

import watchfiles
from watchfiles import Change

from gnomon import log

QUIET_MS = 50
"""Changes are told once so long nothing more has changed."""
AT_MOST_MS = 400
"""Changes that go on are told after so long."""
TURN_MS = 500
"""So often the thread looks whether it is to end."""
_IGNORED_PARTS = ("/__pycache__/", "/.git/", "/.hg/", "/.svn/", "/.idea/", "/.vscode/")
_IGNORED_ENDS = (".pyc", ".pyo", ".swp", ".swx", "~", ".tmp")
_log = log.get("dagfiles.watch")


class Watch:
    """Listens in a thread of this process, which therefore must not fork."""

    def __init__(self, folders: Iterable[str]) -> None:
        self.folders = tuple(sorted({folder for folder in folders if os.path.isdir(folder)}))
        self._woken, self._waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._lock = threading.Lock()
        self._changed: set[str] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="gnomon-watch", daemon=True)
        if self.folders:
            self._thread.start()

    def fileno(self) -> int:
        """Readable when `take` has something."""
        return self._woken

    def take(self) -> set[str]:
        """The paths that changed since the last call; the watched folders themselves once the watch has begun.

        What changed between the last look at the folders and that moment went unheard: look again then.
        """
        with contextlib.suppress(BlockingIOError):
            os.read(self._woken, 4096)
        with self._lock:
            changed, self._changed = self._changed, set()
        return changed

    def close(self) -> None:
        """The thread has ended."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        os.close(self._woken)
        os.close(self._waker)

    def _listen(self) -> None:
        begun = False
        try:
            for changes in watchfiles.watch(
                *self.folders, watch_filter=_matters, debounce=AT_MOST_MS, step=QUIET_MS, stop_event=self._stop,
                rust_timeout=TURN_MS, yield_on_timeout=True, raise_interrupt=False, ignore_permission_denied=True,
            ):
                self._tell({path for _, path in changes} if begun else set(self.folders))
                begun = True
        except Exception as error:  # the edge of a thread: whatever the system refuses, sweeps go on
            _log.warning("watch_ended", folders=list(self.folders), error=str(error),
                         remedy="changes are found by sweeps; for inotify limits raise fs.inotify.max_user_watches")

    def _tell(self, paths: set[str]) -> None:
        if paths:
            with self._lock:
                self._changed |= paths
            with contextlib.suppress(BlockingIOError):
                os.write(self._waker, b"!")


def _matters(_: Change, path: str) -> bool:
    return not path.endswith(_IGNORED_ENDS) and not any(part in path for part in _IGNORED_PARTS)
