"""The triggerer's own numbers: from options where a user may want to turn them, named constants where not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gnomon.config import Config
from gnomon.processes.host_process import build_host_environment

SWEEP_S = 1.0
"""Between two looks at the store without a wake-up."""
PING_S = 1.0
"""Between two questions to the host."""
ANSWER_BATCH = 200
"""Questions of triggers that one round answers."""
CLAIM_BATCH = 1000
"""Rows of one claim."""
SEND_BATCH = 1000
"""Events of one transaction."""
STOP_S = 4.0
"""What cleanups get when the triggerer ends; afterwards the triggers are free for others."""
FAULT_LOG_EVERY_S = 60.0
"""A trigger class that blocks again and again is noted in the audit log once in this time."""
STORE_RETRY_S = 1.0
"""Before a store that does not answer is asked again."""
LATE_VARIABLE = "GNOMON_TRIGGERER_LATE_S"
ON_KILL_VARIABLE = "GNOMON_TRIGGERER_ON_KILL_S"


@dataclass(frozen=True, slots=True)
class TriggerLimits:
    """What triggers may take; times in seconds."""

    late_s: float = 0.2
    """How late the loop may be before who holds it up is named."""
    on_kill_s: float = 30.0


@dataclass(frozen=True, slots=True)
class TriggererSettings:
    """Of one triggerer; times in seconds."""

    capacity: int
    queues: tuple[str, ...] | None
    """None: triggers of all queues."""
    beat_s: float
    silent_s: float
    """A host that does not answer for so long is killed."""
    environ: Mapping[str, str]
    """What a host starts with; nothing in it leads to the database."""
    limits: TriggerLimits = TriggerLimits()
    ping_s: float = PING_S


def build_triggerer_settings(cfg: Config, capacity: int | None = None, queues: tuple[str, ...] | None = None) -> TriggererSettings:
    """The settings that hold for this configuration; what the command line says goes first."""
    limits = TriggerLimits(
        late_s=cfg.number("triggerer", "blocked_main_thread_warning_threshold"),
        on_kill_s=cfg.number("triggerer", "on_kill_timeout"),
    )
    return TriggererSettings(
        capacity=cfg.integer("triggerer", "capacity") if capacity is None else capacity,
        queues=queues,
        beat_s=cfg.number("triggerer", "job_heartbeat_sec"),
        silent_s=cfg.number("triggerer", "runner_health_check_threshold"),
        environ=host_environment(cfg, limits),
        limits=limits,
    )


def host_environment(cfg: Config, limits: TriggerLimits) -> dict[str, str]:
    """What a host starts with: as this process, without what leads to the database."""
    return build_host_environment(cfg, {LATE_VARIABLE: repr(limits.late_s), ON_KILL_VARIABLE: repr(limits.on_kill_s)})


def limits_from_environment(environ: Mapping[str, str]) -> TriggerLimits:
    """The limits that a host was started with."""
    return TriggerLimits(late_s=float(environ[LATE_VARIABLE]), on_kill_s=float(environ[ON_KILL_VARIABLE]))
