"""Options of Airflow that do not act here, each with its default in Airflow and the reason.

They are declared so that files and environments that set them are not refused, and author code that reads them (`conf.get`) gets
Airflow's default. `config list` shows the reason, a service that starts names each one that is set, and `config lint` lists them.
"""

from __future__ import annotations

from gnomon.ground.config.option import ConfigOption, OptionKind

_AUTHORS = "Only DAG files and tasks that read it see the value."
_EVENTS = "Not needed: the scheduler waits for events and times, and polls nothing."
_HEARTBEATS = (
    "Fixed: schedulers and workers send a heartbeat every second, so that a lost one is replaced within seconds."
)
_WORKER_LINK = (
    "Not needed: a task asks its worker over a local socket, and the worker keeps what the database has not yet."
)
_ATTEMPT_TOKENS = "Fixed: a token of a worker or an attempt is valid for ten minutes, and each heartbeat renews it."
_OWN_KEYS = (
    "Not used: tokens are signed with HS512 and a key that is derived from [core] fernet_key or the file fernet.key."
)
_PAGE = "Not used: the web page has no such setting."
_PERMISSIONS = "Not used: accounts are in the database (`gnomon users`), and `[api] auth` says whether they are needed."
_CALLBACKS = "Not used: callbacks run on workers, not in the dag-processor."
_STATE = "Not used: state stores are in the database."
_BUNDLES = "Not needed: each bundle is refreshed when its own interval has passed."
_METRICS = "Not used: these figures are read from the database for /metrics, at most every two seconds."
_DATABASE = "Fixed: each open transaction of a process has a connection, and at most 8 stay open between transactions."
_LOGS = "Not used: tasks write their logs into files of the home."
_RESOURCES = "Only `resources=` of a task takes it as default, and no task is placed by resources."
_TRIGGERS = "Not used: a triggerer starts each trigger at once."
_KERBEROS = (
    "Only renew_from_kt(), which author code and packages call, takes it: no service of Gnomon keeps a ticket alive."
)

