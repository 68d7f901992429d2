"""However a task ends, its attempt has a result in words, and nothing of it is left."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Sequence

import pytest
from tests.conformance.workerworld import WorkerWorld, alive, ended, family, until

from gnomon.services.executors.interface import AttemptEntered, ExecutorEvent


def test_a_returned_value_is_an_xcom_and_what_is_printed_is_in_the_log(world: WorkerWorld) -> None:
    attempt = world.attempt(world.dag("returns", "print('said aloud')\nti.xcom_push('k', (1, 2))\nreturn 41"))
    result = world.run(attempt)
    assert (result.outcome, result.reason) == ("success", None)
    assert {item.key: item.value for item in result.xcoms}["return_value"] == "41"
    assert "k" in {item.key for item in result.xcoms}
    assert result.started_at is not None and result.ended_at is not None and result.started_at <= result.ended_at
    assert "said aloud" in world.log_of(attempt)


def test_an_exception_fails_with_one_line_and_leaves_its_traceback_in_the_log(world: WorkerWorld) -> None:
    attempt = world.attempt(world.dag("raises", "raise ValueError('broken\\nand more')"))
    result = world.run(attempt)
    assert (result.outcome, result.reason) == ("failed", "ValueError: broken")
    assert "Traceback" in world.log_of(attempt)


def test_os_exit_is_named_by_its_code(world: WorkerWorld) -> None:
    result = world.run(world.attempt(world.dag("exits", "os._exit(3)")))
    assert (result.outcome, result.exit_code) == ("failed", 3)
    assert result.reason is not None and "exited with code 3 without a result" in result.reason


def test_sys_exit_fails_in_words(world: WorkerWorld) -> None:
    result = world.run(world.attempt(world.dag("sysexit", "sys.exit(4)")))
    assert result.outcome == "failed"
    assert result.reason is not None and "called sys.exit(4)" in result.reason


def test_a_kill_that_nobody_asked_for_is_probably_the_memory(world: WorkerWorld) -> None:
    result = world.run(world.attempt(world.dag("killed", "os.kill(os.getpid(), signal.SIGKILL)")))
    assert (result.outcome, result.exit_code) == ("failed", -9)
    assert result.reason is not None and result.reason.startswith("killed by signal 9 (SIGKILL)")
    assert "out of memory" in result.reason


def test_a_crash_in_a_library_is_named_by_its_signal(world: WorkerWorld) -> None:
    result = world.run(world.attempt(world.dag("crash", "signal.raise_signal(signal.SIGSEGV)")))
    assert (result.outcome, result.exit_code) == ("failed", -signal.SIGSEGV)
    assert result.reason is not None and "SIGSEGV" in result.reason


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize(
    ("name", "body", "above"),
    [
        ("exit", "sys.stdout.write('half a line')\nsys.stdout.flush()\nos._exit(3)", "half a line"),
        ("kill", "print('a whole line')\nos.kill(os.getpid(), signal.SIGKILL)", "a whole line"),
        ("segfault", "signal.raise_signal(signal.SIGSEGV)", "Fatal Python error: Segmentation fault"),
    ],
    ids=["exit", "kill", "segfault"],
)
def test_the_reason_of_a_death_is_the_last_line_of_the_log(
    world: WorkerWorld, name: str, body: str, above: str, fresh: bool
) -> None:
    attempt = world.attempt(world.dag(f"last-{name}-{fresh}", body), fresh=fresh)
    result = world.run(attempt)
    lines = world.log_of(attempt).splitlines()
    assert result.reason is not None and lines[-1].endswith(f" ERROR    task failed: {result.reason}")
    assert any(line.startswith(above) for line in lines[:-1])


def test_a_task_that_is_killed_after_its_grace_has_the_reason_in_its_log(world: WorkerWorld) -> None:
    body = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('ready', flush=True)\nwhile True: time.sleep(60)"
    attempt = world.attempt(world.dag("grace", body))
    world.executor.submit(world.worker_id, [attempt])
    until(
        lambda: (world.home / "logs" / attempt.log).exists() and "ready" in world.log_of(attempt), "the task is ready"
    )
    world.executor.cancel(world.worker_id, attempt.attempt_id, "marked failed by ann", 0.1)
    result = world.result_of(attempt)
    assert result.reason is not None and result.reason.startswith("marked failed by ann; ")
    assert world.log_of(attempt).splitlines()[-1].endswith(f" task failed: {result.reason}")


def test_a_log_that_cannot_be_written_does_not_keep_a_dead_task_from_its_end(world: WorkerWorld) -> None:
    body = """
