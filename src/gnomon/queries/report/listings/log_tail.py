"""The new lines of a file that another process writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gnomon.ground.log.confined_files import ConfinedFile

READ_BYTES = 1_000_000
"""Maximum number of bytes that are read from a file at a time."""


class LogTail:
    """Reads one file. Each call continues where the last one stopped."""

    def __init__(self, path: ConfinedFile, fetch: Callable[[], ConfinedFile] | None = None) -> None:
        """`fetch`: the path of a file with the same text, called while there is no file at `path`; it may come at any time."""
        self.path = path
        self._fetch = fetch
        self._start = 0

    def new_lines(self, *, is_over: bool = False) -> Iterator[str]:
        """The lines that were written since the last call; none while the file does not exist.

        A last line without a newline is returned only with `is_over`, when nothing more will be written.
        """
        path = self.path if self._fetch is None or self.path.is_file() else self._fetch()
        while lines := read_whole_lines(path, self._start, is_over=is_over):
            self._start += len(lines)
            yield from lines.decode(errors="replace").splitlines()


def read_whole_lines(path: ConfinedFile, start: int, *, is_over: bool) -> bytes:
    """At most READ_BYTES of a file from a byte on, up to a newline; empty at its end, and while the file does not exist.

    `is_over`: nothing more will be written, so a last line without a newline is whole.
    """
    try:
        if path.stat().st_size <= start:
            return b""
        with path.open("rb") as file:
            file.seek(start)
            return _whole_lines(file.read(READ_BYTES), is_over)
    except FileNotFoundError:
        return b""


def _whole_lines(text: bytes, is_over: bool) -> bytes:
    """The text up to its last newline; all of it at the end of the file, or when one line is longer than READ_BYTES."""
    end = text.rfind(b"\n") + 1
    is_last = is_over and len(text) < READ_BYTES
    return text if is_last or (not end and len(text) == READ_BYTES) else text[:end]
