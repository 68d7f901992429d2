"""The journal that tasks write outside the store, and the audit that compares it with the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tests.chaos.home import Home

from gnomon.model.records import AttemptRecord, RunRecord, TaskRecord
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES

HEAD = """
import datetime as dt, os, signal, time
from airflow.sdk import DAG, task

BEGIN = dt.datetime(2000, 1, 1, tzinfo=dt.timezone.utc)

def note(what, ti):
    line = f"{what} {ti.dag_id} {ti.run_id} {ti.task_id} {ti.map_index} {ti.try_number} {ti.id} {time.time():.6f}\\n".encode()
    journal = os.open(os.environ["CHAOS_JOURNAL"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(journal, line)
    os.close(journal)

def work(ti, seconds):
    note("start", ti)
    time.sleep(seconds)
    note("end", ti)
"""
"""The beginning of every DAG file here: `pending_evaluations(ti, seconds)` is noted at its start and its end, one line in one write."""


@dataclass(frozen=True, slots=True)
class Note:
    """One line of the journal."""

    what: str
    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    try_number: int
    attempt: str
    at: float

    @property
    def instance(self) -> tuple[str, str, str, int]:
        return self.dag_id, self.run_id, self.task_id, self.map_index


def read(home: Home) -> list[Note]:
    """The journal in the order in which it was written, up to a line that is being written."""
    path = home.journal
    lines = path.read_text().rpartition("\n")[0].splitlines() if path.exists() else []
    return [Note(w, d, r, t, int(m), int(n), a, float(at)) for w, d, r, t, m, n, a, at in map(str.split, lines)]


def starts(home: Home, dag_id: str | None = None) -> list[Note]:
    """The starts among the notes, of one DAG or of all."""
    return [note for note in read(home) if note.what == "start" and dag_id in (None, note.dag_id)]


def audit(home: Home, retries: int = 1_000_000, excused: frozenset[str] = frozenset()) -> list[str]:
    """A sentence for each fault; empty when there is none. No task may be tried more than `retries` + 1 times.

    `excused`: attempts that may have gone on after the next one had begun, because their process was frozen meanwhile.
    """
    listed = home.runs()
    by_pk = {run.run_pk: (dag_id, run) for dag_id, run in listed}
    tasks, attempts = home.records(list(by_pk))
    notes = read(home)
    return [
        *_nothing_stuck(by_pk, tasks),
        *_starts_are_attempts(notes, attempts, by_pk),
        *_never_two_at_once(notes, excused),
        *_tries(attempts, by_pk, retries),
        *_once(listed),
    ]


def _nothing_stuck(runs: dict[int, tuple[str, RunRecord]], tasks: dict[int, list[TaskRecord]]) -> list[str]:
    found = [
        f"{dag} {run.run_id} is still {run.state}" for dag, run in runs.values() if run.state not in FINISHED_RUN_STATES
    ]
    for run_pk, rows in tasks.items():
        dag_id, run = runs[run_pk]
        found += [
            f"{dag_id} {run.run_id} task {row.task_no} is {row.state}"
            for row in rows
            if row.state not in FINISHED_TASK_STATES
        ]
        found += [
            f"{dag_id} {run.run_id} task {row.task_no} still has an attempt" for row in rows if row.attempt is not None
        ]
    return found


def _starts_are_attempts(
    notes: Sequence[Note], attempts: Sequence[AttemptRecord], runs: dict[int, tuple[str, RunRecord]]
) -> list[str]:
    """Every start is of a recorded attempt of that run and try; none started twice; what succeeded did start and end."""
    recorded = {attempt.attempt: attempt for attempt in attempts}
    found = [f"attempt {one} is recorded {n} times" for one, n in Counter(a.attempt for a in attempts).items() if n > 1]
    for what in ("start", "end"):
        times = Counter(note.attempt for note in notes if note.what == what)
        found += [f"attempt {one} has {n} {what}s" for one, n in times.items() if n > 1]
        found += [
            f"attempt {a.attempt} succeeded without a {what}"
            for a in attempts
            if a.state == "success" and not times[a.attempt]
        ]
    for note in notes:
        attempt = recorded.get(note.attempt)
        if attempt is None:
            found.append(f"{note} belongs to no recorded attempt")
            continue
        dag_id, run = runs[attempt.run_pk]
        if (dag_id, run.run_id, attempt.map_index, attempt.try_number) != (
            note.dag_id,
            note.run_id,
            note.map_index,
            note.try_number,
        ):
            found.append(f"{note} is recorded as try {attempt.try_number} of {dag_id} {run.run_id}")
    return found


def _never_two_at_once(notes: Sequence[Note], excused: frozenset[str]) -> list[str]:
    """No attempt does anything after a later attempt of the same task instance has begun."""
    last: dict[tuple[str, str, str, int], str] = {}
    found = []
    for note in notes:
        if note.attempt in excused:
            continue
        if note.what == "start":
            last[note.instance] = note.attempt
        elif last.get(note.instance) != note.attempt:
            found.append(f"{note} although attempt {last.get(note.instance)} had begun")
    return found


def _tries(attempts: Sequence[AttemptRecord], runs: dict[int, tuple[str, RunRecord]], retries: int) -> list[str]:
    return [
        f"{runs[a.run_pk][0]} {runs[a.run_pk][1].run_id} task {a.task_no} has try {a.try_number}"
        for a in attempts
        if a.try_number > retries + 1
    ]


def _once(listed: Sequence[tuple[str, RunRecord]]) -> list[str]:
    """No slot has two runs, and no slot before the last was left out (the DAGs here are daily)."""
    found = []
    for dag_id in sorted({dag_id for dag_id, _ in listed}):
        slots = sorted(run.run_after for other, run in listed if other == dag_id and run.run_type.value == "scheduled")
        steps = {later - earlier for earlier, later in zip(slots, slots[1:], strict=False)}
        if len(steps) > 1 or 0 in steps:
            found.append(f"{dag_id} has runs at uneven distances: {steps}")
    return found
