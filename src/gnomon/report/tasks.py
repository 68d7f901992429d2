"""Tasks of a DAG and task instances of a run, as listings print them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.engine.runs import belongs
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import iso
from gnomon.model.records import DagRecord, RunRecord, TaskRecord
from gnomon.model.spec import DagSpec
from gnomon.store import Transaction, load, tasks


@dataclass(frozen=True, slots=True)
class TaskInstanceRow:
    """One task instance of one run; `state` None: it has none yet."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    state: str | None
    try_number: int
    start_date: str | None
    end_date: str | None
    reason: str | None

    @property
    def name(self) -> str:
        """`task_id` or `task_id[map_index]`."""
        return self.task_id if self.map_index < 0 else f"{self.task_id}[{self.map_index}]"


def task_instances(tx: Transaction, dag: DagRecord, run: RunRecord) -> list[TaskInstanceRow]:
    """All task instances of the run, those without a state too; in the order of the tasks, then by map index."""
    spec = spec_of_run(tx, dag, run)
    names = {number: task_id for task_id, number in dag.task_numbers.items()}
    place = {task.task_id: position for position, task in enumerate(spec.tasks)}
    rows = [_row(dag, run, names.get(task.task_no, f"task {task.task_no}"), task) for task in tasks.states(tx, run.run_pk)]
    seen = {row.task_id for row in rows}
    rows += [_empty(dag, run, task.task_id) for task in spec.tasks if task.task_id not in seen and belongs(task, run)]
    return sorted(rows, key=lambda row: (place.get(row.task_id, len(place)), row.task_id, row.map_index))


def spec_of_run(tx: Transaction, dag: DagRecord, run: RunRecord) -> DagSpec:
    """The version of the DAG that the run follows; the newest one while it has not started."""
    if run.version_pk is None or run.version_pk == dag.version_pk:
        return dag.spec
    return load.load_versions(tx, [run.version_pk]).get(run.version_pk, dag.spec)


def count_states(rows: Iterable[TaskInstanceRow]) -> dict[str, int]:
    """How many task instances are in which state; `no status` for those without."""
    counts: dict[str, int] = {}
    for row in rows:
        state = row.state or "no status"
        counts[state] = counts.get(state, 0) + 1
    return counts


def _row(dag: DagRecord, run: RunRecord, task_id: str, task: TaskRecord) -> TaskInstanceRow:
    return TaskInstanceRow(
        dag_id=dag.dag_id,
        run_id=run.run_id,
        task_id=task_id,
        map_index=task.map_index,
        state=task.state.value if task.state is not None else None,
        try_number=task.try_number,
        start_date=iso(task.started_at),
        end_date=iso(task.ended_at),
        reason=task.reason,
    )


def _empty(dag: DagRecord, run: RunRecord, task_id: str) -> TaskInstanceRow:
    return TaskInstanceRow(dag.dag_id, run.run_id, task_id, UNMAPPED, None, 0, None, None, None)
