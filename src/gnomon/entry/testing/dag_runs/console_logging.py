"""Logs of tasks on stderr, in a process whose program has not set up logging itself."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gnomon.author_code.runner import runner_log
from gnomon.author_code.runner.attempt_log import LineFormatter
from gnomon.ground.log.secret_masks import hide

_QUIET = "gnomon"
_TASK = "gnomon.task"


class _ConsoleHandler(logging.StreamHandler):  # type: ignore[type-arg]  # generic in stubs only
    """Writes to the current stderr. Secrets are hidden, and the events of services are left out below WARNING."""

    def emit(self, record: logging.LogRecord) -> None:
        super().emit(record)
        runner_log.mark_written(record)

    def format(self, record: logging.LogRecord) -> str:
        return hide(super().format(record))

    def filter(self, record: logging.LogRecord) -> Any:
        is_service = record.name.startswith(_QUIET + ".") and not record.name.startswith(_TASK)
        if is_service and record.levelno < logging.WARNING:
            runner_log.mark_written(record)  # it is left out on purpose
            return False
        return super().filter(record)


@contextmanager
def console_logging(level: str) -> Iterator[None]:
    """Log lines of `level` and above to stderr inside this block, unless the root logger has a handler already."""
    root = logging.getLogger()
    if root.handlers:
        yield
        return
    handler = _ConsoleHandler()
    handler.setFormatter(LineFormatter())
    before = root.level
    root.addHandler(handler)
    root.setLevel(level)
    runner_log.set_handler(handler, root.level)
    try:
        yield
    finally:
        runner_log.set_handler(None)
        root.removeHandler(handler)
        root.setLevel(before)
