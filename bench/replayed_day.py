"""A recorded day beside its replay: `python -m bench.replayed_day [DAGS] [SECONDS] [SEED]`, 200 DAGs in 240 s by default.

A standalone with the local executor runs DAGs of a compressed day: each has one run, of a chain or a fan of tasks that sleep for known times, some in pools, some
with tries that fail, some that wait for other DAGs. Then the replay does the same day with the recorded durations. What differs is the cost of the real system: commits,
wake-ups, the start of a process for each try. A start is the same within 1 s or 1 % of the span of the day.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.deployment import deployment
from gnomon.entry.projection.replay import DayRecord, project_day, read_day, read_script
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.ground.config import load_config
from gnomon.model.instants import SECOND, Instant, to_instant
from gnomon.services.scheduler.settings import SchedulerSettings, build_scheduler_settings
from gnomon.storage.store import Database, load_cipher, open_database
from gnomon.storage.store.dag_records import day_history

DEFAULTS = (200, 240, 1)
POOLS = {"etl": 6, "narrow": 2}
LEAD_S = 30
"""Until the first run is due: the files must be read before."""
LIMIT_S = 300
"""Longest time until all runs have ended after the last was due."""
POLL_S = 1.0
SHARE, LEAST_S = 0.01, 1.0
OPTIONS = {
    "GNOMON__CORE__PARALLELISM": "64",
    "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
}
FILE = """
import time
from datetime import datetime, timedelta, UTC
from gnomon import DAG, After, task

START = datetime.fromisoformat("MIDNIGHT")

def sleep(name, seconds, fails=False, **arguments):
    @task(task_id=name, retries=1, retry_delay=timedelta(seconds=2), **arguments)
    def run(ti=None):
        time.sleep(seconds)
        if fails and ti.try_number == 1:
            raise RuntimeError("as planned")
    return run()

"""


@dataclass(frozen=True)
class Start:
    """When a run, or a try of a task that is its last, started: in the record and in the replay."""

    name: str
    was: Instant
    replayed: Instant

    @property
    def shift_s(self) -> float:
        """How much later it was than in the replay."""
        return (self.was - self.replayed) / SECOND


def write_dags(dag_count: int, span_s: int, begin: datetime, seed: int) -> str:
    """The text of a file with the DAGs of the day."""
    draw = random.Random(seed)
    midnight = begin.replace(hour=0, minute=0, second=0)
    return FILE.replace("MIDNIGHT", midnight.isoformat()) + "\n".join(
        "\n".join(_write_dag(number, begin + timedelta(seconds=draw.randrange(span_s)), draw))
        for number in range(dag_count)
    )


def _write_dag(number: int, due: datetime, draw: random.Random) -> Iterator[str]:
    waits = f", depends_on=[After('d{draw.randrange(number):03}')]" if number > 5 and draw.random() < 0.3 else ""
    cron = f"{due.minute} {due.hour} * * * {due.second}"
    yield f"with DAG('d{number:03}', schedule='{cron}', start_date=START{waits}):"
    pool = draw.choice([None, None, "etl", "etl", "narrow"])
    names = [f"t{place}" for place in range(draw.randint(2, 4))]
    for name in names:
        arguments = f", pool={pool!r}" if pool else ""
        arguments += ", fails=True" if draw.random() < 0.05 else ""
        seconds = draw.uniform(0.2, 1.0) if pool == "narrow" else draw.uniform(0.5, 6.0)
        yield f"    {name} = sleep('{name}', {seconds:.2f}{arguments})"
    yield "    " + (" >> ".join(names) if draw.random() < 0.6 else f"{names[0]} >> [{', '.join(names[1:])}]")


def record(dag_count: int, span_s: int, seed: int) -> tuple[DayRecord, SchedulerSettings]:
    """Run the day in a standalone; what it recorded, and the settings of its scheduler."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "day.py"
        begin = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=LEAD_S)
        file.write_text(write_dags(dag_count, span_s, begin, seed))
        with deployment([file], **OPTIONS) as running:
            running.wait_until_up()
            for name, slots in POOLS.items():
                running.cli("pools", "set", name, str(slots), "bench")
            cfg = load_config(running.environ)
            first, last = to_instant(begin), to_instant(begin) + span_s * SECOND
            with closing(open_database(cfg.database_url, role="bench", cipher=load_cipher(cfg))) as db:
                _wait_for_end(db, dag_count, first, last)
                settings = build_scheduler_settings(cfg)
                return read_day(db, first, last), replace(settings, limits=replace(settings.limits, executors=None))


