"""What a projection costs: `python -m bench.projection [DAGS] [DAYS]` projects that many daily DAGs of ten tasks from nothing, in memory.

1,000 DAGs for 365 days are a year of 365,000 runs and 3.65 million task instances. Processor seconds and memory are printed for each tenth of the days.
"""

from __future__ import annotations

import resource
import sys
import time

import msgspec

from bench.many_days import DAY, FIRST, build_spec
from gnomon.entry.projection.projected_dags import build_records
from gnomon.entry.projection.projector import Projector
from gnomon.entry.simulate.year_simulation import SETTINGS
from gnomon.entry.testing.scripted import Play
from gnomon.model.attempts import Attempt
from gnomon.model.instants import Instant, to_instant
from gnomon.model.records import Changes, PoolRecord

DURATIONS_S = (60.0, 300.0, 600.0)


def play(attempt: Attempt) -> Play:
    """One of three durations."""
    return Play(DURATIONS_S[(attempt.run.run_pk * 7 + attempt.task_no) % 3])


def project(dag_count: int, days: int) -> None:
    """Project the days, and print what they cost so far."""
    start = to_instant(FIRST)
    projector = Projector(
        settings=SETTINGS,
        start=start,
        script=play,
        pools=[PoolRecord("default_pool", -1, 0)],
        worker_slots=1_000_000,
    )
    kinds = [build_spec(f"{minute} {hour} * * *") for hour in range(24) for minute in range(0, 60, 5)]
    specs = [msgspec.structs.replace(kinds[n % len(kinds)], dag_id=f"dag_{n:05d}") for n in range(dag_count)]
    projector.add_dags(build_records([(spec, "/dags/many.py") for spec in specs], start))
    counts = {"runs": 0, "attempts": 0}

    def count(changes: Changes, _now: Instant) -> None:
        counts["runs"] += sum(run.ended_at is not None for run in changes.runs)
        counts["attempts"] += len(changes.attempts)

    projector.observe = count
    began = time.process_time()
    for day in range(1, days + 1):
        projector.run_until(start + day * DAY)
        if day % max(1, days // 10) == 0:
            cpu_s = time.process_time() - began
            print(
                f"day {day}: {counts['runs']:,} runs, {counts['attempts']:,} task instances, {cpu_s:.1f} s of processor, "
                f"{1e6 * cpu_s / counts['attempts']:.0f} us each, {_peak_mb():.0f} MB",
                flush=True,
            )


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    project(*map(int, sys.argv[1:] or ("1000", "365")))
