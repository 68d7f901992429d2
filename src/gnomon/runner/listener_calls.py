"""Calls the listeners of plugins in the process of an attempt or a callback. None of them can harm it: each is bounded, and its errors are logged."""

from __future__ import annotations

import logging
from typing import Any

from gnomon.errors.authoring import AirflowTaskTimeout
from gnomon.loading.hooks import HookImplementation
from gnomon.loading.listeners import LISTENER_TIMEOUT_S, RUN_HOOKS, TASK_HOOKS, get_listener_manager
from gnomon.model.run_callbacks import CallbackKind, CallbackRequest
from gnomon.model.states import TaskInstanceState
from gnomon.runner.attempt_results import error_line
from gnomon.runner.signals import time_limit

log = logging.getLogger("gnomon.listeners")


def call_task_listeners(outcome: str, previous_state: TaskInstanceState, ti: Any, error: object = None) -> list[str]:
    """Call the listeners for this outcome of the task instance (running, success, failed, skipped); returns a sentence for each that failed."""
    hook = TASK_HOOKS.get(outcome)
    if hook is None:
        return []
    return _call_all(hook, {"previous_state": previous_state, "task_instance": ti, "error": error, "session": None})


def call_run_listeners(request: CallbackRequest, context: Any) -> list[str]:
    """Call the listeners for this change of the run's state; returns a sentence for each that failed."""
    hook = RUN_HOOKS.get(CallbackKind(request.kind))
    return [] if hook is None else _call_all(hook, {"dag_run": context["dag_run"], "msg": request.reason})


def _call_all(hook: str, arguments: dict[str, Any]) -> list[str]:
    try:
        implementations = get_listener_manager().get_implementations(hook)
    except Exception as error:  # the edge of author code: a plugin
        log.exception("the listeners cannot be loaded")
        return [f"the listeners cannot be loaded: {error_line(error)}"]
    return [failure for one in implementations if (failure := _call_one(one, arguments)) is not None]


def _call_one(one: HookImplementation, arguments: dict[str, Any]) -> str | None:
    try:
        with time_limit(LISTENER_TIMEOUT_S, f"listener {one.name}"):
            one.call(arguments)
    except (Exception, SystemExit, AirflowTaskTimeout) as error:
        how = f"failed: {error_line(error)}"
        if isinstance(error, AirflowTaskTimeout):
            how = f"ran for longer than {LISTENER_TIMEOUT_S:g} s and was ended"
        failure = f"listener {one.name} ({one.place}) {how}"
        log.exception("%s; the outcome stays", failure)
        return failure
    return None
