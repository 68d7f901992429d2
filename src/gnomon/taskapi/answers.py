"""Question to answer: a table of what each question reads or writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from gnomon import store
from gnomon.model.attempts import Attempt
from gnomon.model.task_api_requests import (
    AnyTaskApiRequest,
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
from gnomon.store.admin import connections, variables
from gnomon.taskapi.run_creation import get_request, trigger_run
from gnomon.taskapi.run_queries import (
    TaskApiRefused,
    get_dag,
    get_first_reschedule,
    get_previous_run,
    get_run_state,
    get_run_states,
    get_task_states,
    get_xcoms,
)

_WRITE_REQUESTS = (SetVariable, DeleteVariable)
_RUN_REQUESTS = (GetXComs, GetPreviousRun, GetRunState, GetRunStates, GetTaskStates, GetDag, GetRequest)


def answer_task(database: store.Database, attempt: Attempt | None, question: AnyTaskApiRequest) -> object:
    """The answer, a JSON value. `attempt` None: a DAG file asks while it is imported.

    An attempt reads Variables, connections, and the runs and XComs of every DAG, writes Variables and makes runs; a file
    that is imported reads Variables and connections. Raises Refused, and the store's own errors while it is away.
    """
    if isinstance(question, TriggerRun) and attempt is not None:
        return trigger_run(database, attempt, question)
    if isinstance(question, GetFirstReschedule) and attempt is not None:
        with database.read() as tx:
            return get_first_reschedule(tx, attempt, question)
    if attempt is None and isinstance(question, (TriggerRun, GetFirstReschedule, *_WRITE_REQUESTS, *_RUN_REQUESTS)):
        raise TaskApiRefused(
            f"{type(question).__name__} is answered to tasks only, and this DAG file asks while it is imported;"
            " move the call into a task"
        )
    return _answer_from_table(database, question)


def answer_trigger(database: store.Database, question: AnyTaskApiRequest) -> object:
    """The answer to a trigger: it reads what tasks read, and writes nothing. Raises as `answer_task` does."""
    if isinstance(question, (TriggerRun, GetFirstReschedule, *_WRITE_REQUESTS)):
        raise TaskApiRefused(f"{type(question).__name__} is answered to tasks only, and a trigger asks; let the task's method do it")
    return _answer_from_table(database, question)


def _answer_from_table(database: store.Database, question: AnyTaskApiRequest) -> object:
    respond = _ANSWERS[type(question)]
    opened = database.write() if isinstance(question, _WRITE_REQUESTS) else database.read()
    with opened as tx:
        return respond(tx, question)


def _get_variable(tx: store.Transaction, question: GetVariable) -> object:
    return variables.get_variable(tx, question.key)


def _set_variable(tx: store.Transaction, question: SetVariable) -> object:
    variables.set_variable(tx, question.key, question.value, question.description)
    return None


def _delete_variable(tx: store.Transaction, question: DeleteVariable) -> object:
    return variables.delete_variable(tx, question.key)


def _list_variables(tx: store.Transaction, question: ListVariables) -> object:
    return variables.list_variable_keys(tx, question.prefix)


def _get_connection(tx: store.Transaction, question: GetConnection) -> object:
    found = connections.get_connection(tx, question.conn_id)
    return None if found is None else msgspec.to_builtins(found)


_ANSWERS: dict[type[Any], Callable[[store.Transaction, Any], object]] = {
    GetVariable: _get_variable,
    SetVariable: _set_variable,
    DeleteVariable: _delete_variable,
    ListVariables: _list_variables,
    GetConnection: _get_connection,
    GetXComs: get_xcoms,
    GetPreviousRun: get_previous_run,
    GetRunState: get_run_state,
    GetRunStates: get_run_states,
    GetTaskStates: get_task_states,
    GetDag: get_dag,
    GetRequest: get_request,
}
