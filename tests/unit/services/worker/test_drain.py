"""A worker that is told to end lets running attempts end by themselves, for a time."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.workerworld import WorkerWorld, alive, ended, family, until
from tests.patience import PATIENCE_S

from gnomon.model.attempts import Attempt

HOLDS = """
while not os.path.exists(os.environ["GNOMON_HOME"] + "/go"):
    time.sleep(0.02)
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WorkerWorld]:
    """A worker with one slot, which waits long for running attempts."""
    made = WorkerWorld(tmp_path, slots=1, shutdown_grace_s=PATIENCE_S)
    yield made
    made.process.send_signal(signal.SIGQUIT)
    made.close()


def _running(world: WorkerWorld, body: str = HOLDS) -> Attempt:
    attempt = world.attempt(world.dag("holds", body))
    world.executor.submit(world.worker_id, [attempt])
    world.entered(attempt)
    return attempt


def _said(world: WorkerWorld) -> str:
    """The line on the terminal. It comes after the worker refused new attempts."""
    assert world.process.stdout is not None
    return world.process.stdout.readline()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_running_attempt_ends_by_itself_and_what_waits_or_comes_goes_elsewhere(
    world: WorkerWorld, number: int
) -> None:
    running = _running(world)
    waiting, late = world.attempt(world.dag("waits", HOLDS)), world.attempt(world.dag("late", HOLDS))
    world.executor.submit(world.worker_id, [waiting])
    world.process.send_signal(number)
    assert _said(world) == (
        "Gnomon stops: 1 attempt runs and has 120 s to end ([workers] shutdown_grace). A second Ctrl-C or SIGTERM ends them at once.\n"
    )
    world.executor.submit(world.worker_id, [late])
    said = ended(world.wait(lambda events: len(ended(events)) == 2))
    assert {(said[one.attempt_id].outcome, said[one.attempt_id].entered) for one in (waiting, late)} == {
        ("lost", False)
    }
    (world.home / "go").touch()
    assert world.result_of(running).outcome == "success"
    assert world.process.wait(PATIENCE_S) == 0


def test_a_worker_without_attempts_ends_at_once_and_says_nothing(world: WorkerWorld) -> None:
    world.process.send_signal(signal.SIGTERM)
    assert world.process.wait(PATIENCE_S) == 0
    assert _said(world) == ""


def test_an_attempt_that_is_ended_at_the_end_of_the_grace_says_so(tmp_path: Path) -> None:
    world = WorkerWorld(tmp_path, shutdown_grace_s=0.2)
    running = _running(world)
    processes = set(family(world.process.pid))
    world.process.send_signal(signal.SIGTERM)
    result = world.result_of(running)
    assert (result.outcome, result.entered) == ("lost", True)
    assert (
        result.reason == "the worker was stopped, and the attempt did not end within 0.2 s ([workers] shutdown_grace)"
    )
    assert world.process.wait(PATIENCE_S) == 0
    until(lambda: not any(alive(pid) for pid in processes), "every process is gone")
    world.close()


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT])
def test_the_second_signal_ends_running_attempts(world: WorkerWorld, second: int) -> None:
    running = _running(world)
    processes = set(family(world.process.pid))
    world.process.send_signal(signal.SIGTERM)
    _said(world)
    world.process.send_signal(second)
    result = world.result_of(running)
    assert (result.outcome, result.reason) == (
        "lost",
        "the worker was told to stop at once (a second signal, or SIGQUIT)",
    )
    assert world.process.wait(PATIENCE_S) == 0
    until(lambda: not any(alive(pid) for pid in processes), "every process is gone")


def test_signals_that_come_together_are_one_request(tmp_path: Path) -> None:
    world = WorkerWorld(tmp_path, shutdown_grace_s=PATIENCE_S, one_request_s=PATIENCE_S)
    running = _running(world)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        os.kill(world.process.pid, number)
    _said(world)
    os.kill(world.process.pid, signal.SIGTERM)
    (world.home / "go").touch()
    assert world.result_of(running).outcome == "success"
    assert world.process.wait(PATIENCE_S) == 0
    world.close()
