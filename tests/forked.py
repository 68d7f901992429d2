"""Another process, forked from the test's, that has done something and stays; and what keeps such forks possible."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from gnomon.author_code.processes.fork_safety import BREAKS_AFTER_FORK


class ForkGuard:
    """No test brings a library into its process that does not survive a fork: a later test that forks would hang there, or fail."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self) -> None:
        if found := _find_libraries():
            raise pytest.UsageError(
                f"a module of the tests imports {found}, which does not survive a fork: use it in a process of its own"
            )

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self) -> None:
        if found := _find_libraries():
            pytest.fail(
                f"This test, or one before it, imported {found}, which does not survive a fork: use it in a process of its own.",
                pytrace=False,
            )


def _find_libraries() -> str:
    return ", ".join(sorted(BREAKS_AFTER_FORK.keys() & sys.modules.keys()))


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
