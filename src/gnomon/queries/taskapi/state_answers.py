"""Requests about the task state store, with the rights of one task instance, and about the asset state store."""

from __future__ import annotations

from gnomon.ground.clock import SystemClock
from gnomon.model.attempts import Attempt
from gnomon.model.instants import clamp
from gnomon.model.sentences import say
from gnomon.model.state_values import STATE_VALUE_MAX_BYTES, StateWriter
from gnomon.model.task_api_requests import (
    DeleteAssetState,
    DeleteTaskState,
    GetAssetState,
    GetTaskState,
    SetAssetState,
    SetTaskState,
)
from gnomon.queries.taskapi.run_queries import TaskApiRefused
from gnomon.storage import store
from gnomon.storage.store.state_stores import asset_state_store, task_state_store


def answer_task_state(
    database: store.Database, attempt: Attempt, request: GetTaskState | SetTaskState | DeleteTaskState
) -> object:
    """The answer about the values of the attempt's task instance: the same for all its tries. Raises TaskApiRefused."""
    scope = task_state_store.TaskStateScope(attempt.run.run_pk, attempt.task_no, attempt.map_index)
    now = SystemClock().now()
    if isinstance(request, GetTaskState):
        with database.read() as tx:
            return task_state_store.get_task_state(tx, scope, request.key, now)
    if isinstance(request, SetTaskState):
        _check_size(request.key, request.value)
        expires_at = None if request.retention is None else clamp(now + request.retention)
        with database.write() as tx:
            task_state_store.set_task_state(tx, scope, request.key, request.value, now, expires_at)
        return None
    with database.write() as tx:
        if request.key is None:
            return task_state_store.clear_task_state(tx, scope)
        return task_state_store.delete_task_state(tx, scope, request.key)


def answer_asset_state(
    database: store.Database, writer: StateWriter, request: GetAssetState | SetAssetState | DeleteAssetState
) -> object:
    """The answer about the values of an asset. Raises TaskApiRefused."""
    if isinstance(request, GetAssetState):
        with database.read() as tx:
            return asset_state_store.get_asset_state(tx, request.asset, request.key)
    if isinstance(request, SetAssetState):
        _check_size(request.key, request.value)
        with database.write() as tx:
            asset_state_store.set_asset_state(
                tx, request.asset, request.key, request.value, SystemClock().now(), writer
            )
        return None
    with database.write() as tx:
        if request.key is None:
            return asset_state_store.clear_asset_state(tx, request.asset)
        return asset_state_store.delete_asset_state(tx, request.asset, request.key)


def _check_size(key: str, value: str) -> None:
    if len(value) > STATE_VALUE_MAX_BYTES:
        raise TaskApiRefused(say("stored_value_is_too_large", key=key, length=len(value), most=STATE_VALUE_MAX_BYTES))
