"""The answer to each request of the task API, as a table, and the rights of tasks, triggers and DAG files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from gnomon.model.attempts import Attempt
from gnomon.model.message_bounds import find_message_fault
from gnomon.model.sentences import say
from gnomon.model.state_values import StateWriter
from gnomon.model.task_api_requests import (
    AnyTaskApiRequest,
    DeleteAssetState,
    DeleteTaskState,
    DeleteVariable,
    GetAsset,
    GetAssetEvents,
    GetAssetState,
    GetCachedSecret,
    GetConnection,
    GetConsumedAssetEvents,
    GetDag,
    GetFirstReschedule,
    GetPreviousRun,
    GetRequest,
    GetRunRemarks,
    GetRunState,
    GetRunStates,
    GetTaskInstances,
    GetTaskState,
    GetTaskStates,
    GetVariable,
    GetXComBatch,
    GetXComCount,
    GetXComElement,
    GetXComs,
    ListRuns,
    ListVariables,
    SetAssetState,
    SetCachedSecret,
    SetTaskState,
    SetVariable,
    TriggerRun,
)
from gnomon.queries.taskapi.asset_queries import get_asset, get_asset_events, get_consumed_asset_events
from gnomon.queries.taskapi.run_creation import get_request, trigger_run
from gnomon.queries.taskapi.run_queries import (
    TaskApiRefused,
    get_dag,
    get_first_reschedule,
    get_previous_run,
    get_run_remarks,
    get_run_state,
    get_run_states,
    get_task_instances,
    get_task_states,
    list_runs,
)
from gnomon.queries.taskapi.secret_cache import answer_secret_cache
from gnomon.queries.taskapi.state_answers import answer_asset_state, answer_task_state
from gnomon.queries.taskapi.xcom_elements import get_xcom_element
from gnomon.queries.taskapi.xcom_queries import count_xcoms, get_xcom_batch, get_xcoms
from gnomon.storage import store
from gnomon.storage.store.admin import connections, variables

_WRITE_REQUESTS = (SetVariable, DeleteVariable)
_TASK_STATE_REQUESTS = (GetTaskState, SetTaskState, DeleteTaskState)
_ASSET_STATE_REQUESTS = (GetAssetState, SetAssetState, DeleteAssetState)
_RUN_REQUESTS = (
    GetXComs,
    GetXComElement,
    GetXComCount,
    GetXComBatch,
    GetPreviousRun,
    GetRunRemarks,
    GetRunState,
    GetRunStates,
    GetTaskStates,
    GetTaskInstances,
    ListRuns,
    GetDag,
    GetRequest,
    GetAsset,
    GetAssetEvents,
)
_ATTEMPT_REQUESTS = (TriggerRun, GetFirstReschedule, GetConsumedAssetEvents, *_TASK_STATE_REQUESTS)
"""Requests about the attempt itself."""


def answer_task(database: store.Database, attempt: Attempt | None, request: AnyTaskApiRequest) -> object:
    """The answer to an attempt, a JSON value. `attempt` None: the request of a DAG file that is being imported.

    An attempt reads Variables, connections, and the runs and XComs of every DAG, writes Variables and creates runs; a DAG
    file reads connections, and reads and writes Variables. Raises TaskApiRefused, and the errors of the store while it is unreachable.
    """
    _check_request(request)
    if isinstance(request, TriggerRun) and attempt is not None:
        return trigger_run(database, attempt, request)
    if isinstance(request, GetFirstReschedule) and attempt is not None:
        with database.read() as tx:
            return get_first_reschedule(tx, attempt, request)
    if isinstance(request, (GetCachedSecret, SetCachedSecret)):
        return answer_secret_cache(request) if attempt is None else None
    if attempt is not None and isinstance(request, _TASK_STATE_REQUESTS):
        return answer_task_state(database, attempt, request)
    if attempt is not None and isinstance(request, _ASSET_STATE_REQUESTS):
        return answer_asset_state(database, _name_writer(attempt), request)
    if isinstance(request, GetXComs) and attempt is not None:
        with database.read() as tx:
            return get_xcoms(tx, request, attempt.run.dag_id)
    if isinstance(request, GetConsumedAssetEvents) and attempt is not None:
        with database.read() as tx:
            return get_consumed_asset_events(tx, attempt)
    if attempt is None and isinstance(request, (*_ATTEMPT_REQUESTS, *_ASSET_STATE_REQUESTS, *_RUN_REQUESTS)):
        raise TaskApiRefused(say("request_of_dag_file_is_refused", name=type(request).__name__))
    return _answer_from_table(database, request)


def answer_trigger(database: store.Database, request: AnyTaskApiRequest) -> object:
    """The answer to a trigger, which reads what tasks read and writes only the state of assets. Raises as `answer_task` does."""
    _check_request(request)
    if isinstance(request, _ASSET_STATE_REQUESTS):
        return answer_asset_state(database, StateWriter("watcher"), request)
    if isinstance(request, (GetCachedSecret, SetCachedSecret)):
        return None
    if isinstance(request, (*_ATTEMPT_REQUESTS, *_WRITE_REQUESTS)):
        raise TaskApiRefused(say("request_of_trigger_is_refused", name=type(request).__name__))
    return _answer_from_table(database, request)


def _check_request(request: AnyTaskApiRequest) -> None:
    """Raise TaskApiRefused for a request with a value that the store cannot take: code of an author can send any."""
    fault = find_message_fault(request, _VALUE_FIELDS) or next(
        (f"{name} is negative" for name in _COUNTS if (getattr(request, name, None) or 0) < 0), None
    )
    if fault is not None:
        raise TaskApiRefused(say("request_cannot_be_answered", name=type(request).__name__, fault=fault))


_VALUE_FIELDS = frozenset({"value", "text"})
_COUNTS = ("limit", "total")
"""Fields that say how many rows are wanted or exist."""


def _name_writer(attempt: Attempt) -> StateWriter:
    return StateWriter(
        "task",
        dag_id=attempt.run.dag_id,
        run_id=attempt.run.run_id,
        task_id=attempt.task_id,
        map_index=attempt.map_index,
    )


def _answer_from_table(database: store.Database, request: AnyTaskApiRequest) -> object:
    if isinstance(request, GetXComElement):
        return get_xcom_element(database, request)
    answer = _ANSWERS[type(request)]
    transaction = database.write() if isinstance(request, _WRITE_REQUESTS) else database.read()
    with transaction as tx:
        return answer(tx, request)


def _get_variable(tx: store.Transaction, request: GetVariable) -> object:
    return variables.get_variable(tx, request.key)


def _set_variable(tx: store.Transaction, request: SetVariable) -> object:
    variables.set_variable(tx, request.key, request.value, request.description)
    return None


def _delete_variable(tx: store.Transaction, request: DeleteVariable) -> object:
    return variables.delete_variable(tx, request.key)


def _list_variables(tx: store.Transaction, request: ListVariables) -> object:
    return variables.list_variable_keys(tx, request.prefix)


def _get_connection(tx: store.Transaction, request: GetConnection) -> object:
    connection = connections.get_connection(tx, request.conn_id)
    return None if connection is None else msgspec.to_builtins(connection)


_ANSWERS: dict[type[Any], Callable[[store.Transaction, Any], object]] = {
    GetVariable: _get_variable,
    SetVariable: _set_variable,
    DeleteVariable: _delete_variable,
    ListVariables: _list_variables,
    GetConnection: _get_connection,
    GetXComs: get_xcoms,
    GetXComCount: count_xcoms,
    GetXComBatch: get_xcom_batch,
    GetPreviousRun: get_previous_run,
    GetRunRemarks: get_run_remarks,
    GetRunState: get_run_state,
    GetRunStates: get_run_states,
    GetTaskStates: get_task_states,
    GetTaskInstances: get_task_instances,
    ListRuns: list_runs,
    GetDag: get_dag,
    GetRequest: get_request,
    GetAsset: get_asset,
    GetAssetEvents: get_asset_events,
}
