"""The newest runs of a DAG with the states of their tasks, as a grid shows them."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.records import DagRecord, RunRecord
from gnomon.store import Transaction
from gnomon.store.dag_records import dag_runs, run_listing

StateCounts = dict[str | None, int]
"""The number of task instances in each state; None: without a state."""


@dataclass(frozen=True, slots=True)
class GridTask:
    """A row of the grid: one task, with its states in each run."""

    task_id: str
    states: list[StateCounts]
    """For each run of the grid; empty where the run has no instance of the task, or none that has had a state."""


@dataclass(frozen=True, slots=True)
class RunGrid:
    """The runs, oldest first, and the tasks in topological order; tasks that the DAG no longer has come last."""

    dag_id: str
    runs: list[RunRecord]
    tasks: list[GridTask]


def read_run_grid(tx: Transaction, dag: DagRecord, count: int) -> RunGrid:
    """The newest `count` runs of the DAG."""
    runs = dag_runs.list_runs(tx, dag.dag_id, limit=count)[::-1]
    counts = run_listing.count_task_states(tx, [run.run_pk for run in runs]) if runs else {}
    current = [task.task_id for task in dag.spec.tasks]
    numbers = {number for _run_pk, number in counts}
    former = sorted(task_id for task_id, number in dag.task_numbers.items() if number in numbers and task_id not in set(current))
    tasks = []
    for task_id in [*current, *former]:
        number = dag.task_numbers.get(task_id, -1)
        states = [counts.get((run.run_pk, number), {}) for run in runs]
        tasks.append(GridTask(task_id, [{None if state is None else state.value: n for state, n in of_run.items()} for of_run in states]))
    return RunGrid(dag.dag_id, runs, tasks)
