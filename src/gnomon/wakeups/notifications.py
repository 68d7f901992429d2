"""The side that wakes."""

from __future__ import annotations

import os
import socket
from pathlib import Path

SOCKET_SUFFIX = ".wake"
"""Sockets of listeners end so."""


class Notifier:
    """Wakes every listener of the host. It holds no descriptor between rings, so it may live through a fork."""

    def __init__(self, run_folder: Path, db_url: str = "") -> None:
        self._folder = Path(run_folder)
        self.db_url = db_url
        """Who listens on other hosts is told by the database itself (`store.wake`)."""

    def notify(self) -> int:
        """Every listener was woken, and sockets that nobody listens on are gone; returns how many heard it. Never blocks, never raises."""
        try:
            paths = [entry.path for entry in os.scandir(self._folder) if entry.name.endswith(SOCKET_SUFFIX)]
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
"""A drain reads at most so many wake-ups; the rest wakes again."""


class Listener:
    """A descriptor that becomes readable when somebody rings. `name` is this listener's own among those of the host."""

    def __init__(self, run_folder: Path, name: str) -> None:
        self._path = Path(run_folder) / f"{name}{SOCKET_SUFFIX}"
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
        """Nothing is left to read; True when somebody had rung."""
        rung = False
        for _ in range(_DRAIN_MAX):
            try:
                self._socket.recv(16)
            except BlockingIOError:
                break
            rung = True
        return rung

    def close(self) -> None:
        """The socket is gone; closing twice is no error."""
        self._socket.close()
        self._path.unlink(missing_ok=True)
