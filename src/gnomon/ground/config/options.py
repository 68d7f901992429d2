"""All options, with Airflow's names and defaults (those of Airflow 3.3) and their names in older versions.

Options that only author code reads are in `accepted_options.py`. Where a default differs from Airflow's, the
description says so.
"""

from __future__ import annotations

import re

from gnomon.ground.config.accepted_options import ACCEPTED_OPTIONS
from gnomon.ground.config.alert_options import ALERT_OPTIONS
from gnomon.ground.config.option import ConfigOption, OptionKey, OptionKind
from gnomon.ground.config.secrets_options import SECRETS_OPTIONS
from gnomon.model.errors.product import find_close_matches
from gnomon.model.executors import parse_executors

_T, _I, _N, _B, _P = OptionKind.TEXT, OptionKind.INTEGER, OptionKind.NUMBER, OptionKind.BOOLEAN, OptionKind.PATH
_SYNC = ("FULL", "NORMAL")
_SORT = ("modified_time", "random_seeded_by_host", "alphabetical")
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_WEIGHTS = ("downstream", "upstream", "absolute")


def _parse_regexps(text: str) -> list[re.Pattern[str]]:
    """The regular expressions of a list separated by spaces. Raises ValueError, which names the one that is none."""
    patterns = []
    for pattern in text.split():
        try:
            patterns.append(re.compile(pattern))
        except re.error as error:
            raise ValueError(f"regular expressions separated by spaces; {pattern!r} is none: {error}") from None
    return patterns


def _alias(section: str, name: str) -> tuple[OptionKey, ...]:
    return (OptionKey(section, name),)


_CELERY = (
    ConfigOption(
        "celery",
        "broker_url",
        "redis://redis:6379/0",
        _T,
        "The address of the message broker of the CeleryExecutor: redis://, amqp:// or another transport of Celery.",
        is_secret=True,
    ),
    ConfigOption(
        "celery",
        "worker_concurrency",
        "16",
        _I,
        "How many tasks a worker started by `gnomon celery worker` runs at the same time.",
        minimum=1,
    ),
    ConfigOption(
        "celery",
        "worker_prefetch_multiplier",
        "1",
        _I,
        "How many messages such a worker holds for each of these tasks; "
        "that of the running task is one of them, so with 1 a worker fetches what it can run and nothing ahead.",
        minimum=1,
    ),
)

_KUBERNETES = (
    ConfigOption(
        "kubernetes_executor",
        "namespace",
        "default",
        _T,
        "The namespace of the pods of the KubernetesExecutor.",
        aliases=_alias("kubernetes", "namespace"),
    ),
    ConfigOption(
        "kubernetes_executor",
        "pod_template_file",
        "",
        _T,
        "The file with the pod from which each pod is made; its first container runs the task. Empty: a pod with "
        "nothing but the image.",
        may_be_empty=True,
        aliases=_alias("kubernetes", "pod_template_file"),
    ),
    ConfigOption(
        "kubernetes_executor",
        "worker_container_repository",
        "",
        _T,
        "The image of the first container, without its tag; it needs Gnomon. Empty: the image of the template.",
        may_be_empty=True,
        aliases=_alias("kubernetes", "worker_container_repository"),
    ),
    ConfigOption(
        "kubernetes_executor",
        "worker_container_tag",
        "",
        _T,
        "The tag of that image.",
        may_be_empty=True,
        aliases=_alias("kubernetes", "worker_container_tag"),
    ),
    ConfigOption(
        "kubernetes_executor",
        "delete_worker_pods",
        "True",
        _B,
        "Whether pods are deleted once they have ended.",
        aliases=_alias("kubernetes", "delete_worker_pods"),
    ),
    ConfigOption(
        "kubernetes_executor",
        "delete_worker_pods_on_failure",
        "False",
        _B,
        "Whether failed pods are deleted as well, if delete_worker_pods is true.",
        aliases=_alias("kubernetes", "delete_worker_pods_on_failure"),
    ),
    ConfigOption(
        "kubernetes_executor",
        "worker_pods_creation_batch_size",
        "16",
        _I,
        "How many pods one scheduler creates in a second at most. Airflow's default is 1 in each round.",
        minimum=1,
        aliases=_alias("kubernetes", "worker_pods_creation_batch_size"),
    ),
    ConfigOption(
        "kubernetes_executor",
        "worker_pod_pending_fatal_container_state_reasons",
        "CreateContainerConfigError,ErrImagePull,CreateContainerError,ImageInspectError,InvalidImageName",
        _T,
        "Reasons of a container that waits, separated by commas, for which the try fails at once.",
        may_be_empty=True,
    ),
    ConfigOption(
        "kubernetes_executor",
        "in_cluster",
        "True",
        _B,
        "Whether the scheduler uses the service account of its own pod. False: a kubeconfig.",
        aliases=_alias("kubernetes", "in_cluster"),
    ),
    ConfigOption(
        "kubernetes_executor",
        "config_file",
        "",
        _T,
        "The kubeconfig, with in_cluster = False; empty: as kubectl finds it.",
        may_be_empty=True,
        aliases=_alias("kubernetes", "config_file"),
    ),
    ConfigOption(
        "kubernetes_executor",
        "cluster_context",
        "",
        _T,
        "The context in the kubeconfig; empty: the current one.",
        may_be_empty=True,
        aliases=_alias("kubernetes", "cluster_context"),
    ),
    ConfigOption(
        "kubernetes_executor",
        "verify_ssl",
        "True",
        _B,
        "Whether the certificate of the cluster's API server is verified.",
        aliases=_alias("kubernetes", "verify_ssl"),
    ),
    ConfigOption(
        "kubernetes_executor",
        "ssl_ca_cert",
        "",
        _T,
        "The file with the certificates to verify it with; empty: as the service account or the kubeconfig says.",
        may_be_empty=True,
        aliases=_alias("kubernetes", "ssl_ca_cert"),
    ),
    ConfigOption(
        "kubernetes_executor",
        "delete_option_kwargs",
        "",
        _T,
        "Options of deletions of pods, as JSON: grace_period_seconds and propagation_policy.",
        may_be_empty=True,
        aliases=_alias("kubernetes", "delete_option_kwargs"),
    ),
    ConfigOption(
        "kubernetes_executor",
        "multi_namespace_mode",
        "False",
        _B,
        "Not supported: the pods of a deployment are in one namespace.",
        choices=("False",),
        is_used=False,
    ),
    ConfigOption(
        "kubernetes_executor",
        "multi_namespace_mode_namespace_list",
        "",
        _T,
        "Not supported: the pods of a deployment are in one namespace.",
        may_be_empty=True,
        is_used=False,
    ),
    ConfigOption(
        "kubernetes_executor",
        "task_publish_max_retries",
        "0",
        _T,
        "Not needed: a pod that the cluster cannot create now is created later, and the reason is shown.",
        is_used=False,
    ),
    ConfigOption(
        "kubernetes_executor",
        "kube_client_request_args",
        "",
        _T,
        "Not used: requests have limits of their own.",
        may_be_empty=True,
        is_used=False,
    ),
    ConfigOption(
        "kubernetes_executor",
        "api_client_retry_configuration",
        "",
        _T,
        "Not used: requests are repeated until the cluster answers.",
        may_be_empty=True,
        is_used=False,
    ),
    ConfigOption(
        "kubernetes_executor",
        "logs_task_metadata",
        "False",
        _T,
        "Not used: annotations of the pods name their tasks.",
        is_used=False,
    ),
    *(
        ConfigOption(
            "kubernetes_executor",
            name,
            default,
            _T,
            "Not used: a watch without an answer is begun anew.",
            is_used=False,
        )
        for name, default in (
            ("enable_tcp_keepalive", "True"),
            ("tcp_keep_idle", "120"),
            ("tcp_keep_intvl", "30"),
            ("tcp_keep_cnt", "6"),
        )
    ),
)

