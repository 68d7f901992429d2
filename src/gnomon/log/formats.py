"""How a log record is written: one JSON object a line, or one readable line."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from gnomon.log.events import FIELDS


class JsonLines(logging.Formatter):
    """One JSON object a line: at, level, service, logger, event, then the event's fields."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": _moment(record).isoformat(timespec="microseconds"),
            "level": record.levelname.lower(),
            "service": self._service,
            "logger": record.name,
            "event": record.getMessage(),
        }
        for key, value in _fields(record).items():
            line[key if key not in line else f"{key}_"] = value
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str, ensure_ascii=False)


class Readable(logging.Formatter):
    """`12:00:00.123 scheduler    run planned  dag_id=etl slot=...`; the level is named from warning on."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        time_of_day = _moment(record).astimezone().strftime("%H:%M:%S.%f")[:-3]
        level = f"{record.levelname}: " if record.levelno >= logging.WARNING else ""
        fields = "".join(f" {key}={_shown(value)}" for key, value in _fields(record).items())
        line = f"{time_of_day} {self._service:<14} {level}{record.getMessage().replace('_', ' ')}{fields}"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line


def _moment(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def _fields(record: logging.LogRecord) -> dict[str, object]:
    fields: dict[str, object] = getattr(record, FIELDS, {})
    return fields


def _shown(value: object) -> str:
    text = str(value)
    return repr(text) if isinstance(value, str) and (not text or any(c.isspace() for c in text)) else text
