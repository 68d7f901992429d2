"""Files that cannot be forked run in new interpreters, and each says why; imports that fail are the task's failure."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.conformance.workerworld import WorkerWorld, alive, ended, family, until

_PID = "return os.getppid()"


@pytest.mark.parametrize(
    ("name", "head", "words"),
    [
        (
            "thread",
            "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True, name='poller').start()",
            "starts threads (poller)",
        ),
        ("socket", "import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()", "socket"),
        ("loop", "import asyncio\nloop = asyncio.new_event_loop()", "event loop"),
        ("library", "import types\nsys.modules['polars'] = types.ModuleType('polars')", "the file imports polars"),
    ],
)
def test_a_file_that_cannot_be_forked_runs_in_a_new_interpreter(
    world: WorkerWorld, name: str, head: str, words: str
) -> None:
    result = world.run(world.attempt(world.dag(f"unfit_{name}", _PID, head)))
    assert result.outcome == "success"
    assert result.fresh_reason is not None and words in result.fresh_reason
    assert int(result.xcoms[0].value) == world.process.pid


@pytest.mark.parametrize(("fresh", "whom"), [(False, "an import"), (True, "t")])
def test_a_question_at_import_is_answered(world: WorkerWorld, fresh: bool, whom: str) -> None:
    head = "from gnomon import Variable\nCOLOUR = Variable.get('colour', default='none')"
    result = world.run(world.attempt(world.dag(f"asks_{fresh}", "return COLOUR", head), fresh=fresh))
    assert (result.outcome, result.xcoms[0].value) == ("success", f'"the value of colour for {whom}"')


def test_a_refusal_at_import_is_the_failure_of_the_task_in_its_words(world: WorkerWorld) -> None:
    head = "from gnomon import Variable\nCOLOUR = Variable.get('refused')"
    result = world.run(world.attempt(world.dag("asks_in_vain", "return COLOUR", head)))
    assert result.outcome == "failed" and result.reason is not None and "not for you" in result.reason


def test_a_large_answer_at_import_arrives_in_a_new_interpreter(world: WorkerWorld) -> None:
    head = "from gnomon import Variable\nLARGE = Variable.get('large')"
    result = world.run(world.attempt(world.dag("asks_for_much", "return len(LARGE)", head)))
    assert (result.outcome, result.xcoms[0].value) == ("success", "100000")


def test_an_attempt_may_ask_for_a_new_interpreter(world: WorkerWorld) -> None:
    result = world.run(world.attempt(world.dag("asked", _PID), fresh=True))
    assert (result.outcome, result.fresh_reason) == ("success", None)
    assert int(result.xcoms[0].value) == world.process.pid


def test_a_fork_is_no_child_of_the_worker_itself(world: WorkerWorld) -> None:
    result = world.run(world.attempt(world.dag("forked", _PID)))
    assert (result.outcome, result.fresh_reason) == ("success", None)
    assert int(result.xcoms[0].value) != world.process.pid


def test_a_failing_import_is_the_failure_of_the_task_with_the_traceback_in_its_log(world: WorkerWorld) -> None:
    attempt = world.attempt(world.dag("unimportable", "return 1", "raise RuntimeError('no such table')"))
    result = world.run(attempt)
    assert (result.outcome, result.reason) == ("failed", "RuntimeError: no such table")
    assert "Traceback" in world.log_of(attempt) and "unimportable.py" in world.log_of(attempt)


def test_an_import_that_ends_the_process_is_named(world: WorkerWorld) -> None:
    result = world.run(world.attempt(world.dag("leaves", "return 1", "os._exit(7)")))
    assert result.outcome == "failed" and result.exit_code == 7
    assert result.reason is not None and "importing" in result.reason and "exited with code 7" in result.reason


def test_a_missing_dag_or_task_is_named(world: WorkerWorld) -> None:
    file = world.dag("renamed", "return 1")
    result = world.run(world.attempt(file, task_id="gone"))
    assert result.outcome == "failed" and result.reason is not None and "'gone'" in result.reason


def test_a_changed_file_is_imported_again(world: WorkerWorld) -> None:
    file = world.dag("changing", "return 1")
    first = world.run(world.attempt(file, input_hash="a"))
    world.dag("changing", "return 2")
    unchanged = world.run(world.attempt(file, input_hash="a"))
    second = world.run(world.attempt(file, input_hash="b"))
    assert [result.xcoms[0].value for result in (first, unchanged, second)] == ["1", "1", "2"]


def test_a_zygote_that_is_too_old_is_not_used(world: WorkerWorld) -> None:
    file = world.dag("aging", "return VALUE", "VALUE = time.monotonic()")
    first = world.run(world.attempt(file))
    same = world.run(world.attempt(file, zygote_max_age_s=300.0))
    other = world.run(world.attempt(file, zygote_max_age_s=0.0))
    assert first.xcoms[0].value == same.xcoms[0].value != other.xcoms[0].value


def test_more_files_than_zygotes_all_run(world: WorkerWorld) -> None:
    files = [world.dag(f"of_many_{number}", "return 1") for number in range(20)]
    for file in [*files, *files[:3]]:
        assert world.run(world.attempt(file)).outcome == "success"


def test_more_files_than_zygotes_at_once_all_run_in_forks(tmp_path: Path) -> None:
    world = WorkerWorld(tmp_path, slots=32)
    attempts = [world.attempt(world.dag(f"at_once_{number}", _PID)) for number in range(24)]
    wanted = {attempt.attempt_id for attempt in attempts}
    world.executor.submit(world.worker_id, attempts)
    results = ended(world.wait(lambda events: wanted <= ended(events).keys())).values()
    assert {(result.outcome, result.fresh_reason) for result in results} == {("success", None)}
    assert str(world.process.pid) not in {result.xcoms[0].value for result in results}, "one had a new interpreter"
    assert world.close() == 0


def test_a_hanging_import_ends_at_its_limit(tmp_path: Path) -> None:
    world = WorkerWorld(tmp_path, import_limit_s=0.5, silence_s=2.0)
    result = world.run(world.attempt(world.dag("hangs", "return 1", "time.sleep(3600)")))
    assert result.outcome == "failed" and result.reason is not None and "longer than 0.5 s" in result.reason
    assert world.close() == 0


def test_reused_children_run_several_attempts_and_isolated_ones_do_not(world: WorkerWorld) -> None:
    file = world.dag("reused", "return os.getpid()")
    reused = {world.run(world.attempt(file, attempts_per_child=3)).xcoms[0].value for _ in range(6)}
    isolated = {world.run(world.attempt(file)).xcoms[0].value for _ in range(4)}
    assert len(reused) == 2 and len(isolated) == 4


def test_a_zygote_that_is_killed_does_not_take_its_children_along(own_world: WorkerWorld) -> None:
    world = own_world
    file = world.dag(
        "outlives", "while not os.path.exists(os.environ['GNOMON_HOME'] + '/go'): time.sleep(0.01)\nreturn os.getpid()"
    )
    attempt = world.attempt(file)
    world.executor.submit(world.worker_id, [attempt])
    world.entered(attempt)
    for pid in _zygotes(world):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not _zygotes(world), "the zygotes are gone")
    (world.home / "go").touch()
    assert world.result_of(attempt).outcome == "success"
    assert world.run(world.attempt(file)).outcome == "success"
    until(lambda: "Z" not in family(world.process.pid).values(), "no defunct process")


def test_children_that_wait_ahead_of_need_leave_when_their_zygote_is_killed(own_world: WorkerWorld) -> None:
    world = own_world
    file = world.dag("spares", "return None")
    for _ in range(3):
        world.run(world.attempt(file))
    until(lambda: len(family(world.process.pid)) > len(_zygotes(world)), "children wait ahead of need")
    spares = set(family(world.process.pid)) - set(_zygotes(world))
    for pid in _zygotes(world):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not any(alive(pid) for pid in spares), "they are gone")
    assert world.run(world.attempt(file)).outcome == "success"


def test_a_zygote_that_hangs_costs_no_try(tmp_path: Path) -> None:
    world = WorkerWorld(tmp_path, import_limit_s=10.0, silence_s=1.5)
    file = world.dag("stopped", "return os.getppid()")
    world.run(world.attempt(file))
    until(lambda: len(family(world.process.pid)) >= 2, "the zygotes are there")
    for pid in _zygotes(world):
        os.kill(pid, signal.SIGSTOP)
    spares = [world.attempt(file) for _ in range(3)]
    world.executor.submit(world.worker_id, spares)
    assert {world.result_of(attempt).outcome for attempt in spares[-1:]} == {"success"}
    assert world.close() == 0


@pytest.mark.parametrize(("act", "stays"), [("pass", True), ("time.sleep(60)", False)])
def test_a_zygote_that_waits_for_a_processor_is_not_one_that_hangs(tmp_path: Path, act: str, stays: bool) -> None:
    """It is busy for longer than a child may be silent, once, right before a fork. One that hangs is replaced."""
    world = WorkerWorld(tmp_path, silence_s=1.0)
    head = f"""
def busy():
    try:
        os.unlink(os.environ["GNOMON_HOME"] + "/busy")
    except FileNotFoundError:
        return
    end = time.monotonic() + 3
    while time.monotonic() < end:
        {act}
os.register_at_fork(before=busy)
"""
    file = world.dag("busy", _PID, head)
    zygote = world.run(world.attempt(file)).xcoms[0].value
    (world.home / "busy").touch()
    attempts = [world.attempt(file) for _ in range(4)]
    world.executor.submit(world.worker_id, attempts)
    results = ended(world.wait(lambda events: {one.attempt_id for one in attempts} <= ended(events).keys())).values()
    assert {result.outcome for result in results} == {"success"}
    assert (world.run(world.attempt(file)).xcoms[0].value == zygote) == stays
    assert not (world.home / "busy").exists()
    assert world.close() == 0


def _zygotes(world: WorkerWorld) -> list[int]:
    """The base zygote and the file zygotes: the children of the worker, and those of these that are in its process group."""
    group = os.getpgid(world.process.pid)
    return [pid for pid in family(world.process.pid) if _group(pid) == group]


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return -1
