"""Formats log records: one JSON object per line, or one readable line."""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import TextIO

from gnomon.ground.log.events import FIELDS
from gnomon.ground.log.log_files import LogFiles
from gnomon.ground.log.rotating_file import SharedRotatingFileHandler
from gnomon.ground.log.secret_masks import hide

_INVISIBLE = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""JSON does not escape these: C1 control characters, with which terminals are commanded, further ends of lines, and marks that turn the direction of writing."""


class JsonFormatter(logging.Formatter):
    """One JSON object per line: at, level, service, logger, event, then the fields of the event."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": _record_time(record).isoformat(timespec="microseconds"),
            "level": record.levelname.lower(),
            "service": self._service,
            "logger": record.name,
            "event": hide(record.getMessage()),
        }
        for key, value in _fields(record).items():
            line[key if key not in line else f"{key}_"] = hide(value) if isinstance(value, str) else value
        if record.exc_info:
            line["traceback"] = hide(self.formatException(record.exc_info))
        return _INVISIBLE.sub(
            _escape, hide(json.dumps(line, default=str, ensure_ascii=False))
        )  # hide again: fields may be lists and dicts


class TextFormatter(logging.Formatter):
    """`12:00:00.123 scheduler    run planned  dag_id=etl slot=...`; the level is shown for warnings and errors."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        time_of_day = _record_time(record).astimezone().strftime("%H:%M:%S.%f")[:-3]
        level = f"{record.levelname}: " if record.levelno >= logging.WARNING else ""
        fields = "".join(f" {key}={_format_value(value)}" for key, value in _fields(record).items())
        line = f"{time_of_day} {self._service:<14} {level}{record.getMessage().replace('_', ' ')}{fields}"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return hide(line)


def _record_time(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def _fields(record: logging.LogRecord) -> dict[str, object]:
    fields: dict[str, object] = getattr(record, FIELDS, {})
    return fields


def _format_value(value: object) -> str:
    text = str(value)
    return repr(text) if isinstance(value, str) and (not text or " " in text or not text.isprintable()) else text


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def configure(
    service: str, level: str = "INFO", style: str = "auto", stream: TextIO | None = None, files: LogFiles | None = None
) -> None:
    """The root logger writes to `stream` (stderr) and to the file of the service, as JSON lines, or readable when `style` says so.

    `style`: json, text, or auto (text on a terminal, JSON lines in a file). Calling it again replaces what was set before,
    so that a forked service names itself.
    """
    target = stream if stream is not None else sys.stderr
    readable = style == "text" or (style == "auto" and target.isatty())
    handlers: list[logging.Handler] = [logging.StreamHandler(target)]
    handlers[0].setFormatter(TextFormatter(service) if readable else JsonFormatter(service))
    if files is not None:
        handlers.append(SharedRotatingFileHandler(str(files.find_path(service)), files.max_bytes, files.backup_count))
        handlers[1].setFormatter(TextFormatter(service) if style == "text" else JsonFormatter(service))
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
    for handler in handlers:
        root.addHandler(handler)
    root.setLevel(level)
