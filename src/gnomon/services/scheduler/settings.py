"""The settings of the scheduler: from the configuration where a user may change them, otherwise constants."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gnomon.ground.config import Config, read_executors
from gnomon.ground.config.alert_rules import read_alert_settings
from gnomon.model.alerts import RECORDED_KINDS
from gnomon.rules.engine.state.engine_state import EngineLimits

BEAT_S = 1.0
"""Seconds between two heartbeats (TAKE_OVER in docs/contributing/ownership.md)."""
REBALANCE_S = 10.0
"""A scheduler that owns more groups than its share for so many seconds gives idle ones up; at most once in this time, because it then
loads the others again."""
SWEEP_S = 1.0
"""Seconds between two sweeps: a lost wake-up delays mail by at most this."""
RETRY_AWAY_S = 0.5
"""Seconds between two tries while the database is not available."""
FAULT_RETRY_S = 0.01
"""Seconds until the round after an internal error; doubles with each further error, up to BEAT_S."""
MAIL_BATCH = 1000
"""Most messages that one tick reads."""
MAX_TRIGGER_MESSAGES = 20
"""Most of them that carry trigger events, each up to a hundred."""
PLAN_RETRY_S = 60.0
"""Seconds until a timetable that failed is called again."""
PARTITION_KEYS_MAX = 1000
"""Default of [scheduler] partition_mapper_max_downstream_keys."""
MAX_WAITING_RUNS = 1000
"""Default of [scheduler] max_waiting_runs."""
ASSET_DAGS_MAX = 1000
"""Most DAGs whose queues of asset events one round looks at."""
ASSET_RUNS_MAX = 100
"""Most runs of DAGs scheduled by assets that one round creates."""
RESOLVED_MAX = 100
"""Most edges of runs whose upstream slots one round resolves."""
RESOLVED_SPAN_S = 14 * 86400
"""Runs of one DAG planned within so many seconds are resolved together: they share the upstream's history."""
AUTHORED_SPAN_S = 2 * 86400
"""The same where one timetable is an author's, which may be slow to iterate."""

DEFAULT_CALLBACK_TIMEOUT_S = 600.0
"""The bound of a callback where [callbacks] callback_execution_timeout is 0."""


@dataclass(frozen=True, slots=True)
class SchedulerSettings:
    """The configuration of `SchedulerService`."""

    limits: EngineLimits
    plan_batch: int
    """Most DAGs that one tick plans."""
    use_schedule: bool
    misfire_grace_s: float = 60.0
    """Seconds after which a slot is late, so that its DAG's `misfire` applies."""
    max_waiting_runs: int = MAX_WAITING_RUNS
    """Most runs of a DAG that may wait for other DAGs; no further runs are created ahead."""
    partition_keys_max: int = PARTITION_KEYS_MAX
    """Most partitions of a consumer to which one asset event may belong, unless its mapper has a limit."""
    clear_state_on_success: bool = False
    """Whether the values of a task instance in the task state store are deleted when it succeeds."""
    rounds_max: int | None = None
    """The number of rounds after which the scheduler ends; None: it never ends by itself."""
    counts_only_idle_rounds: bool = False
    """Whether `rounds_max` counts only rounds without a commit."""
    beat_s: float = BEAT_S
    sweep_s: float = SWEEP_S
    """A simulation of years uses longer intervals: it is the only user of its database, and every change wakes it."""


def build_trial_settings(cfg: Config) -> SchedulerSettings:
    """The same for a trial of a DAG: nothing is scheduled, and its own worker runs every task, whatever executor it names."""
    settings = build_scheduler_settings(cfg)
    return replace(settings, use_schedule=False, limits=replace(settings.limits, executors=None))


def build_scheduler_settings(cfg: Config) -> SchedulerSettings:
    """The settings of this configuration. 0 means no limit for parallelism; for max_tis_per_query it means the parallelism."""
    parallelism = cfg.integer("core", "parallelism") or None
    rounds = cfg.integer("scheduler", "num_runs")
    per_admission = cfg.integer("scheduler", "max_tis_per_query") or parallelism or 1_000_000
    return SchedulerSettings(
        limits=EngineLimits(
            parallelism=parallelism,
            max_admissions_per_step=per_admission,
            max_map_length=cfg.integer("core", "max_map_length"),
            cancel_grace_s=cfg.number("core", "killed_task_cleanup_time"),
            callback_timeout_s=cfg.number("callbacks", "callback_execution_timeout") or DEFAULT_CALLBACK_TIMEOUT_S,
            alert_kinds=read_alert_settings(cfg.home).kinds() & RECORDED_KINDS,
            executors=read_executors(cfg),
        ),
        plan_batch=cfg.integer("scheduler", "max_dagruns_to_create_per_loop"),
        use_schedule=cfg.boolean("scheduler", "use_job_schedule"),
        misfire_grace_s=cfg.number("scheduler", "misfire_grace"),
        max_waiting_runs=cfg.integer("scheduler", "max_waiting_runs"),
        partition_keys_max=cfg.integer("scheduler", "partition_mapper_max_downstream_keys"),
        clear_state_on_success=cfg.boolean("state_store", "clear_on_success"),
        rounds_max=rounds if rounds > 0 else None,
        counts_only_idle_rounds=cfg.boolean("scheduler", "only_idle"),
    )
