"""What Linux tells of a family of processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S

from gnomon.processes import kernel, termination


@pytest.fixture
def defunct() -> Iterator[int]:
    """A child that has ended and was not reaped."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    yield pid
    os.waitpid(pid, 0)


@pytest.fixture
def living() -> Iterator[int]:
    """A child that lives, and its own child, which is not ours."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        if os.fork() == 0:
            os.write(writes, b"!")
        signal.alarm(int(PATIENCE_S))
        signal.pause()
        os._exit(1)
    assert os.read(reads, 1) == b"!"
    os.close(reads)
    os.close(writes)
    yield pid
    termination.kill_with_group(pid)
    os.waitpid(pid, 0)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="/proc tells nothing here")
def test_children_are_found_by_either_way_those_that_have_ended_too(defunct: int, living: int) -> None:
    assert {defunct, living} <= set(kernel.own_children())
    assert set(kernel.scan_own_children()) == set(kernel.own_children())


def test_a_kernel_without_a_list_of_children_is_asked_for_each_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "_CHILDREN", "/proc/nowhere/{pid}")
    monkeypatch.setattr(kernel, "scan_own_children", lambda: [7])
    assert kernel.own_children() == [7]