import shutil
folder = os.path.join(os.environ["GNOMON_HOME"], "logs", "dag_id=d", "gone")
shutil.rmtree(folder)
open(folder, "w").close()
os._exit(3)
"""
    result = world.run(world.attempt(world.dag("gone", body), log="dag_id=d/gone/attempt=1.log"))
    assert (result.outcome, result.exit_code) == ("failed", 3)


def test_an_import_that_ends_its_process_leaves_the_reason_in_the_log(world: WorkerWorld) -> None:
    attempt = world.attempt(world.dag("exits-at-import", "return None", head="os._exit(5)"))
    result = world.run(attempt)
    assert result.reason is not None and "exited with code 5" in result.reason
    assert world.log_of(attempt).splitlines()[-1].endswith(f" task failed: {result.reason}")


def test_an_execution_timeout_ends_the_task(world: WorkerWorld) -> None:
    result = world.run(world.attempt(world.dag("slow", "time.sleep(600)"), timeout_s=0.2))
    assert result.outcome == "failed"
    assert result.reason is not None and "execution_timeout of 0.2 s" in result.reason


def test_a_cancelled_task_ends_with_the_reason_that_was_given(world: WorkerWorld) -> None:
    attempt = world.attempt(world.dag("cancelled", "time.sleep(600)"))
    world.executor.submit(world.worker_id, [attempt])
    world.entered(attempt)
    world.executor.cancel(world.worker_id, attempt.attempt_id, "marked failed by ann", 20.0)
    result = world.result_of(attempt)
    assert (result.outcome, result.reason) == ("failed", "marked failed by ann")


def test_a_stopped_task_gets_a_signal_that_ends_its_system_call(world: WorkerWorld) -> None:
    """As if SIGTERM had arrived just before the call: the handler runs when the other signal ends the call."""
    body = """
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
signal.signal(signal.SIGURG, lambda *_: signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM}))
print('ready', flush=True)
time.sleep(600)
"""
    attempt = world.attempt(world.dag("missed", body))
    world.executor.submit(world.worker_id, [attempt])
    until(
        lambda: (world.home / "logs" / attempt.log).exists() and "ready" in world.log_of(attempt), "the task is ready"
    )
    world.executor.cancel(world.worker_id, attempt.attempt_id, "marked failed by ann", 60.0)
    result = world.result_of(attempt)
    assert (result.outcome, result.reason) == ("failed", "marked failed by ann")


def test_the_callback_of_a_stopped_task_runs_to_its_end(world: WorkerWorld) -> None:
    """The signals that end system calls have no effect on it."""
    head = "def slow(context):\n    time.sleep(1.5)\n    print('the callback has ended', flush=True)\n"
    file = world.dag("notified", "print('ready', flush=True)\ntime.sleep(600)", head)
    file.write_text(file.read_text().replace("@task\n", "@task(on_failure_callback=slow)\n"))
    attempt = world.attempt(file)
    world.executor.submit(world.worker_id, [attempt])
    until(
        lambda: (world.home / "logs" / attempt.log).exists() and "ready" in world.log_of(attempt), "the task is ready"
    )
    world.executor.cancel(world.worker_id, attempt.attempt_id, "marked failed by ann", 60.0)
    assert world.result_of(attempt).reason == "marked failed by ann"
    assert "the callback has ended" in world.log_of(attempt)


@pytest.mark.parametrize("count", [40, pytest.param(4000, marks=pytest.mark.soak)])
def test_tasks_that_are_stopped_in_their_first_milliseconds_end_without_a_kill(world: WorkerWorld, count: int) -> None:
    """One of some hundred was killed when no second signal came; 40 find that seldom, 4,000 (`make soak`) always."""
    file, rng = world.dag("early", "time.sleep(600)"), random.Random(7)
    for _ in range(count // world.slots):
        attempts = [world.attempt(file) for _ in range(world.slots)]
        world.executor.submit(world.worker_id, attempts)
        stopped: set[str] = set()

        def stop_and_count(events: Sequence[ExecutorEvent], stopped: set[str] = stopped) -> bool:
            for event in events:
                if isinstance(event, AttemptEntered) and event.attempt_id not in stopped:
                    time.sleep(rng.random() * 0.004)  # the task comes to its system call
                    world.executor.cancel(world.worker_id, event.attempt_id, "stopped by ann", 60.0)
                    stopped.add(event.attempt_id)
            return len(ended(events)) == world.slots

        results = ended(world.wait(stop_and_count))
        world.executor.acknowledge(world.worker_id, list(results))
        assert {result.reason for result in results.values()} == {"stopped by ann"}


def test_a_task_that_ignores_sigterm_is_killed_after_the_grace(world: WorkerWorld) -> None:
    body = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('deaf', flush=True)\nwhile True: time.sleep(60)"
    attempt = world.attempt(world.dag("deaf", body))
    world.executor.submit(world.worker_id, [attempt])
    until(lambda: (world.home / "logs" / attempt.log).exists() and "deaf" in world.log_of(attempt), "the task is deaf")
    world.executor.cancel(world.worker_id, attempt.attempt_id, "enough", 0.1)
    result = world.result_of(attempt)
    assert result.exit_code == -9
    assert result.reason is not None and result.reason.startswith("enough") and "0.1 s after SIGTERM" in result.reason


def test_a_daemon_that_a_task_starts_does_not_outlive_it(world: WorkerWorld) -> None:
    body = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
os.wait()
children = open(f"/proc/self/task/{os.getpid()}/children").read().split()
return [int(pid) for pid in children]
"""
    result = world.run(world.attempt(world.dag("daemon", body)))
    daemons = [int(pid) for pid in result.xcoms[0].value.strip("[]").split(",")]
    assert len(daemons) == 1
    until(lambda: not alive(daemons[0]), "the daemon is gone")


