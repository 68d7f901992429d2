"""The supervisor: real processes, fake services."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S

from gnomon.author_code.processes.exit_reasons import describe_exit

FAMILY = """
import errno, os, signal, socket, sys, time
from gnomon.entry.app import supervisor as module
from gnomon.entry.app.on_demand import ConnectionDemand
from gnomon.entry.app.service_process import Service
from gnomon.author_code.processes.kernel import become_subreaper
from gnomon.ground.clock import SystemClock
from gnomon.ground import log

folder = sys.argv[1]

def note(name):
    with open(os.path.join(folder, name), "a") as out:
        out.write(f"{os.getpid()}\\n")

def steady():
    note("steady")
    while True:
        signal.pause()

def stubborn():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:  # a daemon that nobody waits for
        os.setsid()
        note("daemon")
        while True:
            signal.pause()
    note("stubborn")
    while True:
        signal.pause()

def orderly():
    def end(number, frame):
        time.sleep(0.2)
        note("ended in order")
        os._exit(0)
    signal.signal(signal.SIGTERM, end)
    note("orderly")
    while True:
        signal.pause()

listener = socket.socket(socket.AF_UNIX)
listener.bind(os.path.join(folder, "calls"))
listener.listen()

def idle():
    listener.accept()
    note("idle")
    return int(os.path.exists(os.path.join(folder, "fail")))

def refused_once():
    note("refused_once")
    while True:
        signal.pause()

def refusing(start=module.fork_service, refused=[]):
    def begin(service, prepare):
        fork = os.fork
        if service.name == "refused_once" and not refused:
            refused.append(service)
            os.fork = lambda: (_ for _ in ()).throw(BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)))
        try:
            return start(service, prepare)
        finally:
            os.fork = fork
    return begin

module.fork_service = refusing()

def slow(pids, number, send=module.signal_processes):  # the supervisor has no processor again before another signal comes
    send(pids, number)
    while os.path.exists(os.path.join(folder, "slow")) and supervisor.stop.signal_count < 2:
        time.sleep(0.01)

module.signal_processes = slow

def drains():
    def drain(number, frame):
        note("draining")
        while not os.path.exists(os.path.join(folder, "go")):
            time.sleep(0.01)
        note("drained")
        os._exit(0)
    def end(number, frame):
        note("told to end at once")
        os._exit(0)
    signal.signal(signal.SIGQUIT, end)
    signal.signal(signal.SIGTERM, drain)
    note("drains")
    while True:
        signal.pause()

log.configure("test", "INFO", "json")
become_subreaper()
module.SIGNAL_DEBOUNCE_S = float(sys.argv[3])
services = [Service(name, globals()[name], 600.0 if name == "drains" else 0.0, ConnectionDemand(listener) if name == "idle" else None) for name in sys.argv[4:]]
supervisor = module.Supervisor(services, SystemClock(), in_child=lambda service: None, grace_s=float(sys.argv[2]))
supervisor.install_handlers()
sys.exit(supervisor.run(lambda: print("started", flush=True)))
"""

EARLY = """
import os, signal
from gnomon.entry.app import service_process
from gnomon.ground.wakeups import StopFlag, reset_signals

reading, writing = os.pipe()

def late():
    os.read(reading, 1)
    reset_signals()

service_process.reset_signals = late
StopFlag().install_handlers()
pid = service_process.fork_service(service_process.Service("early", lambda: signal.pause()), lambda: None)
os.kill(pid, signal.SIGTERM)
os.write(writing, b"!")
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
"""A child that comes to its first line only after it was told to end."""
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")


