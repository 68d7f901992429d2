"""How long the tasks of the newest runs of a DAG took."""

from __future__ import annotations

from typing import NamedTuple

from gnomon.model.instants import Instant
from gnomon.model.states import TASK_STATES_BY_CODE, TaskInstanceState
from gnomon.storage.store.transaction import Transaction

RUNS_READ = 90
"""The newest ended runs of a DAG that are read: three months of a daily one."""
ROWS_READ = 20_000
"""Task instances of one DAG that are read at most: a mapped task may have a thousand in each run."""


class RecordedTask(NamedTuple):
    """One ended task instance; started and ended are those of its last try."""

    task_no: int
    run_type: str
    run_after: Instant
    state: TaskInstanceState
    try_number: int
    started_at: Instant
    ended_at: Instant
    return_length: int | None
    defer_seq: int
    """How often it was deferred."""
    version_pk: int | None


def list_recent_tasks(tx: Transaction, dag_pk: int) -> list[RecordedTask]:
    """The ended task instances of the newest runs of the DAG, newest run first."""
    rows = tx.all("task_durations.recent", dag_pk=dag_pk, runs=RUNS_READ, rows=ROWS_READ)
    return [
        RecordedTask(task_no, run_type, run_after, TASK_STATES_BY_CODE[state], *rest)
        for task_no, run_type, run_after, state, *rest in rows
    ]
