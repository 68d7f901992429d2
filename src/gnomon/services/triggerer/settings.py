"""Settings of the triggerer: options of the configuration, and constants that are not options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gnomon.author_code.processes.host_process import build_host_environment
from gnomon.ground.config import Config
from gnomon.services.triggerer.saved_events import SavedEvents, open_saved_events

SWEEP_S = 1.0
"""Interval between two reads of the store without a wake-up."""
PING_S = 1.0
"""Interval between two pings of a host."""
ANSWER_BATCH = 200
"""Task API requests of triggers answered in one round."""
CLAIM_BATCH = 1000
"""Rows claimed in one transaction."""
SEND_BATCH = 1000
"""Events stored in one transaction."""
STOP_S = 4.0
"""Time for cleanups when the triggerer stops; other triggerers can claim its triggers meanwhile."""
FAULT_LOG_EVERY_S = 60.0
"""A trigger class that blocks repeatedly is recorded in the audit log once in this time."""
LATE_VARIABLE = "GNOMON_TRIGGERER_LATE_S"
ON_KILL_VARIABLE = "GNOMON_TRIGGERER_ON_KILL_S"


@dataclass(frozen=True, slots=True)
class TriggerLimits:
    """Time limits of triggers, in seconds."""

    late_s: float = 0.2
    """How late the event loop may be before the trigger that blocks it is reported."""
    on_kill_s: float = 30.0
    """Limit for `on_kill` of a trigger."""


@dataclass(frozen=True, slots=True)
class TriggererSettings:
    """Settings of one triggerer; times in seconds."""

    capacity: int
    queues: tuple[str, ...] | None
    """None: triggers of all queues."""
    beat_s: float
    silent_s: float
    """A host that does not answer within this time is killed."""
    environ: Mapping[str, str]
    """Environment of a host process; it does not name the database."""
    saved_events: SavedEvents
    """Events of watchers that hosts of this home keep until they are stored."""
    limits: TriggerLimits = TriggerLimits()
    ping_s: float = PING_S


def build_triggerer_settings(
    cfg: Config, capacity: int | None = None, queues: tuple[str, ...] | None = None
) -> TriggererSettings:
    """The settings for this configuration; `capacity` and `queues` of the command line win over options."""
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
        saved_events=open_saved_events(cfg),
    )


def host_environment(cfg: Config, limits: TriggerLimits) -> dict[str, str]:
    """Environment of a host process: that of this process without secrets and the database address."""
    return build_host_environment(cfg, {LATE_VARIABLE: repr(limits.late_s), ON_KILL_VARIABLE: repr(limits.on_kill_s)})


def limits_from_environment(environ: Mapping[str, str]) -> TriggerLimits:
    """The limits with which this host was started; raises KeyError when they are missing."""
    return TriggerLimits(late_s=float(environ[LATE_VARIABLE]), on_kill_s=float(environ[ON_KILL_VARIABLE]))
