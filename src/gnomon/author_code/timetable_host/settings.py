"""Limits and environment of timetable hosts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gnomon.author_code.processes.host_process import build_host_environment
from gnomon.ground.config import Config

MEGABYTE = 1024 * 1024
CALL_VARIABLE = "GNOMON_USERHOST_CALL_S"
LOAD_VARIABLE = "GNOMON_USERHOST_LOAD_S"
MEMORY_VARIABLE = "GNOMON_USERHOST_MEMORY"
ANSWERS_VARIABLE = "GNOMON_USERHOST_ANSWERS"
"""Set when the caller answers Task API requests of author code."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Limits of author code; times in seconds."""

    call_s: float = 5.0
    """For one call of a timetable's method."""
    load_s: float = 30.0
    """For importing the file of a timetable's class."""
    memory_bytes: int | None = 2048 * MEGABYTE
    """Memory that the process may take beyond that of its start; None: no limit."""


@dataclass(frozen=True, slots=True)
class TimetableHostSettings:
    """Settings of all host processes of one home."""

    limits: CallLimits
    environ: Mapping[str, str]
    """Environment of the host; it does not name the database."""


def build_timetable_host_settings(cfg: Config) -> TimetableHostSettings:
    """The settings for this configuration; a limit of 0 means none."""
    megabytes = cfg.integer("dag_processor", "parsing_memory_limit")
    limits = CallLimits(
        call_s=cfg.number("scheduler", "timetable_timeout"),
        load_s=cfg.number("core", "dagbag_import_timeout") or CallLimits().load_s,
        memory_bytes=megabytes * MEGABYTE or None,
    )
    return TimetableHostSettings(limits, build_host_environment(cfg, _limits_to_environment(limits)))


def _limits_to_environment(limits: CallLimits) -> dict[str, str]:
    return {
        CALL_VARIABLE: repr(limits.call_s),
        LOAD_VARIABLE: repr(limits.load_s),
        MEMORY_VARIABLE: str(limits.memory_bytes or 0),
    }


def limits_from_environment(environ: Mapping[str, str]) -> CallLimits:
    """The limits with which this host was started; raises KeyError when they are missing."""
    memory = int(environ.get(MEMORY_VARIABLE, "0"))
    return CallLimits(float(environ[CALL_VARIABLE]), float(environ[LOAD_VARIABLE]), memory or None)
