"""What a command writes to a terminal: text of authors, workers and other accounts changes its colours at most.

Every line of every command passes here, so no command has to think of it. What is piped into a file or a program is not changed.
"""

from __future__ import annotations

import io
import re
import sys
from typing import Any, TextIO

CONTROL = "[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
"""Control characters, and those that change the direction of writing: neither reaches a terminal unescaped."""
_COLOURS_OR_CONTROL = re.compile(rf"\x1b\[[0-9;]*m|{CONTROL}")
_LAYOUT = "\n\r\t"


class GuardedOutput(io.TextIOWrapper):
    """stdout or stderr of a command on a terminal."""

    def write(self, text: str, /) -> int:
        super().write(guard(text))
        return len(text)

    def write_controls(self, text: str) -> None:
        """Write a text with control sequences of ours."""
        super().write(text)


def guard_terminals() -> None:
    """Guard stdout and stderr of this process where they are terminals."""
    sys.stdout, sys.stderr = _guard_stream(sys.stdout), _guard_stream(sys.stderr)


def write_controls(stream: TextIO, text: str) -> None:
    """Write a text that moves the cursor or erases lines."""
    if isinstance(stream, GuardedOutput):
        stream.write_controls(text)
    else:
        stream.write(text)


def guard(text: str) -> str:
    """The text with its colours and line ends, and every other control character as an escape."""
    return _COLOURS_OR_CONTROL.sub(_guard_control, text)


def escape_control(control: re.Match[str]) -> str:
    """A control character as a Python escape."""
    return repr(control[0])[1:-1]


def _guard_stream(stream: Any) -> Any:
    if type(stream) is not io.TextIOWrapper or not stream.isatty():
        return stream
    encoding, errors = stream.encoding, stream.errors
    return GuardedOutput(stream.detach(), encoding=encoding, errors=errors, line_buffering=True)


def _guard_control(match: re.Match[str]) -> str:
    return match[0] if len(match[0]) > 1 or match[0] in _LAYOUT else escape_control(match)
