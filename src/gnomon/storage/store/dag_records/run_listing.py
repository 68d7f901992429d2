"""Runs of all DAGs for listings: by state and by the time of their end, each by an index."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from gnomon.model.instants import Instant
from gnomon.model.records import RunRecord, TaskRecord
from gnomon.model.states import (
    FINISHED_RUN_STATES,
    NO_STATUS_CODE,
    RUN_STATE_CODES,
    RUN_STATES_BY_CODE,
    TASK_STATES_BY_CODE,
    DagRunState,
    TaskInstanceState,
)
from gnomon.storage.store.dag_records.dag_runs import NO_LIMIT
from gnomon.storage.store.record_codec import decode_run, decode_task
from gnomon.storage.store.transaction import Row, Transaction

_BEFORE_ALL: Instant = -(2**62)
_ALL_STATES = (0, 32767)
"""The codes between which every state is."""


class InstanceTimes(NamedTuple):
    """When a task instance started and ended, from its row; `state` is a code."""

    task_no: int
    map_index: int
    state: int
    try_number: int
    started_at: Instant | None
    ended_at: Instant | None
    resume_at: Instant | None
    rendered_map_index: str | None


class AttemptTimes(NamedTuple):
    """When an attempt started and ended, and in which state."""

    task_no: int
    map_index: int
    try_number: int
    state: str
    started_at: Instant | None
    ended_at: Instant | None


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
        rows = tx.all(
            "dag_runs.unfinished_of_all",
            first_state=RUN_STATE_CODES[state],
            last_state=RUN_STATE_CODES[state],
            limit=bounds["limit"],
        )
    elif since is not None:
        rows = tx.all("dag_runs.since_of_all", **bounds)
    else:
        rows = tx.all("dag_runs.newest_of_all", limit=bounds["limit"])
    return [NamedRun(row[-1], decode_run(row[:-1])) for row in rows]


def count_runs_by_day(
    tx: Transaction, dag_pk: int, *, start: Instant, until: Instant, shift: int, most: int
) -> list[tuple[int, DagRunState, int]]:
    """(day since 1970-01-01, state, count) of the runs of a DAG that are due from `start` to before `until`; of more than `most`, the newest.

    `shift`: the offset of the days' zone from UTC in microseconds, which must be the same in the whole span.
    """
    rows = tx.all("dag_runs.day_counts", dag_pk=dag_pk, start=start, until=until, shift=shift, most=most)
    return [(int(day), RUN_STATES_BY_CODE[state], int(count)) for day, state, count in rows]


def list_success_durations(tx: Transaction, dag_pk: int, *, looked_at: int, limit: int) -> list[int]:
    """How long the successful ones of the `looked_at` newest ended runs of the DAG took, in microseconds; at most `limit`, newest first."""
    return [row[0] for row in tx.all("dag_runs.success_durations", dag_pk=dag_pk, looked_at=looked_at, limit=limit)]


def list_success_durations_of_dags(
    tx: Transaction, dag_pks: Sequence[int], *, looked_at: int, limit: int
) -> dict[int, list[int]]:
    """As `list_success_durations`, by DAG, in one statement."""
    durations: dict[int, list[int]] = {dag_pk: [] for dag_pk in dag_pks}
    for dag_pk, duration in (
        tx.all("dag_runs.success_durations_of_dags", dag_pks=list(durations), looked_at=looked_at, limit=limit)
        if durations
        else ()
    ):
        durations[dag_pk].append(duration)
    return durations


def list_unfinished_of_all(tx: Transaction, limit: int, dag_ids: Collection[str] | None = None) -> list[NamedRun]:
    """The unfinished runs of all DAGs, or of these, newest first."""
    first, last = _ALL_STATES
    if dag_ids is None:
        rows = tx.all("dag_runs.unfinished_of_all", first_state=first, last_state=last, limit=limit)
    else:
        rows = tx.all("dag_runs.unfinished_of_dags", dag_ids=list(dag_ids), limit=limit)
    return [NamedRun(row[-1], decode_run(row[:-1])) for row in rows]


def list_runs_since(
    tx: Transaction,
    dag_id: str,
    *,
    state: DagRunState | None = None,
    since: Instant | None = None,
    limit: int | None = None,
) -> list[RunRecord]:
    """The runs of one DAG, newest first: those in one state, and those that ended at `since` or later or have not ended."""
    first, last = _ALL_STATES if state is None else (RUN_STATE_CODES[state],) * 2
    rows = tx.all(
        "dag_runs.list_since",
        dag_id=dag_id,
        first_state=first,
        last_state=last,
        since=_BEFORE_ALL if since is None else since,
        limit=NO_LIMIT if limit is None else limit,
    )
    return [decode_run(row) for row in rows]


def count_task_states(
    tx: Transaction, run_pks: Sequence[int]
) -> dict[tuple[int, int], dict[TaskInstanceState | None, int]]:
    """By run and number of the task: how many stored task instances are in each state (None: no status)."""
    counts: dict[tuple[int, int], dict[TaskInstanceState | None, int]] = {}
    for run_pk, task_no, code, count in tx.all("dag_runs.task_states_of_runs", run_pks=list(run_pks)):
        state = None if code == NO_STATUS_CODE else TASK_STATES_BY_CODE[code]
        counts.setdefault((run_pk, task_no), {})[state] = int(count)
    return counts


class StateLine(NamedTuple):
    """The states of the task instances of a run that are not mapped, for large grids."""

    run_pk: int
    numbers: Sequence[int]
    """The numbers of the tasks, ascending."""
    codes: bytes
    """The code of the state of each (NO_STATUS_CODE: none)."""
    has_mapped: bool
    """The run has mapped task instances too."""


def list_state_lines(tx: Transaction, run_pks: Sequence[int]) -> list[StateLine]:
    """Those of these runs; a run without task instances is left out."""
    lines: list[StateLine] = []
    lacking: list[StateLine] = []
    for run_pk, first, last, map_index, text in tx.all("dag_runs.state_lines_of_runs", run_pks=list(run_pks)):
        line = StateLine(run_pk, range(first, last + 1), _decode_codes(text), map_index >= 0)
        (lines if len(line.codes) == len(line.numbers) else lacking).append(line)
    rows = tx.all("dag_runs.line_numbers_of_runs", run_pks=[line.run_pk for line in lacking]) if lacking else []
    numbers = {run_pk: [] if text is None else _numbers_decoder.decode(text) for run_pk, text in rows}
    return lines + [line._replace(numbers=numbers[line.run_pk]) for line in lacking]


_numbers_decoder = msgspec.json.Decoder(list[int])


def _decode_codes(text: str | None) -> bytes:
    return b"" if text is None else bytes(_numbers_decoder.decode(text))


def list_mapped_states(tx: Transaction, run_pks: Sequence[int]) -> list[Row]:
    """Of the mapped task instances of these runs: run, number of the task, code of the state (NO_STATUS_CODE: none), count."""
    return tx.all("dag_runs.mapped_states_of_runs", run_pks=list(run_pks)) if run_pks else []


def list_instance_times(tx: Transaction, run_pk: int, limit: int) -> list[InstanceTimes]:
    """The task instances of the run that have a row, by task number and map index; at most `limit`."""
    return [InstanceTimes(*row) for row in tx.all("dag_runs.instance_times", run_pk=run_pk, limit=limit)]


def list_attempt_times(tx: Transaction, run_pk: int, limit: int) -> list[AttemptTimes]:
    """The ended attempts of the run, by task number, map index and order; at most `limit`."""
    return [AttemptTimes(*row) for row in tx.all("dag_runs.attempt_times", run_pk=run_pk, limit=limit)]


def list_live_tasks(tx: Transaction, run_pks: Sequence[int], limit: int) -> list[TaskRecord]:
    """The task instances of these runs that are with a worker (queued, running, restarting), in the order of their start."""
    return [decode_task(row) for row in tx.all("dag_runs.live_task_instances", run_pks=list(run_pks), limit=limit)]


def list_overdue_dags(tx: Transaction, before: Instant, limit: int) -> list[tuple[str, Instant]]:
    """(DAG, due time) of the unpaused DAGs whose next run was due before this instant and does not exist, the longest overdue first."""
    return [(row[0], row[1]) for row in tx.all("dag_runs.overdue", before=before, limit=limit)]