_CORE = (
    ConfigOption(
        "core",
        "airflow_dialect",
        "3",
        _I,
        "The version of Airflow, 2 or 3, whose defaults DAGs follow. A DAG with an argument that only Airflow 2 takes, such as "
        "schedule_interval=, always follows 2. Options that are set win. Not an option of Airflow.",
        choices=("3", "2"),
    ),
    ConfigOption("core", "dags_folder", "{home}/dags", _P, "The folder with the DAG files."),
    ConfigOption(
        "core",
        "plugins_folder",
        "{home}/plugins",
        _P,
        "The folder with the plugins; it is on the import path of DAG files.",
    ),
    ConfigOption(
        "core",
        "executor",
        "LocalExecutor",
        _T,
        "The executors that run tasks, with commas between them: LocalExecutor with the workers of this host, CeleryExecutor with workers "
        "that reach a message broker and the api-server (gnomon celery worker), KubernetesExecutor with a pod for each try. The first runs the tasks without executor=. A name, the path of Airflow's class, or `alias:path`.",
        parse=parse_executors,
    ),
    ConfigOption(
        "core",
        "execution_api_server_url",
        "",
        _T,
        "The address of the execution API for workers without a database, such as "
        "http://gnomon.example.com:8080/execution; empty: that of an api-server on this host.",
        may_be_empty=True,
    ),
    ConfigOption(
        "core",
        "rerun_with_latest_version",
        "",
        _B,
        "Default of a DAG's rerun_with_latest_version: whether a cleared run takes the newest version of its DAG bundle. Empty: it keeps the one "
        "that it had, and a backfill runs existing runs again with the newest one. Bundles without versions always have the newest code.",
        may_be_empty=True,
    ),
    ConfigOption(
        "core",
        "parallelism",
        "32",
        _I,
        "Maximum number of tasks that one scheduler submits at the same time, with all executors together, and that one worker of the LocalExecutor runs; 0: no limit.",
        minimum=0,
    ),
    ConfigOption(
        "core",
        "max_active_tasks_per_dag",
        "16",
        _I,
        "Default of a DAG's max_active_tasks.",
        minimum=0,
        aliases=_alias("core", "dag_concurrency"),
    ),
    ConfigOption("core", "max_active_runs_per_dag", "16", _I, "Default of a DAG's max_active_runs.", minimum=0),
    ConfigOption(
        "core",
        "max_consecutive_failed_dag_runs_per_dag",
        "0",
        _I,
        "Default of a DAG's max_consecutive_failed_dag_runs: the number of failed runs in a row after which a DAG is paused; 0: never.",
        minimum=0,
    ),
    ConfigOption(
        "core", "dags_are_paused_at_creation", "True", _B, "Whether a new DAG is paused until a user unpauses it."
    ),
    ConfigOption(
        "core",
        "load_examples",
        "False",
        _B,
        "Whether Gnomon's example DAGs are loaded as well. Airflow's default is True.",
    ),
    ConfigOption("core", "default_task_retries", "0", _I, "Default of a task's retries.", minimum=0),
    ConfigOption(
        "core",
        "default_task_restartable",
        "False",
        _B,
        "Default of a task's restartable: whether an attempt that the installation lost after it had begun "
        "(its worker was stopped or lost, its pod evicted) runs again without costing a try. Only for tasks that may run twice.",
    ),
    ConfigOption(
        "core", "default_task_retry_delay", "300", _I, "Default of a task's retry_delay, in seconds.", minimum=0
    ),
    ConfigOption(
        "core",
        "max_task_retry_delay",
        "86400",
        _I,
        "Maximum delay before a retry; always 86400 s.",
        minimum=0,
        is_used=False,
    ),
    ConfigOption(
        "core", "max_map_length", "1024", _I, "The longest list or dict that a task is mapped over.", minimum=1
    ),
    ConfigOption(
        "core", "default_task_weight_rule", "downstream", _T, "Default of a task's weight_rule.", choices=_WEIGHTS
    ),
    ConfigOption(
        "core",
        "default_task_execution_timeout",
        "",
        _I,
        "Default of a task's execution_timeout, in seconds; empty: none.",
        minimum=0,
        may_be_empty=True,
    ),
    ConfigOption(
        "core",
        "default_pool_task_slot_count",
        "128",
        _I,
        "Slots of the default pool when the database is created.",
        minimum=1,
        aliases=_alias("core", "non_pooled_task_slot_count"),
    ),
    ConfigOption(
        "core",
        "killed_task_cleanup_time",
        "60",
        _I,
        "Seconds between SIGTERM and SIGKILL when a running task is terminated.",
        minimum=0,
    ),
    ConfigOption(
        "core", "dagbag_import_timeout", "30.0", _N, "Time limit for the import of one DAG file, in seconds.", minimum=0
    ),
    ConfigOption(
        "core",
        "dag_discovery_safe_mode",
        "True",
        _B,
        "Whether files are skipped whose text does not mention DAGs or assets together with Airflow or Gnomon.",
    ),
    ConfigOption(
        "core",
        "dag_ignore_file_syntax",
        "glob",
        _T,
        "The syntax of .airflowignore files.",
        choices=("glob", "regexp"),
        airflow_2_default="regexp",
    ),
    ConfigOption(
        "core",
        "default_timezone",
        "utc",
        _T,
        "The time zone of naive dates: utc, system, or a name such as Europe/Zurich.",
    ),
    ConfigOption(
        "core",
        "xcom_backend",
        "airflow.sdk.execution_time.xcom.BaseXCom",
        _T,
        "The class that serializes XComs in the processes of tasks: package.module.Class of a subclass of airflow.sdk.bases.xcom.BaseXCom.",
        may_be_empty=True,
    ),
    ConfigOption(
        "core",
        "allowed_deserialization_classes",
        "airflow.*",
        _T,
        "The classes whose objects tasks and triggers make from stored XComs and arguments, as glob patterns separated by spaces, such as "
        "my_package.*. A class of the DAG file orders.py is orders.ITS_NAME. The types of Python, numpy, pandas, polars, deltalake, pyiceberg and "
        "kubernetes that can be stored are always allowed.",
        may_be_empty=True,
    ),
    ConfigOption(
        "core",
        "allowed_deserialization_classes_regexp",
        "",
        _T,
        "More of these classes, as regular expressions separated by spaces; each matches a whole name.",
        parse=_parse_regexps,
        may_be_empty=True,
    ),
    ConfigOption(
        "core",
        "hostname_callable",
        "",
        _T,
        "The function that returns the name of this machine, as a dotted path such as socket.getfqdn; empty: the system's host name. "
        "Airflow's default is airflow.utils.net.getfqdn.",
    ),
    ConfigOption(
        "core",
        "hide_sensitive_var_conn_fields",
        "True",
        _B,
        "Whether logs hide the values of Variables, and of keys in the extra of connections, whose names say that they are secrets. "
        "Passwords of connections are always hidden.",
        aliases=_alias("admin", "hide_sensitive_variable_fields"),
    ),
    ConfigOption(
        "core",
        "max_templated_field_length",
        "4096",
        _I,
        "Characters of a rendered template field that are stored; the rest is cut.",
        minimum=1,
    ),
    ConfigOption(
        "core",
        "test_connection",
        "Disabled",
        _T,
        "Whether the API tests connections, with the hooks of providers: Disabled, Enabled, or Hidden (as Disabled).",
        choices=("Disabled", "Enabled", "Hidden"),
    ),
    ConfigOption(
        "core",
        "sensitive_var_conn_names",
        "",
        _T,
        "Further parts of such names, separated by commas, beside password, secret, token and the others of Airflow.",
        may_be_empty=True,
        aliases=_alias("admin", "sensitive_variable_fields"),
    ),
    ConfigOption(
        "core",
        "fernet_key",
        "",
        _T,
        "The keys that encrypt the arguments of triggers, the Variables and the connections, separated by commas: the first key encrypts, "
        "all keys decrypt. Empty: the key in the file fernet.key of the home, which is created at the first start.",
        is_secret=True,
    ),
)

