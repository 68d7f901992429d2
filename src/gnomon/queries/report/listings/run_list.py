"""Runs of a DAG and task instances of a run, as listings print them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gnomon.ground.log.uri_passwords import hide_uri_passwords
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord, RunRecord, TaskRecord
from gnomon.model.spec import DagSpec
from gnomon.model.states import DagRunState
from gnomon.queries.report.listings.audit_list import hide_in_value
from gnomon.queries.report.listings.not_found import run_not_found
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs, run_listing
from gnomon.storage.store.ownership import group_state

_SUGGEST_AMONG = 1000
"""An unknown run id is compared with at most so many of the newest run ids."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run; `run_id` is `dag_run_id` in Airflow's REST API."""

    dag_id: str
    run_id: str
    run_type: str
    state: str
    logical_date: str | None
    run_after: str | None
    data_interval_start: str | None
    data_interval_end: str | None
    start_date: str | None
    end_date: str | None
    conf: dict[str, object]
    reason: str | None
    partition_key: str | None = None
    partition_date: str | None = None


def list_runs(
    tx: Transaction,
    dag: DagRecord,
    state: DagRunState | None = None,
    since: Instant | None = None,
    limit: int | None = None,
) -> list[RunRow]:
    """The runs of the DAG, newest first: with `state` those in that state, with `since` those that ended then or later or have not ended."""
    return [
        build_run_row(dag.dag_id, run)
        for run in run_listing.list_runs_since(tx, dag.dag_id, state=state, since=since, limit=limit)
    ]


def list_runs_of_all_dags(
    tx: Transaction, state: DagRunState | None = None, since: Instant | None = None, limit: int | None = None
) -> list[RunRow]:
    """The runs of all DAGs, as `store.dag_records.run_listing.list_runs_of_all` orders them; `state` and `since` as in `list_runs`."""
    return [
        build_run_row(named.dag_id, named.run)
        for named in run_listing.list_runs_of_all(tx, state=state, since=since, limit=limit)
    ]


def find_run(tx: Transaction, dag: DagRecord, run_id: str) -> RunRecord:
    """The run. Raises NameNotFound, which suggests the nearest ids, when there is none."""
    run = dag_runs.find_stored_run(tx, dag.dag_id, run_id)
    if run is None:
        newest = dag_runs.list_runs(tx, dag.dag_id, limit=_SUGGEST_AMONG)
        raise run_not_found(dag.dag_id, run_id, [other.run_id for other in newest])
    return run


def build_run_row(dag_id: str, run: RunRecord) -> RunRow:
    """The listing record of a run."""
    return RunRow(
        dag_id=dag_id,
        run_id=run.run_id,
        run_type=run.run_type.value,
        state=run.state.value,
        logical_date=iso(run.logical_at),
        run_after=iso(run.run_after),
        data_interval_start=iso(run.interval_start),
        data_interval_end=iso(run.interval_end),
        start_date=iso(run.started_at),
        end_date=iso(run.ended_at),
        conf=hide_in_value(run.conf, hide_uri_passwords),
        reason=run.reason,
        partition_key=run.partition_key,
        partition_date=iso(run.partition_date),
    )


