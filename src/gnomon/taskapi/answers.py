"""Question to answer: a table of what each question reads or writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from gnomon import store
from gnomon.model.facts import Attempt
from gnomon.model.questions import (
    AnyQuestion,
    DeleteVariable,
    GetConnection,
    GetDag,
    GetFirstReschedule,
    GetPreviousRun,
    GetRequest,
    GetRunState,
    GetRunStates,
    GetTaskStates,
    GetVariable,
    GetXComs,
    ListVariables,
    SetVariable,
    TriggerRun,
)
from gnomon.store import connections, variables
from gnomon.taskapi.dags import dag
from gnomon.taskapi.refused import Refused
from gnomon.taskapi.runs import first_reschedule, previous_run, run_state, run_states, task_states
from gnomon.taskapi.triggering import request, trigger_run
from gnomon.taskapi.xcoms import xcoms

_WRITES = (SetVariable, DeleteVariable)
_OF_RUNS = (GetXComs, GetPreviousRun, GetRunState, GetRunStates, GetTaskStates, GetDag, GetRequest)


def answer(database: store.Database, attempt: Attempt | None, question: AnyQuestion) -> object:
    """The answer, a JSON value. `attempt` None: a DAG file asks while it is imported.

    An attempt reads Variables, connections, and the runs and XComs of every DAG, writes Variables and makes runs; a file
    that is imported reads Variables and connections. Raises Refused, and the store's own errors while it is away.
    """
    if isinstance(question, TriggerRun) and attempt is not None:
        return trigger_run(database, attempt, question)
    if isinstance(question, GetFirstReschedule) and attempt is not None:
        with database.read() as tx:
            return first_reschedule(tx, attempt, question)
    if attempt is None and isinstance(question, (TriggerRun, GetFirstReschedule, *_WRITES, *_OF_RUNS)):
        raise Refused(
            f"{type(question).__name__} is answered to tasks only, and this DAG file asks while it is imported;"
            " move the call into a task"
        )
    return _answered(database, question)


def answer_trigger(database: store.Database, question: AnyQuestion) -> object:
    """The answer to a trigger: it reads what tasks read, and writes nothing. Raises as `answer` does."""
    if isinstance(question, (TriggerRun, GetFirstReschedule, *_WRITES)):
        raise Refused(f"{type(question).__name__} is answered to tasks only, and a trigger asks; let the task's method do it")
    return _answered(database, question)


def _answered(database: store.Database, question: AnyQuestion) -> object:
    respond = _ANSWERS[type(question)]
    opened = database.write() if isinstance(question, _WRITES) else database.read()
    with opened as tx:
        return respond(tx, question)


def _get_variable(tx: store.Transaction, question: GetVariable) -> object:
    return variables.get(tx, question.key)


def _set_variable(tx: store.Transaction, question: SetVariable) -> object:
    variables.set(tx, question.key, question.value, question.description)
    return None


def _delete_variable(tx: store.Transaction, question: DeleteVariable) -> object:
    return variables.delete(tx, question.key)


def _list_variables(tx: store.Transaction, question: ListVariables) -> object:
    return variables.keys(tx, question.prefix)


def _get_connection(tx: store.Transaction, question: GetConnection) -> object:
    found = connections.get(tx, question.conn_id)
    return None if found is None else msgspec.to_builtins(found)


_ANSWERS: dict[type[Any], Callable[[store.Transaction, Any], object]] = {
    GetVariable: _get_variable,
    SetVariable: _set_variable,
    DeleteVariable: _delete_variable,
    ListVariables: _list_variables,
    GetConnection: _get_connection,
    GetXComs: xcoms,
    GetPreviousRun: previous_run,
    GetRunState: run_state,
    GetRunStates: run_states,
    GetTaskStates: task_states,
    GetDag: dag,
    GetRequest: request,
}
