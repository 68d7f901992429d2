"""Wakes processes of this host through datagram sockets: a Notifier wakes every Listener in a run folder."""

from __future__ import annotations

import os
import socket
from pathlib import Path

SOCKET_SUFFIX = ".wake"
"""Suffix of the listeners' sockets."""
CHANGES_SUFFIX = ".changes"
"""Suffix of the sockets of listeners for commits that add to the journal of changes."""


class Notifier:
    """Wakes every listener of a run folder. Keeps no descriptor open between notifications, so it may be used after a fork."""

    def __init__(self, run_folder: Path, db_url: str = "", *, suffix: str = SOCKET_SUFFIX) -> None:
        self._folder = Path(run_folder)
        self._suffix = suffix
        self.db_url = db_url
        """Address of the database, which wakes listeners on other hosts (`store.notify_on_commit`)."""

    def notify(self) -> int:
        """Wake every listener and remove sockets without a listener; returns how many were woken. Never blocks, never raises."""
        try:
            paths = [entry.path for entry in os.scandir(self._folder) if entry.name.endswith(self._suffix)]
        except OSError:
            return 0
        if not paths:
            return 0
        try:
            sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        except OSError:
            return 0
        with sender:
            sender.setblocking(False)
            return sum(_send_wakeup(sender, path) for path in paths)


def change_notifier(run_folder: Path) -> Notifier:
    """Wakes the processes that wait for commits which add to the journal of changes (`open_database(announce_changes=...)`)."""
    return Notifier(run_folder, suffix=CHANGES_SUFFIX)


def _send_wakeup(sender: socket.socket, path: str) -> bool:
    try:
        sender.sendto(b"!", path)
    except BlockingIOError:
        return True  # its queue is full of wake-ups already
    except ConnectionRefusedError:
        _remove_socket(path)
        return False
    except OSError:
        return False
    return True


def _remove_socket(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


_DRAIN_MAX = 10_000
"""Wake-ups read by one drain; the rest makes the descriptor readable again."""


class Listener:
    """A descriptor that becomes readable when a Notifier of the same folder wakes it. `name` must be unique in the folder."""

    def __init__(self, run_folder: Path, name: str, *, suffix: str = SOCKET_SUFFIX) -> None:
        self._path = Path(run_folder) / f"{name}{suffix}"
        self._path.unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        try:
            self._socket.bind(os.fspath(self._path))
        except OSError as error:
            self._socket.close()
            raise OSError(f"cannot listen for wake-ups at {self._path}: {error}") from None

    def fileno(self) -> int:
        return self._socket.fileno()

    def drain(self) -> bool:
        """Read all wake-ups; True when there was any."""
        woken = False
        for _ in range(_DRAIN_MAX):
            try:
                self._socket.recv(16)
            except BlockingIOError:
                break
            woken = True
        return woken

    def leave_in_fork(self) -> None:
        """Close the descriptor in a fork of the process that listens."""
        self._socket.close()

    def close(self) -> None:
        """Close and remove the socket; closing twice is allowed."""
        self._socket.close()
        self._path.unlink(missing_ok=True)
