"""Watches the author's code from inside: one call that takes too long is ended by an exception, where it is at that moment."""

from __future__ import annotations

import os
import signal
import sysconfig
from collections.abc import Callable
from types import FrameType

from gnomon.clock import Clock

TICK_S = 0.25
"""Between two looks at where the author's code is."""
_OURS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_LIBRARY = os.path.join(sysconfig.get_path("stdlib"), "")
_DIALECT = os.path.join(_OURS, "airflow_compat", "tree", "")


class CallTooLong(BaseException):
    """One call into author code took longer than it may. Not an Exception: author code that catches those goes on."""

    def __init__(self, call: str, seconds: float, place: str) -> None:
        super().__init__(f"{call} did not answer within {seconds:g} s (it was at {place}); see to its timetable")


class Watch:
    """A timer that looks which call is under way. A new call, or code of ours, is progress, and is told."""

    def __init__(self, clock: Clock, progress: Callable[[], None]) -> None:
        self._clock = clock
        self._progress = progress
        self._parent = os.getppid()
        self._most_s = 0.0
        self._call: FrameType | None = None
        self._since = 0.0

    def begin(self, most_s: float) -> None:
        """From now on one call may take `most_s`."""
        self._most_s = most_s
        self._call = None
        tick = min(TICK_S, most_s / 4)
        signal.signal(signal.SIGALRM, self._look)
        signal.setitimer(signal.ITIMER_REAL, tick, tick)

    def end(self) -> None:
        """Nothing is watched."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._call = None

    def _look(self, _number: int, frame: FrameType | None) -> None:
        if os.getppid() != self._parent:
            os._exit(1)  # nobody waits for the answer
        call = _outermost_of_author(frame)
        now = self._clock.monotonic()
        if call is None or call is not self._call:
            self._call, self._since = call, now
            self._progress()
        elif now - self._since >= self._most_s:
            raise CallTooLong(_named(call, frame), self._most_s, _place(frame))


def _outermost_of_author(frame: FrameType | None) -> FrameType | None:
    """The call by which our code entered what is not ours; None when only ours is running.

    Below our outermost frame stands what started this process: it is no call of ours.
    """
    found = candidate = None
    while frame is not None:
        if is_ours(frame.f_code.co_filename):
            found = candidate if candidate is not None else found
        else:
            candidate = frame
        frame = frame.f_back
    return found


def is_ours(file: str) -> bool:
    """Whether a source file is Gnomon's own, and no timetable of the dialect's examples."""
    return file.startswith(_OURS) and not file.startswith(_DIALECT)


def _named(call: FrameType, innermost: FrameType | None) -> str:
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


def _place(frame: FrameType | None) -> str:
    """The innermost line of the author's; of Python's own library only when there is none."""
    found = None
    while frame is not None and not (found is not None and is_ours(frame.f_code.co_filename)):
        file = frame.f_code.co_filename
        if not is_ours(file):
            place = f"{file}, line {frame.f_lineno}"
            if not file.startswith((_LIBRARY, "<")):
                return place
            found = found or place
        frame = frame.f_back
    return found or "an unknown line"