def test_a_daemon_of_a_task_that_was_killed_does_not_outlive_it(world: WorkerWorld) -> None:
    body = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(os.environ["GNOMON_HOME"] + "/daemon.pid", "w").write(str(os.getpid()))
        time.sleep(600)
    os._exit(0)
os.wait()
while not (os.path.exists(os.environ["GNOMON_HOME"] + "/daemon.pid") and open(os.environ["GNOMON_HOME"] + "/daemon.pid").read()):
    time.sleep(0.01)
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert world.run(world.attempt(world.dag("daemonkill", body))).exit_code == -9
    pid = int((world.home / "daemon.pid").read_text())
    until(lambda: not alive(pid), "the daemon is gone")


def test_nothing_defunct_is_left(world: WorkerWorld) -> None:
    file = world.dag("many", "return None")
    for _ in range(20):
        world.run(world.attempt(file))
    until(lambda: "Z" not in family(world.process.pid).values(), "no defunct process")


def test_descriptors_do_not_leak(world: WorkerWorld) -> None:
    file = world.dag("descriptors", "return None")

    def burst(size: int) -> None:
        attempts = [world.attempt(file) for _ in range(size)]
        world.executor.submit(world.worker_id, attempts)
        wanted = {attempt.attempt_id for attempt in attempts}
        world.wait(lambda events: wanted <= ended(events).keys())
        world.executor.acknowledge(world.worker_id, sorted(wanted))

    def descriptors() -> int:
        return len(os.listdir(f"/proc/{world.process.pid}/fd"))

    burst(20)
    before = descriptors()
    burst(200)
    until(lambda: descriptors() <= before, f"no more than the {before} descriptors of before")
