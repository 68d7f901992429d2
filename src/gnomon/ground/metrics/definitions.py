"""The metrics that `/metrics` shows: names, kinds, labels and help texts. `figures.py` counts those that a process counts itself.

Names follow Prometheus' rules: the unit is in the name, counters end in `_total`. No label names a DAG, a run or a task: with
10,000 DAGs each metric would have 10,000 series.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class MetricKind(str, Enum):
    """The types of Prometheus that are used."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """A metric. `buckets`: the upper bounds of a histogram, without infinity."""

    name: str
    kind: MetricKind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


_C, _G, _H = MetricKind.COUNTER, MetricKind.GAUGE, MetricKind.HISTOGRAM
DELAY_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Seconds: from a few milliseconds, which are usual, to minutes, which are not."""
DURATION_BUCKETS = (0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0, 10800.0, 43200.0)
"""Seconds: tasks and runs take anything from a moment to half a day."""
ANSWER_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Seconds of an answer of the API."""

MEMORY = MetricDefinition("gnomon_process_resident_memory_bytes", _G, "Resident memory of the process of a service.")
CPU = MetricDefinition(
    "gnomon_process_cpu_seconds_total", _C, "Processor time of the process of a service, without its children."
)
BUILD = MetricDefinition(
    "gnomon_build_info", _G, "1 for each process of a service, with the version of Gnomon that it runs.", ("version",)
)

CLOCK_DIFFERENCE = MetricDefinition(
    "gnomon_clock_difference_seconds", _G, "The clock of the host of a process minus the clock of the database."
)

DAG_FOLDER = MetricDefinition(
    "gnomon_dag_folder_since_seconds",
    _G,
    "Since when the DAG folder of a dag-processor or worker has this digest of its names and sizes, in seconds since 1970.",
    ("digest", "files"),
)

ROUND = MetricDefinition(
    "gnomon_scheduler_round_duration_seconds",
    _H,
    "Duration of one round of a scheduler, without the sleep.",
    (),
    DELAY_BUCKETS,
)
COMMITS = MetricDefinition("gnomon_scheduler_commits_total", _C, "Commits of a scheduler.")
REFUSED_COMMITS = MetricDefinition(
    "gnomon_scheduler_refused_commits_total", _C, "Rounds of a scheduler whose commit failed or was refused."
)
GROUPS = MetricDefinition("gnomon_scheduler_groups", _G, "Groups of DAGs that a scheduler owns; there are 64.")
CONNECTED_WORKERS = MetricDefinition(
    "gnomon_scheduler_connected_worker",
    _G,
    "1 for each worker to which a scheduler can send tasks: workers of its own host.",
    ("worker",),
)
LOADED_RUNS = MetricDefinition("gnomon_scheduler_unfinished_runs", _G, "Unfinished runs in the memory of a scheduler.")
LIVE_ATTEMPTS = MetricDefinition("gnomon_scheduler_live_attempts", _G, "Attempts that a scheduler has with workers.")
READY_TASKS = MetricDefinition(
    "gnomon_scheduler_ready_tasks",
    _G,
    "Entries in the queues of task instances that wait for slots of a pool, in the memory of a scheduler.",
    ("pool",),
)
SCHEDULE_DELAY = MetricDefinition(
    "gnomon_run_schedule_delay_seconds",
    _H,
    "From the instant for which a scheduled run is planned to its creation.",
    (),
    DELAY_BUCKETS,
)
START_DELAY = MetricDefinition(
    "gnomon_task_start_delay_seconds",
    _H,
    "From the decision that an attempt starts to the first line of author code.",
    (),
    DELAY_BUCKETS,
)
ATTEMPT_DURATION = MetricDefinition(
    "gnomon_task_attempt_duration_seconds",
    _H,
    "Duration of ended attempts of tasks, by the state in which they ended.",
    ("state",),
    DURATION_BUCKETS,
)
RUN_DURATION = MetricDefinition(
    "gnomon_run_duration_seconds", _H, "Duration of ended runs, by state.", ("state",), DURATION_BUCKETS
)

WORKER_ATTEMPTS = MetricDefinition("gnomon_worker_attempts", _G, "Attempts that take a slot of a worker.")
WORKER_UNACKNOWLEDGED = MetricDefinition(
    "gnomon_worker_unacknowledged_results", _G, "Results of a worker that no scheduler has stored yet."
)
WORKER_CHILDREN = MetricDefinition("gnomon_worker_task_processes", _G, "Processes for tasks that a worker has.")
WORKER_REFUSED_MESSAGES = MetricDefinition(
    "gnomon_worker_refused_messages_total",
    _C,
    "Messages at the broker that a worker of the CeleryExecutor could not read, and has acknowledged.",
)

PARSE_DURATION = MetricDefinition(
    "gnomon_dag_file_parse_duration_seconds", _H, "Duration of one parse of a DAG file.", (), DELAY_BUCKETS
)
PARSE_FAILURES = MetricDefinition(
    "gnomon_dag_file_parse_failures_total", _C, "Parses of DAG files that failed, as a whole or for single DAGs."
)
DAG_FILES = MetricDefinition("gnomon_dag_files", _G, "Files in the DAGs folders of a dag-processor.")
LAST_PARSE = MetricDefinition(
    "gnomon_dag_file_last_parse_timestamp_seconds",
    _G,
    "When a dag-processor parsed a file last, in seconds since 1970.",
)

TRIGGERS_SUCCEEDED = MetricDefinition(
    "gnomon_triggers_succeeded_total", _C, "Events of triggers that a triggerer stored."
)
TRIGGERS_FAILED = MetricDefinition(
    "gnomon_triggers_failed_total", _C, "Triggers that raised, or ended without an event."
)
TRIGGERS_BLOCKED = MetricDefinition(
    "gnomon_triggers_blocked_loop_total", _C, "How often a trigger blocked the event loop of a triggerer."
)

API_DURATION = MetricDefinition(
    "gnomon_api_request_duration_seconds",
    _H,
    "From the arrival of a request to the beginning of its answer, by route.",
    ("method", "route", "status"),
    ANSWER_BUCKETS,
)
API_OPEN = MetricDefinition(
    "gnomon_api_open_requests", _G, "Requests that an api-server is answering, event streams included."
)

PROCESS_METRICS = (
    MEMORY,
    CPU,
    BUILD,
    CLOCK_DIFFERENCE,
    DAG_FOLDER,
    ROUND,
    COMMITS,
    REFUSED_COMMITS,
    GROUPS,
    CONNECTED_WORKERS,
    LOADED_RUNS,
    LIVE_ATTEMPTS,
    READY_TASKS,
    SCHEDULE_DELAY,
    START_DELAY,
    ATTEMPT_DURATION,
    RUN_DURATION,
    WORKER_ATTEMPTS,
    WORKER_UNACKNOWLEDGED,
    WORKER_CHILDREN,
    WORKER_REFUSED_MESSAGES,
    PARSE_DURATION,
    PARSE_FAILURES,
    DAG_FILES,
    LAST_PARSE,
    TRIGGERS_SUCCEEDED,
    TRIGGERS_FAILED,
    TRIGGERS_BLOCKED,
    API_DURATION,
    API_OPEN,
)
"""What a process counts itself. `/metrics` adds the labels `service` and `process`."""
PROCESS_LABELS = ("service", "process")

DATABASE_UP = MetricDefinition("gnomon_database_up", _G, "1 when the database answered the last read, 0 otherwise.")
READ_DURATION = MetricDefinition(
    "gnomon_metrics_read_duration_seconds", _G, "How long the last read of the figures of the deployment took."
)
SERVICE_UP = MetricDefinition(
    "gnomon_service_up",
    _G,
    "1 while a registered process of a service sends heartbeats, 0 when it has stopped.",
    ("service", "process", "host"),
)
HEARTBEAT_AGE = MetricDefinition(
    "gnomon_service_heartbeat_age_seconds",
    _G,
    "Age of the last heartbeat of a registered process.",
    ("service", "process", "host"),
)
WORKER_SLOTS = MetricDefinition("gnomon_worker_slots", _G, "Slots of a worker.", ("process",))
LAG = MetricDefinition(
    "gnomon_scheduler_lag_seconds",
    _G,
    "How long the planned run that is overdue longest has been due; 0 when none is overdue.",
)
OVERDUE_DAGS = MetricDefinition("gnomon_overdue_dags", _G, "DAGs whose next planned run is due and does not exist yet.")
DAGS = MetricDefinition("gnomon_dags", _G, "DAGs that a file defines: active, or paused.", ("state",))
UNPLANNED_DAGS = MetricDefinition(
    "gnomon_unplanned_dags", _G, "Active DAGs of which no run is planned because of an error."
)
IMPORT_ERRORS = MetricDefinition("gnomon_import_error_files", _G, "DAG files with import errors.")
RUNS = MetricDefinition("gnomon_runs", _G, "Stored runs of all DAGs, by state.", ("state",))
TASK_INSTANCES = MetricDefinition(
    "gnomon_task_instances", _G, "Task instances of unfinished runs, by state.", ("state",)
)
POOL_SLOTS = MetricDefinition("gnomon_pool_slots", _G, "Slots of a pool; -1: unlimited.", ("pool",))
POOL_USED = MetricDefinition("gnomon_pool_used_slots", _G, "Slots of a pool that are in use.", ("pool",))
POOL_WAITING = MetricDefinition(
    "gnomon_pool_deferred_slots", _G, "Slots that deferred task instances keep in a pool.", ("pool",)
)
MAILBOX = MetricDefinition("gnomon_mailbox_messages", _G, "Messages that schedulers have not applied yet.")
TRIGGERS = MetricDefinition("gnomon_triggers", _G, "Triggers of deferred tasks that a triggerer runs.", ("process",))
TRIGGER_CAPACITY = MetricDefinition(
    "gnomon_triggerer_capacity", _G, "Triggers that a triggerer runs at most.", ("process",)
)
QUARANTINED = MetricDefinition(
    "gnomon_quarantined_items", _G, "Messages, DAGs and groups that schedulers have set aside (gnomon quarantine list)."
)
UNCLAIMED_TRIGGERS = MetricDefinition("gnomon_unclaimed_triggers", _G, "Triggers that no triggerer has claimed.")
OPEN_ALERTS = MetricDefinition("gnomon_open_alerts", _G, "Alerts that are not resolved.")
PENDING_DELIVERIES = MetricDefinition(
    "gnomon_alert_deliveries_pending", _G, "Messages about alerts that are not sent yet."
)
BREACH_PROBABILITY = MetricDefinition(
    "gnomon_baseline_breach_probability",
    _G,
    "Probability that a baseline is not met at the due time that matters now.",
    labels=("baseline",),
)
FORECAST_END = MetricDefinition(
    "gnomon_forecast_end_seconds",
    _G,
    "When a baseline is done in this share of the futures, in seconds since 1970; absent: it is not.",
    labels=("baseline", "quantile"),
)

DEPLOYMENT_METRICS = (
    DATABASE_UP,
    READ_DURATION,
    SERVICE_UP,
    HEARTBEAT_AGE,
    WORKER_SLOTS,
    LAG,
    OVERDUE_DAGS,
    DAGS,
    UNPLANNED_DAGS,
    IMPORT_ERRORS,
    RUNS,
    TASK_INSTANCES,
    POOL_SLOTS,
    POOL_USED,
    POOL_WAITING,
    MAILBOX,
    QUARANTINED,
    TRIGGERS,
    TRIGGER_CAPACITY,
    UNCLAIMED_TRIGGERS,
    OPEN_ALERTS,
    PENDING_DELIVERIES,
    BREACH_PROBABILITY,
    FORECAST_END,
)
"""What an api-server reads from the database: the same figures from each of several api-servers."""
