"""A question that is not answered."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gnomon import store
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.ids import UNMAPPED
from gnomon.model.records import RunRecord, TaskRecord
from gnomon.model.spec import DagSpec
from gnomon.model.states import DagRunState
from gnomon.model.task_api_requests import (
    GetDag,
    GetFirstReschedule,
    GetPreviousRun,
    GetRunState,
    GetRunStates,
    GetTaskStates,
    GetXComs,
)
from gnomon.store.dag_records import dag_runs, dags
from gnomon.store.dag_records import xcom_values as stored
from gnomon.store.ownership import group_state


class TaskApiRefused(Exception):
    """The asker has no right to it, or the thing asked about does not exist; the message says which and what to do."""


def get_dag(tx: store.Transaction, question: GetDag) -> object:
    """{active, paused, file, spec, cursor} of the DAG with its newest version; None when there is no such DAG."""
    row = dags.find_dag_row(tx, question.dag_id)
    found = [] if row is None else group_state.load_dags(tx, [row.dag_pk])
    if not found:
        return None
    known = found[0]
    return {
        "active": known.active, "paused": known.paused, "file": known.file, "spec": msgspec.to_builtins(known.spec),
        "cursor": msgspec.to_builtins(known.cursor),
    }


def list_group_tasks(spec: DagSpec, group: str) -> tuple[str, ...]:
    """The ids of the tasks in that group or in one below it."""

    def is_inside(name: str | None) -> bool:
        while name is not None and name != group:
            name = spec.groups.get(name)
        return name is not None

    return tuple(task.task_id for task in spec.tasks if is_inside(task.group))


RUNS_MAX = 1000
"""The newest runs of a DAG: those that are answered about when none are named."""


def get_previous_run(tx: store.Transaction, question: GetPreviousRun) -> object:
    """The facts of the newest run before this one, in that state if one is named; None when there is none."""
    this = dag_runs.find_stored_run(tx, question.dag_id, question.run_id)
    if this is None:
        return None
    before = dag_runs.find_previous_run(tx, this, _parse_state(question.state))
    return None if before is None else msgspec.to_builtins(_run_facts(question.dag_id, before))


def get_first_reschedule(tx: store.Transaction, attempt: Attempt, question: GetFirstReschedule) -> object:
    """When this task instance's first rescheduled attempt of these tries began; None when none was."""
    return dag_runs.find_first_reschedule(tx, attempt.run.run_pk, attempt.task_no, attempt.map_index, question.first_try)


def get_run_state(tx: store.Transaction, question: GetRunState) -> object:
    """The state of the run, None when there is no such run."""
    run = dag_runs.find_stored_run(tx, question.dag_id, question.run_id)
    return None if run is None else run.state.value


def get_run_states(tx: store.Transaction, question: GetRunStates) -> object:
    """{run_id: state} of the wanted runs that exist."""
    found = _find_by_id(tx, question.dag_id, question.run_ids) + _find_by_logical_date(tx, question.dag_id, question.logical_dates)
    return {run.run_id: run.state.value for run in found}


def get_task_states(tx: store.Transaction, question: GetTaskStates) -> object:
    """{run_id: {task_id or `task_id[map_index]`: state}} of the wanted runs that exist."""
    answer = {}
    for run in _wanted_runs(tx, question):
        names = {row[2]: row[1] for row in tx.all("group_state.task_numbers", dag_pks=[run.dag_pk])}
        wanted = question.task_ids if question.group is None else _group_task_ids(tx, run, question.group)
        states = {
            _task_label(names[record.task_no], record): None if record.state is None else record.state.value
            for record in dag_runs.list_task_states(tx, run.run_pk)
            if wanted is None or names[record.task_no] in wanted
        }
        if question.group is not None and wanted is not None:
            begun = {label.partition("[")[0] for label in states}
            states.update((task_id, None) for task_id in wanted if task_id not in begun)
        answer[run.run_id] = states
    return answer


def _group_task_ids(tx: store.Transaction, run: RunRecord, group: str) -> tuple[str, ...]:
    """The tasks in that group, or in one below it, of the version that the run follows."""
    found = {} if run.version_pk is None else group_state.load_specs(tx, [run.version_pk])
    return tuple(task_id for spec in found.values() for task_id in list_group_tasks(spec, group))


def _wanted_runs(tx: store.Transaction, question: GetTaskStates) -> list[RunRecord]:
    if question.run_ids is not None:
        return _find_by_id(tx, question.dag_id, question.run_ids)
    if question.logical_dates is not None:
        return _find_by_logical_date(tx, question.dag_id, question.logical_dates)
    return dag_runs.list_runs(tx, question.dag_id, None, RUNS_MAX)


def _find_by_id(tx: store.Transaction, dag_id: str, run_ids: Iterable[str]) -> list[RunRecord]:
    found = [dag_runs.find_stored_run(tx, dag_id, run_id) for run_id in run_ids]
    return [run for run in found if run is not None]


def _find_by_logical_date(tx: store.Transaction, dag_id: str, logical_dates: Iterable[int]) -> list[RunRecord]:
    """The runs about these dates: a run about one holds the slot of that name (`PlannedRun.slot_key`)."""
    dag = dags.find_dag_row(tx, dag_id)
    if dag is None:
        return []
    holders = [dag_runs.find_slot_holder(tx, dag.dag_pk, str(at)) for at in logical_dates]
    found = _find_by_id(tx, dag_id, [run_id for run_id in holders if run_id is not None])
    return [run for run in found if run.logical_at is not None]


def _parse_state(name: str | None) -> DagRunState | None:
    if name is None:
        return None
    try:
        return DagRunState(name)
    except ValueError:
        known = ", ".join(state.value for state in DagRunState)
        raise TaskApiRefused(f"there is no run state {name!r}; use one of {known}") from None


def _task_label(task_id: str, record: TaskRecord) -> str:
    return task_id if record.map_index == UNMAPPED else f"{task_id}[{record.map_index}]"


def _run_facts(dag_id: str, run: RunRecord) -> RunFacts:
    return RunFacts(
        run_pk=run.run_pk, dag_id=dag_id, run_id=run.run_id, run_type=run.run_type.value, run_after=run.run_after,
        logical_at=run.logical_at, interval_start=run.interval_start, interval_end=run.interval_end,
        queued_at=run.queued_at, started_at=run.started_at, ended_at=run.ended_at, state=run.state.value,
        conf=run.conf, clear_number=run.clear_number,
    )


def get_xcoms(tx: store.Transaction, question: GetXComs) -> object:
    """A list of {task_id, map_index, value, run_id}; empty for a run that does not exist."""
    run = dag_runs.find_stored_run(tx, question.dag_id, question.run_id)
    if run is None:
        return []
    rows = stored.read_xcoms(tx, run, question.key, question.task_ids, include_prior=question.include_prior_dates)
    return [
        {"task_id": row.task_id, "map_index": row.map_index, "value": row.value, "run_id": row.run_id}
        for row in rows
        if question.map_indexes is None or row.map_index in question.map_indexes
    ]
