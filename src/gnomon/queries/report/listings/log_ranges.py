"""Ranges of lines of a log of any size, and a search through it: each call reads a bounded part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from os import SEEK_END
from typing import BinaryIO

from gnomon.ground.log.confined_files import ConfinedFile
from gnomon.queries.report.listings.log_index import LogGroup, LogIndex, LogIndexCache
from gnomon.queries.report.listings.log_pages import split_line
from gnomon.queries.report.listings.log_scan import CHUNK_BYTES

LINES_MAX = 1_000
"""The most lines of one answer."""
LINE_BYTES = 2_000
"""A line is cut behind so many bytes unless more are asked for."""
RANGE_BYTES = 4_000_000
"""Bytes of text that one answer has at most, besides its first line."""
SEARCH_BYTES = 67_108_864
"""Bytes that one call of a search reads at most."""
MATCHES_MAX = 5_000
"""The most lines that one call of a search finds."""
TAIL_BYTES = 1_048_576
"""The last lines of a log that is not counted are those in so many bytes at its end."""
GROWTH_WAIT_S = 0.2
"""So long a search waits for lines that are being counted."""
_BLOCK_BYTES = 1_048_576
LEVELS = ("debug", "info", "warning", "error", "critical")


@dataclass(frozen=True, slots=True)
class LogFilePart:
    """One file of a log, with the number of its first line in the whole log."""

    path: ConfinedFile
    first_line: int
    lines: int
    size: int


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line, cut to the bytes that were asked for."""

    number: int
    """From 0; of the last lines of a log that is not counted from the end: -1 is the last."""
    text: str
    at: str | None
    level: str | None
    size: int
    """Its bytes; more than the text has when it is cut."""
    is_cut: bool


@dataclass(frozen=True, slots=True)
class LogRange:
    """Some lines, and how long the log is now."""

    lines: list[LogLine]
    total: int
    """Lines of the log that are counted."""
    is_counted: bool
    """False: the log is so long that it is not counted to its end yet; ask again."""
    parts: list[LogFilePart]
    groups: list[LogGroup]


@dataclass(frozen=True, slots=True)
class LogMatches:
    """The numbers of the lines that a call of a search has found, and where the next call goes on."""

    numbers: list[int]
    next_line: int | None
    """None: the log was searched to its end."""


class LogReader:
    """One log, which consists of files. `is_over`: nothing more will be written, so a last line without a newline is whole."""

    def __init__(self, cache: LogIndexCache, paths: Sequence[ConfinedFile], *, is_over: bool) -> None:
        self._cache = cache
        self._paths = paths
        self._is_over = is_over

    def read(self, first: int, count: int, line_bytes: int = LINE_BYTES) -> LogRange:
        """Lines from the number `first` on; a negative one counts from the end, and then lines of a log that is not counted have negative numbers."""
        with self._open() as opened:
            if first < 0 and not opened.is_counted:
                lines = _read_last_lines(self._paths, -first, line_bytes, is_over=self._is_over)
                lines = [line for line in lines if line.number < first + count]
                return LogRange(lines, opened.total, False, opened.parts, opened.list_groups())
            if first < 0:
                first = max(0, opened.total + first)
            lines = list(opened.read_lines(range(first, min(first + count, opened.total)), line_bytes))
            return LogRange(lines, opened.total, opened.is_counted, opened.parts, opened.list_groups())

    def read_some(self, numbers: Sequence[int], line_bytes: int = LINE_BYTES) -> LogRange:
        """The lines with these numbers, ascending, as far as RANGE_BYTES reach for all together."""
        with self._open() as opened:
            lines = list(opened.read_single_lines(numbers, line_bytes))
            return LogRange(lines, opened.total, opened.is_counted, opened.parts, opened.list_groups())

    def search(self, text: str, level: str | None, first: int) -> LogMatches:
        """Lines from `first` on that contain the text, ASCII letters in either case, and belong to a record of this level or a higher one."""
        with self._open(line_count=first) as opened:
            return opened.search(text, level, first)

    def _open(self, line_count: int | None = None) -> _OpenLog:
        return _OpenLog(self._cache, self._paths, is_over=self._is_over, line_count=line_count)


