"""A page of DAGs with their newest runs, counts and problems, read in a few statements for the whole page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences.stored_sentences import StoredText
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.queries.report.activity.current_work import LATE_AFTER_S
from gnomon.queries.report.activity.failed_dags import find_first_line
from gnomon.queries.report.listings.import_problems import select_dag_warnings
from gnomon.storage.store import Transaction
from gnomon.storage.store.pages.dag_overview import (
    DagProblems,
    EndedTask,
    RunBar,
    list_first_instances,
    list_newest_runs,
    list_problems,
    read_recent_counts,
)
from gnomon.storage.store.pages.dag_pages import ListedDag
from gnomon.storage.store.pages.run_pages import read_run_counts_of_dags

BARS = 12
"""How many of the newest runs are shown."""
RECENT_S = 86_400
"""Runs that were due so many seconds ago or later are counted as recent."""


@dataclass(frozen=True, slots=True)
class NewestFailure:
    """Why the newest run of a DAG failed."""

    task_id: str | None
    """The task whose failure was the first in it, and so the cause of others; None: the run failed as a whole."""
    map_index: int
    error: str | None
    """The first line of what the task, or the run, says."""


@dataclass(frozen=True, slots=True)
class DagOverview:
    """A DAG of the page."""

    dag: ListedDag
    late_since: Instant | None
    """When its next run was due, if that is overdue and does not exist."""
    problems: list[StoredText]
    runs: list[RunBar]
    """Newest first."""
    failure: NewestFailure | None
    """Why its newest run failed; None: it did not."""
    counts: Mapping[DagRunState, int]
    recent: Mapping[DagRunState, int]


def read_overviews(tx: Transaction, page: Sequence[ListedDag], now: Instant) -> list[DagOverview]:
    """The overviews of these DAGs, in their order."""
    keys = [dag.dag_pk for dag in page]
    runs, problems = list_newest_runs(tx, keys, BARS), list_problems(tx, keys)
    failed = [bars[0] for bars in runs.values() if bars[0].state is DagRunState.FAILED]
    tasks = list_first_instances(tx, [run.run_pk for run in failed], TaskInstanceState.FAILED, 1) if failed else {}
    failures = {run.run_pk: _describe_failure(run, tasks.get(run.run_pk, ([], 0))[0]) for run in failed}
    counts, recent = read_run_counts_of_dags(tx, keys), read_recent_counts(tx, keys, now - RECENT_S * SECOND)
    return [
        DagOverview(
            dag,
            _find_late_since(dag, now),
            _list_problems(dag, problems.get(dag.dag_pk)),
            runs.get(dag.dag_pk, []),
            next((failures.get(run.run_pk) for run in runs.get(dag.dag_pk, [])), None),
            counts.get(dag.dag_pk, {}),
            recent.get(dag.dag_pk, {}),
        )
        for dag in page
    ]


def _describe_failure(run: RunBar, tasks: Sequence[EndedTask]) -> NewestFailure:
    if not tasks:
        return NewestFailure(None, -1, find_first_line(run.reason))
    return NewestFailure(tasks[0].task_id, tasks[0].map_index, find_first_line(tasks[0].error))


def _find_late_since(dag: ListedDag, now: Instant) -> Instant | None:
    if (
        dag.is_paused
        or not dag.is_active
        or dag.next_run is None
        or dag.next_run.run_after >= now - int(LATE_AFTER_S * SECOND)
    ):
        return None
    return dag.next_run.run_after


def _list_problems(dag: ListedDag, problems: DagProblems | None) -> list[StoredText]:
    return [] if problems is None else [*problems.errors, *select_dag_warnings(dag.dag_id, problems.file_warnings)]
