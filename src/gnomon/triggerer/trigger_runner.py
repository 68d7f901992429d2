"""One trigger in the host: from its arguments to its first event, and to the end of its cleanup."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import traceback
import types
from collections.abc import Callable, Generator
from typing import Any, Protocol

from gnomon import log
from gnomon.model.deferral import DeferralResult
from gnomon.sdk.deferral.triggers import BaseTrigger
from gnomon.triggerer.deferral_results import describe_value, event_to_result
from gnomon.triggerer.host_protocol import TriggerTaskInstance

CLEANUP_S = 30.0
"""What `cleanup`, and the end of `run`, may take; afterwards it is given up."""
TRACEBACK_MAX = 20_000
"""Characters of a traceback that are kept, its end."""
_NO_EVENT = object()
_log = log.get_logger("triggerer.host")
author_log = logging.getLogger("airflow.triggers")
"""Stands in the log of the task that waits."""


class RunningTrigger:
    """One start of one trigger. Small, because there are tens of thousands."""

    __slots__ = ("classpath", "is_entered", "is_killed", "is_stopped", "number", "task", "task_instance", "trigger")

    def __init__(self, number: int, classpath: str, told: TriggerTaskInstance) -> None:
        self.number = number
        self.classpath = classpath
        self.task_instance = told
        self.trigger: Any = None
        self.task: asyncio.Task[None] | None = None
        self.is_entered = False
        """Its coroutine has been entered: only then can it be cancelled in good order."""
        self.is_stopped = False
        """Nobody wants its event any more."""
        self.is_killed = False
        """And it hears `on_kill`."""

    def describe(self) -> str:
        """As the log and people name it."""
        return f"{self.classpath} of {self.task_instance.describe()}"


current_trigger: contextvars.ContextVar[RunningTrigger | None] = contextvars.ContextVar("trigger", default=None)
"""The trigger whose code runs, tasks that it started included."""


class TriggerListener(Protocol):
    """Who hears of the ends of triggers."""

    on_kill_s: float

    def on_fired(self, running: RunningTrigger, fired: DeferralResult) -> None:
        """Its first event, or why there is none."""

    def on_finished(self, running: RunningTrigger) -> None:
        """Nothing of it runs any more."""


async def run_trigger(running: RunningTrigger, listener: TriggerListener) -> None:
    """The trigger runs to its first event, which is told at once; then it is cleaned up. Nothing that it raises leaves here."""
    running.is_entered = True
    current_trigger.set(running)
    generator: Any = None
    if not running.is_stopped:
        try:
            generator = running.trigger.run()
            if not hasattr(generator, "__anext__"):
                _raise_no_generator(running, generator)
            event = await anext(generator, _NO_EVENT)
            fired = _no_event_result() if event is _NO_EVENT else event_to_result(event)
        except BaseException as error:
            fired = error_to_result(error)
        if not running.is_stopped:
            listener.on_fired(running, fired)
    if running.is_killed:
        await _call_with_timeout(running, "on_kill", listener.on_kill_s)
    if generator is not None and hasattr(generator, "aclose"):
        await _call_with_timeout(running, "run", CLEANUP_S, generator.aclose)
    if getattr(type(running.trigger), "cleanup", None) is not BaseTrigger.cleanup:  # that one does nothing
        await _call_with_timeout(running, "cleanup", CLEANUP_S)
    listener.on_finished(running)


def error_to_result(error: BaseException) -> DeferralResult:
    """How an exception of a trigger ends its wait."""
    text = "".join(traceback.format_exception(error))
    reason = _error_line(error)
    while isinstance(error, BaseExceptionGroup):  # its own words never say what was wrong
        error = error.exceptions[0]
        reason += f": {_error_line(error)}"
    return DeferralResult(outcome="error", reason=reason[:1000], traceback=text[-TRACEBACK_MAX:])


def _error_line(error: BaseException) -> str:
    words = str(error).strip()
    return f"{type(error).__name__}: {words.splitlines()[0]}" if words else type(error).__name__


def _raise_no_generator(running: RunningTrigger, returned: Any) -> None:
    if inspect.iscoroutine(returned):
        returned.close()
    raise TypeError(
        f"{running.classpath}.run gave {describe_value(returned)}, not an asynchronous generator; write `async def run(self)` with `yield`"
    )


def _no_event_result() -> DeferralResult:
    return DeferralResult(outcome="error", reason="it ended without an event; a trigger yields a TriggerEvent when what it waits for is there")


async def _call_with_timeout(running: RunningTrigger, method: str, seconds: float, act: Callable[[], Any] | None = None) -> None:
    """The method was called and has ended, or its time is over; what it raises is logged."""
    try:
        act = act or getattr(running.trigger, method, None)
        returned = None if act is None else act()
        if inspect.isawaitable(returned):
            steps = _steps(returned)
            try:
                paused = next(steps)
            except StopIteration:
                return  # as nearly all do: no clock is set for what does not wait
            async with asyncio.timeout(seconds):
                await _await_rest(steps, paused)
    except TimeoutError:
        _log.warning("trigger_gave_no_end", trigger=running.describe(), method=method, after_s=seconds)
        _log_to_author(running, "%s() of the trigger had not ended after %g s, and was given up", method, seconds)
    except BaseException as error:
        if not (isinstance(error, asyncio.CancelledError) and running.is_stopped):
            found = (error_to_result(error).traceback or "").rstrip()
            _log.warning("trigger_raised", trigger=running.describe(), method=method, error=found)
            _log_to_author(running, "%s() of the trigger raised, after its wait\n%s", method, found)


def _log_to_author(running: RunningTrigger, words: str, *values: object) -> None:
    """A line in the log of the task that waited, where it has one."""
    if running.task_instance.log is not None:
        author_log.warning(words, *values)


@types.coroutine
def _await_rest(steps: Generator[Any, Any, Any], paused: Any) -> Generator[Any, Any, None]:
    """An awaitable that has paused goes on to its end, as `await` would take it there."""
    try:
        while True:
            try:
                sent = yield paused
            except BaseException as error:
                paused = steps.throw(error)
            else:
                paused = steps.send(sent)
    except StopIteration:
        return


def _steps(awaitable: Any) -> Any:
    """What runs it, step by step."""
    return awaitable if inspect.isgenerator(awaitable) else awaitable.__await__()
