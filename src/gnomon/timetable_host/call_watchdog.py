"""Limits the time of calls into author code from inside the process: a call that takes too long is ended by an exception."""

from __future__ import annotations

import os
import signal
import sysconfig
from collections.abc import Callable
from types import FrameType

from gnomon.clock import Clock

CHECK_EVERY_S = 0.25
"""Interval between checks of the running call."""
_OWN_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_LIBRARY = os.path.join(sysconfig.get_path("stdlib"), "")
_DIALECT = os.path.join(_OWN_FOLDER, "airflow_compat", "tree", "")


class CallTimeout(BaseException):
    """One call into author code exceeded its limit. Not an Exception, so that author code that catches Exception does not catch it."""

    def __init__(self, call: str, seconds: float, location: str) -> None:
        super().__init__(f"{call} did not answer within {seconds:g} s (it was at {location}); see to its timetable")


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
        signal.signal(signal.SIGALRM, self._on_tick)
        signal.setitimer(signal.ITIMER_REAL, tick, tick)

    def stop(self) -> None:
        """Stop the timer."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._author_call = None

    def _on_tick(self, _number: int, frame: FrameType | None) -> None:
        if os.getppid() != self._parent:
            os._exit(1)  # the caller has ended
        call = _find_author_call(frame)
        now = self._clock.monotonic()
        if call is None or call is not self._author_call:
            self._author_call, self._call_started_at = call, now
            self._on_progress()
        elif now - self._call_started_at >= self._limit_s:
            raise CallTimeout(_describe_call(call, frame), self._limit_s, _find_author_place(frame))


def _find_author_call(frame: FrameType | None) -> FrameType | None:
    """The frame by which Gnomon's code entered other code; None when only Gnomon's code is running.

    Frames below Gnomon's outermost frame belong to the start of the process and are ignored.
    """
    found = candidate = None
    while frame is not None:
        if is_own_file(frame.f_code.co_filename):
            found = candidate if candidate is not None else found
        else:
            candidate = frame
        frame = frame.f_back
    return found


def is_own_file(file: str) -> bool:
    """Whether a source file belongs to Gnomon; False for the example timetables of `airflow_compat`."""
    return file.startswith(_OWN_FOLDER) and not file.startswith(_DIALECT)


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


def _find_author_place(frame: FrameType | None) -> str:
    """The innermost line of author code; a line of Python's library only when there is none."""
    found = None
    while frame is not None and not (found is not None and is_own_file(frame.f_code.co_filename)):
        file = frame.f_code.co_filename
        if not is_own_file(file):
            location = f"{file}, line {frame.f_lineno}"
            if not file.startswith((_LIBRARY, "<")):
                return location
            found = found or location
        frame = frame.f_back
    return found or "an unknown line"
