"""Services of a standalone that have no process until they are needed: the triggerer and the monitor by a mark, the api-server by a connection."""

from __future__ import annotations

import os
import select
import socket
from dataclasses import dataclass

from gnomon.ground.config import Config, run_folder
from gnomon.ground.wakeups import Listener, StopFlag
from gnomon.ground.wakeups.service_mark import MONITOR_FOLDER, ServiceMark

_LOOK_S = 5.0
"""Between two looks of a waiting service at its stop flag and the mark, if nothing wakes it."""


@dataclass(frozen=True, slots=True)
class ServiceOnDemand:
    """A service that a standalone starts on demand."""

    folder: str
    """Subfolder of the run folder: the waiting service, and later the running one, listens in it."""


TRIGGERER = ServiceOnDemand("triggerers")
MONITOR = ServiceOnDemand(MONITOR_FOLDER)


class OnDemandStart(ServiceMark):
    """The mark that a service is needed, and the wake-ups of processes that wait for the mark."""

    def __init__(self, cfg: Config, service: ServiceOnDemand) -> None:
        super().__init__(run_folder(cfg.home), service.folder)

    def wait(self) -> bool:
        """Wait for the mark, until SIGTERM or Ctrl-C; True if the service is needed."""
        demand, stop = MarkDemand(self), StopFlag().install_handlers()
        try:
            while not stop() and not demand.is_needed():  # a signal that arrives just before `select` does not end it
                select.select([demand.fileno(), stop.fileno()], [], [], _LOOK_S)
            return not stop()
        finally:
            demand.close()
            stop.close()


class MarkDemand:
    """The demand for a service whose mark somebody sets."""

    def __init__(self, start: OnDemandStart) -> None:
        self._start = start
        self._listener = Listener(start.folder, f"waiting-{os.getpid()}")

    def fileno(self) -> int:
        """Readable after a wake-up."""
        return self._listener.fileno()

    def is_needed(self) -> bool:
        """Whether the mark is set."""
        self._listener.drain()
        return self._start.is_marked()

    def leave_in_fork(self) -> None:
        """Close what a forked process has of it."""
        self._listener.leave_in_fork()

    def close(self) -> None:
        """Nobody waits for the mark any more."""
        self._listener.close()


class ConnectionDemand:
    """The demand for a service that answers connections to a socket: somebody has connected, and nobody has accepted."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener

    def fileno(self) -> int:
        """Readable while a connection waits."""
        return self._listener.fileno()

    def is_needed(self) -> bool:
        """Whether a connection waits."""
        return bool(select.select([self._listener.fileno()], [], [], 0)[0])

    def leave_in_fork(self) -> None:
        """The socket is not its own: whoever made it closes it."""

    def close(self) -> None:
        """As `leave_in_fork`."""
