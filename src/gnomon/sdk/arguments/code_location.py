"""Where in the author's files an object was made: every message about it names that line."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

_PACKAGE_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_FRAMES_MAX = 60


class CodeLocation(NamedTuple):
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def find_author_location() -> CodeLocation | None:
    """The innermost line outside Gnomon's own files; None when there is none near."""
    frame = sys._getframe(1)
    for _ in range(_FRAMES_MAX):
        name = frame.f_code.co_filename
        if not name.startswith(_PACKAGE_FOLDER) and not name.startswith("<"):
            return CodeLocation(name, frame.f_lineno)
        outer = frame.f_back
        if outer is None:
            return None
        frame = outer
    return None


def format_location(place: CodeLocation | None) -> str:
    """` (file:line)` for a message, or nothing when the place is not known."""
    return f" ({place})" if place else ""
