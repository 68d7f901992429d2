"""Attempts stand still while no heartbeat of their worker is taken: schedulers may give them to other workers meanwhile."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.workerworld import WorkerWorld, alive, ended, family, until

from gnomon.model.attempts import Attempt
from gnomon.services.executors.interface import AttemptEntered

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
RUN_LIMIT_S = 1.0
STILL = "TD"
"""States of a process that stands still: stopped, or waiting for a program that it has begun to start and that was stopped before (vfork)."""
FAMILY = """
import subprocess
home = os.environ["GNOMON_HOME"]
ticks = "until [ -e %s/go ]; do echo x >> %s/ticks-of-bash; sleep 0.02; done" % (home, home)
bash = subprocess.Popen(["bash", "-c", ticks], start_new_session=True)
while not os.path.exists(home + "/go"):
    with open(home + "/ticks", "a") as file:
        file.write("x")
    time.sleep(0.02)
bash.kill()
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WorkerWorld]:
    made = WorkerWorld(tmp_path / "w", run_limit_s=RUN_LIMIT_S)
    yield made
    (made.home / "go").touch()  # the end of the program of a task whose test has failed
    if made.process.poll() is None:
        made.process.send_signal(signal.SIGCONT)
    made.close()


def _ticks(world: WorkerWorld) -> list[int]:
    """What the task and the program that it has started have written."""
    return [
        path.stat().st_size if path.exists() else 0 for path in (world.home / "ticks", world.home / "ticks-of-bash")
    ]


def _await_ticks(world: WorkerWorld) -> None:
    before = _ticks(world)
    until(
        lambda: all(now > then for now, then in zip(_ticks(world), before, strict=True)), "the task and its program run"
    )


def _await_standstill(world: WorkerWorld) -> list[int]:
    """A task and its program are stopped; returns what was written until then."""
    until(lambda: len(_stopped(world)) >= 2, "the task and its program stand still")
    return _ticks(world)


def _is_silent(world: WorkerWorld) -> bool:
    """Nothing is written for the limit of a run."""
    before = _ticks(world)
    time.sleep(RUN_LIMIT_S)
    return _ticks(world) == before


def _stopped(world: WorkerWorld) -> list[int]:
    return [pid for pid, state in family(world.process.pid).items() if state == "T"]


def test_an_attempt_stands_still_with_all_that_it_has_started_and_goes_on_with_the_next_heartbeat(
    world: WorkerWorld,
) -> None:
    attempt = world.attempt(world.dag("family", FAMILY))
    world.executor.submit(world.worker_id, [attempt])
    _await_ticks(world)
    (world.home / "silence").touch()
    found = _await_standstill(world)
    later = world.attempt(world.dag("later", "print('it runs')"))
    world.executor.submit(world.worker_id, [later])
    time.sleep(RUN_LIMIT_S)
    assert _ticks(world) == found
    assert not (world.home / "logs" / later.log).exists(), "no other attempt begins"
    (world.home / "silence").unlink()
    _await_ticks(world)
    assert world.result_of(later).outcome == "success"
    (world.home / "go").touch()
    assert world.result_of(attempt).outcome == "success"


def test_an_attempt_of_a_worker_that_was_declared_lost_never_goes_on(world: WorkerWorld) -> None:
    attempt = world.attempt(world.dag("family", FAMILY))
    world.executor.submit(world.worker_id, [attempt])
    _await_ticks(world)
    (world.home / "silence").touch()
    found = _await_standstill(world)
    stopped = _stopped(world)
    (world.home / "silence").write_text("lost")
    until(lambda: not any(alive(pid) for pid in stopped), "its processes have ended")
    assert _ticks(world) == found
    (world.home / "silence").unlink()


def test_a_child_whose_process_is_forked_during_the_standstill_stands_still(world: WorkerWorld) -> None:
    """Its zygote does not move when the attempts are given to it; one of them takes the child that was forked ahead of need."""
    first = world.attempt(world.dag("family", FAMILY))
    world.executor.submit(world.worker_id, [first])
    until(
        lambda: any(len(_children(pid)) == 2 for pid in _zygotes(world)),
        "the zygote has the child of the attempt and one ahead of need",
    )
    [zygote] = _zygotes(world)
    os.kill(zygote, signal.SIGSTOP)
    others = [world.attempt(world.home / "family.py") for _ in range(2)]
    world.executor.submit(world.worker_id, others)
    _await_entries(world, others, 1)
    _await_ticks(world)
    (world.home / "silence").touch()
    until(
        lambda: len(_children(zygote, STILL)) == 2,
        "the first attempt and the one with the child that was there stand still",
    )
    os.kill(zygote, signal.SIGCONT)
    until(lambda: len(_children(zygote, STILL)) == 3, "all three attempts stand still")
    until(
        lambda: _is_silent(world),
        "the child that was forked last stands still too, which may have run until the worker heard of it",
    )
    (world.home / "silence").unlink()
    _await_ticks(world)
    (world.home / "go").touch()
    events = world.wait(lambda events: len(ended(events)) == 3)
    assert {result.outcome for result in ended(events).values()} == {"success"}


def _zygotes(world: WorkerWorld) -> list[int]:
    return [
        pid
        for pid in family(world.process.pid)
        if b"gnomon: zygote" in _read(pid, "cmdline") and b"gnomon: base zygote" in _read(_parent(pid), "cmdline")
    ]


def _children(pid: int, states: str = "RSDT") -> list[int]:
    """Those of a process that are in one of these states."""
    return [child for child, state in family(pid).items() if state in states and _parent(child) == pid]


def _await_entries(world: WorkerWorld, attempts: list[Attempt], number: int) -> None:
    """So many of the attempts run."""
    ids = {attempt.attempt_id for attempt in attempts}
    world.wait(
        lambda events: len({event.attempt_id for event in events if isinstance(event, AttemptEntered)} & ids) >= number
    )


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
        return b""


def _parent(pid: int) -> int:
    """0: the process has ended."""
    return int((_read(pid, "stat").rpartition(b")")[2].split() or [b"", b"0"])[1])