@dataclass(frozen=True, slots=True)
class TaskInstanceRow:
    """A task instance of a run; `state` is None while it has no status yet."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    state: str | None
    try_number: int
    start_date: str | None
    end_date: str | None
    reason: str | None
    rendered_map_index: str | None
    """The rendered `map_index_template`."""
    executor: str | None
    """The executor that the task or `task_instance_mutation_hook` names; None: the default."""

    @property
    def name(self) -> str:
        """`task_id` or `task_id[map_index]`."""
        return self.task_id if self.map_index < 0 else f"{self.task_id}[{self.map_index}]"


def list_task_instances(
    tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str | None = None
) -> list[TaskInstanceRow]:
    """All task instances of the run, also those without a state, in topological order of the tasks, then by map index. `task_id`: of this task only."""
    return build_instance_rows(
        dag, run, find_spec_of_run(tx, dag, run), list_stored_instances(tx, dag, run, task_id), task_id
    )


def list_stored_instances(
    tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str | None = None
) -> list[TaskRecord]:
    """The task instances of the run that have a row, or those of one task: of a run of thousands of tasks nothing else is read then."""
    if task_id is None:
        return dag_runs.list_task_states(tx, run.run_pk)
    number = dag.task_numbers.get(task_id)
    return [] if number is None else dag_runs.list_task_states(tx, run.run_pk, number)


def build_instance_rows(
    dag: DagRecord, run: RunRecord, spec: DagSpec, stored: Sequence[TaskRecord], task_id: str | None = None
) -> list[TaskInstanceRow]:
    """As `list_task_instances`, of these stored task instances. `spec`: the version that the run uses."""
    names = {number: task_id for task_id, number in dag.task_numbers.items()}
    positions = {task.task_id: position for position, task in enumerate(spec.tasks)}
    executors = {task.task_id: task.executor for task in spec.tasks}
    rows = [
        _build_row(dag, run, name, task, executors.get(name))
        for task in stored
        for name in (names.get(task.task_no, f"task {task.task_no}"),)
    ]
    rows += _build_missing_rows(dag, run, spec, stored, task_id)
    return sorted(rows, key=lambda row: (positions.get(row.task_id, len(positions)), row.task_id, row.map_index))


def find_spec_of_run(tx: Transaction, dag: DagRecord, run: RunRecord) -> DagSpec:
    """The version of the DAG that the run uses; the newest version while the run has not started."""
    if run.version_pk is None or run.version_pk == dag.version_pk:
        return dag.spec
    return group_state.load_specs(tx, [run.version_pk]).get(run.version_pk, dag.spec)


def count_states(rows: Iterable[TaskInstanceRow]) -> dict[str, int]:
    """Number of task instances by state; `no status` for those without a state."""
    counts: dict[str, int] = {}
    for row in rows:
        state = row.state or "no status"
        counts[state] = counts.get(state, 0) + 1
    return counts


def _build_row(dag: DagRecord, run: RunRecord, task_id: str, task: TaskRecord, executor: str | None) -> TaskInstanceRow:
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
        rendered_map_index=task.rendered_map_index,
        executor=executor if task.overrides is None or task.overrides.executor is None else task.overrides.executor,
    )


def _build_missing_rows(
    dag: DagRecord, run: RunRecord, spec: DagSpec, stored: Iterable[TaskRecord], task_id: str | None = None
) -> list[TaskInstanceRow]:
    """The task instances that have no row, because they have had no state yet: of all tasks, or of one."""
    from gnomon.rules.engine.lifecycle.expansion_loading import (
        list_expected_indices,  # start-up cost: few commands need it
    )
    from gnomon.rules.engine.lifecycle.run_lifecycle import is_within_task_bounds  # start-up cost: few commands need it
    from gnomon.rules.engine.state.mapping_plan import build_mapping_plan  # start-up cost: few commands need it

    by_number: dict[int, list[TaskRecord]] = {}
    for record in stored:
        by_number.setdefault(record.task_no, []).append(record)
    plan = build_mapping_plan(spec, {task.task_id: index for index, task in enumerate(spec.tasks)})
    is_queued = run.state is DagRunState.QUEUED
    rows = []
    for index, task in enumerate(spec.tasks):
        if task_id is not None and task.task_id != task_id:
            continue
        records = by_number.get(dag.task_numbers.get(task.task_id, -1), [])
        if plan is not None and plan.levels[index]:
            indices = set(list_expected_indices(plan.levels[index], records, is_queued=is_queued))
        else:
            indices = set() if records else {UNMAPPED}
        indices.difference_update(record.map_index for record in records)
        if indices and is_within_task_bounds(task, run):
            rows += [
                TaskInstanceRow(
                    dag.dag_id, run.run_id, task.task_id, map_index, None, 0, None, None, None, None, task.executor
                )
                for map_index in sorted(indices)
            ]
    return rows
