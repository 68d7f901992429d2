"""Where author code is: in the frames of this process, and in the stack that the fault handler of another process wrote."""

from __future__ import annotations

import os
import re
import sysconfig
from types import FrameType
from typing import NamedTuple

_OWN_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "")
_DIALECT = os.path.join(_OWN_FOLDER, "airflow_compat", "tree", "")
_LIBRARY = os.path.join(sysconfig.get_path("stdlib"), "")
_DUMP_FRAME = re.compile(r'^  File "(?P<file>.+)", line (?P<line>\d+) in (?P<function>.+)$', re.MULTILINE)


class DumpFrame(NamedTuple):
    """A frame as the fault handler writes it."""

    file: str
    line: int
    function: str


def is_own_file(file: str) -> bool:
    """True for a source file of Gnomon, except the example timetables of the Airflow tree."""
    return file.startswith(_OWN_FOLDER) and not file.startswith(_DIALECT)


def find_author_call(frame: FrameType | None) -> FrameType | None:
    """The outermost author frame that a frame of Gnomon called; None while only Gnomon runs. `frame`: the innermost frame.

    The frames below the outermost one of Gnomon started this process and do not count.
    """
    call = candidate = None
    while frame is not None:
        if is_own_file(frame.f_code.co_filename):
            call = candidate if candidate is not None else call
        else:
            candidate = frame
        frame = frame.f_back
    return call


def find_author_place(frame: FrameType | None) -> str:
    """`file, line N` of the innermost author frame; a frame of Python's own library only when there is no other."""
    library_place = None
    while frame is not None and not (library_place is not None and is_own_file(frame.f_code.co_filename)):
        file = frame.f_code.co_filename
        if not is_own_file(file):
            place = f"{file}, line {frame.f_lineno}"
            if not file.startswith((_LIBRARY, "<")):
                return place
            library_place = library_place or place
        frame = frame.f_back
    return library_place or "an unknown line"


def parse_fault_dump(output: str) -> list[DumpFrame]:
    """The frames of a stack that the fault handler wrote to `output`, the innermost first; empty when there is none."""
    return [DumpFrame(frame["file"], int(frame["line"]), frame["function"]) for frame in _DUMP_FRAME.finditer(output)]


def list_author_frames(output: str) -> list[DumpFrame]:
    """As `parse_fault_dump`, without the frames of Gnomon and of Python's own library."""
    return [
        frame
        for frame in parse_fault_dump(output)
        if not is_own_file(frame.file) and not frame.file.startswith((_LIBRARY, "<frozen"))
    ]


def find_raising_line(error: BaseException) -> DumpFrame | None:
    """The innermost line of author code that the exception passed; None when it passed none."""
    raising_frame: DumpFrame | None = None
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not is_own_file(code.co_filename) and not code.co_filename.startswith((_LIBRARY, "<")):
            raising_frame = DumpFrame(code.co_filename, trace.tb_lineno, code.co_name)
        trace = trace.tb_next
    return raising_frame
