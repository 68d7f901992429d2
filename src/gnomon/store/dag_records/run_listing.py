"""Runs of all DAGs for listings: by state and by the time of their end, each by an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.model.records import RunRecord, TaskRecord
from gnomon.model.states import (
    FINISHED_RUN_STATES,
    NO_STATUS_CODE,
    RUN_STATE_CODES,
    TASK_STATES_BY_CODE,
    DagRunState,
    TaskInstanceState,
)
from gnomon.store.dag_records.dag_runs import NO_LIMIT
from gnomon.store.record_codec import decode_run, decode_task
from gnomon.store.transaction import Transaction

_BEFORE_ALL: Instant = -(2**62)
_ALL_STATES = (0, 32767)
"""The codes between which every state is."""


@dataclass(frozen=True, slots=True)
class NamedRun:
    """A run with the id of its DAG."""

    dag_id: str
    run: RunRecord


def list_runs_of_all(
    tx: Transaction, *, state: DagRunState | None = None, since: Instant | None = None, limit: int | None = None
) -> list[NamedRun]:
    """Runs of all DAGs: those in one state, and those that ended at `since` or later or have not ended.

    Ended runs come in the order of their ends, with `since` after those that have not ended; unfinished ones of one state in that of `run_after`;
    runs in any state without `since` in that of their creation. Each newest first, and each by an index.
    """
    bounds = {"since": _BEFORE_ALL if since is None else since, "limit": NO_LIMIT if limit is None else limit}
    if state in FINISHED_RUN_STATES:
        rows = tx.all("dag_runs.ended_of_all", state=RUN_STATE_CODES[state], **bounds)
    elif state is not None:
        rows = tx.all("dag_runs.unfinished_of_all", first_state=RUN_STATE_CODES[state], last_state=RUN_STATE_CODES[state], limit=bounds["limit"])
    elif since is not None:
        rows = tx.all("dag_runs.since_of_all", **bounds)
    else:
        rows = tx.all("dag_runs.newest_of_all", limit=bounds["limit"])
    return [NamedRun(row[-1], decode_run(row[:-1])) for row in rows]


def list_success_durations(tx: Transaction, dag_pk: int, *, looked_at: int, limit: int) -> list[int]:
    """How long the successful ones of the `looked_at` newest ended runs of the DAG took, in microseconds; at most `limit`, newest first."""
    return [row[0] for row in tx.all("dag_runs.success_durations", dag_pk=dag_pk, looked_at=looked_at, limit=limit)]


def list_unfinished_of_all(tx: Transaction, limit: int) -> list[NamedRun]:
    """The unfinished runs of all DAGs, newest first."""
    first, last = _ALL_STATES
    rows = tx.all("dag_runs.unfinished_of_all", first_state=first, last_state=last, limit=limit)
    return [NamedRun(row[-1], decode_run(row[:-1])) for row in rows]


def list_runs_since(
    tx: Transaction, dag_id: str, *, state: DagRunState | None = None, since: Instant | None = None, limit: int | None = None
) -> list[RunRecord]:
    """The runs of one DAG, newest first: those in one state, and those that ended at `since` or later or have not ended."""
    first, last = _ALL_STATES if state is None else (RUN_STATE_CODES[state],) * 2
    rows = tx.all(
        "dag_runs.list_since", dag_id=dag_id, first_state=first, last_state=last, since=_BEFORE_ALL if since is None else since,
        limit=NO_LIMIT if limit is None else limit,
    )
    return [decode_run(row) for row in rows]


def count_task_states(tx: Transaction, run_pks: Sequence[int]) -> dict[tuple[int, int], dict[TaskInstanceState | None, int]]:
    """By run and number of the task: how many stored task instances are in each state (None: no status)."""
    counts: dict[tuple[int, int], dict[TaskInstanceState | None, int]] = {}
    for run_pk, task_no, code, count in tx.all("dag_runs.task_states_of_runs", run_pks=list(run_pks)):
        state = None if code == NO_STATUS_CODE else TASK_STATES_BY_CODE[code]
        counts.setdefault((run_pk, task_no), {})[state] = int(count)
    return counts


def list_task_state_counts(tx: Transaction, run_pks: Sequence[int]) -> list[tuple[int, int, int, int]]:
    """As `count_task_states`, in rows for large grids: run, number of the task, code of the state (NO_STATUS_CODE: none), count."""
    return [(row[0], row[1], row[2], int(row[3])) for row in tx.all("dag_runs.task_states_of_runs", run_pks=list(run_pks))]


def list_live_tasks(tx: Transaction, run_pks: Sequence[int], limit: int) -> list[TaskRecord]:
    """The task instances of these runs that are with a worker (queued, running, restarting), those that started first first."""
    return [decode_task(row) for row in tx.all("dag_runs.live_task_instances", run_pks=list(run_pks), limit=limit)]


def list_overdue_dags(tx: Transaction, before: Instant, limit: int) -> list[tuple[str, Instant]]:
    """(DAG, due time) of the unpaused DAGs whose next run was due before this instant and does not exist, the longest overdue first."""
    return [(row[0], row[1]) for row in tx.all("dag_runs.overdue", before=before, limit=limit)]