_STANDARD = (
    ConfigOption(
        "standard",
        "venv_install_method",
        "auto",
        _T,
        "What builds the virtual environments of tasks: auto (uv if it is installed, else pip), pip, or uv.",
        choices=("auto", "pip", "uv"),
    ),
)

_DATABASE = (
    ConfigOption(
        "database",
        "sql_alchemy_conn",
        "sqlite:///{home}/gnomon.db",
        _T,
        "The address of the database: sqlite:////folder/file.db or postgresql://user:password@host/name.",
        aliases=_alias("core", "sql_alchemy_conn"),
        is_secret=True,
    ),
    ConfigOption(
        "database",
        "synchronous",
        "FULL",
        _T,
        "SQLite only. FULL: commits survive a power failure. NORMAL: faster; a power failure may lose the last commits.",
        choices=_SYNC,
    ),
)

_SCHEDULER = (
    ConfigOption(
        "scheduler", "catchup_by_default", "False", _B, "Default of a DAG's catchup.", airflow_2_default="True"
    ),
    ConfigOption(
        "scheduler",
        "create_cron_data_intervals",
        "False",
        _B,
        "Whether runs of a cron schedule have a data interval that starts at the previous run.",
        airflow_2_default="True",
    ),
    ConfigOption(
        "scheduler",
        "create_delta_data_intervals",
        "False",
        _B,
        "Whether runs of a timedelta schedule have a data interval that starts at the previous run.",
        airflow_2_default="True",
    ),
    ConfigOption(
        "scheduler",
        "ignore_first_depends_on_past_by_default",
        "True",
        _B,
        "Default of a task's ignore_first_depends_on_past.",
    ),
    ConfigOption(
        "scheduler", "use_job_schedule", "True", _B, "Whether scheduled runs are created. False: only manual runs."
    ),
    ConfigOption(
        "scheduler",
        "max_tis_per_query",
        "16",
        _I,
        "Maximum number of tasks that the scheduler admits in one step; 0: the value of parallelism.",
        minimum=0,
    ),
    ConfigOption(
        "scheduler",
        "max_dagruns_to_create_per_loop",
        "10",
        _I,
        "Maximum number of DAGs for which the scheduler plans runs before it does other work.",
        minimum=1,
    ),
    ConfigOption(
        "scheduler",
        "max_dagruns_per_loop_to_schedule",
        "20",
        _I,
        "Not needed: the scheduler starts each run in one step.",
        minimum=1,
        is_used=False,
    ),
    ConfigOption(
        "scheduler",
        "misfire_grace",
        "60",
        _N,
        "Seconds after which a due run counts as late; the misfire= argument of the DAG then decides whether it runs. Not an option of Airflow.",
        minimum=0,
    ),
    ConfigOption(
        "scheduler",
        "max_waiting_runs",
        "1000",
        _I,
        "Maximum number of runs of one DAG that wait for other DAGs at the same time. These runs do not count towards other limits. "
        "Not an option of Airflow.",
        minimum=1,
    ),
    ConfigOption(
        "scheduler",
        "timetable_timeout",
        "5",
        _N,
        "Time limit for one call into a custom timetable, a partition mapper or `task_instance_mutation_hook`, in seconds; then the call is stopped and reported as an error. "
        "Not an option of Airflow.",
        minimum=0.1,
    ),
    ConfigOption(
        "scheduler",
        "task_queued_timeout",
        "600.0",
        _N,
        "Seconds after which a task that no worker of the CeleryExecutor has claimed gets another message, "
        "and with the KubernetesExecutor another pod if its pod does not exist. Tasks of the LocalExecutor are assigned to a worker, and queued again when that worker is lost.",
        minimum=0,
        aliases=(OptionKey("scheduler", "stalled_task_timeout"), OptionKey("celery", "task_adoption_timeout")),
    ),
    ConfigOption(
        "scheduler",
        "task_instance_heartbeat_timeout",
        "300",
        _I,
        "Not needed: a worker that sends no heartbeat for 20 s is lost, and its tasks with it.",
        minimum=1,
        aliases=(
            OptionKey("scheduler", "scheduler_zombie_task_threshold"),
            OptionKey("scheduler", "local_task_job_heartbeat_sec"),
        ),
        is_used=False,
    ),
    ConfigOption(
        "scheduler",
        "scheduler_health_check_threshold",
        "30",
        _I,
        "Seconds without a heartbeat after which the scheduler is shown as unhealthy.",
        minimum=1,
    ),
    ConfigOption(
        "scheduler",
        "num_runs",
        "-1",
        _I,
        "The number of rounds after which `gnomon scheduler` ends; -1: never. In `gnomon standalone`, the scheduler is then started again.",
    ),
    ConfigOption(
        "scheduler",
        "only_idle",
        "False",
        _B,
        "Whether num_runs counts only rounds in which the scheduler had nothing to store.",
    ),
    ConfigOption(
        "scheduler",
        "enable_health_check",
        "False",
        _B,
        "Whether the scheduler answers GET /health on a port of its own: 200 while it sends heartbeats, else 503.",
    ),
    ConfigOption(
        "scheduler",
        "scheduler_health_check_server_host",
        "0.0.0.0",
        _T,
        "The address on which the scheduler answers GET /health.",
    ),
    ConfigOption(
        "scheduler",
        "scheduler_health_check_server_port",
        "8974",
        _I,
        "The port on which the scheduler answers GET /health.",
        minimum=0,
    ),
    ConfigOption(
        "scheduler",
        "allowed_run_id_pattern",
        "",
        _T,
        "A regular expression that a run_id given by a user must match; empty: any text of one line. Airflow's is ^[A-Za-z0-9_.~:+-]+$.",
    ),
)

