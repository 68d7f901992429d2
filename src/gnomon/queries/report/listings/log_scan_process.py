"""`LogScanProcess`: scans a long log in a process of its own, so that counting a gigabyte neither holds the interpreter of an api-server nor its processor share."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from gnomon.ground import log
from gnomon.queries.report.listings import log_scan
from gnomon.queries.report.listings.log_scan import GroupMark, LogScanner

PROCESSES_MAX = 2
"""Logs that are scanned at the same time; others wait."""
SCAN_BYTES = 4_294_967_296
"""Bytes that one process scans at most: a log that nobody reads any more is not scanned to its end."""
ERROR_BYTES = 500
"""The end of what a process wrote as its error, for the log."""
_log = log.get_logger("api")
_slots = threading.BoundedSemaphore(PROCESSES_MAX)


@dataclass(frozen=True, slots=True)
class ScannedPart:
    """What the next bytes of a file have. The fields are as in `LogScanner` after them, and the results of its `add`."""

    size: int
    line_ends: int
    line_start: int
    tail: bytes
    ends: list[int]
    marks: list[GroupMark]


class LogScanProcess:
    """A process that scans a file from where the scanner stands. `add` is called for each part while `guard` is held, in a thread."""

    def __init__(
        self, process: subprocess.Popen[bytes], guard: threading.Condition, add: Callable[[ScannedPart], None]
    ) -> None:
        self._process = process
        self._guard = guard
        self._add = add
        self.is_running = True
        self.has_failed = False
        """It ended with an error and was not stopped."""
        self._is_stopped = False

    @classmethod
    def start(
        cls,
        file: BinaryIO,
        scanner: LogScanner,
        until: int,
        guard: threading.Condition,
        add: Callable[[ScannedPart], None],
    ) -> LogScanProcess | None:
        """None while PROCESSES_MAX of them run. Raises OSError when the machine starts no process."""
        if not _slots.acquire(blocking=False):
            return None
        numbers = (
            scanner.chunk_bytes,
            scanner.size,
            min(until, scanner.size + SCAN_BYTES),
            scanner.line_ends,
            scanner.groups,
            scanner.line_start,
        )
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(log_scan.__file__)), *map(str, numbers)],
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError:
            _slots.release()
            raise
        started = cls(process, guard, add)
        threading.Thread(target=started._read, name="log-scan", daemon=True).start()
        return started

    def stop(self) -> None:
        """Kill the process; `add` is not called any more. To be called while `guard` is held."""
        self._is_stopped = True
        self._process.kill()

    def _read(self) -> None:
        stderr_text = b""
        try:
            stderr_text = self._read_messages()
        finally:
            _slots.release()
            self._end(stderr_text)

    def _read_messages(self) -> bytes:
        """Pass on what the process tells until it ends; returns what it wrote as its error."""
        assert self._process.stdout is not None and self._process.stderr is not None
        with self._process:
            try:
                for message in self._process.stdout:
                    if not message.endswith(b"\n") or not self._pass_on(read_message(message)):
                        break  # it was killed
            except BaseException:
                self._process.kill()  # its output is not read any more
                raise
            return self._process.stderr.read()

    def _end(self, stderr_text: bytes) -> None:
        with self._guard:
            self.is_running = False
            self.has_failed = self._process.returncode != 0 and not self._is_stopped
            self._guard.notify_all()
        if self.has_failed:
            _log.warning(
                "log_scan_failed",
                code=self._process.returncode,
                error=stderr_text.decode(errors="replace")[-ERROR_BYTES:],
                next="requests count the lines themselves",
            )

    def _pass_on(self, part: ScannedPart) -> bool:
        """False when the process was stopped: the part is not wanted."""
        with self._guard:
            if not self._is_stopped:
                self._add(part)
                self._guard.notify_all()
            return not self._is_stopped


def read_message(message: bytes) -> ScannedPart:
    """The part that a line of the process tells."""
    size, line_ends, line_start, tail, ends, marks = json.loads(message)
    return ScannedPart(size, line_ends, line_start, bytes.fromhex(tail), ends, [(line, title) for line, title in marks])
