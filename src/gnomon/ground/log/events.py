"""A logger for events with fields: `log.info("run_planned", dag_id=..., slot=...)`."""

from __future__ import annotations

import logging

FIELDS = "gnomon_fields"
"""The attribute of a log record that holds the event's fields."""


class EventLogger:
    """Wraps a logger of the standard library; each method takes the event's name and its fields."""

    __slots__ = ("_logger",)

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger

    def debug(self, event: str, /, **fields: object) -> None:
        self._log(logging.DEBUG, event, fields)

    def info(self, event: str, /, **fields: object) -> None:
        self._log(logging.INFO, event, fields)

    def warning(self, event: str, /, **fields: object) -> None:
        self._log(logging.WARNING, event, fields)

    def error(self, event: str, /, **fields: object) -> None:
        self._log(logging.ERROR, event, fields)

    def exception(self, event: str, /, **fields: object) -> None:
        """As `error`, with the traceback of the exception being handled."""
        self._log(logging.ERROR, event, fields, traceback=True)

    def _log(self, level: int, event: str, fields: dict[str, object], traceback: bool = False) -> None:
        if self._logger.isEnabledFor(level):
            self._logger.log(level, event, extra={FIELDS: fields}, exc_info=traceback, stacklevel=3)


def get_logger(name: str) -> EventLogger:
    """The logger `gnomon.<name>`."""
    full = name if name.split(".", 1)[0] == "gnomon" else f"gnomon.{name}"
    return EventLogger(logging.getLogger(full))
