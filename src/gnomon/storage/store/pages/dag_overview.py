"""What overviews of many DAGs read: newest runs, counts, next runs, and failures, each in one statement for all DAGs of the overview."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.model.sentences.stored_sentences import StoredText
from gnomon.model.slots import PlannedRun
from gnomon.model.states import RUN_STATES_BY_CODE, TASK_STATE_CODES, DagRunState, DagRunType, TaskInstanceState
from gnomon.storage.store.parsed_files.dag_files import decode_warnings
from gnomon.storage.store.record_codec import decode_planned_run
from gnomon.storage.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True)
class RunBar:
    """A run as a bar of the strip of its DAG."""

    run_pk: int
    run_id: str
    run_type: DagRunType
    state: DagRunState
    run_after: Instant
    started_at: Instant | None
    ended_at: Instant | None
    reason: str | None


def list_newest_runs(tx: Transaction, dag_pks: Sequence[int], limit: int) -> dict[int, list[RunBar]]:
    """By DAG, its `limit` newest runs, newest first; a DAG without runs is left out."""
    bars: dict[int, list[RunBar]] = {}
    for dag_pk, run_pk, run_id, kind, code, *others in tx.all(
        "dag_overview.newest_runs", dag_pks=list(dag_pks), limit=limit
    ):
        bars.setdefault(dag_pk, []).append(RunBar(run_pk, run_id, DagRunType(kind), RUN_STATES_BY_CODE[code], *others))
    return bars


def read_recent_counts(tx: Transaction, dag_pks: Sequence[int], since: Instant) -> dict[int, dict[DagRunState, int]]:
    """By DAG, the number of its runs in each state that were due at `since` or later."""
    counts: dict[int, dict[DagRunState, int]] = {}
    for dag_pk, code, count in tx.all("dag_overview.recent_counts", dag_pks=list(dag_pks), since=since):
        counts.setdefault(dag_pk, {})[RUN_STATES_BY_CODE[code]] = int(count)
    return counts


@dataclass(frozen=True, slots=True)
class DagProblems:
    """The errors of planning of a DAG and the warnings of its whole file."""

    errors: list[str]
    file_warnings: list[StoredText]


def list_problems(tx: Transaction, dag_pks: Sequence[int]) -> dict[int, DagProblems]:
    """By DAG, its errors of planning and the warnings of its file."""
    return {
        dag_pk: DagProblems([text for text in (error, dependency_error) if text], decode_warnings(warnings))
        for dag_pk, error, dependency_error, warnings in tx.all("dag_overview.problems", dag_pks=list(dag_pks))
    }


def list_next_runs(tx: Transaction, until: Instant) -> list[Row]:
    """(dag_pk, due time) of the next runs of the DAGs that are active and not paused, if they are due before `until`; overdue ones too.

    Rows: of ten thousand DAGs they are counted in some milliseconds.
    """
    return tx.all("dag_overview.next_runs", until=until)


def read_next_runs(tx: Transaction, dag_pks: Sequence[int]) -> dict[int, PlannedRun]:
    """The next runs of these DAGs; a DAG without one is left out."""
    rows = tx.all("dag_overview.next_bodies", dag_pks=list(dag_pks)) if dag_pks else []
    return {dag_pk: planned for dag_pk, body in rows if (planned := decode_planned_run(body)) is not None}


def count_ended_by_hour(tx: Transaction, since: Instant, most: int) -> list[Row]:
    """(dag_pk, hours since `since`, code of the state, count) of the runs that ended at `since` or later; looks at `most` runs.

    Several rows may be of one DAG, hour and state.
    """
    return tx.all("dag_overview.ended_by_hour", since=since, most=most)


def read_newest_run_times(tx: Transaction) -> dict[int, Instant]:
    """By DAG, when its newest run was due; a DAG without runs is left out."""
    return {row[0]: row[1] for row in tx.all("dag_overview.newest_run_times")}


def list_last_states(tx: Transaction) -> dict[int, DagRunState | None]:
    """By DAG, the state of its newest run; None for a DAG without runs."""
    return {
        row[0]: None if row[1] is None else RUN_STATES_BY_CODE[row[1]] for row in tx.all("dag_overview.last_states")
    }


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A run that ended failed."""

    run_pk: int
    dag_pk: int
    dag_id: str
    run_id: str
    run_after: Instant
    ended_at: Instant
    reason: str | None
    slot: Instant
    """The slot for which runs of other DAGs may wait."""


def list_failed_runs(tx: Transaction, since: Instant, most: int) -> list[FailedRun]:
    """The runs that ended failed at `since` or later, the last end first; at most `most`."""
    return [FailedRun(*row) for row in tx.all("dag_overview.failed_since", since=since, most=most)]


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """The newest finished run of a DAG."""

    run_id: str
    state: DagRunState
    run_after: Instant
    ended_at: Instant


def list_last_finished(tx: Transaction, dag_pks: Sequence[int]) -> dict[int, FinishedRun]:
    """By DAG, its newest finished run."""
    return {
        dag_pk: FinishedRun(run_id, RUN_STATES_BY_CODE[code], run_after, ended_at)
        for dag_pk, run_id, code, run_after, ended_at in tx.all("dag_overview.last_finished", dag_pks=list(dag_pks))
    }


@dataclass(frozen=True, slots=True)
class EndedTask:
    """A task instance in an end state."""

    task_id: str
    map_index: int
    error: str | None
    """Why it ended so, as its last try said."""


def list_first_instances(
    tx: Transaction, run_pks: Sequence[int], state: TaskInstanceState, most: int
) -> dict[int, tuple[list[EndedTask], int]]:
    """By run, its task instances in that end state that ended first, at most `most` of each, and the number of all; a run without one is left out."""
    instances: dict[int, tuple[list[EndedTask], int]] = {}
    for run_pk, task_id, map_index, error, total in tx.all(
        "dag_overview.first_instances", run_pks=list(run_pks), state=TASK_STATE_CODES[state], most=most
    ):
        instances.setdefault(run_pk, ([], total))[0].append(EndedTask(task_id, map_index, error))
    return instances
