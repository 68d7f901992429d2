"""What failed since an instant, why, and what that holds up: one entry for each failed run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gnomon.model.instants import iso
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.queries.report.activity.failed_dags import find_first_line
from gnomon.storage.store import Transaction
from gnomon.storage.store.cross_dag import run_waits
from gnomon.storage.store.pages import dag_overview
from gnomon.storage.store.pages.dag_overview import EndedTask, FailedRun

TASKS_MAX = 5
"""The most failed tasks, and the most tasks and runs that wait, that are named for a run."""


@dataclass(frozen=True, slots=True)
class FailedTaskRow:
    """A task instance that failed."""

    task: str
    """`task_id` or `task_id[map_index]`."""
    error: str | None
    """The first line of why it failed."""


@dataclass(frozen=True, slots=True)
class FailureRow:
    """A run that ended failed."""

    dag_id: str
    run_id: str
    run_after: str | None
    ended_at: str | None
    reason: str | None
    tasks: list[FailedTaskRow]
    """The first of its failed task instances."""
    failed_tasks: int
    """The number of all."""
    held_up_tasks: list[str]
    """The first of its task instances that did not run because of it."""
    held_up: int
    """The number of all."""
    waiting_runs: list[str]
    """The first of the runs of other DAGs, or of their tasks, that wait for it: `DAG RUN`."""
    healed_by: str | None
    """The newest finished run of the DAG, if it succeeded; None: the DAG is still broken."""


def list_failures(
    tx: Transaction, runs: Sequence[FailedRun], is_visible: Callable[[str], bool], hide: Callable[[str], str]
) -> list[FailureRow]:
    """The entries of these runs, in their order. `is_visible`, `hide`: the DAGs that the user may see, and sentences without the others."""
    run_pks = [run.run_pk for run in runs]
    failed = dag_overview.list_first_instances(tx, run_pks, TaskInstanceState.FAILED, TASKS_MAX)
    held_up = dag_overview.list_first_instances(tx, run_pks, TaskInstanceState.UPSTREAM_FAILED, TASKS_MAX)
    waiting = run_waits.list_waiting_runs(tx, [(run.dag_id, run.slot) for run in runs], TASKS_MAX)
    last = dag_overview.list_last_finished(tx, sorted({run.dag_pk for run in runs}))
    rows = []
    for run, waits in zip(runs, waiting, strict=True):
        tasks, count = failed.get(run.run_pk, ([], 0))
        victims, victim_count = held_up.get(run.run_pk, ([], 0))
        finished = last.get(run.dag_pk)
        rows.append(
            FailureRow(
                dag_id=run.dag_id,
                run_id=run.run_id,
                run_after=iso(run.run_after),
                ended_at=iso(run.ended_at),
                reason=None if run.reason is None else hide(run.reason),
                tasks=[FailedTaskRow(_name(task), _hide_line(task.error, hide)) for task in tasks],
                failed_tasks=count,
                held_up_tasks=[_name(task) for task in victims],
                held_up=victim_count,
                waiting_runs=[f"{dag_id} {run_id}" for dag_id, run_id in waits if is_visible(dag_id)],
                healed_by=finished.run_id if finished is not None and finished.state is DagRunState.SUCCESS else None,
            )
        )
    return rows


def _name(task: EndedTask) -> str:
    return task.task_id if task.map_index < 0 else f"{task.task_id}[{task.map_index}]"


def _hide_line(error: str | None, hide: Callable[[str], str]) -> str | None:
    line = find_first_line(error)
    return None if line is None else hide(line)
