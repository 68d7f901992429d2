"""A scheduler beside a projection that never pauses: `python -m bench.beside_projection [PAIRS]`, about two minutes a pair.

A standalone runs 500 isolated tasks and a chain of thirty, with and without a projection on the same machine, in turns. The projection is that of `gnomon simulate`: a process at
idle priority (`entry/projection/idle_process.py`). Printed are the medians of both and the medians of the ratios of the pairs: 1.00 means that the projection costs nothing.
"""

from __future__ import annotations

import multiprocessing
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.deployment import Deployment, deployment
from bench.figures import describe_machine, hops, median, rate
from bench.many_days import DAY, FIRST
from bench.projection import DURATIONS_S, POOLS, build_mixed
from gnomon.author_code.processes.kernel import die_with_parent
from gnomon.entry.projection.idle_process import run_idle
from gnomon.entry.projection.projected_dags import build_records
from gnomon.entry.projection.projector import Projector
from gnomon.entry.simulate.year_simulation import SETTINGS
from gnomon.entry.testing.scripted import Play
from gnomon.model.attempts import Attempt
from gnomon.model.instants import to_instant

PAIRS = 5
CHAINS = 3
DAGS_OF_PROJECTION, DAYS_OF_PROJECTION = 200, 365
FOLDER = Path(__file__).parent / "dags"
OPTIONS = {
    "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
    "GNOMON__CORE__PARALLELISM": "8",
    "GNOMON__CORE__MAX_ACTIVE_TASKS_PER_DAG": "64",
}


def play(attempt: Attempt) -> Play:
    """One of three durations."""
    return Play(DURATIONS_S[(attempt.run.run_pk * 7 + attempt.task_no) % len(DURATIONS_S)])


class Turn(NamedTuple):
    """What was measured in one turn."""

    rate: float
    """Isolated tasks a second."""
    gap_s: float
    """From the end of a task of the chain to the start of the next, the median."""


def main(pairs: int = PAIRS) -> None:
    """Measure in turns, and print."""
    files = [FOLDER / "wide" / "wide_python_500.py", FOLDER / "chain" / "chain_30.py"]
    alone: list[Turn] = []
    beside: list[Turn] = []
    busy_s = elapsed_s = 0.0
    with deployment(files, **OPTIONS) as running:
        running.wait_for_dag("wide_python_500")
        running.wait_for_dag("chain_30")
        measure(running, "first")  # what is loaded once is loaded
        for number in range(pairs):
            for with_projection in (False, True) if number % 2 else (True, False):
                if with_projection:
                    began, cpu_s = time.monotonic(), _children_cpu_s()
                    with projecting():
                        beside.append(measure(running, f"beside_{number}"))
                    elapsed_s += time.monotonic() - began
                    busy_s += _children_cpu_s() - cpu_s
                else:
                    alone.append(measure(running, f"alone_{number}"))
            print(
                f"pair {number}: alone {alone[-1].rate:.0f}/s, {1000 * alone[-1].gap_s:.1f} ms; beside {beside[-1].rate:.0f}/s, {1000 * beside[-1].gap_s:.1f} ms",
                flush=True,
            )
    rates = [after.rate / before.rate for before, after in zip(alone, beside, strict=True)]
    gaps = [before.gap_s / after.gap_s for before, after in zip(alone, beside, strict=True)]
    print(f"\n{describe_machine()}; the projection used {busy_s / elapsed_s:.2f} of a processor")
    print("| | alone | beside a projection | ratio of the pairs |\n|---|---|---|---|")
    print(
        f"| isolated tasks a second | {median([turn.rate for turn in alone]):.0f} | {median([turn.rate for turn in beside]):.0f} | {median(rates):.3f} |"
    )
    print(
        f"| chain, end to next start, ms | {1000 * median([turn.gap_s for turn in alone]):.1f} | {1000 * median([turn.gap_s for turn in beside]):.1f} | {median(gaps):.3f} |"
    )


def measure(running: Deployment, name: str) -> Turn:
    """One wide run, and some chains."""
    wide = rate(running.run_to_end("wide_python_500", name))
    gaps = [gap for number in range(CHAINS) for gap in hops(running.run_to_end("chain_30", f"{name}_{number}"))]
    return Turn(wide, median(gaps))


@contextmanager
def projecting() -> Iterator[None]:
    """A projection goes on all the time."""
    process = multiprocessing.get_context("fork").Process(target=_project_for_ever)
    process.start()
    try:
        yield
    finally:
        process.terminate()  # the projection ends with it
        process.join()


def _project_for_ever() -> None:
    die_with_parent(signal.SIGKILL)
    while True:
        run_idle(_project)


def _project() -> int:
    start = to_instant(FIRST)
    projector = Projector(settings=SETTINGS, start=start, script=play, pools=POOLS, worker_slots=1_000_000)
    projector.add_dags(build_records([(spec, "/dags/many.py") for spec in build_mixed(DAGS_OF_PROJECTION)], start))
    projector.run_until(start + DAYS_OF_PROJECTION * DAY)
    return 0


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
