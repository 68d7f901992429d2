"""Services of a standalone that start when they are needed first: the triggerer and the monitor."""

from __future__ import annotations

import os
import select
from dataclasses import dataclass
from pathlib import Path

from gnomon.ground.config import Config, run_folder
from gnomon.ground.wakeups import Listener, Notifier, StopFlag

_NEEDED_FILE = "wanted"
_LOOK_S = 5.0
"""Between two looks of a waiting service at its stop flag and the mark, if nothing wakes it."""


@dataclass(frozen=True, slots=True)
class ServiceOnDemand:
    """A service that a standalone starts on demand."""

    folder: str
    """Subfolder of the run folder: the waiting service, and later the running one, listens in it."""


TRIGGERER = ServiceOnDemand("triggerers")
MONITOR = ServiceOnDemand("monitors")


class OnDemandStart:
    """The mark that a service is needed, and the wake-ups of processes that wait for the mark."""

    def __init__(self, cfg: Config, service: ServiceOnDemand) -> None:
        self.folder: Path = run_folder(cfg.home) / service.folder
        """The folder of the mark and of the listeners; it is created."""
        self.folder.mkdir(exist_ok=True)
        self._mark = self.folder / _NEEDED_FILE
        self._notifier = Notifier(self.folder)

    def notify(self) -> None:
        """Set the mark and wake every listener in the folder."""
        self._mark.touch()
        self._notifier.notify()

    def clear_mark(self) -> None:
        """Remove the mark of an earlier standalone; the scheduler sets the mark again when the service is still needed."""
        self._mark.unlink(missing_ok=True)

    def wait(self) -> bool:
        """Wait for the mark, until SIGTERM or Ctrl-C; True if the service is needed."""
        listener = Listener(self.folder, f"waiting-{os.getpid()}")
        stop = StopFlag().install_handlers()
        try:
            while not stop() and not self._mark.exists():
                select.select(
                    [listener.fileno(), stop.fileno()], [], [], _LOOK_S
                )  # a signal that arrives just before it does not end it
                listener.drain()
            return not stop()
        finally:
            listener.close()
            stop.close()