Family = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def family(tmp_path: Path) -> Iterator[Family]:
    """Starts a supervisor of these services. Signals that come within `one_request_s` are one wish."""
    started: list[subprocess.Popen[str]] = []

    def start(*services: str, grace_s: float = 0.8, one_request_s: float = PATIENCE_S) -> subprocess.Popen[str]:
        program = subprocess.Popen(
            [sys.executable, "-c", FAMILY, str(tmp_path), str(grace_s), str(one_request_s), *services],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(program)
        assert program.stdout is not None
        assert program.stdout.readline() == "started\n"
        return program

    yield start
    for program in started:
        if program.poll() is None:
            program.kill()
            program.communicate()


def _pids(folder: Path, name: str, count: int) -> list[int]:
    """Waits, with a bound, until so many processes have written their ids."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            lines = (folder / name).read_text().split()
        except FileNotFoundError:
            lines = []
        if len(lines) >= count:
            return [int(line) for line in lines]
        time.sleep(0.01)
    raise AssertionError(f"{name} did not start {count} times")


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_killed_service_starts_again_and_the_others_run_on(tmp_path: Path, family: Family) -> None:
    program = family("steady", "stubborn")
    [first] = _pids(tmp_path, "steady", 1)
    [other] = _pids(tmp_path, "stubborn", 1)
    os.kill(first, signal.SIGKILL)
    _, second = _pids(tmp_path, "steady", 2)
    assert second != first
    assert _is_alive(other)
    os.killpg(program.pid, signal.SIGTERM)
    os.killpg(program.pid, signal.SIGINT)
    _, said = program.communicate(timeout=PATIENCE_S)
    [line] = [json.loads(line) for line in said.splitlines() if "service_exited" in line]
    assert line["process"] == "steady"
    assert line["how"].startswith("was killed by signal 9 (SIGKILL)")


def test_a_service_that_nobody_needs_has_no_process_and_its_end_is_no_error(tmp_path: Path, family: Family) -> None:
    program = family("idle", "steady")
    _pids(tmp_path, "steady", 1)
    assert not (tmp_path / "idle").exists()
    pids = []
    for number in (1, 2, 3):
        if number == 3:
            (tmp_path / "fail").touch()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(tmp_path / "calls"))
            pids.append(_pids(tmp_path, "idle", number)[-1])
    assert len(set(pids)) == 3
    _pids(tmp_path, "idle", 3)
    _until(lambda: not _is_alive(pids[-1]))
    program.send_signal(signal.SIGTERM)
    _, said = program.communicate(timeout=PATIENCE_S)
    exits = [json.loads(line) for line in said.splitlines() if "service_exited" in line]
    assert [(line["process"], line["how"]) for line in exits] == [("idle", "ended with code 1")]


def test_orphans_of_a_dead_service_end_with_it(tmp_path: Path, family: Family) -> None:
    program = family("stubborn")
    [daemon] = _pids(tmp_path, "daemon", 1)
    [service] = _pids(tmp_path, "stubborn", 1)
    os.kill(service, signal.SIGKILL)
    _pids(tmp_path, "stubborn", 2)
    assert not _is_alive(daemon)
    program.terminate()
    program.terminate()
    program.communicate(timeout=PATIENCE_S)


@pytest.mark.parametrize("whole_group", [False, True])
def test_nothing_is_left_after_the_grace_even_of_who_ignores_sigterm(
    tmp_path: Path, family: Family, whole_group: bool
) -> None:
    program = family("steady", "stubborn")
    pids = [program.pid, *(_pids(tmp_path, name, 1)[0] for name in ("steady", "stubborn", "daemon"))]
    if whole_group:
        os.killpg(program.pid, signal.SIGTERM)
    else:
        program.terminate()
    program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0
    assert [pid for pid in pids[1:] if _is_alive(pid)] == []


def test_signals_that_come_together_leave_services_their_grace(tmp_path: Path, family: Family) -> None:
    program = family("orderly", grace_s=PATIENCE_S)
    _pids(tmp_path, "orderly", 1)
    program.terminate()
    os.killpg(program.pid, signal.SIGTERM)
    os.killpg(program.pid, signal.SIGINT)
    _, said = program.communicate(timeout=PATIENCE_S)
    assert (tmp_path / "ended in order").exists()
    assert "services_killed" not in said


def test_other_services_run_until_the_one_that_drains_has_ended(tmp_path: Path, family: Family) -> None:
    program = family("drains", "orderly", "steady")
    _pids(tmp_path, "drains", 1)
    _pids(tmp_path, "orderly", 1)
    [first] = _pids(tmp_path, "steady", 1)
    program.terminate()
    _pids(tmp_path, "draining", 1)
    os.kill(first, signal.SIGKILL)
    _pids(tmp_path, "steady", 2)  # what dies meanwhile starts again
    assert not (tmp_path / "ended in order").exists()
    (tmp_path / "go").touch()
    _, said = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0
    assert (tmp_path / "drained").exists() and (tmp_path / "ended in order").exists()
    died = [json.loads(line)["process"] for line in said.splitlines() if "service_exited" in line]
    assert died == ["steady"]


@pytest.mark.parametrize("is_slow", [False, True])
def test_a_second_signal_ends_the_drain(tmp_path: Path, family: Family, is_slow: bool) -> None:
    if is_slow:
        (tmp_path / "slow").touch()
    program = family("drains", "orderly", one_request_s=0.0, grace_s=PATIENCE_S)
    _pids(tmp_path, "drains", 1)
    _pids(tmp_path, "orderly", 1)
    program.terminate()
    _pids(tmp_path, "draining", 1)
    program.terminate()
    program.communicate(timeout=PATIENCE_S)
    assert (tmp_path / "told to end at once").exists() and (tmp_path / "ended in order").exists()
    assert not (tmp_path / "drained").exists()


def test_a_service_that_is_told_to_end_before_its_first_line_ends() -> None:
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    assert done.stdout == f"{-signal.SIGTERM}\n"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, "ended with code 0"),
        (3, "ended with code 3"),
        (-11, "was killed by signal 11 (SIGSEGV)"),
        (-9, "was killed by signal 9 (SIGKILL), probably by the kernel for want of memory, or by kill -9"),
        (-250, "was killed by signal 250 (unnamed)"),
    ],
)
def test_an_end_is_told_in_words(code: int, words: str) -> None:
    assert describe_exit(code) == words


def test_a_service_whose_process_the_machine_refuses_is_started_after_a_pause(tmp_path: Path, family: Family) -> None:
    program = family("steady", "refused_once", "orderly")
    _pids(tmp_path, "refused_once", 1)
    program.terminate()
    said = program.communicate(timeout=PATIENCE_S)[1]
    assert program.returncode == 0
    [refused] = [json.loads(line) for line in said.splitlines() if "service_refused" in line]
    assert refused["process"] == "refused_once" and "Resource temporarily unavailable (EAGAIN)" in refused["error"]
    assert refused["starts_again_in_s"] > 0
    assert len(_pids(tmp_path, "steady", 1)) == 1 and len(_pids(tmp_path, "orderly", 1)) == 1
