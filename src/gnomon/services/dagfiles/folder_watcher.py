"""Watches the folders for changes (inotify). The regular listing finds changes whose events are lost."""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
from collections.abc import Iterable, Mapping

import watchfiles
from watchfiles import Change

from gnomon.ground import log
from gnomon.services.dagfiles.discovery import FolderIdentity

STEP_MS = 200
"""Changes are reported when nothing more has changed for this time; the thread of the library wakes as often."""
DEBOUNCE_MS = 400
"""Continuous changes are reported after this time at the latest."""
STOP_CHECK_MS = 1000
"""Interval at which the thread checks whether it must end."""
_IGNORED_PARTS = ("/__pycache__/", "/.git/", "/.hg/", "/.svn/", "/.idea/", "/.vscode/")
_IGNORED_ENDS = (".pyc", ".pyo", ".swp", ".swx", "~", ".tmp")
_log = log.get_logger("dagfiles.watch")


class WatchThread:
    """Watches in a thread of this process; a process with this thread must not fork."""

    def __init__(self, folders: Iterable[str]) -> None:
        self.folders = tuple(sorted({folder for folder in folders if os.path.isdir(folder)}))
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._lock = threading.Lock()
        self._changed: set[str] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="gnomon-watch", daemon=True)
        if self.folders:
            self._thread.start()

    def fileno(self) -> int:
        """Readable when `take_changes` has something to return."""
        return self._wake_read

    def take_changes(self) -> set[str]:
        """The paths that changed since the last call; when the watch has just begun, the watched folders themselves.

        Changes between the last listing and that moment are not reported, so list the folders again then.
        """
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake_read, 4096)
        with self._lock:
            changed, self._changed = self._changed, set()
        return changed

    def close(self) -> None:
        """End the thread and close the descriptors."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _listen(self) -> None:
        begun = False
        try:
            for changes in watchfiles.watch(
                *self.folders,
                watch_filter=_is_relevant,
                debounce=DEBOUNCE_MS,
                step=STEP_MS,
                stop_event=self._stop,
                rust_timeout=STOP_CHECK_MS,
                yield_on_timeout=True,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                self._publish({path for _, path in changes} if begun else set(self.folders))
                begun = True
        except Exception as error:  # thread edge: without a watch, regular listings find changes
            _log.warning(
                "folder_watch_failed",
                folders=list(self.folders),
                error=str(error),
                remedy="changes are found by regular listings only; if the limit of inotify is reached, raise fs.inotify.max_user_watches",
            )

    def _publish(self, paths: set[str]) -> None:
        if paths:
            with self._lock:
                self._changed |= paths
            with contextlib.suppress(BlockingIOError):
                os.write(self._wake_write, b"!")


def _is_relevant(_: Change, path: str) -> bool:
    return not path.endswith(_IGNORED_ENDS) and not any(part in path for part in _IGNORED_PARTS)


class FolderWatcher:
    """Watches these folders; a folder that is replaced by another (a mount, a changed link) is watched again."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = tuple(dict.fromkeys(folders))
        self._selector = selectors.DefaultSelector()
        self._watched_state: tuple[object, ...] = ()
        self._thread: WatchThread | None = None

    def fileno(self) -> int:
        """Readable when `take_changes` has something to return."""
        return self._selector.fileno()

    def update_folders(self, listed: Mapping[str, FolderIdentity]) -> None:
        """Watch the folders that exist now, and folders that links inside them lead to. `listed`: folders with their identities."""
        links = [folder for folder in listed if os.path.islink(folder)]
        folders = [*self._folders, *links]
        state = tuple((folder, listed.get(folder), os.path.isdir(folder)) for folder in folders)
        if state == self._watched_state:
            return
        self._watched_state = state
        self._close_watch()
        self._thread = WatchThread(folders)
        self._selector.register(self._thread, selectors.EVENT_READ)

    def take_changes(self) -> list[str]:
        """The paths that changed since the last call."""
        return list(self._thread.take_changes()) if self._thread is not None else []

    def close(self) -> None:
        """Stop watching."""
        self._close_watch()
        self._selector.close()

    def _close_watch(self) -> None:
        if self._thread is not None:
            self._selector.unregister(self._thread)
            self._thread.close()
            self._thread = None
