"""The log of one try in parts, and its lines as records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gnomon.ground.log.confined_files import ConfinedFile

READ_BYTES = 1_000_000
"""Bytes that are read at a time; a longer line is cut there."""
STREAM_BYTES = 65_536
"""The same for a stream of the whole log, up to a newline: each of many clients may keep such a part in memory, and its records, which are ten times as large."""
_STAMP = re.compile(
    r"(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z) (DEBUG|INFO|WARNING|ERROR|CRITICAL) +"
)
"""The beginning of a line that `logging` wrote (`gnomon.author_code.runner.attempt_log`)."""


@dataclass(frozen=True, slots=True)
class LogPosition:
    """Up to where a log was read: the number of its file, and the bytes of that file."""

    file: int = 0
    byte: int = 0


@dataclass(frozen=True, slots=True)
class LogPart:
    """Whole lines, and the position behind them."""

    lines: list[str]
    position: LogPosition
    is_at_end: bool
    """Nothing more has been written yet, apart from a line that is not ended."""


def read_part(
    paths: Sequence[ConfinedFile], position: LogPosition, *, is_over: bool, is_streamed: bool = False
) -> LogPart:
    """The next lines of a log that consists of these files. `is_over`: nothing more will be written, so the last line is whole. `is_streamed`: fewer lines at a time."""
    for number in range(position.file, len(paths)):
        start = position.byte if number == position.file else 0
        is_closed = is_over or number < len(paths) - 1
        text = _read_lines(
            paths[number], start, is_closed, min(STREAM_BYTES, READ_BYTES) if is_streamed else READ_BYTES
        )
        if text:
            return LogPart(text.decode(errors="replace").splitlines(), LogPosition(number, start + len(text)), False)
        position = LogPosition(number, start)
    return LogPart([], position, True)


def iterate_parts(paths: Sequence[ConfinedFile], *, is_over: bool) -> Iterator[LogPart]:
    """All lines that the log has now, in small parts."""
    position = LogPosition()
    while not (part := read_part(paths, position, is_over=is_over, is_streamed=True)).is_at_end:
        yield part
        position = part.position


def split_line(line: str) -> dict[str, str]:
    """The line as a record: `event`, and for a line of `logging` also `timestamp` and `level`."""
    stamp = _STAMP.match(line)
    if stamp is None:
        return {"event": line}
    return {"timestamp": stamp[1], "event": line[stamp.end() :], "level": stamp[2].lower()}


def _read_lines(path: ConfinedFile, start: int, is_closed: bool, size: int) -> bytes:
    """Whole lines from a byte on, `size` bytes or one longer line; also a last line without a newline, when the file is closed or the line is too long."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            text = file.read(size)
            is_end = len(text) < size
            if not is_end and b"\n" not in text:
                text += file.read(READ_BYTES - size)
                is_end = len(text) < READ_BYTES
    except FileNotFoundError:
        return b""
    end = text.rfind(b"\n") + 1
    is_whole = (is_closed and is_end) or (not end and len(text) == READ_BYTES)
    return text if is_whole else text[:end]
