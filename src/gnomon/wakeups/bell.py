"""The side that wakes."""

from __future__ import annotations

import os
import socket
from pathlib import Path

SUFFIX = ".wake"
"""Sockets of listeners end so."""


class Bell:
    """Wakes every listener of the host. It holds no descriptor between rings, so it may live through a fork."""

    def __init__(self, run_folder: Path, db_url: str = "") -> None:
        self._folder = Path(run_folder)
        self.db_url = db_url
        """Who listens on other hosts is told by the database itself (`store.wake`)."""

    def ring(self) -> int:
        """Every listener was woken, and sockets that nobody listens on are gone; returns how many heard it. Never blocks, never raises."""
        try:
            paths = [entry.path for entry in os.scandir(self._folder) if entry.name.endswith(SUFFIX)]
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
            return sum(_wake(sender, path) for path in paths)


def _wake(sender: socket.socket, path: str) -> bool:
    try:
        sender.sendto(b"!", path)
    except BlockingIOError:
        return True  # its queue is full of wake-ups already
    except ConnectionRefusedError:
        _remove(path)
        return False
    except OSError:
        return False
    return True


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
