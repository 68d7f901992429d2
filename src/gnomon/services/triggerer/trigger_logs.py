"""Writes what triggers log and print to the log folder of their task, beside the logs of its attempts."""

from __future__ import annotations

import io
import logging
import time
from functools import partial

from gnomon.author_code.runner import runner_log
from gnomon.ground.log.confined_files import open_to_append
from gnomon.ground.log.masked_stream import MaskedStream
from gnomon.ground.log.secret_masks import hide
from gnomon.services.triggerer.trigger_runner import RunningTrigger, current_trigger

LINE_MAX = 64 * 1024
"""Characters kept of one line; the number of dropped characters is written instead of them."""


class TriggerLogHandler(logging.Handler):
    """Writes records of trigger code to the log of the trigger; all others go to the handlers installed before."""

    def __init__(self, folder: str, others: list[logging.Handler]) -> None:
        super().__init__()
        self._folder = folder
        self._others = others
        lines = logging.Formatter("%(asctime)s.%(msecs)03dZ %(levelname)-8s %(message)s", "%Y-%m-%dT%H:%M:%S")
        lines.converter = time.gmtime
        self.setFormatter(lines)

    def emit(self, record: logging.LogRecord) -> None:
        running = current_trigger.get()
        if running is None or running.task_instance.log is None or record.name.startswith("gnomon.triggerer"):
            for other in self._others:
                other.handle(record)
            runner_log.mark_written(record)
            return
        try:
            if running.output is not None:
                running.output.release()
            append_to_log(self._folder, running, self.format(record) + "\n")
            runner_log.mark_written(record)
        except Exception:
            self.handleError(record)


class TriggerOutputStream(io.TextIOBase):
    """Standard output or error of the host: what a trigger prints goes to the log of the trigger."""

    def __init__(self, folder: str, real: io.TextIOBase) -> None:
        self._folder = folder
        self._real = real
        self._own = MaskedStream(real.write)

    encoding = "utf-8"

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        """The host's descriptor: output of a process that a trigger starts goes to the log of the triggerer."""
        return self._real.fileno()

    def write(self, text: str, /) -> int:
        running = current_trigger.get()
        if running is None or running.task_instance.log is None:
            self._own.feed(text)
            return len(text)
        if running.output is None:
            running.output = MaskedStream(partial(append_to_log, self._folder, running))
        running.output.feed(text)
        return len(text)

    def flush(self) -> None:
        self._real.flush()


def append_to_log(folder: str, running: RunningTrigger, text: str) -> None:
    """Append to the log of the trigger, with hidden secrets. The file is opened each time: tens of thousands of triggers cannot each hold a descriptor."""
    text = hide(text)
    if len(text) > LINE_MAX:
        text = "".join(map(_truncate_line, text.splitlines(keepends=True)))
    descriptor = open_to_append(folder, running.task_instance.log or "", replaces_foreign=True)
    with open(descriptor, "a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)


def _truncate_line(line: str) -> str:
    excess = len(line) - LINE_MAX
    end = "\n" if line.endswith("\n") else ""
    return line if excess <= len(end) else f"{line[:LINE_MAX]}… ({excess - len(end)} characters more){end}"
