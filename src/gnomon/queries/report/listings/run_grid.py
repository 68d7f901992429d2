"""The newest runs of a DAG with the states of their tasks, as a grid shows them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.spec import DagSpec
from gnomon.model.states import NO_STATUS_CODE, TASK_STATES_BY_CODE
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs, run_listing
from gnomon.storage.store.dag_records.run_listing import StateLine
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, Position, SortKey
from gnomon.storage.store.pages.run_pages import read_run_page

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
    current_ids, numbers = set(current), {number for _run_pk, number in counts}
    former = sorted(
        task_id for task_id, number in dag.task_numbers.items() if number in numbers and task_id not in current_ids
    )
    tasks = []
    for task_id in [*current, *former]:
        number = dag.task_numbers.get(task_id, -1)
        states = [counts.get((run.run_pk, number), {}) for run in runs]
        tasks.append(
            GridTask(
                task_id,
                [{None if state is None else state.value: n for state, n in of_run.items()} for of_run in states],
            )
        )
    return RunGrid(dag.dag_id, runs, tasks)


Cell = int | list[tuple[int, int]] | None
"""An index of CompactGrid.states; (index, count) pairs for several instances; None without an instance."""


@dataclass(frozen=True, slots=True)
class GridGroup:
    """A task group; a mapped one has instances."""

    group_id: str
    parent: int | None
    """The index of the group that contains it."""
    mapped: bool


@dataclass(frozen=True, slots=True)
class CompactGrid:
    """As RunGrid, with numbers for states."""

    dag_id: str
    states: list[str | None]
    runs: list[RunRecord]
    versions: list[int | None]
    """For each run, the number of the version of the DAG that it uses."""
    has_older: bool
    """Runs before the first one meet the conditions too."""
    task_ids: list[str]
    groups: list[GridGroup]
    """The task groups of the newest version, each after the group that contains it."""
    task_groups: list[int | None]
    """For each task, the index of its group."""
    mapped: list[int]
    """The indexes of the tasks with mapped arguments."""
    cells: list[Sequence[Cell]]
    """For each task, a cell for each run."""


_NEWEST_FIRST = (SortKey("run_after", descends=True), SortKey("id", descends=True))


def read_compact_grid(
    tx: Transaction, dag: DagRecord, count: int, conditions: Sequence[Condition] = (), before: RunRecord | None = None
) -> CompactGrid:
    """The newest `count` runs of the DAG that meet the conditions, for grids of a hundred thousand cells. `before`: those before this run."""
    position = None if before is None else Position((before.run_after, before.run_pk))
    of_dag = Condition("dag_pk", Operator.EQUAL, dag.dag_pk)
    page = read_run_page(tx, PageQuery((of_dag, *conditions), _NEWEST_FIRST, count, position=position))
    listed_runs = page.runs[::-1]
    runs = [listed.run for listed in listed_runs]
    numbers: dict[int, int] = {}
    lines = _read_lines(tx, runs, numbers)
    current = [task.task_id for task in dag.spec.tasks]
    current_ids = set(current)
    former = sorted(
        task_id
        for task_id, number in dag.task_numbers.items()
        if task_id not in current_ids and any(cell is not None for cell in lines.get(number, ()))
    )
    nothing = [None] * len(runs)
    cells = [lines.get(dag.task_numbers.get(task_id, -1), nothing) for task_id in [*current, *former]]
    states = [None if code == NO_STATUS_CODE else TASK_STATES_BY_CODE[code].value for code in numbers]
    groups = list_groups(dag.spec)
    index = {group.group_id: at for at, group in enumerate(groups)}
    task_groups = [None if task.group is None else index.get(task.group) for task in dag.spec.tasks]
    mapped = [at for at, task in enumerate(dag.spec.tasks) if task.expansion is not None]
    return CompactGrid(
        dag.dag_id,
        states,
        runs,
        [listed.version_number for listed in listed_runs],
        page.has_more,
        [*current, *former],
        groups,
        [*task_groups, *(None for _ in former)],
        mapped,
        cells,
    )


def list_groups(spec: DagSpec) -> list[GridGroup]:
    """The task groups of a DAG, each after the group that contains it."""
    index: dict[str, int] = {}
    groups: list[GridGroup] = []

    def add(group_id: str) -> int:
        if group_id not in index:
            parent = spec.groups.get(group_id)
            above = None if parent is None else add(parent)
            index[group_id] = len(groups)
            groups.append(GridGroup(group_id, above, group_id in spec.group_expansions))
        return index[group_id]

    for group_id in spec.groups:
        add(group_id)
    return groups


def _read_lines(tx: Transaction, runs: Sequence[RunRecord], numbers: dict[int, int]) -> dict[int, Sequence[Cell]]:
    """By number of the task, its cells; `numbers` gets the index of each code of a state that occurs."""
    lines = run_listing.list_state_lines(tx, [run.run_pk for run in runs]) if runs else []
    mapped = run_listing.list_mapped_states(tx, [line.run_pk for line in lines if line.has_mapped])
    for code in sorted(
        {*itertools.chain.from_iterable(set(line.codes) for line in lines), *(row[2] for row in mapped)}
    ):
        numbers[code] = len(numbers)
    first = min([*(line.numbers[0] for line in lines if line.numbers), *(row[1] for row in mapped)], default=0)
    end = max([*(line.numbers[-1] for line in lines if line.numbers), *(row[1] for row in mapped)], default=-1) + 1
    columns: dict[int, list[Cell]] = {run.run_pk: [None] * (end - first) for run in runs}
    indexes = bytes(numbers.get(code, 0) for code in range(256))
    for line in lines:
        _fill_column(columns[line.run_pk], line, first, indexes)
    for run_pk, task_no, code, count in mapped:
        _add_cell(columns[run_pk], task_no - first, numbers[code], int(count))
    return dict(enumerate(zip(*columns.values(), strict=True), first))


def _fill_column(column: list[Cell], line: StateLine, first: int, indexes: bytes) -> None:
    """Set the cells of a run. `first`: the task number of the first cell; `indexes`: by code."""
    cells = line.codes.translate(indexes)
    if isinstance(line.numbers, range):
        start = line.numbers.start - first
        column[start : start + len(cells)] = cells
    else:
        for number, cell in zip(line.numbers, cells, strict=True):
            column[number - first] = cell


def _add_cell(column: list[Cell], place: int, number: int, count: int) -> None:
    """Add instances in one state to a cell."""
    before = column[place]
    if before is None and count == 1:
        column[place] = number
    else:
        pairs = [] if before is None else [(before, 1)] if isinstance(before, int) else before
        previous = next((pair for pair in pairs if pair[0] == number), (number, 0))
        column[place] = [*(pair for pair in pairs if pair is not previous), (number, previous[1] + count)]
