"""A lock that allows one process of a kind per home; the system releases it when the process ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

LOCK_SUFFIX = ".lock"
DAG_PROCESSOR_LOCK = "dag-processor"


class ProcessLock:
    """The lock `name` in the run folder. It is a record lock: forked children do not share it."""

    def __init__(self, run_folder: Path, name: str) -> None:
        self._descriptor = os.open(
            Path(run_folder) / f"{name}{LOCK_SUFFIX}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )

    def acquire(self, wait: bool) -> bool:
        """Take the lock; False when another process holds it and `wait` is False."""
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """Release the lock."""
        os.close(self._descriptor)
