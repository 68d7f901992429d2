"""The callbacks and deadlines of one run, as rows and as sentences."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.errors import UserError
from gnomon.model.instants import iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.run_callbacks import CallbackKind, CallbackRecord, CallbackState, DeadlineRecord, DeadlineState
from gnomon.model.sentences import Command, RunName, Sentence, quote, say
from gnomon.storage.remote_logs.task_log_folder import LogLookup
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import run_callbacks

_TITLES = {
    CallbackKind.RUN_STARTED: "listeners of the start",
    CallbackKind.RUN_SUCCEEDED: "on_success_callback",
    CallbackKind.RUN_FAILED: "on_failure_callback",
    CallbackKind.TASK_ENDED: "callbacks of task {task}",
    CallbackKind.DEADLINE_MISSED: "callback of deadline {deadline}",
    CallbackKind.DEADLINE_REFERENCE: "reference of deadline {deadline}",
}


@dataclass(frozen=True, slots=True)
class CallbackRow:
    """One callback of a run."""

    callback: str
    state: str
    tries: int
    start_date: str | None
    end_date: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class DeadlineRow:
    """One deadline of a run."""

    deadline: str
    state: str
    due: str | None
    missed_at: str | None


def list_callback_rows(tx: Transaction, run: RunRecord) -> list[CallbackRow]:
    """The callbacks of the run, oldest first."""
    return [
        CallbackRow(
            _title(callback),
            callback.state.value,
            callback.tries,
            iso(callback.started_at),
            iso(callback.ended_at),
            callback.reason,
        )
        for callback in run_callbacks.list_callbacks(tx, run.run_pk)
    ]


def list_deadline_rows(tx: Transaction, run: RunRecord) -> list[DeadlineRow]:
    """The deadlines of the run, in the order of the DAG."""
    return [
        DeadlineRow(_deadline_name(deadline), deadline.state.value, iso(deadline.due_at), iso(deadline.missed_at))
        for deadline in _load_deadlines(tx, run)
    ]


def describe_callbacks(tx: Transaction, dag: DagRecord, run: RunRecord) -> list[Sentence]:
    """A sentence for each callback that has not succeeded, and for each deadline that is missed, pending or without an instant."""
    sentences = [_describe_deadline(deadline) for deadline in _load_deadlines(tx, run)]
    callbacks = run_callbacks.list_callbacks(tx, run.run_pk)
    return sentences + [
        sentence for callback in callbacks if (sentence := _describe_callback(dag, run, callback)) is not None
    ]


def _describe_callback(dag: DagRecord, run: RunRecord, callback: CallbackRecord) -> Sentence | None:
    if callback.state is CallbackState.QUEUED:
        again = say("callback_is_called_again", reason=callback.reason) if callback.reason else None
        return say("callback_waits", callback=_title(callback), since=callback.created_at, again=again)
    if callback.state is CallbackState.RUNNING:
        return say("callback_runs", callback=_title(callback), worker=callback.worker, since=callback.started_at)
    if callback.state is CallbackState.FAILED:
        why = quote(callback.reason) if callback.reason else say("no_reason_is_known")
        logs = Command("runs logs", (dag.dag_id, run.run_id))
        return say("callback_failed", callback=_title(callback), at=callback.ended_at, why=why, command=logs)
    return None


def find_callback_logs(tx: Transaction, dag: DagRecord, run: RunRecord, lookup: LogLookup) -> list[tuple[str, str]]:
    """(title, name) of the logs of the run's callbacks, oldest first. Raises UserError when there is none.

    `lookup`: tells which files exist.
    """
    callbacks = run_callbacks.list_callbacks(tx, run.run_pk)
    logs_by_title = [
        (f"{_title(callback)}: {callback.state.value}", callback.log)
        for callback in callbacks
        if callback.log is not None
    ]
    existing = [(title, name) for title, name in logs_by_title if lookup.has(name)]
    if existing:
        return existing
    if not callbacks:
        raise UserError(
            say(
                "run_called_no_callback",
                run=RunName(dag.dag_id, run.run_id),
                dag=dag.dag_id,
                command=Command("tasks logs", (dag.dag_id, run.run_id)),
            )
        )
    raise UserError(
        say(
            "callback_logs_are_elsewhere",
            run=RunName(dag.dag_id, run.run_id),
            file=str(lookup.locate(logs_by_title[-1][1])),
            elsewhere=lookup.elsewhere,
        )
    )


def _load_deadlines(tx: Transaction, run: RunRecord) -> list[DeadlineRecord]:
    return run_callbacks.load_deadlines(tx, [run.run_pk]).get(run.run_pk, [])


def _title(callback: CallbackRecord) -> str:
    return _TITLES[CallbackKind(callback.request.kind)].format(
        deadline=callback.request.deadline_no, task=callback.request.task_id
    )


def _deadline_name(deadline: DeadlineRecord) -> str:
    return repr(deadline.name) if deadline.name else str(deadline.deadline_no)


_DEADLINE_CODES = {
    DeadlineState.MISSED: "deadline_was_missed",
    DeadlineState.PENDING: "deadline_is_pending",
}


def _describe_deadline(deadline: DeadlineRecord) -> Sentence:
    name = _deadline_name(deadline)
    if deadline.state in _DEADLINE_CODES:
        return say(_DEADLINE_CODES[deadline.state], deadline=name, at=deadline.due_at)
    return say(
        "deadline_is_not_known" if deadline.state is DeadlineState.UNRESOLVED else "deadline_does_not_apply",
        deadline=name,
    )
