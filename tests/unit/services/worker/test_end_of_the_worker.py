"""A worker that ends, in order or not, leaves no process behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.workerworld import WorkerWorld, alive, family, until
from tests.patience import PATIENCE_S

from gnomon.model.attempts import Attempt

TIDY = """
import subprocess
sleep = subprocess.Popen(["sleep", "600"])
try:
    open(os.environ["GNOMON_HOME"] + "/sleeps", "w").close()
    sleep.wait()
finally:
    print("tidied up", flush=True)
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WorkerWorld]:
    made = WorkerWorld(tmp_path)
    yield made
    made.close()


def _running(world: WorkerWorld, name: str, body: str) -> tuple[Attempt, set[int]]:
    attempt = world.attempt(world.dag(name, body))
    world.executor.submit(world.worker_id, [attempt])
    world.entered(attempt)
    return attempt, set(family(world.process.pid))


def test_sigterm_gives_tasks_their_grace_and_ends_everything(world: WorkerWorld) -> None:
    attempt, _ = _running(world, "tidy", TIDY)
    until((world.home / "sleeps").exists, "the sleep runs")
    processes = set(family(world.process.pid))
    world.process.send_signal(signal.SIGTERM)
    result = world.result_of(attempt)
    assert (result.outcome, result.reason) == ("lost", "the worker was stopped (SIGTERM)")
    assert world.process.wait(PATIENCE_S) == 0
    assert "tidied up" in world.log_of(attempt)
    until(lambda: not any(alive(pid) for pid in processes), "every process is gone")


def test_sigterm_ends_a_task_that_ignores_it(tmp_path: Path) -> None:
    world = WorkerWorld(tmp_path, stop_grace_s=1.0)
    _, processes = _running(
        world, "deaf", "while True:\n    try:\n        time.sleep(600)\n    except BaseException:\n        pass"
    )
    world.process.send_signal(signal.SIGTERM)
    assert world.process.wait(PATIENCE_S) == 0
    until(lambda: not any(alive(pid) for pid in processes), "every process is gone")
    world.close()


def test_a_worker_that_is_killed_takes_its_tasks_along(world: WorkerWorld) -> None:
    _, processes = _running(world, "left", "time.sleep(600)")
    os.kill(world.process.pid, signal.SIGKILL)
    world.process.wait(PATIENCE_S)
    until(lambda: not any(alive(pid) for pid in processes), "every process is gone")


def test_what_waits_in_the_queue_is_lost_without_having_entered(tmp_path: Path) -> None:
    world = WorkerWorld(tmp_path / "narrow", slots=1)
    file = world.dag("queue", "time.sleep(600)")
    first, second = world.attempt(file), world.attempt(file)
    world.executor.submit(world.worker_id, [first, second])
    world.entered(first)
    world.process.send_signal(signal.SIGTERM)
    result = world.result_of(second)
    assert (result.outcome, result.entered) == ("lost", False)
    world.close()
