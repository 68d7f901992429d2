"""The new lines of a file that another process writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

READ_BYTES = 1_000_000
"""Maximum number of bytes that are read from a file at a time."""


class LogTail:
    """Reads one file. Each call continues where the last one stopped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._start = 0

    def new_lines(self, *, is_over: bool = False) -> Iterator[str]:
        """The lines that were written since the last call; none while the file does not exist.

        A last line without a newline is returned only with `is_over`, when nothing more will be written.
        """
        try:
            if self.path.stat().st_size <= self._start:
                return
            with self.path.open("rb") as file:
                file.seek(self._start)
                while lines := _whole_lines(file.read(READ_BYTES), is_over):
                    self._start += len(lines)
                    yield from lines.decode(errors="replace").splitlines()
                    file.seek(self._start)
        except FileNotFoundError:
            return


def _whole_lines(text: bytes, is_over: bool) -> bytes:
    """The text up to its last newline; all of it at the end of the file, or when one line is longer than READ_BYTES."""
    end = text.rfind(b"\n") + 1
    is_last = is_over and len(text) < READ_BYTES
    return text if is_last or (not end and len(text) == READ_BYTES) else text[:end]