_PARTITIONS = (
    ConfigOption(
        "scheduler",
        "partition_mapper_max_downstream_keys",
        "1000",
        _I,
        "Most partitions of one DAG to which one asset event may belong; an event that belongs to more makes no run. A mapper's max_downstream_keys wins.",
        minimum=1,
    ),
)

_DAG_PROCESSOR = (
    ConfigOption(
        "dag_processor",
        "refresh_interval",
        "300",
        _I,
        "Seconds between two listings of the DAG folder, and between two refreshes of a DAG bundle without its own refresh_interval.",
        minimum=1,
        aliases=_alias("scheduler", "dag_dir_list_interval"),
    ),
    ConfigOption(
        "dag_processor",
        "parsing_processes",
        "2",
        _I,
        "Number of DAG files that are parsed at the same time.",
        minimum=1,
        aliases=(OptionKey("scheduler", "parsing_processes"), OptionKey("scheduler", "max_threads")),
    ),
    ConfigOption(
        "dag_processor",
        "min_file_process_interval",
        "30",
        _I,
        "Minimum number of seconds between two parses of a DAG file that depends on more than files, for example on a network connection.",
        minimum=0,
        aliases=_alias("scheduler", "min_file_process_interval"),
    ),
    ConfigOption(
        "dag_processor",
        "dag_file_processor_timeout",
        "50",
        _I,
        "Seconds after which a process that parses a DAG file is killed.",
        minimum=1,
        aliases=_alias("core", "dag_file_processor_timeout"),
    ),
    ConfigOption(
        "dag_processor",
        "file_parsing_sort_mode",
        "modified_time",
        _T,
        "The order in which DAG files are parsed after a start.",
        choices=_SORT,
        aliases=_alias("scheduler", "file_parsing_sort_mode"),
    ),
    ConfigOption(
        "dag_processor",
        "parsing_memory_limit",
        "2048",
        _I,
        "Memory limit of a process that parses a DAG file, in megabytes; 0: no limit. Not an option of Airflow.",
        minimum=0,
    ),
    ConfigOption(
        "dag_processor",
        "print_stats_interval",
        "30",
        _N,
        "Seconds between two log entries with the numbers of DAG files, parses and errors; there is none while nothing was parsed. 0: none.",
        minimum=0,
        aliases=_alias("scheduler", "print_stats_interval"),
    ),
    ConfigOption(
        "dag_processor",
        "dag_bundle_config_list",
        "",
        _T,
        "The DAG bundles: a JSON list of objects with name, classpath and kwargs, as in Airflow 3. Empty: the DAG folder is the only bundle.",
        may_be_empty=True,
    ),
    ConfigOption(
        "dag_processor",
        "dag_bundle_storage_path",
        "{home}/dag_bundles",
        _P,
        "The folder for the local copies of DAG bundles, on each machine with a dag-processor or a worker.",
    ),
    ConfigOption(
        "dag_processor",
        "disable_bundle_versioning",
        "False",
        _B,
        "Default of a DAG's disable_bundle_versioning: True lets unfinished runs follow the newest version of a bundle that has versions.",
    ),
    ConfigOption(
        "dag_processor",
        "stale_bundle_cleanup_interval",
        "1800",
        _I,
        "Minimum number of seconds between two removals of local copies of old bundle versions; 0: none is removed.",
        minimum=0,
    ),
    ConfigOption(
        "dag_processor",
        "stale_bundle_cleanup_age_threshold",
        "21600",
        _I,
        "Seconds since its last use after which the local copy of a bundle version may be removed.",
        minimum=0,
    ),
    ConfigOption(
        "dag_processor",
        "stale_bundle_cleanup_min_versions",
        "10",
        _I,
        "Number of local copies of bundle versions that are kept of each bundle, however old.",
        minimum=0,
    ),
    ConfigOption(
        "dag_processor",
        "health_check_threshold",
        "30",
        _I,
        "Not needed: Gnomon derives the health of the dag-processor from its own heartbeat interval.",
        minimum=1,
        is_used=False,
    ),
)

