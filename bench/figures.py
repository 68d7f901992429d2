"""Figures from the records that `tasks states -o json` prints, and how they are shown."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterable, Sequence
from datetime import datetime

Task = dict[str, object]


def instant(text: object) -> float:
    return datetime.fromisoformat(str(text)).timestamp()


def rate(tasks: Sequence[Task]) -> float:
    """Tasks a second, from the first start to the last end."""
    begin = min(instant(task["start_date"]) for task in tasks)
    end = max(instant(task["end_date"]) for task in tasks)
    return len(tasks) / max(end - begin, 1e-9)


def hops(tasks: Iterable[Task]) -> list[float]:
    """Seconds from each task's end to the next one's start, within each chain `c<chain>_<position>`."""
    chains: dict[str, list[Task]] = {}
    for task in tasks:
        chains.setdefault(str(task["task_id"]).split("_")[0], []).append(task)
    gaps = []
    for members in chains.values():
        ordered = sorted(members, key=lambda task: str(task["task_id"]))
        gaps += [instant(b["start_date"]) - instant(a["end_date"]) for a, b in zip(ordered, ordered[1:], strict=False)]
    return gaps


def quantile(values: Sequence[float], q: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def show(name: str, figure: str, wanted: str = "", beside: str = "") -> None:
    """One line of the report."""
    print(f"{name:<48} {figure:<34} {wanted:<34} {beside}", flush=True)


def describe_machine() -> str:
    """How busy the machine is, for figures of time on the clock."""
    return f"{os.cpu_count()} cores, load of the last minute {os.getloadavg()[0]:.1f}"


def measure_speed() -> float:
    """Processor seconds that this machine needs for ten million additions in Python: machines differ by a factor of two, and one machine with the hour."""

    def add() -> None:
        total = 0
        for number in range(10_000_000):
            total += number

    spent = []
    for _ in range(3):
        began = time.process_time()
        add()
        spent.append(time.process_time() - began)
    return min(spent)
