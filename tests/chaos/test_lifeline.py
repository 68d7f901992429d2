"""When a worker is known to be dead: when it and everything it started are gone, and not before."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.workerworld import WorkerWorld, until

from gnomon.author_code.processes import lifeline
from gnomon.services.executors.interface import WorkerDied

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
SLOW_TO_LEAVE = """
signal.signal(signal.SIGTERM, lambda *_: None)
open(os.environ["GNOMON_HOME"] + "/child", "w").write(str(os.getpid()))
while True: time.sleep(1)
"""


@pytest.fixture
def doomed(tmp_path: Path) -> Iterator[WorkerWorld]:
    world = WorkerWorld(tmp_path / "w")
    yield world
    if world.process.poll() is None:
        world.process.send_signal(signal.SIGCONT)
    world.close()


def runs_code(pid: int) -> bool:
    """The process has memory. The kernel takes that from a process that ends before it closes its files, which frees the lifeline; the process itself goes later."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_killed_worker_is_gone_when_its_last_child_is(doomed: WorkerWorld) -> None:
    attempt = doomed.attempt(doomed.dag("stays", SLOW_TO_LEAVE))
    doomed.executor.submit(doomed.worker_id, [attempt])
    doomed.entered(attempt)
    until(lambda: (doomed.home / "child").exists() and (doomed.home / "child").read_text() != "", "the child's note")
    child = int((doomed.home / "child").read_text())
    doomed.process.kill()
    doomed.process.wait()
    os.kill(child, 0)
    assert not lifeline.is_lifeline_free(doomed.address)

    def told() -> bool:
        was_running = runs_code(child)
        doomed.executor.refresh([doomed.record()])
        gone = WorkerDied(doomed.worker_id) in doomed.executor.poll_events()
        assert not (gone and was_running and runs_code(child)), "declared dead while its task still ran"
        return gone

    until(told, "the word that the worker is gone")
    assert not runs_code(child)
    doomed.executor.refresh([])
    assert not Path(doomed.address).exists()
    assert not lifeline.lifeline_path(doomed.address).exists()


def test_a_frozen_worker_and_one_on_another_host_are_not_gone(doomed: WorkerWorld) -> None:
    doomed.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, doomed.process.pid, os.WSTOPPED | os.WNOWAIT)
    elsewhere = "/nowhere/worker-1.sock"
    doomed.executor.refresh([doomed.record()])
    assert not [event for event in doomed.executor.poll_events() if isinstance(event, WorkerDied)]
    assert not lifeline.is_lifeline_free(doomed.address)
    assert not lifeline.is_lifeline_free(elsewhere)


def test_a_worker_that_ends_in_order_leaves_no_files(doomed: WorkerWorld) -> None:
    assert lifeline.lifeline_path(doomed.address).exists()
    assert doomed.close() == 0
    assert not lifeline.lifeline_path(doomed.address).exists()
    assert not Path(doomed.address).exists()
