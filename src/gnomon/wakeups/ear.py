"""The side that is woken."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from gnomon.wakeups.bell import SUFFIX

_DRAIN_MAX = 10_000
"""A drain reads at most so many wake-ups; the rest wakes again."""


class Ear:
    """A descriptor that becomes readable when somebody rings. `name` is this listener's own among those of the host."""

    def __init__(self, run_folder: Path, name: str) -> None:
        self._path = Path(run_folder) / f"{name}{SUFFIX}"
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