class _OpenLog:
    """The files of a log while a call reads them, each with its index up to date. `line_count`: wait a moment until this many lines are counted."""

    def __init__(
        self, cache: LogIndexCache, paths: Sequence[ConfinedFile], *, is_over: bool, line_count: int | None
    ) -> None:
        self._stack = ExitStack()
        self._indexes: list[LogIndex] = []
        self.parts: list[LogFilePart] = []
        self.total = 0
        self.is_counted = True
        for number, path in enumerate(paths):
            index = cache.find(path)
            self._stack.enter_context(index.guard)
            self.is_counted = index.advance()
            if not self.is_counted and line_count is not None:
                index.wait_for_lines(line_count - self.total, GROWTH_WAIT_S)
                self.is_counted = index.advance()
            lines = index.count_lines(is_over=self.is_counted and (is_over or number < len(paths) - 1))
            self._indexes.append(index)
            self.parts.append(LogFilePart(path, self.total, lines, index.size))
            self.total += lines
            if not self.is_counted:
                break

    def __enter__(self) -> _OpenLog:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def list_groups(self) -> list[LogGroup]:
        return [
            LogGroup(
                part.first_line + group.first, None if group.last is None else part.first_line + group.last, group.title
            )
            for part, index in zip(self.parts, self._indexes, strict=True)
            for group in index.groups
        ]

    def read_lines(self, numbers: range, line_bytes: int) -> Iterator[LogLine]:
        """These lines, as far as RANGE_BYTES reach."""
        remaining = RANGE_BYTES
        for part, index in zip(self.parts, self._indexes, strict=True):
            first, last = max(numbers.start, part.first_line), min(numbers.stop, part.first_line + part.lines)
            if first >= last:
                continue
            try:
                opened = part.path.open("rb")
            except FileNotFoundError:  # deleted, or replaced by a link, since it was counted
                continue
            with opened as file:
                start = index.locate(file, first - part.first_line)
                for number in range(first, last):
                    file.seek(start)
                    text = file.readline(line_bytes + 1)
                    is_whole = text.endswith(b"\n") or start + len(text) >= index.size
                    after = start + len(text) if is_whole else index.locate(file, number - part.first_line + 1)
                    if remaining < RANGE_BYTES and remaining < len(text):
                        return
                    remaining -= len(text)
                    yield _build_line(number, text, after - start, line_bytes)
                    start = after

    def read_single_lines(self, numbers: Iterable[int], line_bytes: int) -> Iterator[LogLine]:
        """These lines, as far as RANGE_BYTES reach for all together; at least the first."""
        remaining = RANGE_BYTES
        for number in numbers:
            for line in self.read_lines(range(number, number + 1), line_bytes) if 0 <= number < self.total else ():
                taken = min(line.size, line_bytes)
                if remaining < RANGE_BYTES and remaining < taken:
                    return
                remaining -= taken
                yield line

    def search(self, text: str, level: str | None, first: int) -> LogMatches:
        """As `LogReader.search`."""
        needle = text.encode().lower()
        accepted = None if level is None else {name.encode() for name in LEVELS[LEVELS.index(level) :]}
        remaining = SEARCH_BYTES if level is None else SEARCH_BYTES // 4  # a level takes four times as long
        numbers: list[int] = []
        for part, index in zip(self.parts, self._indexes, strict=True):
            if first >= part.first_line + part.lines:
                continue
            try:
                opened = part.path.open("rb")
            except FileNotFoundError:  # deleted, or replaced by a link, since it was counted
                continue
            with opened as file:
                at, end = index.locate(file, max(first - part.first_line, 0)), index.locate(file, part.lines)
                scan = _Scan(needle, accepted, numbers, part.first_line + max(first - part.first_line, 0))
                scan.begin_after(_read_before(file, at))
                while at < end and remaining > 0 and len(numbers) < MATCHES_MAX:
                    file.seek(at)
                    block = file.read(min(_BLOCK_BYTES, end - at))
                    whole = block if at + len(block) >= end else block[: block.rfind(b"\n") + 1] or block
                    scan.add(whole)
                    at += len(whole)
                    remaining -= len(whole)
                if at < end:
                    return LogMatches(numbers, scan.line)
        return LogMatches(numbers, None if self.is_counted else self.total)


_RECORD = re.compile(rb"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z (DEBUG|INFO|WARNING|ERROR|CRITICAL) ", re.MULTILINE)


_TRACEBACK = re.compile(
    rb"(?:(?:Traceback \(|During handling |The above exception )[^\n]*(?:\n|\Z)|[ \t]+[^\n]*(?:\n|\Z)(?:[A-Za-z_][\w.]*(?:: [^\n]*)?(?:\n|\Z))?|\n)*"
)
"""Lines behind a record that belong to it: a traceback, and lines that are indented. Other lines without a level were printed."""
_ERROR_LINE = re.compile(rb"[A-Za-z_][\w.]*(?:: [^\n]*)?(?:\n|\Z)")


