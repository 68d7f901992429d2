"""A worker whose machine refuses a process once: running attempts go on, and new ones run after a pause."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.workerworld import WorkerWorld, alive

REFUSES = """
import errno, os, sys

FOLDER = os.environ.get("TEST_REFUSALS")
MODULE = sys.orig_argv[sys.orig_argv.index("-m") + 1] if "-m" in sys.orig_argv else ""
STARTED = os.getpid()

def refusing(real, process):
    def call(*args, **named):
        try:
            os.unlink(os.path.join(FOLDER, process()))
        except FileNotFoundError:
            return real(*args, **named)
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return call

if FOLDER and MODULE == "tests.conformance.workerworld":
    os.posix_spawn = refusing(os.posix_spawn, lambda: "interpreter")
if FOLDER and MODULE == "gnomon.services.worker.zygote_main":
    os.fork = refusing(os.fork, lambda: "zygote" if os.getpid() == STARTED else "child")
"""
"""Each file in the folder is one refusal of the process that it is named after."""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WorkerWorld]:
    (tmp_path / "sitecustomize.py").write_text(REFUSES)
    (tmp_path / "refusals").mkdir()
    world = WorkerWorld(
        tmp_path / "w", environ={"PYTHONPATH": str(tmp_path), "TEST_REFUSALS": str(tmp_path / "refusals")}
    )
    yield world
    assert world.close() == 0


@pytest.mark.parametrize(("process", "fresh"), [("interpreter", True), ("zygote", False), ("child", False)])
def test_a_process_that_is_refused_once_costs_no_attempt_and_no_worker(
    world: WorkerWorld, tmp_path: Path, process: str, fresh: bool
) -> None:
    running = world.attempt(
        world.dag(
            "running", f"while not os.path.exists({str(tmp_path / 'go')!r}): time.sleep(0.01)\nreturn os.getpid()"
        )
    )
    world.executor.submit(world.worker_id, [running])
    world.entered(running)
    file = world.dag("new", "return os.getppid()")
    if process == "child":
        assert (
            world.run(world.attempt(file, attempts_per_child=2)).outcome == "success"
        )  # its zygote is ready, with no child to spare
    refusal = tmp_path / "refusals" / process
    refusal.touch()
    result = world.run(world.attempt(file, fresh=fresh))
    assert not refusal.exists(), "the process was refused"
    assert (result.outcome, result.reason, result.fresh_reason) == ("success", None, None)
    parent = int({item.key: item.value for item in result.xcoms}["return_value"])
    assert (parent == world.process.pid) == fresh, (
        "a refused fork is asked for again, and no new interpreter takes its place"
    )
    assert alive(world.process.pid)
    (tmp_path / "go").touch()
    assert world.result_of(running).outcome == "success"


def test_a_worker_whose_first_process_is_refused_starts_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(REFUSES)
    (tmp_path / "refusals").mkdir()
    (tmp_path / "refusals" / "interpreter").touch()
    world = WorkerWorld(
        tmp_path / "w", environ={"PYTHONPATH": str(tmp_path), "TEST_REFUSALS": str(tmp_path / "refusals")}
    )
    assert not os.listdir(tmp_path / "refusals")
    assert world.run(world.attempt(world.dag("first", "return 1"))).outcome == "success"
    assert world.close() == 0
