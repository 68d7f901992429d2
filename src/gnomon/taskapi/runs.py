"""Runs and task states, as a task may see them."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gnomon import store
from gnomon.model.facts import Attempt, RunFacts
from gnomon.model.ids import UNMAPPED
from gnomon.model.questions import GetFirstReschedule, GetPreviousRun, GetRunState, GetRunStates, GetTaskStates
from gnomon.model.records import RunRecord, TaskRecord
from gnomon.model.states import DagRunState
from gnomon.store import dags, load, runs, tasks
from gnomon.taskapi.dags import tasks_of_group
from gnomon.taskapi.refused import Refused

RUNS_MAX = 1000
"""The newest runs of a DAG: those that are answered about when none are named."""


def previous_run(tx: store.Transaction, question: GetPreviousRun) -> object:
    """The facts of the newest run before this one, in that state if one is named; None when there is none."""
    this = runs.find(tx, question.dag_id, question.run_id)
    if this is None:
        return None
    before = runs.before(tx, this, _state(question.state))
    return None if before is None else msgspec.to_builtins(_facts(question.dag_id, before))


def first_reschedule(tx: store.Transaction, attempt: Attempt, question: GetFirstReschedule) -> object:
    """When this task instance's first rescheduled attempt of these tries began; None when none was."""
    return tasks.first_reschedule(tx, attempt.run.run_pk, attempt.task_no, attempt.map_index, question.first_try)


def run_state(tx: store.Transaction, question: GetRunState) -> object:
    """The state of the run, None when there is no such run."""
    run = runs.find(tx, question.dag_id, question.run_id)
    return None if run is None else run.state.value


def run_states(tx: store.Transaction, question: GetRunStates) -> object:
    """{run_id: state} of the wanted runs that exist."""
    found = _with_ids(tx, question.dag_id, question.run_ids) + _about(tx, question.dag_id, question.logical_dates)
    return {run.run_id: run.state.value for run in found}


def task_states(tx: store.Transaction, question: GetTaskStates) -> object:
    """{run_id: {task_id or `task_id[map_index]`: state}} of the wanted runs that exist."""
    answer = {}
    for run in _wanted_runs(tx, question):
        names = {row[2]: row[1] for row in tx.all("load.task_numbers", dag_pks=[run.dag_pk])}
        wanted = question.task_ids if question.group is None else _in_group(tx, run, question.group)
        states = {
            _label(names[record.task_no], record): None if record.state is None else record.state.value
            for record in tasks.states(tx, run.run_pk)
            if wanted is None or names[record.task_no] in wanted
        }
        if question.group is not None and wanted is not None:
            begun = {label.partition("[")[0] for label in states}
            states.update((task_id, None) for task_id in wanted if task_id not in begun)
        answer[run.run_id] = states
    return answer


def _in_group(tx: store.Transaction, run: RunRecord, group: str) -> tuple[str, ...]:
    """The tasks in that group, or in one below it, of the version that the run follows."""
    found = {} if run.version_pk is None else load.load_versions(tx, [run.version_pk])
    return tuple(task_id for spec in found.values() for task_id in tasks_of_group(spec, group))


def _wanted_runs(tx: store.Transaction, question: GetTaskStates) -> list[RunRecord]:
    if question.run_ids is not None:
        return _with_ids(tx, question.dag_id, question.run_ids)
    if question.logical_dates is not None:
        return _about(tx, question.dag_id, question.logical_dates)
    return runs.list_runs(tx, question.dag_id, None, RUNS_MAX)


def _with_ids(tx: store.Transaction, dag_id: str, run_ids: Iterable[str]) -> list[RunRecord]:
    found = [runs.find(tx, dag_id, run_id) for run_id in run_ids]
    return [run for run in found if run is not None]


def _about(tx: store.Transaction, dag_id: str, logical_dates: Iterable[int]) -> list[RunRecord]:
    """The runs about these dates: a run about one holds the slot of that name (`PlannedRun.slot_key`)."""
    dag = dags.find(tx, dag_id)
    if dag is None:
        return []
    holders = [runs.holder(tx, dag.dag_pk, str(at)) for at in logical_dates]
    found = _with_ids(tx, dag_id, [run_id for run_id in holders if run_id is not None])
    return [run for run in found if run.logical_at is not None]


def _state(name: str | None) -> DagRunState | None:
    if name is None:
        return None
    try:
        return DagRunState(name)
    except ValueError:
        known = ", ".join(state.value for state in DagRunState)
        raise Refused(f"there is no run state {name!r}; use one of {known}") from None


def _label(task_id: str, record: TaskRecord) -> str:
    return task_id if record.map_index == UNMAPPED else f"{task_id}[{record.map_index}]"


def _facts(dag_id: str, run: RunRecord) -> RunFacts:
    return RunFacts(
        run_pk=run.run_pk, dag_id=dag_id, run_id=run.run_id, run_type=run.run_type.value, run_after=run.run_after,
        logical_at=run.logical_at, interval_start=run.interval_start, interval_end=run.interval_end,
        queued_at=run.queued_at, started_at=run.started_at, ended_at=run.ended_at, state=run.state.value,
        conf=run.conf, clear_number=run.clear_number,
    )
