"""Another process, forked from the test's, that has done something and stays."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def another_process(do: Callable[[], object]) -> Iterator[int]:
    """The pid of a process that has done it, and sleeps; afterwards it is gone. An error in it is printed, and fails the test."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            do()
            os.write(writing, b"!")
            while True:
                signal.pause()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        assert told.read(1) == b"!"
    try:
        yield pid
    finally:
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
