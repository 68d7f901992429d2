"""The mark that a service of a standalone is needed which has no process until then."""

from __future__ import annotations

from pathlib import Path

from gnomon.ground.wakeups.notifications import Notifier

MONITOR_FOLDER = "monitors"
"""Subfolder of the run folder for the mark of the monitor."""
_NEEDED_FILE = "wanted"


class ServiceMark:
    """The mark, and the wake-ups of processes that wait for it."""

    def __init__(self, run_folder: Path, subfolder: str) -> None:
        self.folder: Path = run_folder / subfolder
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

    def is_marked(self) -> bool:
        """Whether the service is needed."""
        return self._mark.exists()
