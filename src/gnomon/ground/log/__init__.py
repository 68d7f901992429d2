"""Structured logs of the services: events with fields, as JSON lines or as readable text."""

from __future__ import annotations

from gnomon.ground.log.events import EventLogger, get_logger
from gnomon.ground.log.log_files import LogFiles, read_log_files
from gnomon.ground.log.setup import configure

__all__ = ["EventLogger", "LogFiles", "configure", "get_logger", "read_log_files"]
