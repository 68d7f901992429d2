"""Runs and task states, as a task may see them."""

from __future__ import annotations

import msgspec

from gnomon import store
from gnomon.model.facts import RunFacts
from gnomon.model.ids import UNMAPPED
from gnomon.model.questions import GetPreviousRun, GetRunState, GetTaskStates
from gnomon.model.records import RunRecord, TaskRecord
from gnomon.model.states import DagRunState
from gnomon.store import runs, tasks
from gnomon.taskapi.refused import Refused

RUNS_MAX = 1000
"""The newest runs of a DAG among which an answer is looked for."""


def previous_run(tx: store.Transaction, question: GetPreviousRun) -> object:
    """The facts of the newest run before this one, in that state if one is named; None when there is none."""
    this = runs.find(tx, question.dag_id, question.run_id)
    if this is None:
        return None
    before = runs.before(tx, this, _state(question.state))
    return None if before is None else msgspec.to_builtins(_facts(question.dag_id, before))


def run_state(tx: store.Transaction, question: GetRunState) -> object:
    """The state of the run, None when there is no such run."""
    run = runs.find(tx, question.dag_id, question.run_id)
    return None if run is None else run.state.value


def task_states(tx: store.Transaction, question: GetTaskStates) -> object:
    """{run_id: {task_id or `task_id[map_index]`: state}} of the wanted runs that exist."""
    answer = {}
    for run in _wanted_runs(tx, question):
        names = {row[2]: row[1] for row in tx.all("load.task_numbers", dag_pks=[run.dag_pk])}
        answer[run.run_id] = {
            _label(names[record.task_no], record): None if record.state is None else record.state.value
            for record in tasks.states(tx, run.run_pk)
            if question.task_ids is None or names[record.task_no] in question.task_ids
        }
    return answer


def _wanted_runs(tx: store.Transaction, question: GetTaskStates) -> list[RunRecord]:
    if question.run_ids is not None:
        found = [runs.find(tx, question.dag_id, run_id) for run_id in question.run_ids]
        return [run for run in found if run is not None]
    newest = runs.list_runs(tx, question.dag_id, None, RUNS_MAX)
    if question.logical_dates is None:
        return newest
    return [run for run in newest if run.logical_at in question.logical_dates]


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
