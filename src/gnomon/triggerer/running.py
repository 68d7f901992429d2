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
from gnomon.model.deferral import Fired
from gnomon.sdk.triggers import BaseTrigger
from gnomon.triggerer.events import fired_by, named
from gnomon.triggerer.messages import Told

CLEANUP_S = 30.0
"""What `cleanup`, and the end of `run`, may take; afterwards it is given up."""
TRACEBACK_MAX = 20_000
"""Characters of a traceback that are kept, its end."""
_NOTHING = object()
_log = log.get("triggerer.host")
author_log = logging.getLogger("airflow.triggers")
"""Stands in the log of the task that waits."""


class Running:
    """One start of one trigger. Small, because there are tens of thousands."""

    __slots__ = ("begun", "classpath", "killed", "number", "stopped", "task", "told", "trigger")

    def __init__(self, number: int, classpath: str, told: Told) -> None:
        self.number = number
        self.classpath = classpath
        self.told = told
        self.trigger: Any = None
        self.task: asyncio.Task[None] | None = None
        self.begun = False
        """Its coroutine has been entered: only then can it be cancelled in good order."""
        self.stopped = False
        """Nobody wants its event any more."""
        self.killed = False
        """And it hears `on_kill`."""

    def named(self) -> str:
        """As the log and people name it."""
        return f"{self.classpath} of {self.told.named()}"


current: contextvars.ContextVar[Running | None] = contextvars.ContextVar("trigger", default=None)
"""The trigger whose code runs, tasks that it started included."""


class Listener(Protocol):
    """Who hears of the ends of triggers."""

    on_kill_s: float

    def fired(self, running: Running, fired: Fired) -> None:
        """Its first event, or why there is none."""

    def gone(self, running: Running) -> None:
        """Nothing of it runs any more."""


async def live(running: Running, listener: Listener) -> None:
    """The trigger runs to its first event, which is told at once; then it is cleaned up. Nothing that it raises leaves here."""
    running.begun = True
    current.set(running)
    generator: Any = None
    if not running.stopped:
        try:
            generator = running.trigger.run()
            if not hasattr(generator, "__anext__"):
                _refuse(running, generator)
            event = await anext(generator, _NOTHING)
            fired = _ended_without_event() if event is _NOTHING else fired_by(event)
        except BaseException as error:
            fired = failed(error)
        if not running.stopped:
            listener.fired(running, fired)
    if running.killed:
        await _bounded(running, "on_kill", listener.on_kill_s)
    if generator is not None and hasattr(generator, "aclose"):
        await _bounded(running, "run", CLEANUP_S, generator.aclose)
    if getattr(type(running.trigger), "cleanup", None) is not BaseTrigger.cleanup:  # that one does nothing
        await _bounded(running, "cleanup", CLEANUP_S)
    listener.gone(running)


def failed(error: BaseException) -> Fired:
    """How an exception of a trigger ends its wait."""
    text = "".join(traceback.format_exception(error))
    reason = _line(error)
    while isinstance(error, BaseExceptionGroup):  # its own words never say what was wrong
        error = error.exceptions[0]
        reason += f": {_line(error)}"
    return Fired(outcome="error", reason=reason[:1000], traceback=text[-TRACEBACK_MAX:])


def _line(error: BaseException) -> str:
    words = str(error).strip()
    return f"{type(error).__name__}: {words.splitlines()[0]}" if words else type(error).__name__


def _refuse(running: Running, returned: Any) -> None:
    if inspect.iscoroutine(returned):
        returned.close()
    raise TypeError(
        f"{running.classpath}.run gave {named(returned)}, not an asynchronous generator; write `async def run(self)` with `yield`"
    )


def _ended_without_event() -> Fired:
    return Fired(outcome="error", reason="it ended without an event; a trigger yields a TriggerEvent when what it waits for is there")


async def _bounded(running: Running, method: str, seconds: float, act: Callable[[], Any] | None = None) -> None:
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
                await _rest(steps, paused)
    except TimeoutError:
        _log.warning("trigger_gave_no_end", trigger=running.named(), method=method, after_s=seconds)
        _tell_author(running, "%s() of the trigger had not ended after %g s, and was given up", method, seconds)
    except BaseException as error:
        if not (isinstance(error, asyncio.CancelledError) and running.stopped):
            found = (failed(error).traceback or "").rstrip()
            _log.warning("trigger_raised", trigger=running.named(), method=method, error=found)
            _tell_author(running, "%s() of the trigger raised, after its wait\n%s", method, found)


def _tell_author(running: Running, words: str, *values: object) -> None:
    """A line in the log of the task that waited, where it has one."""
    if running.told.log is not None:
        author_log.warning(words, *values)


@types.coroutine
def _rest(steps: Generator[Any, Any, Any], paused: Any) -> Generator[Any, Any, None]:
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
