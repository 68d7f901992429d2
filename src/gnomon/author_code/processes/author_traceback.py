"""Tells the author's lines of a traceback from those of Python, of installed packages and of Gnomon."""

from __future__ import annotations

import os
import sysconfig
import traceback
from types import TracebackType

from gnomon.model.errors.error_text import error_traceback

AUTHOR_TRACEBACK_MAX = 20_000
"""Characters kept of a traceback, from its end."""

_GNOMON = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "")
_EXAMPLES = os.path.join(_GNOMON, "examples", "")
"""DAG files in Gnomon's own folder: they are read as an author's."""
_FOREIGN = (
    "<",
    *(os.path.join(sysconfig.get_path(name), "") for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    _GNOMON,
)


def is_author_file(filename: str) -> bool:
    """Whether a file is neither of Python, nor of an installed package, nor of Gnomon."""
    return filename.startswith(_EXAMPLES) or not filename.startswith(_FOREIGN)


def drop_leading_frames(trace: TracebackType | None) -> TracebackType | None:
    """The traceback without Gnomon's frames above the first other one; all of it when no line of it is the author's.

    Then the fault may be in Gnomon, and its frames are needed.
    """
    if not any(is_author_file(frame.f_code.co_filename) for frame, _ in traceback.walk_tb(trace)):
        return trace
    while trace is not None and _is_gnomon_file(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return trace


def trim_error(error: BaseException) -> tuple[type[BaseException], BaseException, TracebackType | None]:
    """The error with the traceback of `drop_leading_frames`, as `logging` and `traceback` take it; the error itself is not changed."""
    return type(error), error, drop_leading_frames(error_traceback(error))


def _is_gnomon_file(filename: str) -> bool:
    return filename.startswith(_GNOMON) and not filename.startswith(_EXAMPLES)
