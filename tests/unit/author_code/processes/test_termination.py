"""Children are killed with what they started, waited for, reaped. A process of its own reaps, since it takes all that it has."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.patience import PATIENCE_S

FAMILY = f'''
import os, select, signal
from gnomon.author_code.processes import termination

def ended_leader():
    """The pid of a child that leads a group and has ended, and a pidfd of the one that it left in it."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        left = os.fork()
        if left == 0:
            signal.alarm({PATIENCE_S:.0f})
            signal.pause()
        os.write(writes, str(left).encode())
        os._exit(9)
    left = os.pidfd_open(int(os.read(reads, 64)))
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    return pid, left

def is_gone(pidfd, within_s={PATIENCE_S}):
    return bool(select.select([pidfd], [], [], within_s)[0])

pid, left = ended_leader()
'''


def said(program: str) -> str:
    """What the program prints after it was born into such a family; nothing of it is left."""
    ended = "signal.pidfd_send_signal(left, signal.SIGKILL) if not is_gone(left, 0) else None"
    done = subprocess.run(
        [sys.executable, "-c", f"{FAMILY}{program}\n{ended}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("program", "told"),
    [
        (
            "termination.kill_with_group(pid); print(is_gone(left), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))",
            "True 9",
        ),
        (
            "print(termination.reap_children(leaders={pid}) == [(pid, 9)], is_gone(left), termination.reap_children())",
            "True True []",
        ),
        ("print(termination.reap_children(leaders={pid + 1}) == [(pid, 9)], is_gone(left, 0))", "True False"),
    ],
    ids=["killed", "reaped", "no_leader_of_ours"],
)
def test_what_an_ended_leader_left_behind_goes_with_it_and_only_with_it(program: str, told: str) -> None:
    assert said(program) == told


def test_a_wait_is_over_with_the_child_and_leaves_it_to_be_reaped() -> None:
    assert (
        said(
            f"termination.wait_for_exit(pid, {PATIENCE_S}); print(termination.reap_children() == [(pid, 9)]); termination.wait_for_exit(pid, {PATIENCE_S})"
        )
        == "True"
    )
