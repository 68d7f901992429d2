"""Lines of several logs in one stream: in the order of their times, each after the name of its task."""

from __future__ import annotations

import heapq
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from gnomon.changes.operations.log_operations import AttemptFiles
from gnomon.entry.cli.deployment.deployment_access import LogLines
from gnomon.entry.cli.terminal.local_times import to_shown_zone
from gnomon.entry.cli.terminal.screen import Screen
from gnomon.model.instants import Instant, to_instant

OpenLog = Callable[[AttemptFiles, str], LogLines]
"""Opens one file of an attempt."""
_STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6})Z (\w+)")
"""The beginning of a line that `logging` wrote (`gnomon.author_code.runner.attempt_log`)."""
_COLOURS = ("cyan", "yellow", "magenta", "blue", "green")
_NEVER: Instant = 2**62
_LEVELS = {"ERROR": "red", "CRITICAL": "bold red", "WARNING": "yellow"}


def read_stamp(line: str) -> Instant | None:
    """The time that the line begins with; None for a line without one, such as the output of `print`."""
    stamp = _STAMP.match(line)
    return None if stamp is None else to_instant(datetime.fromisoformat(stamp[1] + "+00:00"))


def merge_logs(logs: Iterable[AttemptFiles], open_log: OpenLog) -> Iterator[tuple[AttemptFiles, str]]:
    """The lines of these ended or live attempts, in the order of their times. A line without a time has that of the line before it.

    `open_log`: a file of an attempt. A file is opened when the stream has come to the start of its attempt, so that few are open at a time.
    """
    waiting = sorted(logs, key=lambda log: log.started_at or 0, reverse=True)
    heap: list[tuple[Instant, int, str, Iterator[str], AttemptFiles]] = []
    opened = 0

    def push(at: Instant, number: int, lines: Iterator[str], log: AttemptFiles) -> None:
        line = next(lines, None)
        if line is not None:
            stamp = read_stamp(line)
            heapq.heappush(heap, (at if stamp is None else max(at, stamp), number, line, lines, log))

    while waiting or heap:
        while waiting and (not heap or (waiting[-1].started_at or 0) <= heap[0][0]):
            log = waiting.pop()
            opened += 1
            push(
                log.started_at or 0,
                opened,
                (line for file in log.files for line in open_log(log, file).new_lines(is_over=True)),
                log,
            )
        if heap:
            at, number, line, lines, log = heapq.heappop(heap)
            yield log, line
            push(at, number, lines, log)


def order_by_time(lines: Sequence[tuple[AttemptFiles, str]]) -> list[tuple[AttemptFiles, str]]:
    """Lines that were read together, log by log, in the order of their times. A line without a time has that of the line before it."""
    at: Instant = 0
    previous: AttemptFiles | None = None
    keyed = []
    for number, (log, line) in enumerate(lines):
        before = at if log is previous else (_NEVER if log.started_at is None else log.started_at)
        stamp = read_stamp(line)
        at, previous = before if stamp is None else stamp, log
        keyed.append((at, number))
    return [lines[number] for _at, number in sorted(keyed)]


class LineFormat:
    """Formats lines for a screen: times in its zone, levels in colour, and the name of the task before each line."""

    def __init__(self, screen: Screen, *, has_names: bool) -> None:
        self._screen = screen
        self._has_names = has_names
        self._width = 0

    def format(self, log: AttemptFiles, line: str) -> str:
        """One line; the name is padded to the longest name so far."""
        shown = self.format_line(line)
        if not self._has_names:
            return shown
        name = log.name if log.try_number <= 1 else f"{log.name} #{log.try_number}"
        self._width = max(self._width, len(name))
        colour = _COLOURS[zlib.crc32(log.task_id.encode()) % len(_COLOURS)]
        return f"{self._screen.paint(name.ljust(self._width), colour)} | {shown}"

    def format_line(self, line: str) -> str:
        """The line without a name. In a pipe it is as it was written."""
        stamp = _STAMP.match(line)
        if stamp is None or not self._screen.is_terminal:
            return line
        moment = to_shown_zone(datetime.fromisoformat(stamp[1] + "+00:00"), self._screen)
        text = f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d}{'Z' if self._screen.utc else ''} {line[stamp.start(2) :]}"
        return self._screen.paint(text, _LEVELS.get(stamp[2], ""))