def _find_end(block: bytes, record: re.Match[bytes]) -> int:
    """Where the record ends that begins in the block."""
    end = block.find(b"\n", record.end())
    return len(block) if end < 0 else _match_end(block, end + 1)


def _match_end(block: bytes, start: int) -> int:
    traceback = _TRACEBACK.match(block, start)
    return start if traceback is None else traceback.end()


class _Scan:
    """Finds lines in blocks that follow one another. `line`: the number of the first line of the next block."""

    def __init__(self, needle: bytes, accepted: set[bytes] | None, numbers: list[int], line: int) -> None:
        self._wanted = needle
        self._accepted = accepted
        self._numbers = numbers
        self._goes_on = False
        """The last record may go on in the next block."""
        self._is_indented = False
        """The last line of the block before was indented: in a traceback the line of the exception comes then."""
        self.line = line

    def begin_after(self, text: bytes) -> None:
        """The first block follows this text: it may go on with the record that the text ends with."""
        records = list(_RECORD.finditer(text))
        if self._accepted is not None and records:
            last = records[-1]
            self._keep_open(text, last[1].lower() in self._accepted and _find_end(text, last) == len(text))

    def add(self, block: bytes) -> None:
        """Find the lines of the next block."""
        if self._accepted is None:
            self._find(block)
        else:
            self._find_by_level(block, self._accepted)

    def _find_by_level(self, block: bytes, accepted: set[bytes]) -> None:
        """A record is the line with its level, and the traceback behind it."""
        position = 0
        if self._goes_on:
            error = _ERROR_LINE.match(block) if self._is_indented else None
            position = _match_end(block, 0 if error is None else error.end())
            self._find(block[:position])
            self._keep_open(block, position == len(block))
        for record in _RECORD.finditer(block, position):
            if record[1].lower() not in accepted:
                continue
            self.line += block.count(b"\n", position, record.start())
            position = _find_end(block, record)
            self._find(block[record.start() : position])
            self._keep_open(block, position == len(block))
        self.line += block.count(b"\n", position)

    def _keep_open(self, text: bytes, goes_on: bool) -> None:
        self._goes_on = goes_on
        self._is_indented = text[text.rfind(b"\n", 0, -1) + 1 :][:1] in (b" ", b"\t")

    def _find(self, block: bytes) -> None:
        text = block.lower()
        counted, position = 0, 0
        while len(text) > 0 and (match_at := text.find(self._wanted, position)) >= 0:
            if match_at == len(text):
                break
            self.line += text.count(b"\n", counted, match_at)
            if not self._numbers or self._numbers[-1] != self.line:
                self._numbers.append(self.line)
            end = text.find(b"\n", match_at)
            counted = position = len(text) if end < 0 else end
            if end < 0:
                break
            position += 1
            if position >= len(text):
                break
        self.line += text.count(b"\n", counted)


def _read_before(file: BinaryIO, at: int) -> bytes:
    """What stands before a byte of the file: enough to find the beginning of a record of usual length."""
    start = max(0, at - CHUNK_BYTES)
    file.seek(start)
    text = file.read(at - start)
    return text if start == 0 else text[text.find(b"\n") + 1 :]


def _read_last_lines(paths: Sequence[ConfinedFile], count: int, line_bytes: int, *, is_over: bool) -> list[LogLine]:
    """The last lines of the files, at most `count` and those in TAIL_BYTES, with negative numbers."""
    texts: list[bytes] = []
    remaining = TAIL_BYTES
    for at in range(len(paths) - 1, -1, -1):
        try:
            with paths[at].open("rb") as file:
                size = file.seek(0, SEEK_END)
                start = file.seek(max(0, size - remaining))
                text = file.read(size - start)
        except FileNotFoundError:
            continue
        whole = text if is_over or at < len(paths) - 1 else text[: text.rfind(b"\n") + 1]
        lines = [line + b"\n" for line in whole.removesuffix(b"\n").split(b"\n")] if whole else []
        if start > 0:
            del lines[:1]  # its beginning is not read
        texts[:0] = lines
        remaining -= len(text)
        if start > 0 or len(texts) >= count or remaining <= 0:
            break
    texts = texts[-count:]
    return [_build_line(number - len(texts), text, len(text), line_bytes) for number, text in enumerate(texts)]


def _build_line(number: int, text: bytes, size: int, line_bytes: int) -> LogLine:
    whole = text.rstrip(b"\r\n") if text.endswith(b"\n") else text
    is_cut = len(whole) > line_bytes or size > len(text)
    record = split_line(whole[:line_bytes].decode(errors="replace"))
    return LogLine(number, record["event"], record.get("timestamp"), record.get("level"), size, is_cut)