_OTHERS = (
    ConfigOption(
        "workers",
        "attempts_per_child",
        "1",
        _I,
        "Default of a DAG's attempts_per_child: the number of tasks that one process runs, one after another, before it ends. 1: each "
        "task runs in a process of its own. Not an option of Airflow.",
        minimum=1,
    ),
    ConfigOption(
        "workers",
        "task_nice",
        "5",
        _I,
        "How much the nice value of a task is above that of its worker, so that a busy machine still answers requests and starts tasks at once: "
        "tasks take what the services leave. 0: as the worker. Not an option of Airflow.",
        minimum=0,
    ),
    ConfigOption(
        "workers",
        "shutdown_grace",
        "20",
        _N,
        "Seconds that running tasks may continue after the first SIGTERM or Ctrl-C; no task starts meanwhile. A second signal ends them at "
        "once. 0: the first signal ends them at once. Not an option of Airflow.",
        minimum=0,
    ),
    ConfigOption(
        "api",
        "host",
        "127.0.0.1",
        _T,
        "The address that the api-server listens on. Airflow's default is 0.0.0.0.",
        aliases=_alias("webserver", "web_server_host"),
    ),
    ConfigOption(
        "api",
        "port",
        "8080",
        _I,
        "The port of the api-server; 0: any free port.",
        minimum=0,
        aliases=_alias("webserver", "web_server_port"),
    ),
    ConfigOption(
        "api",
        "auth",
        "accounts",
        _T,
        "Who may use the API: `accounts` (see `gnomon users`), or `none`: everybody, which is possible on a "
        "loopback address only. Not an option of Airflow.",
        choices=("accounts", "none"),
    ),
    ConfigOption(
        "api",
        "base_url",
        "",
        _T,
        "The address under which browsers reach the server, for example https://gnomon.example.com. ti.log_url and links of "
        "questions to people begin with it; empty: a standalone takes its own address, other services know none. With auth = none, requests may name this host, localhost and loopback addresses only.",
        aliases=_alias("webserver", "base_url"),
    ),
    ConfigOption(
        "api",
        "session_idle_minutes",
        "1440",
        _I,
        "A session of a browser that is not used for so many minutes ends. Not an option of Airflow.",
        minimum=1,
    ),
    ConfigOption(
        "api",
        "idle_timeout",
        "3600",
        _N,
        "The api-server of a standalone starts with the first request, ends after so many seconds without one, and starts again with the next. "
        "0: it runs always, as it does with other executors than the LocalExecutor, and where `gnomon api-server` runs it. Not an option of Airflow.",
        minimum=0,
    ),
    ConfigOption(
        "api",
        "busy_processor_percent",
        "5",
        _I,
        "While the machine is busy, requests of users use so many percent of its processors, and wait for "
        "their turn beyond that; scheduler and tasks keep the rest. 100: they never wait. Not an option of Airflow.",
        minimum=1,
    ),
    ConfigOption(
        "api",
        "trusted_proxies",
        "",
        _T,
        "Addresses and networks of proxies, with commas between them: X-Forwarded-For and X-Forwarded-Proto "
        "of requests that come from these are believed. Not an option of Airflow.",
        may_be_empty=True,
    ),
    ConfigOption(
        "api_auth",
        "jwt_expiration_time",
        "86400",
        _I,
        "How many seconds a signed token of /auth/token is valid.",
        minimum=1,
    ),
    ConfigOption(
        "api_auth",
        "jwt_cli_expiration_time",
        "3600",
        _I,
        "How many seconds a signed token of /auth/token/cli is valid.",
        minimum=1,
    ),
    ConfigOption(
        "api_auth", "jwt_leeway", "10", _I, "How many seconds the clocks of two api-servers may differ.", minimum=0
    ),
    ConfigOption(
        "logging",
        "base_log_folder",
        "{home}/logs",
        _P,
        "The folder for the logs of tasks.",
        aliases=_alias("core", "base_log_folder"),
    ),
    ConfigOption(
        "logging",
        "remote_logging",
        "False",
        _B,
        "Whether the log of each attempt is also written into the folder of remote_base_log_folder, at the "
        "end of the attempt, and read from there where the local file is missing.",
        aliases=_alias("core", "remote_logging"),
    ),
    ConfigOption(
        "logging",
        "remote_base_log_folder",
        "",
        _T,
        "The folder for logs away from this machine: s3://BUCKET/PATH, gs://BUCKET/PATH, abfs://CONTAINER/PATH, "
        "wasb://PATH, sftp://HOST/PATH or file:///PATH. Each kind of store needs its extra, such as `gnomon[s3]`.",
        may_be_empty=True,
        aliases=_alias("core", "remote_base_log_folder"),
    ),
    ConfigOption(
        "logging",
        "remote_log_conn_id",
        "",
        _T,
        "The connection with the login of the store of remote_base_log_folder. Empty: the login that the library of the store "
        "finds on the machine.",
        may_be_empty=True,
        aliases=_alias("core", "remote_log_conn_id"),
    ),
    ConfigOption(
        "logging",
        "delete_local_logs",
        "False",
        _B,
        "Whether the local log of an attempt is deleted once it is in the remote folder.",
    ),
    ConfigOption(
        "logging",
        "logging_level",
        "INFO",
        _T,
        "The lowest level of messages that services log.",
        choices=_LEVELS,
        aliases=_alias("core", "logging_level"),
    ),
    ConfigOption(
        "logging",
        "print_times",
        "False",
        _B,
        "Whether each line that Python code of a task prints begins with its time and INFO in the log, as a log record does: "
        "the page shows the time, and a choice of levels counts the line.",
    ),
    ConfigOption(
        "logging",
        "min_length_masked_secret",
        "5",
        _I,
        "Secrets with fewer characters are not hidden in logs.",
        minimum=1,
    ),
    ConfigOption(
        "logging",
        "secret_mask_adapter",
        "",
        _T,
        "A function that takes a secret and returns a form of it, or several, that logs hide too, as a dotted path such as urllib.parse.quote.",
        may_be_empty=True,
    ),
    ConfigOption(
        "logging",
        "service_log_folder",
        "{home}/logs/services",
        _P,
        "The folder in which each service writes a log file, such as scheduler.log, beside stderr. Empty: no files. Not an option of Airflow.",
        may_be_empty=True,
    ),
    ConfigOption(
        "logging",
        "service_log_max_bytes",
        "10485760",
        _I,
        "A log file of a service is rotated before it gets larger than this: FILE becomes FILE.1, FILE.1 becomes FILE.2. 0: never. Not an option of Airflow.",
        minimum=0,
    ),
    ConfigOption(
        "logging",
        "service_log_backup_count",
        "5",
        _I,
        "The number of rotated log files that are kept of each service. 0: files are never rotated. Not an option of Airflow.",
        minimum=0,
    ),
    ConfigOption(
        "logging",
        "style",
        "auto",
        _T,
        "json: one JSON object per line. text: readable lines. auto: text on a terminal, json elsewhere. Not an option of Airflow.",
        choices=("auto", "json", "text"),
    ),
    ConfigOption("operators", "default_owner", "airflow", _T, "Default of a task's owner."),
    ConfigOption(
        "operators",
        "default_queue",
        "default",
        _T,
        "Default of a task's queue, and the queue whose triggers every triggerer takes. The local executor ignores queues: every worker takes "
        "every task.",
        aliases=_alias("celery", "default_queue"),
    ),
    ConfigOption(
        "operators",
        "default_deferrable",
        "False",
        _B,
        "Default of the argument `deferrable` of sensors and operators that can be deferred.",
    ),
    ConfigOption("sensors", "default_timeout", "604800", _N, "Default of a sensor's timeout, in seconds.", minimum=0),
)

