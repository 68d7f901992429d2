"""What happened in a time: the runs that were due in it, the tries of their tasks, and what became of these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gnomon.model.instants import Instant
from gnomon.model.states import RUN_STATES_BY_CODE, TASK_STATES_BY_CODE, DagRunState, TaskInstanceState
from gnomon.storage.store.transaction import Transaction

RUNS_MAX = 50_000
"""Most runs that are read."""
_KEYS_PER_READ = 500


class PastRun(NamedTuple):
    """A run that was due in the time."""

    run_pk: int
    dag_pk: int
    run_id: str
    run_type: str
    state: DagRunState
    run_after: Instant
    queued_at: Instant
    started_at: Instant | None
    ended_at: Instant | None
    clear_number: int
    version_pk: int | None


class PastAttempt(NamedTuple):
    """An attempt that has ended; a try that was deferred or rescheduled has several."""

    run_pk: int
    task_no: int
    map_index: int
    try_number: int
    state: str
    started_at: Instant | None
    ended_at: Instant | None


class PastTask(NamedTuple):
    """What became of a task instance."""

    run_pk: int
    task_no: int
    map_index: int
    state: TaskInstanceState | None
    return_length: int | None


def list_runs(tx: Transaction, begin: Instant, until: Instant) -> list[PastRun]:
    """The runs that are due from `begin` on and before `until`, by due time: at most RUNS_MAX and one more."""
    rows = tx.all("day_history.runs", begin=begin, until=until, most=RUNS_MAX + 1)
    return [
        PastRun(run_pk, dag_pk, run_id, run_type, RUN_STATES_BY_CODE[state], *rest)
        for run_pk, dag_pk, run_id, run_type, state, *rest in rows
    ]


def list_attempts(tx: Transaction, run_pks: Sequence[int]) -> list[PastAttempt]:
    """The ended attempts of the runs, those of an instance in their order."""
    return [PastAttempt(*row) for keys in _split(run_pks) for row in tx.all("day_history.tries", run_pks=keys)]


def list_tasks(tx: Transaction, run_pks: Sequence[int]) -> list[PastTask]:
    """The task instances of the runs."""
    return [
        PastTask(run_pk, task_no, map_index, TASK_STATES_BY_CODE.get(state), return_length)
        for keys in _split(run_pks)
        for run_pk, task_no, map_index, state, return_length in tx.all("day_history.tasks", run_pks=keys)
    ]


def _split(run_pks: Sequence[int]) -> Iterator[list[int]]:
    for place in range(0, len(run_pks), _KEYS_PER_READ):
        yield list(run_pks[place : place + _KEYS_PER_READ])