_OPTIONS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("core", "Not used: a task that has ended may run on without a limit of its own.", {"task_success_overtime": "20"}),
    ("core", "Not needed: a spec is stored when it changes.", {"min_serialized_dag_update_interval": "30", "compress_serialized_dags": "False"}),
    ("core", "Not used: rendered fields are deleted with their run.", {"num_dag_runs_to_retain_rendered_fields": "30"}),
    ("core", "Not used: there are no teams.", {"multi_team": "False"}),
    ("core", "Not needed: a plugin is imported when something of it is used.", {"lazy_load_plugins": "True"}),
    ("core", _PERMISSIONS, {"simple_auth_manager_users": "", "auth_manager": "", "security": ""}),
    ("core", _AUTHORS, {"unit_test_mode": "False"}),
    ("kerberos", _KERBEROS, {
        "ccache": "/tmp/airflow_krb5_ccache", "principal": "airflow", "reinit_frequency": "3600", "kinit_path": "kinit", "keytab": "airflow.keytab",
        "forwardable": "True", "include_ip": "True",
    }),
    ("database", _DATABASE, {
        "sql_alchemy_pool_enabled": "True", "sql_alchemy_pool_size": "5", "sql_alchemy_max_overflow": "10", "sql_alchemy_pool_recycle": "1800",
    }),
    ("database", "Not used: tables are in the schema that the address selects.", {"sql_alchemy_schema": ""}),
    ("database", "Not used: no connections are created.", {"load_default_connections": "True"}),
    ("database", "Fixed: services wait until the database is back.", {"max_db_retries": "3"}),
    ("scheduler", _HEARTBEATS, {
        "job_heartbeat_sec": "5", "scheduler_heartbeat_sec": "5", "task_instance_heartbeat_sec": "0",
        "task_instance_heartbeat_timeout_detection_interval": "10.0", "orphaned_tasks_check_interval": "300.0",
    }),
    ("scheduler", _EVENTS, {
        "scheduler_idle_sleep_time": "1", "processor_poll_interval": "1", "trigger_timeout_check_interval": "15",
        "task_queued_timeout_check_interval": "120.0", "parsing_cleanup_interval": "60", "schedule_after_task_execution": "True",
    }),
    ("scheduler", _METRICS, {"pool_metrics_interval": "5.0", "ti_metrics_interval": "30.0", "dagrun_metrics_interval": "30.0"}),
    ("scheduler", "Not needed: each DAG has one owner at a time, so no rows are locked.", {"use_row_level_locking": "True"}),
    ("scheduler", "Not used: use Python's own -X tracemalloc.", {"enable_tracemalloc": "False"}),
    ("scheduler", "Not used: services log to standard error and into files below [logging] service_log_folder.", {"child_process_log_directory": ""}),
    ("dag_processor", _BUNDLES, {
        "bundle_refresh_check_interval": "5",
    }),
    ("dag_processor", _CALLBACKS, {"max_callbacks_per_loop": "20"}),
    ("dag_processor", "Not needed: a DAG is deleted when its file no longer defines it.", {"stale_dag_threshold": "50"}),
    ("dag_processor", "Fixed: common modules are imported before DAG files are parsed.", {"parsing_pre_import_modules": "True"}),
    ("dag_processor", "Not used: a version is stored only when the scheduler's view of the DAG changes.",
     {"dag_version_inflation_check_level": "warning"}),
    ("triggerer", "Fixed: a triggerer without a heartbeat for 2.1 times [triggerer] job_heartbeat_sec is replaced.",
     {"triggerer_health_check_threshold": "30"}),
    ("triggerer", _TRIGGERS, {"max_trigger_to_select_per_loop": "50"}),
    ("workers", _STATE, {"state_store_backend": ""}),
    ("workers", _HEARTBEATS, {"min_heartbeat_interval": "5", "max_failed_heartbeats": "3"}),
    ("workers", _WORKER_LINK, {
        "execution_api_retries": "5", "execution_api_retry_wait_min": "1.0", "execution_api_retry_wait_max": "90.0",
        "execution_api_timeout": "5.0", "socket_cleanup_timeout": "60.0",
    }),
    ("workers", "Not needed: a worker imports the file that the scheduler has parsed.", {"missing_dag_retries": "3", "missing_dag_retry_delay": "60"}),
    ("operators", _RESOURCES, {"default_cpus": "1", "default_ram": "512", "default_disk": "512", "default_gpus": "0"}),
    ("state_store", _STATE, {"backend": ""}),
    ("execution_api", _ATTEMPT_TOKENS, {"jwt_expiration_time": "600"}),
    ("execution_api", "Not used: requests of workers carry no context of traces.", {"otel_trace_propagation": "only-authenticated"}),
    ("execution_api", _OWN_KEYS, {"jwt_audience": "urn:airflow.apache.org:task"}),
    ("api", _PAGE, {"workers": "1", "expose_config": "False", "secret_key": ""}),
    ("api_auth", _OWN_KEYS, {
        "jwt_audience": "", "jwt_secret": "", "jwt_private_key_path": "", "jwt_algorithm": "", "jwt_kid": "", "trusted_jwks_url": "", "jwt_issuer": "",
    }),
    ("logging", _LOGS, {"task_log_prefix_template": ""}),
    ("logging", "Not used: [logging] style chooses between text and JSON.", {"log_format": "", "colored_console_log": "True"}),
    ("logging", _PERMISSIONS, {"fab_logging_level": "WARNING"}),
    ("webserver", _PAGE, {"expose_config": "False", "secret_key": "", "default_ui_timezone": "UTC"}),
    ("webserver", _PERMISSIONS, {"rbac": "True"}),
    ("traces", "Not there: spans are not printed, and lines of task logs are no events of spans.", {"otel_debugging_on": "False", "otel_task_log_event": "False"}),
    ("lineage", "Not used: such back ends left Airflow with 3.0; plugins read lineage in listeners.", {"backend": ""}),
)  # fmt: skip
"""Section, reason, and the options with their defaults."""
_SECRET_NAMES = frozenset({"secret_key", "jwt_secret"})

ACCEPTED_OPTIONS: tuple[ConfigOption, ...] = tuple(
    ConfigOption(
        section,
        name,
        default,
        OptionKind.TEXT,
        reason,
        may_be_empty=True,
        is_secret=name in _SECRET_NAMES,
        is_used=False,
    )
    for section, reason, names in _OPTIONS
    for name, default in names.items()
)