_TRIGGERER = (
    ConfigOption(
        "triggerer",
        "capacity",
        "1000",
        _I,
        "Maximum number of triggers that one triggerer runs at the same time.",
        minimum=1,
        aliases=_alias("triggerer", "default_capacity"),
    ),
    ConfigOption(
        "triggerer",
        "job_heartbeat_sec",
        "5",
        _N,
        "Seconds between two heartbeats of a triggerer. After 2.1 times this time without a heartbeat, other triggerers take its triggers over.",
        minimum=0.1,
    ),
    ConfigOption(
        "triggerer",
        "runner_health_check_threshold",
        "30",
        _N,
        "Seconds that a trigger may block the event loop of all triggers before its process is killed.",
        minimum=1,
    ),
    ConfigOption(
        "triggerer",
        "blocked_main_thread_warning_threshold",
        "0.2",
        _N,
        "Seconds that the event loop may be late before the trigger that blocks it is reported in the log.",
        minimum=0.01,
    ),
    ConfigOption(
        "triggerer",
        "queues_enabled",
        "False",
        _B,
        "Always on: the trigger of a task waits on the queue of the task. The option `--queues` of `gnomon triggerer` names the queues whose triggers "
        "it takes; a triggerer without `--queues` takes the triggers of all queues.",
        is_used=False,
    ),
    ConfigOption(
        "triggerer", "on_kill_timeout", "30", _N, "Time limit for a trigger's on_kill, in seconds.", minimum=0
    ),
    ConfigOption(
        "triggerer",
        "shared_stream_subscriber_queue_size",
        "1024",
        _I,
        "Events of a shared stream that may wait for one watcher.",
        minimum=1,
    ),
    ConfigOption(
        "triggerer",
        "shared_stream_ack_timeout",
        "300.0",
        _N,
        "Time limit of a watcher for one event of a shared stream, in seconds.",
        minimum=0.01,
    ),
    ConfigOption(
        "triggerer",
        "shared_stream_cohort_grace_period",
        "0.0",
        _N,
        "Delay before a new shared stream is opened, in seconds.",
        minimum=0,
    ),
)

