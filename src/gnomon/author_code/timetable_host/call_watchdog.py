"""Limits the time of calls into author code from inside the process: a call that takes too long is ended by an exception."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType

from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.author_frames import find_author_call, find_author_place
from gnomon.author_code.processes.child_setup import exit_if_orphaned
from gnomon.ground.clock import Clock
from gnomon.model.sentences import Sentence, render, say

CHECK_EVERY_S = 0.25
"""Interval between checks of the running call."""


class CallTimeout(BaseException):
    """One call into author code exceeded its limit. Not an Exception, so that author code that catches Exception does not catch it."""

    def __init__(self, call: str, seconds: float, place: str) -> None:
        """`place`: `file, line N` of the author, or that it is not known."""
        super().__init__(f"{call} did not answer within {seconds:g} s (it was at {place})")
        self.call = call
        self.seconds = seconds
        self.place = place


def describe_timeout(error: CallTimeout, advice: Sentence) -> str:
    """The error as a message for the author."""
    file, _, line = error.place.rpartition(", line ")
    where = say("author_code_was_at", file=file, at_number=line) if file else None
    late = say("author_call_took_too_long", name=error.call, duration=error.seconds, where=where, advice=advice)
    return render(late)


class CallWatchdog:
    """A timer that checks which call is running. A new call, or code of Gnomon, counts as progress and is reported."""

    def __init__(self, clock: Clock, progress: Callable[[], None]) -> None:
        self._clock = clock
        self._on_progress = progress
        self._parent = os.getppid()
        self._limit_s = 0.0
        self._author_call: FrameType | None = None
        self._call_started_at = 0.0

    def start(self, limit_s: float) -> None:
        """Limit each call to `limit_s` seconds from now on."""
        self._limit_s = limit_s
        self._author_call = None
        tick = min(CHECK_EVERY_S, limit_s / 4)
        author_forks.install_handler(signal.SIGALRM, self._on_tick)
        signal.setitimer(signal.ITIMER_REAL, tick, tick)

    def stop(self) -> None:
        """Stop the timer."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._author_call = None

    def _on_tick(self, number: int, frame: FrameType | None) -> None:
        if author_forks.end_by_signal_in_fork(number):
            return
        exit_if_orphaned(self._parent)
        call = find_author_call(frame)
        now = self._clock.monotonic()
        if call is None or call is not self._author_call:
            self._author_call, self._call_started_at = call, now
            self._on_progress()
        elif now - self._call_started_at >= self._limit_s:
            raise CallTimeout(_describe_call(call, frame), self._limit_s, find_author_place(frame))


def _describe_call(call: FrameType, innermost: FrameType | None) -> str:
    """The name of the running call for messages: the method, or the file that is being imported."""
    if call.f_code.co_name != "<module>" and not _is_import_system(call):
        return call.f_code.co_qualname.rpartition("<locals>.")[2]
    module, frame = call, innermost
    while frame is not None and frame is not call:
        module = frame if frame.f_code.co_name == "<module>" else module
        frame = frame.f_back
    return f"importing {module.f_code.co_filename}"


def _is_import_system(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "importlib"
