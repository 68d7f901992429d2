"""Processes that are made to stand still, with all that they have started, and go on later. They execute nothing meanwhile."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable
from pathlib import Path

from gnomon.author_code.processes.termination import signal_processes

GENERATIONS_MAX = 100
"""Stopping a family finds one generation with each look at the processes of the machine."""
_PROC = Path("/proc")


def stop_families(leaders: Iterable[int]) -> None:
    """Stop these processes, their groups and their descendants, parents before children: a process that is stopped starts no others.

    Where there is no /proc, descendants outside the groups go on.
    """
    _signal_families(list(leaders), signal.SIGSTOP)


def continue_families(leaders: Iterable[int]) -> None:
    """Let these processes, their groups and their descendants go on."""
    _signal_families(list(leaders), signal.SIGCONT)


def _signal_families(leaders: list[int], number: int) -> None:
    for pid in leaders:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)
    done: set[int] = set()
    family = set(leaders)
    for _ in range(GENERATIONS_MAX):
        if not family:
            return
        signal_processes(sorted(family), number)
        done |= family
        family = {pid for pid, parent in _list_parents().items() if parent in done} - done


def _list_parents() -> dict[int, int]:
    """The parent of every process."""
    parents: dict[int, int] = {}
    with contextlib.suppress(OSError):
        for name in os.listdir(_PROC):
            if name.isdigit():
                with contextlib.suppress(OSError):
                    parents[int(name)] = int((_PROC / name / "stat").read_bytes().rpartition(b")")[2].split()[1])
    return parents
