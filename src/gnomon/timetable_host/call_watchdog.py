"""Watches the author's code from inside: one call that takes too long is ended by an exception, where it is at that moment."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType

from gnomon.clock import Clock
from gnomon.processes.author_frames import find_author_call, find_author_place
from gnomon.processes.child_setup import exit_if_orphaned

CHECK_EVERY_S = 0.25
"""Between two looks at where the author's code is."""


class CallTimeout(BaseException):
    """One call into author code took longer than it may. Not an Exception: author code that catches those goes on."""

    def __init__(self, call: str, seconds: float, place: str) -> None:
        super().__init__(f"{call} did not answer within {seconds:g} s (it was at {place}); see to its timetable")


class CallWatchdog:
    """A timer that looks which call is under way. A new call, or code of ours, is progress, and is told."""

    def __init__(self, clock: Clock, progress: Callable[[], None]) -> None:
        self._clock = clock
        self._on_progress = progress
        self._parent = os.getppid()
        self._limit_s = 0.0
        self._author_call: FrameType | None = None
        self._call_started_at = 0.0

    def start(self, most_s: float) -> None:
        """From now on one call may take `most_s`."""
        self._limit_s = most_s
        self._author_call = None
        tick = min(CHECK_EVERY_S, most_s / 4)
        signal.signal(signal.SIGALRM, self._on_tick)
        signal.setitimer(signal.ITIMER_REAL, tick, tick)

    def stop(self) -> None:
        """Nothing is watched."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._author_call = None

    def _on_tick(self, _number: int, frame: FrameType | None) -> None:
        exit_if_orphaned(self._parent)
        call = find_author_call(frame)
        now = self._clock.monotonic()
        if call is None or call is not self._author_call:
            self._author_call, self._call_started_at = call, now
            self._on_progress()
        elif now - self._call_started_at >= self._limit_s:
            raise CallTimeout(_describe_call(call, frame), self._limit_s, find_author_place(frame))


def _describe_call(call: FrameType, innermost: FrameType | None) -> str:
    """What is under way, as its author knows it: the method, or the file that is being imported."""
    if call.f_code.co_name != "<module>" and not _is_import_system(call):
        return call.f_code.co_qualname.rpartition("<locals>.")[2]
    module, frame = call, innermost
    while frame is not None and frame is not call:
        module = frame if frame.f_code.co_name == "<module>" else module
        frame = frame.f_back
    return f"importing {module.f_code.co_filename}"


def _is_import_system(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "importlib"
