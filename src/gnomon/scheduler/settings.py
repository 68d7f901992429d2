"""The scheduler's own numbers: from options where a user may want to turn them, named constants where not."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.config import Config
from gnomon.engine.state.engine_state import EngineLimits

BEAT_S = 1.0
"""Between two beats (OWNERSHIP.md, TAKE-OVER)."""
SWEEP_S = 1.0
"""A lost wake-up delays mail by at most this."""
RETRY_AWAY_S = 0.5
"""Between two tries while the database is away."""
FAULT_RETRY_S = 0.01
"""Before the next round after one that failed by a fault of ours; doubled each time, at most until the next beat."""
MAIL_BATCH = 1000
"""Letters that one tick reads."""
MAX_TRIGGER_LETTERS = 20
"""Letters of them that bring events of triggers, each a hundred."""
PLAN_RETRY_S = 60.0
"""A timetable that failed is asked again so much later."""
MAX_WAITING_RUNS = 1000
"""[scheduler] max_waiting_runs, where nothing else is said."""
RESOLVED_MAX = 100
"""Edges of runs whose upstream slots one round finds."""
RESOLVED_SPAN_S = 14 * 86400
"""Runs of one DAG are looked at together when they are planned within so much: they share the upstream's past."""
AUTHORED_SPAN_S = 2 * 86400
"""The same with an author's timetable, whose days may take long to walk."""


@dataclass(frozen=True, slots=True)
class SchedulerSettings:
    """What `SchedulerService` takes from the configuration."""

    limits: EngineLimits
    plan_batch: int
    """DAGs that one tick plans runs for."""
    use_schedule: bool
    misfire_grace_s: float = 60.0
    """A slot later than this is ruled by its DAG's `misfire`."""
    max_waiting_runs: int = MAX_WAITING_RUNS
    """So many runs of a DAG wait for other DAGs; no more are made ahead."""
    beat_s: float = BEAT_S
    sweep_s: float = SWEEP_S
    """Both are seldom in a simulation of years, where nobody else uses the database and every change rings."""


def build_scheduler_settings(cfg: Config) -> SchedulerSettings:
    """The settings that hold for this configuration; an option of 0 means no bound."""
    parallelism = cfg.integer("core", "parallelism") or None
    per_admission = cfg.integer("scheduler", "max_tis_per_query") or parallelism or 1_000_000
    return SchedulerSettings(
        limits=EngineLimits(
            parallelism=parallelism, max_admissions_per_step=per_admission,
            cancel_grace_s=cfg.number("core", "killed_task_cleanup_time"),
        ),
        plan_batch=cfg.integer("scheduler", "max_dagruns_to_create_per_loop") or 1_000_000,
        use_schedule=cfg.boolean("scheduler", "use_job_schedule"),
        misfire_grace_s=cfg.number("scheduler", "misfire_grace"),
        max_waiting_runs=cfg.integer("scheduler", "max_waiting_runs"),
    )
