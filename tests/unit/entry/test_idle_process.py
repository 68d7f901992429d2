"""A projection in a process of its own ends with the process that asked, however that ends."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S

from gnomon.entry.projection import idle_process
from gnomon.entry.projection.idle_process import IDLE, run_idle


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_it_gets_only_what_no_other_process_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter((7, 8))  # of a machine that has idle moments, which that of tests may lack
    monkeypatch.setattr(idle_process, "_read_idle_ticks", lambda: next(ticks))
    assert run_idle(lambda: (os.sched_getscheduler(0), os.nice(0))) == (os.SCHED_IDLE, IDLE)
    assert os.sched_getscheduler(0) != os.SCHED_IDLE


def test_the_process_of_a_projection_is_killed_with_the_one_that_asked(tmp_path: Path) -> None:
    file = tmp_path / "pid"

    def compute() -> None:
        file.with_suffix(".part").write_text(str(os.getpid()))
        file.with_suffix(".part").rename(file)
        time.sleep(600)

    asking = os.fork()
    if asking == 0:
        try:
            run_idle(compute)
        finally:
            os._exit(1)
    deadline = time.monotonic() + PATIENCE_S
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    computing = int(file.read_text())
    assert _is_alive(computing)
    os.kill(asking, signal.SIGKILL)
    os.waitpid(asking, 0)
    while _is_alive(computing) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _is_alive(computing)
