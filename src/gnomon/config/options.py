"""All options, with Airflow's names and defaults (the 3.3 reference) and the names older versions gave them.

Options that only author code reads stand in `config.accepted`. Where a default differs from Airflow's, the
description says so.
"""

from __future__ import annotations

from gnomon.config.accepted_options import ACCEPTED_OPTIONS
from gnomon.config.option import ConfigOption, OptionKey, OptionKind

_T, _I, _N, _B, _P = OptionKind.TEXT, OptionKind.INTEGER, OptionKind.NUMBER, OptionKind.BOOLEAN, OptionKind.PATH
_SYNC = ("FULL", "NORMAL")
_EXECUTORS = ("LocalExecutor", "airflow.executors.local_executor.LocalExecutor")
_SORT = ("modified_time", "random_seeded_by_host", "alphabetical")
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_WEIGHTS = ("downstream", "upstream", "absolute")


def _alias(section: str, name: str) -> tuple[OptionKey, ...]:
    return (OptionKey(section, name),)


_CORE = (
    ConfigOption("core", "dags_folder", "{home}/dags", _P, "Where DAG files are."),
    ConfigOption("core", "plugins_folder", "{home}/plugins", _P, "Where plugins are; on the import path of DAG files."),
    ConfigOption("core", "executor", "LocalExecutor", _T, "What runs tasks.", choices=_EXECUTORS),
    ConfigOption("core", "parallelism", "32", _I, "The most tasks that run at a time on one worker; 0: no bound.", minimum=0),
    ConfigOption("core", "max_active_tasks_per_dag", "16", _I, "Default of a DAG's max_active_tasks.", minimum=0,
           aliases=_alias("core", "dag_concurrency")),
    ConfigOption("core", "max_active_runs_per_dag", "16", _I, "Default of a DAG's max_active_runs.", minimum=0),
    ConfigOption("core", "max_consecutive_failed_dag_runs_per_dag", "0", _I,
           "Default of a DAG's max_consecutive_failed_dag_runs: a DAG is paused after so many failed runs in a row; 0: never.",
           minimum=0),
    ConfigOption("core", "dags_are_paused_at_creation", "True", _B, "Whether a new DAG waits until it is unpaused."),
    ConfigOption("core", "load_examples", "False", _B, "Whether Gnomon's example DAGs are loaded too. Airflow's default is True."),
    ConfigOption("core", "default_task_retries", "0", _I, "Default of a task's retries.", minimum=0),
    ConfigOption("core", "default_task_retry_delay", "300", _I, "Default of a task's retry_delay, in seconds.", minimum=0),
    ConfigOption("core", "max_task_retry_delay", "86400", _I, "The longest delay before a retry: always 86400 s.", minimum=0, is_used=False),
    ConfigOption("core", "default_task_weight_rule", "downstream", _T, "Default of a task's weight_rule.", choices=_WEIGHTS),
    ConfigOption("core", "default_task_execution_timeout", "", _I, "Default of a task's execution_timeout, in seconds; empty: none.",
           minimum=0, may_be_empty=True),
    ConfigOption("core", "default_pool_task_slot_count", "128", _I, "Slots of the default pool when the database is made.",
           minimum=1, aliases=_alias("core", "non_pooled_task_slot_count")),
    ConfigOption("core", "killed_task_cleanup_time", "60", _I, "Seconds between SIGTERM and SIGKILL for a task that is ended.",
           minimum=0),
    ConfigOption("core", "dagbag_import_timeout", "30.0", _N, "Seconds that the import of one DAG file may take.", minimum=0),
    ConfigOption("core", "dag_discovery_safe_mode", "True", _B, "Skip files that mention neither DAG nor Airflow or Gnomon."),
    ConfigOption("core", "dag_ignore_file_syntax", "glob", _T, "How .airflowignore is read.", choices=("glob", "regexp")),
    ConfigOption("core", "default_timezone", "utc", _T, "The zone of naive dates: utc, system, or a name such as Europe/Zurich."),
    ConfigOption("core", "fernet_key", "", _T,
           "The keys that encrypt what triggers, Variables and connections hold: the first encrypts, all decrypt; comma separated. "
           "Empty: the file fernet.key of the home, made at its first start.", is_secret=True),
)

_DATABASE = (
    ConfigOption("database", "sql_alchemy_conn", "sqlite:///{home}/gnomon.db", _T,
           "The address of the database: sqlite:////folder/file.db or postgresql://user:password@host/name.",
           aliases=_alias("core", "sql_alchemy_conn"), is_secret=True),
    ConfigOption("database", "synchronous", "FULL", _T,
           "SQLite only. FULL: a commit survives a power cut. NORMAL: faster, the last commits may be lost with the power.",
           choices=_SYNC),
)

