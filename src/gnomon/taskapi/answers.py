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
    GetPreviousRun,
    GetRunState,
    GetTaskStates,
    GetVariable,
    GetXComs,
    ListVariables,
    SetVariable,
)
from gnomon.store import connections, variables
from gnomon.taskapi.refused import Refused
from gnomon.taskapi.runs import previous_run, run_state, task_states
from gnomon.taskapi.xcoms import xcoms

_WRITES = (SetVariable, DeleteVariable)
_OF_RUNS = (GetXComs, GetPreviousRun, GetRunState, GetTaskStates)


def answer(database: store.Database, attempt: Attempt | None, question: AnyQuestion) -> object:
    """The answer, a JSON value. `attempt` None: a DAG file asks while it is imported.

    An attempt reads Variables, connections, and the runs and XComs of every DAG, and writes Variables; a file that is
    imported reads Variables and connections. Raises Refused, and the store's own errors while it is away.
    """
    if attempt is None and isinstance(question, _WRITES + _OF_RUNS):
        raise Refused(
            f"{type(question).__name__} is answered to tasks only, and this DAG file asks while it is imported;"
            " move the call into a task"
        )
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
    GetTaskStates: task_states,
}
