"""`LogIndex`: where the lines of a growing log file begin, found without keeping the file in memory."""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass
from typing import BinaryIO

from gnomon.ground.log.confined_files import ConfinedFile
from gnomon.queries.report.listings.log_scan import CHUNK_BYTES, GroupMark, LogScanner
from gnomon.queries.report.listings.log_scan_process import LogScanProcess, ScannedPart

STEP_BYTES = 8_388_608
"""Bytes that a request indexes itself at most. A process indexes longer parts."""
FIRST_STEP_BYTES = 1_048_576
"""The same for the first request for a longer log: the lines at its beginning are known at once."""
FILES_MAX = 64
"""Logs whose index is kept."""


@dataclass(frozen=True, slots=True)
class LogGroup:
    """A block of lines between `::group::TITLE` and `::endgroup::`."""

    first: int
    last: int | None
    """The line with `::endgroup::`; None while it has not come."""
    title: str


class LogIndex:
    """The index of one file. Its methods and fields are for threads that hold `guard`."""

    def __init__(self, path: ConfinedFile) -> None:
        self.path = path
        self.guard = threading.Condition()
        """Notified when a process has indexed more."""
        self._process: LogScanProcess | None = None
        self._clear()

    def close(self) -> None:
        """The index is kept no longer: end its process. A request that still has the index may go on, with another process."""
        with self.guard:
            self._stop_process()

    def _stop_process(self) -> None:
        if self._process is not None and self._process.is_running:
            self._process.stop()
        self._process = None

    def _clear(self) -> None:
        self._stop_process()
        self._scanner = LogScanner(CHUNK_BYTES)
        self.groups: list[LogGroup] = []
        self._before = array("q", [0])
        """By chunk, the line ends before it; the last entry is for the chunk that the next byte belongs to."""

    @property
    def size(self) -> int:
        """Bytes that are indexed."""
        return self._scanner.size

    @property
    def line_ends(self) -> int:
        """Line ends in the bytes that are indexed."""
        return self._scanner.line_ends

    @property
    def is_mid_line(self) -> bool:
        """The last indexed byte is not a line end."""
        return bool(self._scanner.tail)

    def count_lines(self, *, is_over: bool) -> int:
        """Lines that have ended; with `is_over`, a last line without a newline counts too."""
        return self.line_ends + (1 if is_over and self.is_mid_line else 0)

    def advance(self) -> bool:
        """Index what was written since the last call, or let a process begin with it if that is long; True when everything is indexed."""
        try:
            file_size = self.path.stat().st_size
            if file_size < self.size:
                self._clear()  # the file was replaced
            if file_size == self.size:
                return True
            with self.path.open("rb", buffering=0) as file:
                if self.size == 0 and file_size > STEP_BYTES:
                    self._read_step(file, FIRST_STEP_BYTES)
                if self._is_left_to_process(file, file_size):
                    return False
                self._read_step(file, min(file_size - self.size, STEP_BYTES))
            return self.size >= file_size
        except FileNotFoundError:
            return True

    def wait_for_lines(self, count: int, at_most_s: float) -> None:
        """Wait until the index has more lines than `count`, while a process makes it. Others may use the index meanwhile."""
        self.guard.wait_for(lambda: self.line_ends > count, at_most_s)

    def _read_step(self, file: BinaryIO, length: int) -> None:
        file.seek(self.size)
        until = self.size + length
        while self.size < until and (block := file.read(min(self._scanner.block_bytes, until - self.size))):
            self._add(*self._scanner.add(block))

    def _is_left_to_process(self, file: BinaryIO, file_size: int) -> bool:
        """Whether a process indexes what is missing. Without one, requests index it step by step."""
        if self._process is not None and self._process.is_running:
            return True
        if file_size - self.size <= STEP_BYTES or (self._process is not None and self._process.has_failed):
            return False
        try:
            self._process = LogScanProcess.start(file, self._scanner, file_size, self.guard, self._add_part)
        except OSError:
            return False
        return True

    def _add_part(self, part: ScannedPart) -> None:
        self._add(part.ends, part.marks)
        groups = self._scanner.groups + sum(title is not None for _, title in part.marks)
        self._scanner = LogScanner(
            self._scanner.chunk_bytes, part.size, part.line_ends, groups, part.line_start, part.tail
        )

    def _add(self, ends: list[int], marks: list[GroupMark]) -> None:
        self._before.extend(ends)
        for line, title in marks:
            if title is None:
                self._close_group(line)
            else:
                self.groups.append(LogGroup(line, None, title))

    def _close_group(self, line: int) -> None:
        for number in range(len(self.groups) - 1, -1, -1):
            if self.groups[number].last is None:
                self.groups[number] = LogGroup(self.groups[number].first, line, self.groups[number].title)
                return

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


class LogIndexCache:
    """The indexes of the logs that were read last. Calls for one file wait for one another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[ConfinedFile, LogIndex] = OrderedDict()

    def find(self, path: ConfinedFile) -> LogIndex:
        """The index of the file."""
        dropped: LogIndex | None = None
        with self._lock:
            index = self._kept.get(path)
            if index is None:
                index = self._kept[path] = LogIndex(path)
                if len(self._kept) > FILES_MAX:
                    _, dropped = self._kept.popitem(last=False)
            self._kept.move_to_end(path)
        if dropped is not None:
            dropped.close()
        return index