_METRICS = (
    ConfigOption(
        "metrics",
        "statsd_on",
        "False",
        _B,
        "Whether metrics are sent to a statsd server, by UDP.",
        aliases=_alias("scheduler", "statsd_on"),
    ),
    ConfigOption(
        "metrics",
        "statsd_host",
        "localhost",
        _T,
        "The host name of the statsd server.",
        aliases=_alias("scheduler", "statsd_host"),
    ),
    ConfigOption(
        "metrics",
        "statsd_port",
        "8125",
        _I,
        "The port of the statsd server.",
        minimum=1,
        aliases=_alias("scheduler", "statsd_port"),
    ),
    ConfigOption(
        "metrics",
        "statsd_prefix",
        "airflow",
        _T,
        "The prefix of the names of all metrics.",
        aliases=_alias("scheduler", "statsd_prefix"),
    ),
    ConfigOption(
        "metrics",
        "prometheus_on",
        "True",
        _B,
        "Whether the api-server answers /metrics for Prometheus. Not an option of Airflow, nor is the next one.",
    ),
    ConfigOption(
        "metrics",
        "prometheus_allow",
        "",
        _T,
        "Addresses and networks from which /metrics is read without a login, with commas between them. From others it "
        "needs a token of an account with the role viewer.",
        may_be_empty=True,
    ),
)

_TRACES = (
    ConfigOption(
        "traces",
        "otel_on",
        "False",
        _B,
        "Whether traces of runs are sent to a collector of OpenTelemetry, by OTLP over HTTP. Needs the extra `gnomon[otel]`.",
    ),
    ConfigOption("traces", "otel_host", "localhost", _T, "The host name of the collector."),
    ConfigOption("traces", "otel_port", "4318", _I, "The port of the collector. Airflow's default is 8889.", minimum=1),
    ConfigOption(
        "traces",
        "otel_service",
        "gnomon",
        _T,
        "The name of the service in traces. Deployments with one collector need names that differ. Airflow's default is Airflow.",
    ),
    ConfigOption("traces", "otel_ssl_active", "False", _B, "Whether the collector is called by HTTPS."),
)