def _wait_for_end(db: Database, dag_count: int, first: Instant, last: Instant) -> None:
    """Return when all runs have ended. Raises TimeoutError."""
    while time.time() < last / SECOND + LIMIT_S:
        with db.read() as tx:
            ended = [run for run in day_history.list_runs(tx, first, last) if run.ended_at is not None]
        if len(ended) >= dag_count:
            return
        time.sleep(POLL_S)
    raise TimeoutError(f"{len(ended)} of {dag_count} runs have ended")


def list_starts(day: DayRecord, outcomes: Iterable[RunOutcome]) -> tuple[list[Start], list[Start]]:
    """Runs, and the last tries of tasks, that started in both."""
    dags = {dag.dag_pk: dag for dag in day.dags}
    replayed = {run.dag_id: run for run in outcomes if day.begin <= run.run_after < day.end}
    runs, tries = [], []
    for past in day.runs:
        dag = dags[past.dag_pk]
        run = replayed.get(dag.dag_id)
        if run is None or run.started_at is None or past.started_at is None:
            continue
        runs.append(Start(dag.dag_id, past.started_at, run.started_at))
        last_starts = {
            attempt.task_no: attempt.started_at
            for attempt in sorted(
                (each for each in day.attempts if each.run_pk == past.run_pk), key=lambda each: each.try_number
            )
            if attempt.started_at is not None
        }
        for task in run.tasks:
            was = last_starts.get(dag.task_numbers[task.task_id])
            if was is not None and task.started_at is not None:
                tries.append(Start(f"{dag.dag_id}.{task.task_id}", was, task.started_at))
    return runs, tries


def count_reversed(starts: Sequence[Start], least_s: float) -> tuple[int, int]:
    """Pairs that started further apart than `least_s` in the record, and those of them that follow in the other order in the replay."""
    ordered = sorted(starts, key=lambda start: start.was)
    pairs = [
        (early, late)
        for place, early in enumerate(ordered)
        for late in ordered[place + 1 :]
        if late.was - early.was > least_s * SECOND
    ]
    return len(pairs), sum(late.replayed < early.replayed for early, late in pairs)


def show(name: str, starts: Sequence[Start], span_s: float) -> None:
    """A line of the table."""
    shifts = sorted(abs(start.shift_s) for start in starts)
    least_s = max(LEAST_S, SHARE * span_s)
    pairs, others = count_reversed(starts, LEAST_S)
    figures = [shifts[min(int(quantile * len(shifts)), len(shifts) - 1)] for quantile in (0.5, 0.95, 1.0)]
    same = sum(shift <= least_s for shift in shifts) / len(shifts)
    print(
        f"| {name} | {len(starts)} | "
        + " | ".join(f"{figure:.2f}" for figure in figures)
        + f" | {same:.1%} | {others} of {pairs:,} |"
    )


def main(dag_count: int = DEFAULTS[0], span_s: int = DEFAULTS[1], seed: int = DEFAULTS[2]) -> None:
    """Record, replay, print."""
    day, settings = record(dag_count, span_s, seed)
    script = read_script(day)
    runs, tries = list_starts(day, project_day(day, settings, script, with_tasks=True))
    print(
        f"{dag_count} DAGs in {span_s} s, load {os.getloadavg()[0]:.1f} at the end, tries without a record: {len(script.unrecorded)}\n"
    )
    print(
        "| starts of | number | median s | p95 s | most s | within 1 s or 1 % of the span | over 1 s apart and in another order |"
    )
    print("|---|---|---|---|---|---|---|")
    show("runs", runs, span_s)
    show("tasks", tries, span_s)
    worst = sorted(tries, key=lambda start: -abs(start.shift_s))[:5]
    print("\nfurthest: " + ", ".join(f"{start.name} {start.shift_s:+.2f} s" for start in worst))


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
