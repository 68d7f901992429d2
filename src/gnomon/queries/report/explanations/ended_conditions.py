"""How a run or a task instance ended, and the tasks because of which it failed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from gnomon.model.instants import to_instant
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import RunName, Sentence, TaskName, quote, say
from gnomon.model.states import DagRunState
from gnomon.model.wait_conditions import ReleaseAct, ReleaseTarget, WaitCondition
from gnomon.queries.report.listings.run_list import TaskInstanceRow, list_task_instances
from gnomon.queries.report.listings.task_selection import FAILED_STATE_NAMES, list_awaited
from gnomon.storage.store import Transaction

TASKS_MAX = 20
"""The most failed tasks that are conditions of their own."""


def describe_ended_run(dag: DagRecord, run: RunRecord) -> Sentence:
    """State, time and reason of the end of a run."""
    name = RunName(dag.dag_id, run.run_id)
    return say("run_ended", run=name, state=run.state.value, at=run.ended_at, stored=clause("because", run.reason))


def clause(code: str, reason: str | None) -> Sentence | None:
    """A stored reason as the clause of a sentence, by its code; None without a reason."""
    return say(code, why=quote(reason)) if reason else None


def describe_ended_task(row: TaskInstanceRow) -> Sentence:
    """State, try, time and reason of the end of a task instance."""
    tries = say("in_try", try_number=row.try_number) if row.try_number else None
    end = None if row.end_date is None else say("at_instant", at=_read_end(row))
    return say("task_ended", state=row.state, tries=tries, end=end, stored=clause("because", row.reason))


def _read_end(row: TaskInstanceRow) -> int | None:
    return None if row.end_date is None else to_instant(datetime.fromisoformat(row.end_date))


def list_failed(tx: Transaction, dag: DagRecord, run: RunRecord) -> list[TaskInstanceRow]:
    """The task instances because of which the run failed; [] of a run that did not fail."""
    if run.state is not DagRunState.FAILED:
        return []
    return [row for row in list_task_instances(tx, dag, run) if row.state == "failed"]


def check_failed_run(dag: DagRecord, run: RunRecord, failed: Sequence[TaskInstanceRow]) -> WaitCondition:
    """That the run failed, with its failed tasks."""
    release = ReleaseTarget(ReleaseAct.CLEAR_RUN, dag.dag_id, run.run_id)
    children = tuple(map(_check_failed_task, failed[:TASKS_MAX]))
    return WaitCondition("outcome", False, describe_ended_run(dag, run), run.ended_at, release, children)


def check_failed_task(tx: Transaction, dag: DagRecord, run: RunRecord, row: TaskInstanceRow) -> WaitCondition:
    """That the task instance failed, with the failed upstream tasks if these are the cause."""
    above: Iterable[TaskInstanceRow] = list_awaited(tx, dag, run, row) if row.state == "upstream_failed" else ()
    children = [_check_failed_task(other) for other in above if other.state in FAILED_STATE_NAMES]
    own = _check_failed_task(row)
    return WaitCondition(
        "outcome", False, describe_ended_task(row), own.since, own.release, tuple(children[:TASKS_MAX])
    )


def has_failed(row: TaskInstanceRow) -> bool:
    """True for a task instance that a clear runs again."""
    return row.state in FAILED_STATE_NAMES


def _check_failed_task(row: TaskInstanceRow) -> WaitCondition:
    release = ReleaseTarget(ReleaseAct.CLEAR_TASK, row.dag_id, row.run_id, row.task_id, row.map_index)
    subject = say("task", task=TaskName(row.dag_id, row.run_id, row.task_id, row.map_index))
    sentence = say("task_has_wait", subject=subject, why=describe_ended_task(row))
    return WaitCondition("task", False, sentence, _read_end(row), release)
