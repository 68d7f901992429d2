"""What one task costs each process: not mapped, mapped over a list in the file, mapped over an XCom. `python -m bench.mapped_processes`.

Processor time depends less than rates on what else the machine does. That of zygotes and children is read when the processes have ended that
`attempts_per_child` keeps for further attempts, so that each run has the exits of its own processes; that of the others is read at its end. The runs of the DAGs alternate; medians of all rounds are shown.
`python -m bench.mapped_processes 500 1000` for other numbers of instances over an XCom.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from pathlib import Path

from bench.deployment import Deployment
from bench.figures import median
from bench.mapped import MODES, deployed
from bench.processes import cpu_s, family
from gnomon.services.worker.child_pool import CHILD_IDLE_S
from gnomon.services.worker.loop import IDLE_TICK_S

NUMBERS = (500,)
ROUNDS = 3
"""The first one is not counted: it forks, imports and fills caches."""
LIMIT_S = 600.0
ROLES = ("scheduler", "worker")
TASKS = "zygotes, children"


class ProcessGroups:
    """The processes of a deployment by role: the scheduler, the worker, its zygotes and children, and the others."""

    def __init__(self, running: Deployment) -> None:
        self._running = running

    def cpu_s(self) -> dict[str, float]:
        """Processor seconds of each group."""
        pids = self._running.processes()
        by_role = {role: [pid for pid in pids if _title(pid).startswith(f"gnomon: {role}")] for role in ROLES}
        owners = [pid for role in by_role.values() for pid in role]
        tasks = [pid for worker in by_role["worker"] for pid in family(worker) if pid not in owners]
        others = [pid for pid in pids if pid not in owners and pid not in tasks]
        groups = {**by_role, TASKS: tasks, "others": others}
        return {name: cpu_s(members) for name, members in groups.items()}


def _title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode()
    except OSError:
        return ""


def mapped_processes(numbers: tuple[int, ...] = NUMBERS) -> None:
    """A table for each way to run tasks."""
    tasks = {"wide_python_500": 500, "wide_mapped_500": 500} | {f"mapped_{number}": number for number in numbers}
    for mode, options in MODES.items():
        with deployed(numbers, options) as running:
            found: dict[str, list[dict[str, float]]] = {dag_id: [] for dag_id in tasks}
            for turn in range(ROUNDS):
                for dag_id, number in tasks.items():
                    found[dag_id].append(_measure(running, dag_id, number, f"r{turn}"))
        print(f"ms of processor time for each task, {mode}")
        for dag_id, turns in found.items():
            print(_line(dag_id, turns[1:]))


def _measure(running: Deployment, dag_id: str, number: int, run_id: str) -> dict[str, float]:
    groups = ProcessGroups(running)
    before = groups.cpu_s()
    running.trigger_and_watch(dag_id, run_id, LIMIT_S)
    after = groups.cpu_s()
    time.sleep(CHILD_IDLE_S + 3 * IDLE_TICK_S)
    after[TASKS] = groups.cpu_s()[TASKS]
    return {name: 1000 * (after[name] - before[name]) / number for name in after}


def _line(dag_id: str, turns: Iterable[dict[str, float]]) -> str:
    turns = list(turns)
    shown = [f"{name} {median([turn[name] for turn in turns]):.2f}" for name in turns[0]]
    return f"  {dag_id:<16} all {median([sum(turn.values()) for turn in turns]):.2f}: {', '.join(shown)}"


if __name__ == "__main__":
    mapped_processes(tuple(int(word) for word in sys.argv[1:]) or NUMBERS)
