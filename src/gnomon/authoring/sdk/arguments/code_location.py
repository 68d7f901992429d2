"""The line of the author's file in which an object was made: every message about the object names that line."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

_PACKAGE_FOLDER = os.path.abspath(__file__).removesuffix(
    os.path.join("authoring", "sdk", "arguments", "code_location.py")
)
"""The folder of the package `gnomon`, with a separator at its end."""
_FRAMES_MAX = 60


class CodeLocation(NamedTuple):
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def find_author_location() -> CodeLocation | None:
    """Return the innermost line on the call stack outside the package `gnomon`; None when the nearest 60 frames have none."""
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


def format_location(location: CodeLocation | None) -> str:
    """` (file:line)` for a message, or an empty text for None."""
    return f" ({location})" if location else ""
