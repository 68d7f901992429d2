"""What processes cost: their memory and their processor time, as Linux counts them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path


def family(pid: int) -> list[int]:
    """The process and all its descendants."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                parent = int(Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()[1])
                children.setdefault(parent, []).append(int(entry))
    found, frontier = [], [pid]
    while frontier:
        member = frontier.pop()
        found.append(member)
        frontier += children.get(member, [])
    return found


def memory_kb(pids: Iterable[int]) -> int:
    """PSS: what processes share is counted once."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


def cpu_s(pids: Iterable[int]) -> float:
    """Processor seconds of the living processes among these, and of their reaped children."""
    ticks = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += sum(int(fields[i]) for i in (11, 12, 13, 14))
    return ticks / os.sysconf("SC_CLK_TCK")