_SCHEDULER = (
    ConfigOption("scheduler", "catchup_by_default", "False", _B, "Default of a DAG's catchup."),
    ConfigOption("scheduler", "create_cron_data_intervals", "False", _B, "Whether runs of a cron string cover an interval."),
    ConfigOption("scheduler", "create_delta_data_intervals", "False", _B, "Whether runs of a timedelta cover an interval."),
    ConfigOption("scheduler", "ignore_first_depends_on_past_by_default", "True", _B,
           "Default of a task's ignore_first_depends_on_past."),
    ConfigOption("scheduler", "use_job_schedule", "True", _B, "False: no scheduled runs, only manual ones."),
    ConfigOption("scheduler", "max_tis_per_query", "16", _I, "The most tasks that one admission takes; 0: as many as parallelism.",
           minimum=0),
    ConfigOption("scheduler", "max_dagruns_to_create_per_loop", "10", _I,
           "The most DAGs for which runs are planned before other work gets its turn.", minimum=1),
    ConfigOption("scheduler", "max_dagruns_per_loop_to_schedule", "20", _I,
           "Starting a run costs one step of the rules, so no batch is needed.", minimum=1, is_used=False),
    ConfigOption("scheduler", "misfire_grace", "60", _N,
           "Seconds after which a due run counts as late: a DAG's misfire= rules it then. Not an option of Airflow.", minimum=0),
    ConfigOption("scheduler", "max_waiting_runs", "1000", _I,
           "The most runs of one DAG that wait for other DAGs at a time; no more are planned ahead. They count for no other limit. "
           "Not an option of Airflow.", minimum=1),
    ConfigOption("scheduler", "timetable_timeout", "5", _N,
           "Seconds that one call into an author's timetable may take before its process is ended. Not an option of Airflow.",
           minimum=0.1),
    ConfigOption("scheduler", "task_queued_timeout", "600.0", _N, "A queued task names its worker and is taken back when that worker is lost: nothing is left to time out.",
           minimum=0, aliases=(OptionKey("scheduler", "stalled_task_timeout"), OptionKey("celery", "task_adoption_timeout")), is_used=False),
    ConfigOption("scheduler", "task_instance_heartbeat_timeout", "300", _I,
           "A worker without a beat for 20 s is lost, with its tasks.", minimum=1,
           aliases=(OptionKey("scheduler", "scheduler_zombie_task_threshold"), OptionKey("scheduler", "local_task_job_heartbeat_sec")), is_used=False),
    ConfigOption("scheduler", "scheduler_health_check_threshold", "30", _I,
           "Seconds without a beat before the scheduler is shown as unhealthy.", minimum=1),
    ConfigOption("scheduler", "allowed_run_id_pattern", "", _T,
           "A regular expression that a run id given by a person must match; empty: any text of one line. Airflow's is ^[A-Za-z0-9_.~:+-]+$."),
)

_DAG_PROCESSOR = (
    ConfigOption("dag_processor", "refresh_interval", "300", _I, "Seconds between two listings of the DAG folder.", minimum=1,
           aliases=_alias("scheduler", "dag_dir_list_interval")),
    ConfigOption("dag_processor", "parsing_processes", "2", _I, "How many files are parsed at a time.", minimum=1,
           aliases=(OptionKey("scheduler", "parsing_processes"), OptionKey("scheduler", "max_threads"))),
    ConfigOption("dag_processor", "min_file_process_interval", "30", _I,
           "Seconds between two parses of a file that read more than files.", minimum=0,
           aliases=_alias("scheduler", "min_file_process_interval")),
    ConfigOption("dag_processor", "dag_file_processor_timeout", "50", _I, "Seconds before a parse child is killed.", minimum=1,
           aliases=_alias("core", "dag_file_processor_timeout")),
    ConfigOption("dag_processor", "file_parsing_sort_mode", "modified_time", _T, "In which order files are parsed first.",
           choices=_SORT, aliases=_alias("scheduler", "file_parsing_sort_mode")),
    ConfigOption("dag_processor", "parsing_memory_limit", "2048", _I,
           "Megabytes that a parse child may take; 0: no limit. Not an option of Airflow.", minimum=0),
    ConfigOption("dag_processor", "health_check_threshold", "30", _I,
           "A lock says whether the dag-processor lives, not a beat.", minimum=1, is_used=False),
)

