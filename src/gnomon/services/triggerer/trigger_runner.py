"""Runs one trigger in the host: from its arguments to its first event, and through its cleanup."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import math
import types
from collections.abc import Callable, Generator, Iterator
from typing import Any, Protocol

from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.author_traceback import AUTHOR_TRACEBACK_MAX, trim_error
from gnomon.author_code.runner.runner_log import RunnerLog
from gnomon.authoring.sdk.deferral.triggers import BaseTrigger
from gnomon.ground import log
from gnomon.ground.log.masked_stream import MaskedStream
from gnomon.ground.log.secret_masks import hide
from gnomon.model.deferral import DeferralResult
from gnomon.model.errors.error_text import describe_error, format_error
from gnomon.model.sentences import render, say
from gnomon.model.storable_text import escape_unstorable
from gnomon.services.triggerer.deferral_results import describe_value, event_to_result
from gnomon.services.triggerer.host_protocol import TriggerTaskInstance

CLEANUP_S = 30.0
"""Limit for `cleanup`, and for closing the generator of `run`; afterwards they are cancelled."""
AFTER_EVENT_S = 2.0
"""How long the code of a watcher after its `yield` may run when the watcher is cancelled while or soon after the event is stored."""
_NO_EVENT = object()
_log = log.get_logger("triggerer.host")
author_log = RunnerLog("airflow.triggers")
"""Writes to the log of the deferred task."""


class RunningTrigger:
    """One start of one trigger. Small, because there are tens of thousands."""

    __slots__ = (
        "cancel_at",
        "classpath",
        "is_closing",
        "is_entered",
        "is_killed",
        "is_stopped",
        "number",
        "output",
        "stored_at",
        "task",
        "task_instance",
        "trigger",
    )

    def __init__(self, number: int, classpath: str, task_instance: TriggerTaskInstance) -> None:
        self.number = number
        self.classpath = classpath
        self.task_instance = task_instance
        self.trigger: Any = None
        self.task: asyncio.Task[None] | None = None
        self.output: MaskedStream | None = None
        """What the trigger prints, once it has printed something."""
        self.is_entered = False
        """The coroutine has been entered: only then can its task be cancelled without skipping the cleanup."""
        self.is_stopped = False
        """The trigger was cancelled or has fired: later events are ignored."""
        self.is_killed = False
        """The trigger was cancelled with `on_kill`."""
        self.is_closing = False
        """The methods for its end run: it is not cancelled any more."""
        self.stored_at = -math.inf
        """Of a watcher: the time of the loop at which its last event was stored; +inf while one is being stored."""
        self.cancel_at = -math.inf
        """Of a watcher that was stopped soon after an event: the time of the loop until which it goes on."""

    def cancel(self, loop: asyncio.AbstractEventLoop) -> None:
        """Cancel the trigger, which has been entered. The code of a watcher after a `yield`, such as an acknowledgement, may end before."""
        now = loop.time()
        wait_s = min(self.stored_at + AFTER_EVENT_S - now, AFTER_EVENT_S)
        if wait_s > 0:
            self.cancel_at = now + wait_s
            loop.call_later(wait_s, self._cancel_now)
        else:
            self._cancel_now()

    def _cancel_now(self) -> None:
        if self.task is not None and not self.is_closing:
            self.task.cancel()

    def describe(self) -> str:
        """The trigger and its task as shown to users."""
        return f"{self.classpath} of {self.task_instance.describe()}"


current_trigger: contextvars.ContextVar[RunningTrigger | None] = contextvars.ContextVar("trigger", default=None)
"""The trigger whose code runs now; also set in the tasks that it started."""


class TriggerListener(Protocol):
    """Is notified of the events and the ends of triggers; implemented by TriggerHost."""

    on_kill_s: float

    async def publish_event(self, running: RunningTrigger, event: Any) -> None:
        """Send the event of a watcher; returns when it is stored."""

    def open_events(self, running: RunningTrigger) -> Any:
        """The events of a watcher: of its `run`, or of the stream that it shares with others."""

    def on_result(self, running: RunningTrigger, result: DeferralResult) -> None:
        """The first event of the trigger, or the reason why there is none."""

    def on_finished(self, running: RunningTrigger) -> None:
        """The start is over, cleanup included."""


async def run_trigger(running: RunningTrigger, listener: TriggerListener) -> None:
    """Run the trigger to its first event, which is reported at once, then clean it up. Never raises."""
    running.is_entered = True
    current_trigger.set(running)
    generator: Any = None
    if not running.is_stopped:
        try:
            generator = running.trigger.run()
            if not hasattr(generator, "__anext__"):
                _raise_no_generator(running, generator)
            event = await anext(generator, _NO_EVENT)
            result = _no_event_result() if event is _NO_EVENT else event_to_result(event)
        except BaseException as error:
            _log_in_fork(error)
            result = error_to_result(error)
        if not running.is_stopped:
            listener.on_result(running, result)
    await _clean_up(running, generator, listener)


async def run_watcher(running: RunningTrigger, listener: TriggerListener) -> None:
    """Run the trigger of watchers to its end: it goes on when an event is stored. Never raises.

    What a trigger yields after it was cancelled is published too, because its source may be read already; then it is closed. A trigger that is
    cancelled within AFTER_EVENT_S of an event goes on until then, so that its code after the `yield` runs, such as an acknowledgement.
    Its end is reported as the outcome `event` when it yielded at least one event, else as `error` with the reason.
    """
    running.is_entered = True
    current_trigger.set(running)
    generator: Any = None
    if not running.is_stopped:
        try:
            generator = listener.open_events(running)
            if not hasattr(generator, "__anext__"):
                _raise_no_generator(running, generator)
            result = await _publish_events(running, generator, listener)
        except BaseException as error:
            _log_in_fork(error)
            result = error_to_result(error)
        if not running.is_stopped:
            listener.on_result(running, result)
    await _clean_up(running, generator, listener)


async def _publish_events(running: RunningTrigger, generator: Any, listener: TriggerListener) -> DeferralResult:
    result = _no_event_result()
    while (event := await anext(generator, _NO_EVENT)) is not _NO_EVENT:
        running.stored_at = math.inf
        await listener.publish_event(running, event)
        running.stored_at = now = asyncio.get_running_loop().time()
        result = DeferralResult(outcome="event")
        if running.is_stopped and now >= running.cancel_at:
            break  # the trigger has caught its cancellation: it must not run beside its next start
    return result


async def _clean_up(running: RunningTrigger, generator: Any, listener: TriggerListener) -> None:
    """Call the methods that a trigger has for its end, and report that the start is over."""
    running.is_closing = True
    if running.is_killed:
        await _call_with_timeout(running, "on_kill", listener.on_kill_s)
    if generator is not None and hasattr(generator, "aclose"):
        await _call_with_timeout(running, "run", CLEANUP_S, generator.aclose)
    if getattr(type(running.trigger), "cleanup", None) is not BaseTrigger.cleanup:  # the inherited method does nothing
        await _call_with_timeout(running, "cleanup", CLEANUP_S)
    listener.on_finished(running)


def _log_in_fork(error: BaseException) -> None:
    """Show the error of a fork that the trigger has made: it reports nothing, and ends when it returns to the loop (`fork_guard.py`)."""
    if author_forks.is_fork():
        author_log.error("a fork of the trigger host (os.fork) raised\n%s", format_error(*trim_error(error)).rstrip())


def error_to_result(error: BaseException) -> DeferralResult:
    """The result for an exception that a trigger raised; without the secrets of this process, which its readers do not know."""
    text = escape_unstorable(hide(format_error(*trim_error(error))))
    reason = _error_line(error)
    for inner in _first_errors(error):  # the message of a group does not say what was wrong
        reason += f": {_error_line(inner)}"
    return DeferralResult(outcome="error", reason=reason[:1000], traceback=text[-AUTHOR_TRACEBACK_MAX:])


def _error_line(error: BaseException) -> str:
    return escape_unstorable(hide(describe_error(error))).splitlines()[0]


def _first_errors(error: BaseException) -> Iterator[BaseException]:
    """The first error of a group, its first one if that is a group, and so on."""
    for _ in range(_GROUPS_MAX):
        if not issubclass(type(error), BaseExceptionGroup):
            return
        error = _errors_of_group(error)[0]
        yield error


_errors_of_group = BaseExceptionGroup.__dict__["exceptions"].__get__
_GROUPS_MAX = 10
"""The most groups in groups that a reason names."""


def _raise_no_generator(running: RunningTrigger, returned: Any) -> None:
    if inspect.iscoroutine(returned):
        returned.close()
    raise TypeError(
        f"{running.classpath}.run returned {describe_value(returned)}, not an asynchronous generator; write `async def run(self)` with `yield`"
    )


def _no_event_result() -> DeferralResult:
    return DeferralResult(
        outcome="error",
        reason=render(say("trigger_ended_without_event")),
    )


async def _call_with_timeout(
    running: RunningTrigger, method: str, seconds: float, call: Callable[[], Any] | None = None
) -> None:
    """Call the method and await its end, for at most `seconds`; exceptions are logged."""
    try:
        call = call or getattr(running.trigger, method, None)
        returned = None if call is None else call()
        if inspect.isawaitable(returned):
            steps = _steps(returned)
            try:
                paused = next(steps)
            except StopIteration:
                return  # most methods do not wait: no timer is set for them
            async with asyncio.timeout(seconds):
                await _await_rest(steps, paused)
    except TimeoutError:
        _log.warning("trigger_cleanup_timeout", trigger=running.describe(), method=method, after_s=seconds)
        _log_to_author(running, "%s() of the trigger had not ended after %g s and was cancelled", method, seconds)
    except BaseException as error:
        if not (isinstance(error, asyncio.CancelledError) and running.is_stopped):
            trace = (error_to_result(error).traceback or "").rstrip()
            _log.warning("trigger_cleanup_failed", trigger=running.describe(), method=method, error=trace)
            _log_to_author(running, "%s() of the trigger raised after the trigger had ended\n%s", method, trace)


def _log_to_author(running: RunningTrigger, text: str, *values: object) -> None:
    """Write a line to the log of the deferred task, if there is one."""
    if running.task_instance.log is not None:
        author_log.warning(text, *values)


@types.coroutine
def _await_rest(steps: Generator[Any, Any, Any], paused: Any) -> Generator[Any, Any, None]:
    """Continue a paused awaitable to its end, as `await` would."""
    try:
        while True:
            try:
                value = yield paused
            except BaseException as error:
                paused = steps.throw(error)
            else:
                paused = steps.send(value)
    except StopIteration:
        return


def _steps(awaitable: Any) -> Any:
    """The iterator that runs the awaitable step by step."""
    return awaitable if inspect.isgenerator(awaitable) else awaitable.__await__()