_OIDC = (
    ConfigOption(
        "oidc",
        "issuer",
        "",
        _T,
        "The address of an identity provider of OpenID Connect, exactly as it names itself; empty: there is none. Needs the extra `gnomon[oidc]`. "
        "No option of this section is one of Airflow's.",
        may_be_empty=True,
    ),
    ConfigOption(
        "oidc", "client_id", "", _T, "The id under which Gnomon is registered at the provider.", may_be_empty=True
    ),
    ConfigOption(
        "oidc",
        "client_secret",
        "",
        _T,
        "The secret of the client; empty: a public client, which PKCE protects.",
        may_be_empty=True,
        is_secret=True,
    ),
    ConfigOption(
        "oidc", "scopes", "openid profile email", _T, "The scopes that are asked for, with spaces between them."
    ),
    ConfigOption(
        "oidc",
        "redirect_url",
        "",
        _T,
        "The address to which the provider sends browsers back: https://HOST/auth/oidc/callback. Empty: the address under which the "
        "request came.",
        may_be_empty=True,
    ),
    ConfigOption(
        "oidc",
        "name_claim",
        "preferred_username",
        _T,
        "The claim with the name of the account; dots lead into objects.",
    ),
    ConfigOption(
        "oidc",
        "role_claim",
        "",
        _T,
        "The claim whose values give the role at each login, for example groups or realm_access.roles. Empty: the provider says nothing about "
        "roles, and administrators set them.",
        may_be_empty=True,
    ),
    ConfigOption(
        "oidc",
        "roles",
        "",
        _T,
        "Which value of that claim gives which role: VALUE=ROLE with commas between them; * stands for every other value. The highest counts.",
        may_be_empty=True,
    ),
    ConfigOption(
        "oidc",
        "default_role",
        "",
        _T,
        "The role without such a value, and of new accounts without [oidc] role_claim. Empty: the login is refused.",
        may_be_empty=True,
    ),
    ConfigOption(
        "oidc",
        "link_existing",
        "False",
        _B,
        "Whether an account that exists is given to the first login at the provider with its name. Only for a provider whose "
        "users cannot choose their names.",
    ),
    ConfigOption(
        "oidc",
        "leeway",
        "60",
        _N,
        "How many seconds the clocks of this machine and of the provider may differ.",
        minimum=0,
    ),
    ConfigOption("oidc", "button", "Log in with single sign-on", _T, "The text of the link on the page of the login."),
)

_STATE_STORE = (
    ConfigOption(
        "state_store",
        "clear_on_success",
        "False",
        _B,
        "Whether the values of a task instance in the task state store are deleted when it succeeds.",
    ),
    ConfigOption(
        "state_store",
        "default_retention_days",
        "30",
        _I,
        "Days after which a value in the task state store expires, if the task gave no `retention`; 0: never.",
        minimum=0,
    ),
    ConfigOption(
        "state_store",
        "state_cleanup_batch_size",
        "0",
        _I,
        "Most rows that one transaction of `gnomon state-store clean` deletes; 0: no limit.",
        minimum=0,
    ),
    ConfigOption(
        "state_store",
        "max_value_storage_bytes",
        "65535",
        _I,
        "A larger JSON value in a state store is refused by `gnomon state-store`, and stored with a warning for a task; 0: no limit.",
        minimum=0,
    ),
)

OPTIONS: tuple[ConfigOption, ...] = (
    *_CORE,
    *_CELERY,
    *_KUBERNETES,
    *_STANDARD,
    *_DATABASE,
    *_SCHEDULER,
    *_DAG_PROCESSOR,
    *_TRIGGERER,
    *_METRICS,
    *_TRACES,
    *_OIDC,
    *_STATE_STORE,
    *_PARTITIONS,
    *_OTHERS,
    *SECRETS_OPTIONS,
    *ALERT_OPTIONS,
    *ACCEPTED_OPTIONS,
)
BY_KEY: dict[OptionKey, ConfigOption] = {option.key: option for option in OPTIONS}
BY_ALIAS: dict[OptionKey, ConfigOption] = {alias: option for option in OPTIONS for alias in option.aliases}
OPEN_SECTIONS = {
    "celery_broker_transport_options": "An option of the transport of the broker; Celery gets it as it is: JSON where it is JSON, else a text."
}
"""Sections whose options have any name, with what becomes of them. They are secrets: one of them may be a password."""


def find_option(section: str, name: str) -> ConfigOption | None:
    """The option of that name, also by a name from an older version; None when there is none."""
    key = OptionKey(section.lower(), name.lower())
    return BY_KEY.get(key) or BY_ALIAS.get(key) or _make_open_option(key)


def _make_open_option(key: OptionKey) -> ConfigOption | None:
    if key.section not in OPEN_SECTIONS:
        return None
    return ConfigOption(*key, "", _T, OPEN_SECTIONS[key.section], may_be_empty=True, is_secret=True)


def find_nearest_option(key: OptionKey) -> OptionKey | None:
    """The declared option that an unknown key most likely means: of the same name in another section, or of a similar name; None when there is none."""
    same_name = [other for other in BY_KEY if other.name == key.name] + [
        option.key for alias, option in BY_ALIAS.items() if alias.name == key.name
    ]
    if same_name:
        return same_name[0]
    in_section = {other.name: other for other in BY_KEY if other.section == key.section}
    by_text = {str(other): other for other in BY_KEY}
    near = [in_section[name] for name in find_close_matches(key.name, in_section)]
    near += [by_text[text] for text in find_close_matches(str(key), by_text)]
    return next((other for other in near if find_close_matches(key.name, [other.name])), None)
