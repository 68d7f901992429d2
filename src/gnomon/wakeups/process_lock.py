"""One process of a kind in a home: held while it lives, gone when it dies."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

LOCK_SUFFIX = ".lock"
DAG_PROCESSOR_LOCK = "dag-processor"


class ProcessLock:
    """This process is the one of that name in the run folder. A record lock: children that are forked do not share it."""

    def __init__(self, run_folder: Path, name: str) -> None:
        self._descriptor = os.open(Path(run_folder) / f"{name}{LOCK_SUFFIX}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def acquire(self, wait: bool) -> bool:
        """It is held; False when another process holds it and `wait` is not set."""
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """It is no longer held."""
        os.close(self._descriptor)
