"""The runner's own lines in a log: why a task failed, and its traceback. They arrive whatever author code does to `logging`.

A line goes through `logging`, so that handlers of the author see it as long as they are beside the runner's. If the handler of the process
has not written it after that (`dictConfig`, `logging.disable`, handlers that were removed or raise), the handler writes it alone.
"""

from __future__ import annotations

import logging
import sys
from typing import Any

from gnomon.model.errors.error_text import error_text, safe_repr

WRITTEN = "gnomon_written"
"""The attribute of a record of the runner: a list, to which the handler of the process appends when it has written the record."""

_handler: logging.Handler | None = None
_level = logging.INFO


class RunnerLog:
    """Logs lines of the runner under the name of a logger. No method raises."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def info(self, text: str, *values: object) -> None:
        self._log(logging.INFO, text, values, None)

    def warning(self, text: str, *values: object) -> None:
        self._log(logging.WARNING, text, values, None)

    def error(self, text: str, *values: object, exc_info: Any = None) -> None:
        self._log(logging.ERROR, text, values, exc_info)

    def exception(self, text: str, *values: object) -> None:
        """As `error`, with the traceback of the exception that is being handled."""
        self._log(logging.ERROR, text, values, sys.exc_info())

    def _log(self, level: int, text: str, values: tuple[object, ...], exc_info: Any) -> None:
        line = _format_line(text, values)
        written: list[bool] = []
        if _handler is None or _handler in logging.root.handlers:
            try:
                self._logger.log(level, "%s", line, exc_info=exc_info, extra={WRITTEN: written})
            except Exception:
                pass
        if _handler is not None and not written and level >= _level:
            record = logging.LogRecord(self._logger.name, level, __file__, 0, "%s", (line,), exc_info)
            setattr(record, WRITTEN, written)
            _handler.emit(record)


def _format_line(text: str, values: tuple[object, ...]) -> str:
    try:
        return (
            text % tuple(error_text(value) if isinstance(value, BaseException) else value for value in values)
            if values
            else text
        )
    except Exception:  # the repr of a value of the author
        return f"{text} {', '.join(map(safe_repr, values))}"


def set_handler(handler: logging.Handler | None, level: int = logging.INFO) -> None:
    """Let this handler, which is one of the root logger, write each line of the runner of this level or above; it marks what it has written."""
    global _handler, _level
    _handler, _level = handler, level


def mark_written(record: logging.LogRecord) -> None:
    """Called by the handler of the process for each record that it has written."""
    written: list[bool] | None = record.__dict__.get(WRITTEN)
    if written is not None:
        written.append(True)


def is_runner_record(record: logging.LogRecord) -> bool:
    """Whether the record is the runner's: a line of RunnerLog."""
    return WRITTEN in record.__dict__
