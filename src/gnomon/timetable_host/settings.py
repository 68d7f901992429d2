"""What a host process may take, and what it is started with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gnomon.config import Config
from gnomon.processes.host_process import build_host_environment

MEGABYTE = 1024 * 1024
CALL_VARIABLE = "GNOMON_USERHOST_CALL_S"
LOAD_VARIABLE = "GNOMON_USERHOST_LOAD_S"
MEMORY_VARIABLE = "GNOMON_USERHOST_MEMORY"
ANSWERS_VARIABLE = "GNOMON_USERHOST_ANSWERS"
"""Set where questions of author code are answered."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    """What author code may take; times in seconds."""

    call_s: float = 5.0
    """One call of a method of a timetable."""
    load_s: float = 30.0
    """Importing the file in which a class stands."""
    memory_bytes: int | None = 2048 * MEGABYTE
    """What the process may take beyond what it starts with; None: no limit."""


@dataclass(frozen=True, slots=True)
class TimetableHostSettings:
    """Of all host processes of one home."""

    limits: CallLimits
    environ: Mapping[str, str]
    """Nothing in it leads to the database."""


def build_timetable_host_settings(cfg: Config) -> TimetableHostSettings:
    """The settings that hold for this configuration; a limit of 0 means none."""
    megabytes = cfg.integer("dag_processor", "parsing_memory_limit")
    limits = CallLimits(
        call_s=cfg.number("scheduler", "timetable_timeout"),
        load_s=cfg.number("core", "dagbag_import_timeout") or CallLimits().load_s,
        memory_bytes=megabytes * MEGABYTE or None,
    )
    return TimetableHostSettings(limits, build_host_environment(cfg, _limits_to_environment(limits)))


def _limits_to_environment(limits: CallLimits) -> dict[str, str]:
    return {CALL_VARIABLE: repr(limits.call_s), LOAD_VARIABLE: repr(limits.load_s), MEMORY_VARIABLE: str(limits.memory_bytes or 0)}


def limits_from_environment(environ: Mapping[str, str]) -> CallLimits:
    """The limits that a host process was started with."""
    memory = int(environ.get(MEMORY_VARIABLE, "0"))
    return CallLimits(float(environ[CALL_VARIABLE]), float(environ[LOAD_VARIABLE]), memory or None)
