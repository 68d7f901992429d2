"""Runs one callback of a run in this process: callbacks of the DAG, listeners, the callback of a deadline, or a deadline's reference.

Every callback of a list is called, also after one that raised; an exception makes the outcome `failed`, and changes nothing else.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from gnomon.author_code.context import set_task_environment
from gnomon.author_code.context.run_context import build_run_context
from gnomon.author_code.loading.class_loader import load_object
from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.author_traceback import trim_error
from gnomon.author_code.runner import callbacks, listener_calls
from gnomon.author_code.runner.attempt_results import REASON_MAX, error_line
from gnomon.author_code.runner.runner_log import RunnerLog
from gnomon.author_code.runner.signals import terminable, time_limit
from gnomon.authoring.sdk.connections import channel as sdk_channel
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.authoring.sdk.runtime.callback_definitions import AsyncCallback
from gnomon.authoring.sdk.runtime.notifier import BaseNotifier
from gnomon.ground.clock import SystemClock
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.errors.authoring import AirflowException, AirflowTaskTerminated, AirflowTaskTimeout
from gnomon.model.instants import Instant, to_instant
from gnomon.model.run_callbacks import CallbackKind, CallbackRequest
from gnomon.model.states import TaskInstanceState
from gnomon.model.storable_text import escape_unstorable

log = RunnerLog("gnomon.callback")

_ARGUMENTS = {CallbackKind.RUN_SUCCEEDED: "on_success_callback", CallbackKind.RUN_FAILED: "on_failure_callback"}


def run_callback_attempt(
    dag: Any, attempt: Attempt, channel: Any, on_entered: Callable[[Instant], None] | None = None
) -> AttemptResult:
    """Run the callback and return its result. Never raises what author code raises: the log gets the traceback.

    `channel` and `on_entered`: as for `run_attempt`. SIGTERM ends it as failed, and so does `attempt.timeout_s`.
    """
    return _CallbackExecution(dag, attempt, channel, on_entered).run()


class _CallbackExecution:
    """The steps of one callback and what has failed so far."""

    def __init__(self, dag: Any, attempt: Attempt, channel: Any, on_entered: Callable[[Instant], None] | None) -> None:
        assert attempt.callback is not None
        self._dag = dag
        self._attempt = attempt
        self._request: CallbackRequest = attempt.callback
        self._channel = channel
        self._on_entered = on_entered
        self._clock = SystemClock()
        self._failures: list[str] = []
        self._current = "the callback"
        """What runs now, for messages."""
        self._deadline_at: Instant | None = None

    def run(self) -> AttemptResult:
        sdk_channel.install_channel(self._channel)
        set_task_environment({})
        started_at = self._clock.now()
        timeout_s = self._attempt.timeout_s
        try:
            with terminable(), time_limit(timeout_s, "the callback"):
                if self._on_entered is not None:
                    self._on_entered(started_at)  # the worker may send SIGTERM from now on
                self._call()
        except AirflowTaskTimeout as error:
            self._failures.append(
                f"{self._current} ran for longer than [callbacks] callback_execution_timeout of {timeout_s:g} s and was ended; make it faster, or raise the option"
            )
            log.error("%s", self._failures[-1], exc_info=trim_error(error))
        except AirflowTaskTerminated as error:
            self._failures.append(error_line(error))
            log.exception("the callback was stopped")
        except BaseException as error:  # the edge of author code
            self._add_failure(self._request.kind, error)
        return self._build_result(started_at)

    def _call(self) -> None:
        context = build_run_context(dag=self._dag, attempt=self._attempt, channel=self._channel)
        with authoring_state.set_current_context(context):
            if self._request.kind == CallbackKind.DEADLINE_MISSED:
                self._call_deadline_callback(context)
            elif self._request.kind == CallbackKind.TASK_ENDED:
                self._call_task_callbacks(context)
            elif self._request.kind == CallbackKind.DEADLINE_REFERENCE:
                self._compute_deadline(context)
            else:
                self._call_run_callbacks(context)

    def _call_run_callbacks(self, context: Any) -> None:
        self._failures += listener_calls.call_component_listeners("on_starting")
        self._failures += listener_calls.call_run_listeners(self._request, context)
        self._call_dag_callbacks(context)
        self._failures += listener_calls.call_component_listeners("before_stopping")

    def _call_dag_callbacks(self, context: Any) -> None:
        argument = _ARGUMENTS.get(CallbackKind(self._request.kind))
        if argument is None or not self._request.calls_dag:
            return
        for callback in callbacks.list_callbacks(getattr(self._dag, argument, None)):
            log.info("calling %s of DAG %s: %s", argument, self._dag.dag_id, _name(callback))
            self._current = f"{argument} {_name(callback)}"
            try:
                callback(context)
                author_forks.end_fork()
            except Exception as error:
                author_forks.end_fork(error)
                self._add_failure(self._current, error)

    def _call_task_callbacks(self, context: Any) -> None:
        """The callbacks, the mail and the listeners of a task whose process ended without calling them; errors are logged, as in a task."""
        task = context.get("task")
        if task is None:
            raise LookupError(
                f"DAG {self._dag.dag_id!r} in {self._attempt.file} no longer has task {self._request.task_id!r}"
            )
        outcome = "retry" if self._request.task_state == "up_for_retry" else "failed"
        context["exception"] = AirflowException(self._request.reason)
        callbacks.run_callbacks(task, callbacks.CALLBACK_ARGUMENTS[outcome], context)
        callbacks.send_mail(task, outcome, context)
        if self._attempt.calls_listeners:
            listener_calls.call_task_listeners("failed", TaskInstanceState.RUNNING, context["ti"], context["exception"])

    def _call_deadline_callback(self, context: Any) -> None:
        callback = self._find_alert().callback
        target = callback.target or load_object(callback.path)
        log.info("deadline %s was missed; calling %s", context["deadline"]["deadline_time"], callback.path)
        self._current = callback.path
        try:
            if isinstance(callback, AsyncCallback):
                asyncio.run(_await_callback(target, callback.kwargs, context))
            else:
                _call_sync(target, callback.kwargs, context)
        except Exception as error:
            author_forks.end_fork(error)
            self._add_failure(callback.path, error)

    def _compute_deadline(self, context: Any) -> None:
        run = context["dag_run"]
        moment = self._find_alert().compute_deadline(
            {
                "dag_id": run.dag_id,
                "run_id": run.run_id,
                "logical_date": run.logical_date,
                "queued_at": run.queued_at,
                "run_after": run.run_after,
                "dag_run": run,
            }
        )
        self._deadline_at = None if moment is None else to_instant(moment)

    def _find_alert(self) -> Any:
        number, alerts = self._request.deadline_no or 0, self._dag.deadline or []
        if number >= len(alerts):
            raise LookupError(
                f"DAG {self._dag.dag_id!r} in {self._attempt.file} no longer has deadline {number}; it has {len(alerts)}"
            )
        return alerts[number]

    def _add_failure(self, what: str, error: BaseException) -> None:
        log.error("%s failed", what, exc_info=trim_error(error))
        self._failures.append(f"{what}: {error_line(error)}")

    def _build_result(self, started_at: Instant) -> AttemptResult:
        attempt = self._attempt
        reason = escape_unstorable("; ".join(self._failures))[:REASON_MAX] or None
        return AttemptResult(
            attempt_id=attempt.attempt_id,
            group_no=attempt.group_no,
            run_pk=attempt.run.run_pk,
            task_no=attempt.task_no,
            map_index=attempt.map_index,
            outcome="failed" if self._failures else "success",
            retryable=False,
            started_at=started_at,
            ended_at=self._clock.now(),
            reason=reason,
            resume_at=self._deadline_at,
        )


def _call_sync(target: Any, kwargs: dict[str, Any], context: Any) -> None:
    """Call a function with the arguments that it takes; of a class, the object is called with the context."""
    result = target(**_with_context(target, kwargs, context))
    if isinstance(target, type) and callable(result):
        result(context)
    elif inspect.isawaitable(result):
        asyncio.run(_await(result))


async def _await_callback(target: Any, kwargs: dict[str, Any], context: Any) -> None:
    if isinstance(target, type) and issubclass(target, BaseNotifier):
        await target(**kwargs).notify_async(context)
        return
    result = target(**_with_context(target, kwargs, context))
    if not inspect.isawaitable(result):
        raise TypeError(
            f"{_name(target)} returned {result!r}, which cannot be awaited; define it with `async def`, or use SyncCallback"
        )
    await result


async def _await(awaitable: Any) -> Any:
    return await awaitable


def _with_context(target: Any, kwargs: dict[str, Any], context: Any) -> dict[str, Any]:
    """The arguments, with `context` if the function takes an argument of that name or any arguments by name."""
    if isinstance(target, type):
        return kwargs
    try:
        parameters = inspect.signature(target).parameters
    except (TypeError, ValueError):
        return {**kwargs, "context": context}
    takes = "context" in parameters or any(
        parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()
    )
    return {**kwargs, "context": context} if takes else kwargs


def _name(callback: Any) -> str:
    return getattr(callback, "__qualname__", None) or type(callback).__qualname__
