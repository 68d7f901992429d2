"""The supervisor: real processes, fake services."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gnomon.app.words import how_it_ended

FAMILY = '''
import os, signal, sys, time
from gnomon.app.children import Service
from gnomon.app.linux import become_subreaper
from gnomon.app.supervisor import Supervisor
from gnomon.clock import SystemClock
from gnomon import log

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

log.configure("test", "INFO", "json")
become_subreaper()
supervisor = Supervisor([Service(name, globals()[name]) for name in sys.argv[2:]], SystemClock(), in_child=lambda service: None, grace_s=0.8)
supervisor.listen()
sys.exit(supervisor.run(lambda: print("started", flush=True)))
'''

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")


def _family(folder: Path, *services: str) -> subprocess.Popen[str]:
    program = subprocess.Popen(
        [sys.executable, "-c", FAMILY, str(folder), *services], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "started\n"
    return program


def _pids(folder: Path, name: str, count: int) -> list[int]:
    """Waits, with a bound, until so many processes have written their ids."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            lines = (folder / name).read_text().split()
        except FileNotFoundError:
            lines = []
        if len(lines) >= count:
            return [int(line) for line in lines]
        time.sleep(0.01)
    raise AssertionError(f"{name} did not start {count} times")


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_killed_service_starts_again_and_the_others_run_on(tmp_path: Path) -> None:
    program = _family(tmp_path, "steady", "stubborn")
    [first] = _pids(tmp_path, "steady", 1)
    [other] = _pids(tmp_path, "stubborn", 1)
    os.kill(first, signal.SIGKILL)
    _, second = _pids(tmp_path, "steady", 2)
    assert second != first
    assert _is_alive(other)
    os.killpg(program.pid, signal.SIGTERM)
    os.killpg(program.pid, signal.SIGINT)
    _, said = program.communicate(timeout=20)
    [line] = [json.loads(line) for line in said.splitlines() if "service_died" in line]
    assert line["process"] == "steady"
    assert line["how"].startswith("was killed by signal 9 (SIGKILL")


def test_orphans_of_a_dead_service_end_with_it(tmp_path: Path) -> None:
    program = _family(tmp_path, "stubborn")
    [daemon] = _pids(tmp_path, "daemon", 1)
    [service] = _pids(tmp_path, "stubborn", 1)
    os.kill(service, signal.SIGKILL)
    _pids(tmp_path, "stubborn", 2)
    assert not _is_alive(daemon)
    program.terminate()
    program.terminate()
    program.communicate(timeout=20)


@pytest.mark.parametrize("whole_group", [False, True])
def test_nothing_is_left_after_the_grace_even_of_who_ignores_sigterm(tmp_path: Path, whole_group: bool) -> None:
    program = _family(tmp_path, "steady", "stubborn")
    pids = [program.pid, *(_pids(tmp_path, name, 1)[0] for name in ("steady", "stubborn", "daemon"))]
    if whole_group:
        os.killpg(program.pid, signal.SIGTERM)
    else:
        program.terminate()
    program.communicate(timeout=20)
    assert program.returncode == 0
    assert [pid for pid in pids[1:] if _is_alive(pid)] == []


def test_signals_that_come_together_leave_services_their_grace(tmp_path: Path) -> None:
    program = _family(tmp_path, "orderly")
    _pids(tmp_path, "orderly", 1)
    program.terminate()
    os.killpg(program.pid, signal.SIGTERM)
    os.killpg(program.pid, signal.SIGINT)
    _, said = program.communicate(timeout=20)
    assert (tmp_path / "ended in order").exists()
    assert "services_killed" not in said


@pytest.mark.parametrize(
    ("code", "words"),
    [(0, "ended with code 0"), (3, "ended with code 3"), (-11, "was killed by signal 11 (SIGSEGV)"),
     (-9, "was killed by signal 9 (SIGKILL, probably out of memory or by hand)"), (-250, "was killed by signal 250 (unknown)")],
)
def test_an_end_is_told_in_words(code: int, words: str) -> None:
    assert how_it_ended(code) == words