_OTHERS = (
    ConfigOption("workers", "attempts_per_child", "1", _I,
           "Default of a DAG's attempts_per_child: how many tasks one process runs, one after another, before it ends. 1: each "
           "task is isolated from all others. Not an option of Airflow.", minimum=1),
    ConfigOption("workers", "shutdown_grace", "20", _N,
           "Seconds that running attempts may go on after the first SIGTERM or Ctrl-C; no attempt begins meanwhile. A second signal ends them at "
           "once. 0: the first one does. Not an option of Airflow.", minimum=0),
    ConfigOption("api", "host", "127.0.0.1", _T, "The address that the api-server listens on. Airflow's default is 0.0.0.0.",
           aliases=_alias("webserver", "web_server_host")),
    ConfigOption("api", "port", "8080", _I, "The port of the api-server; 0: any free one.", minimum=0,
           aliases=_alias("webserver", "web_server_port")),
    ConfigOption("logging", "base_log_folder", "{home}/logs", _P, "Where the logs of tasks are.",
           aliases=_alias("core", "base_log_folder")),
    ConfigOption("logging", "logging_level", "INFO", _T, "From which level on services log.", choices=_LEVELS,
           aliases=_alias("core", "logging_level")),
    ConfigOption("logging", "style", "auto", _T,
           "json: a JSON object a line. text: for the eye. auto: text on a terminal. Not an option of Airflow.",
           choices=("auto", "json", "text")),
    ConfigOption("operators", "default_owner", "airflow", _T, "Default of a task's owner."),
    ConfigOption("operators", "default_queue", "default", _T,
           "Default of a task's queue, and the queue whose triggers every triggerer takes. The local executor has none: every worker takes "
           "every task.", aliases=_alias("celery", "default_queue")),
    ConfigOption("operators", "default_deferrable", "False", _B, "Default of `deferrable` of sensors and operators that can be deferred."),
    ConfigOption("sensors", "default_timeout", "604800", _N, "Default of a sensor's timeout, in seconds.", minimum=0),
)

_TRIGGERER = (
    ConfigOption("triggerer", "capacity", "1000", _I, "The most triggers that one triggerer runs at a time.", minimum=1,
           aliases=_alias("triggerer", "default_capacity")),
    ConfigOption("triggerer", "job_heartbeat_sec", "5", _N,
           "Seconds between two beats of a triggerer; others take its triggers over after 2.1 of them without one.", minimum=0.1),
    ConfigOption("triggerer", "runner_health_check_threshold", "30", _N,
           "Seconds that a trigger may block the loop of all others before its process is killed.", minimum=1),
    ConfigOption("triggerer", "blocked_main_thread_warning_threshold", "0.2", _N,
           "Seconds that the loop may be late before the trigger that holds it up is named.", minimum=0.01),
    ConfigOption("triggerer", "queues_enabled", "False", _B,
           "Always on: the trigger of a task with a queue of its own waits on it, and option `--queues` of `gnomon triggerer` says which of them a "
           "triggerer takes; one without `--queues` takes all.", is_used=False),
    ConfigOption("triggerer", "on_kill_timeout", "30", _N, "Seconds that a trigger's on_kill may take.", minimum=0),
)

_METRICS = (
    ConfigOption("metrics", "statsd_on", "False", _B, "Whether figures are sent to a statsd server, by UDP.",
           aliases=_alias("scheduler", "statsd_on")),
    ConfigOption("metrics", "statsd_host", "localhost", _T, "The statsd server.", aliases=_alias("scheduler", "statsd_host")),
    ConfigOption("metrics", "statsd_port", "8125", _I, "Its port.", minimum=1, aliases=_alias("scheduler", "statsd_port")),
    ConfigOption("metrics", "statsd_prefix", "airflow", _T, "What the names of all figures begin with.",
           aliases=_alias("scheduler", "statsd_prefix")),
)

OPTIONS: tuple[ConfigOption, ...] = (*_CORE, *_DATABASE, *_SCHEDULER, *_DAG_PROCESSOR, *_TRIGGERER, *_METRICS, *_OTHERS, *ACCEPTED_OPTIONS)
BY_KEY: dict[OptionKey, ConfigOption] = {option.key: option for option in OPTIONS}
BY_ALIAS: dict[OptionKey, ConfigOption] = {alias: option for option in OPTIONS for alias in option.aliases}


def find_option(section: str, name: str) -> ConfigOption | None:
    """The option of that name, old names included."""
    key = OptionKey(section.lower(), name.lower())
    return BY_KEY.get(key) or BY_ALIAS.get(key)
