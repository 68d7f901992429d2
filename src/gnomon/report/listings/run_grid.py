"""The newest runs of a DAG with the states of their tasks, as a grid shows them."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.states import NO_STATUS_CODE, TASK_STATES_BY_CODE
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
    known, numbers = set(current), {number for _run_pk, number in counts}
    former = sorted(task_id for task_id, number in dag.task_numbers.items() if number in numbers and task_id not in known)
    tasks = []
    for task_id in [*current, *former]:
        number = dag.task_numbers.get(task_id, -1)
        states = [counts.get((run.run_pk, number), {}) for run in runs]
        tasks.append(GridTask(task_id, [{None if state is None else state.value: n for state, n in of_run.items()} for of_run in states]))
    return RunGrid(dag.dag_id, runs, tasks)


Cell = int | list[tuple[int, int]] | None
"""An index of CompactGrid.states; (index, count) pairs for several instances; None without an instance."""


@dataclass(frozen=True, slots=True)
class CompactGrid:
    """As RunGrid, with numbers for states."""

    dag_id: str
    states: list[str | None]
    runs: list[RunRecord]
    task_ids: list[str]
    cells: list[list[Cell]]
    """For each task, a cell for each run."""


def read_compact_grid(tx: Transaction, dag: DagRecord, count: int) -> CompactGrid:
    """The newest `count` runs of the DAG, for grids of a hundred thousand cells."""
    runs = dag_runs.list_runs(tx, dag.dag_id, limit=count)[::-1]
    columns = {run.run_pk: index for index, run in enumerate(runs)}
    lines: dict[int, list[Cell]] = {}
    numbers: dict[int, int] = {}
    for run_pk, task_no, code, instances in run_listing.list_task_state_counts(tx, list(columns)) if runs else ():
        line = lines.get(task_no)
        if line is None:
            line = lines[task_no] = [None] * len(runs)
        column, number = columns[run_pk], numbers.setdefault(code, len(numbers))
        before = line[column]
        if before is None and instances == 1:
            line[column] = number
        else:
            pairs = [] if before is None else [(before, 1)] if isinstance(before, int) else before
            line[column] = [*pairs, (number, instances)]
    current = [task.task_id for task in dag.spec.tasks]
    known = set(current)
    former = sorted(task_id for task_id, number in dag.task_numbers.items() if number in lines and task_id not in known)
    cells = [lines.get(dag.task_numbers.get(task_id, -1)) or [None] * len(runs) for task_id in [*current, *former]]
    states = [None if code == NO_STATUS_CODE else TASK_STATES_BY_CODE[code].value for code in numbers]
    return CompactGrid(dag.dag_id, states, runs, [*current, *former], cells)
