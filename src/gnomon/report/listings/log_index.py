"""`LogIndex`: where the lines of a growing log file begin, found without keeping the file in memory."""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

CHUNK_BYTES = 65_536
"""The index has the number of line ends before each chunk: 16 bytes for each 64 KiB of a log."""
STEP_BYTES = 33_554_432
"""Bytes that one call reads at most: the rest is read by the next calls."""
FIRST_STEP_BYTES = 8_388_608
"""Bytes that the first call reads at most, so that the first lines of a long log are shown at once."""
GROUPS_MAX = 5_000
"""The most groups of a log that are kept."""
FILES_MAX = 64
"""Logs whose index is kept."""
_BEGIN, _END = b"::group::", b"::endgroup::"
_TITLE_BYTES = 200


@dataclass(frozen=True, slots=True)
class LogGroup:
    """A block of lines between `::group::TITLE` and `::endgroup::`."""

    first: int
    last: int | None
    """The line with `::endgroup::`; None while it has not come."""
    title: str


class LogIndex:
    """The index of one file. Not for several threads at the same time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        """Bytes that are indexed."""
        self.line_ends = 0
        self.groups: list[LogGroup] = []
        self._before = array("q", [0])
        """By chunk, the line ends before it; the last entry is for the chunk that the next byte belongs to."""
        self._tail = b""

    def _clear(self) -> None:
        self.size = self.line_ends = 0
        self.groups = []
        self._before = array("q", [0])
        self._tail = b""

    @property
    def is_mid_line(self) -> bool:
        """The last indexed byte is not a line end."""
        return self.size > 0 and self._tail[-1:] != b"\n"

    def count_lines(self, *, is_over: bool) -> int:
        """Lines that have ended; with `is_over`, a last line without a newline counts too."""
        return self.line_ends + (1 if is_over and self.is_mid_line else 0)

    def advance(self) -> bool:
        """Index what was written since the last call, at most STEP_BYTES, or FIRST_STEP_BYTES; True when everything is indexed."""
        try:
            found = self.path.stat().st_size
            if found < self.size:
                self._clear()  # the file was replaced
            if found == self.size:
                return True
            with self.path.open("rb") as file:
                file.seek(self.size)
                until = min(found, self.size + (STEP_BYTES if self.size else min(STEP_BYTES, FIRST_STEP_BYTES)))
                while self.size < until:
                    block = file.read(min(16 * CHUNK_BYTES - self.size % CHUNK_BYTES, until - self.size))
                    if not block:
                        break
                    self._add(block)
            return self.size >= found
        except FileNotFoundError:
            return True

    def locate(self, file: BinaryIO, line: int) -> int:
        """The byte at which a line (from 0) begins, the end of what is indexed for one that does not exist."""
        if line <= 0:
            return 0
        chunk = bisect_left(self._before, line) - 1
        if line > self.line_ends:
            return self.size
        start = chunk * CHUNK_BYTES
        file.seek(start)
        text = file.read(CHUNK_BYTES)
        position = -1
        for _ in range(line - self._before[chunk]):
            position = text.find(b"\n", position + 1)
        return start + position + 1

    def _add(self, block: bytes) -> None:
        self._find_groups(block)
        position = 0
        while position < len(block):
            room = CHUNK_BYTES - (self.size + position) % CHUNK_BYTES
            end = min(position + room, len(block))
            self.line_ends += block.count(b"\n", position, end)
            if end - position == room:
                self._before.append(self.line_ends)
            position = end
        self.size += len(block)
        self._tail = block[-_TITLE_BYTES:]

    def _find_groups(self, block: bytes) -> None:
        """Add the groups whose marks are in the block. A mark that two blocks share is found with the end of the one before."""
        kept = self._tail[self._tail.rfind(b"\n") + 1 :]
        text = kept + block
        line, counted = self.line_ends, 0
        position = 0
        while len(self.groups) < GROUPS_MAX:
            begin, end = text.find(_BEGIN, position), text.find(_END, position)
            found = min((at for at in (begin, end) if at >= 0), default=-1)
            if found < 0:
                return
            mark = _BEGIN if found == begin else _END
            position = found + len(mark)
            line += text.count(b"\n", counted, found)
            counted = found
            if position <= len(kept) or not _begins_line(text, found):
                continue
            if mark == _BEGIN:
                title = text[position : position + _TITLE_BYTES].split(b"\n", 1)[0].decode(errors="replace").strip()
                self.groups.append(LogGroup(line, None, title))
            else:
                self._close_group(line)

    def _close_group(self, line: int) -> None:
        for number in range(len(self.groups) - 1, -1, -1):
            if self.groups[number].last is None:
                self.groups[number] = LogGroup(self.groups[number].first, line, self.groups[number].title)
                return


def _begins_line(text: bytes, at: int) -> bool:
    """Whether only a time and a level stand before the mark in its line: a mark within a sentence is text."""
    begin = text.rfind(b"\n", 0, at) + 1
    before = text[begin:at].split()
    return at - begin <= 64 and (not before or (len(before) == 2 and before[1].isupper()))


class LogIndexCache:
    """The indexes of the logs that were read last. Calls for one file wait for one another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Path, tuple[LogIndex, threading.Lock]] = OrderedDict()

    def find(self, path: Path) -> tuple[LogIndex, threading.Lock]:
        """The index of the file, and the lock to hold while it is used."""
        with self._lock:
            kept = self._kept.get(path)
            if kept is None:
                kept = self._kept[path] = (LogIndex(path), threading.Lock())
                if len(self._kept) > FILES_MAX:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(path)
            return kept
