"""The names that are accepted without effect, raise on use, or cannot be imported yet, by module. Shared reasons come first."""

from __future__ import annotations

from gnomon.airflow_compat.coverage_row import CoverageRow, CoverageStatus, make_row

WORD, REFUSES, LATER = CoverageStatus.WORD, CoverageStatus.REFUSES, CoverageStatus.LATER

TEAMS = "Gnomon has no teams; a DAG that uses it gets a warning"
DRIVING = "DAG files and tasks do not drive the scheduler; use `gnomon dags trigger`"
SERVICES = "Gnomon has its own services"
PERMISSIONS = "accounts get roles on DAGs by `gnomon users grant`, not from DAG files"
ASSETS = "the database is not open to DAG files and tasks; use outlets, inlet_events and triggering_asset_events"
VENV_SCRIPT = "the script that runs in a virtual environment is Gnomon's own; use PythonVirtualenvOperator"
HITL_DETAILS = "a task cannot read or write answers of people; the scheduler resumes the task with the answer"
EXECUTORS = "executors are chosen by Gnomon's own options"
SQL = "it belongs to the common.sql provider; `gnomon providers install common-sql` installs it, and then this name is that class"
LINEAGE = "lineage is collected for readers of plugins, but no back end takes it"
CLEANING = "what a DAG deletes from Airflow's database is deleted by `gnomon db clean`, and every night when [housekeeping] clean_at is set"
RUNS = (
    "the database is not open to DAG files and tasks; in a task use context['dag_run'], "
    "dag_run.get_task_instances(), ti.get_previous_dagrun() and TaskInstance.get_dagrun_state(); in a test use the run that dag.test() returns; "
    f"{CLEANING}"
)
TASK_INSTANCES = (
    "the database is not open to DAG files and tasks; in a task use context['ti'], and for other tasks dag_run.get_task_instances(), "
    "airflow.sdk.TaskInstance.get_ti_count() and get_task_states(); in a test use dag.test(), or the pytest fixture run_task; "
    f"{CLEANING}"
)
DAG_RECORDS = f"the database is not open to DAG files and tasks; use the command `gnomon dags`; a DAG without a file is marked by itself; {CLEANING}"
POOLS = "the database is not open to DAG files and tasks; use `gnomon pools`"
RECORDS = f"the database is not open to DAG files and tasks; use the `gnomon` commands to read such records; {CLEANING}"
DATABASE = "the database is Gnomon's: `gnomon db migrate` makes it, `gnomon db clean` cleans it, `gnomon connections` writes connections"
SUBDAGS = "SubDAGs left Airflow with 3.0; use a TaskGroup: call the function that makes the tasks inside `with TaskGroup(...)`, and connect the group where the SubDagOperator was"
CACHE = "[secrets] use_cache keeps answers of secrets backends, and DAG files have no access to them"
SESSIONS = (
    "DAG files and tasks have no session of the database; use the task context, Variable and Connection, and in a test "
    "the pytest fixture gnomon_store"
)
WEB = (
    "Gnomon's web page takes no applications, routers or middleware of plugins; serve them by a program of your own, "
    "and read runs by the API, or by the `gnomon` commands with -o json"
)
ACCESS = "accounts and roles are Gnomon's own (`gnomon users`), and plugins do not change who may do what"
STATE = "state is kept in Gnomon's database only; tasks use context['task_state_store'] and context['asset_state_store'], people `gnomon state-store`"

WWW = "Airflow's web application is not here; Gnomon has a web page of its own"
_RECORD_MODULES = (
    "backfill",
    "dag_version",
    "dagbundle",
    "dagcode",
    "dagpickle",
    "dagwarning",
    "db_callback_request",
    "hitl",
    "taskfail",
    "taskinstancehistory",
    "tasklog",
    "tasknote",
)
"""Modules with tables of Airflow's database and nothing else."""
LOG_HANDLERS = (
    "tasks write their logs themselves, and [logging] remote_base_log_folder keeps them on S3, Google Cloud Storage, Azure or another store "
    "(docs/how-to/keep-logs-elsewhere.md)"
)

ROWS: tuple[CoverageRow, ...] = (
    make_row("airflow.api.client.local_client", "Client", REFUSES, DRIVING),
    make_row("airflow.api.common.trigger_dag", "trigger_dag", REFUSES, DRIVING),
    make_row(
        "airflow.api_fastapi.app",
        "get_auth_manager create_app cached_app purge_cached_app get_cookie_path",
        REFUSES,
        ACCESS,
    ),
    make_row("airflow.api_fastapi.auth.managers.base_auth_manager", "BaseAuthManager", REFUSES, ACCESS),
    make_row("airflow.api_fastapi.auth.managers.models.base_user", "BaseUser", REFUSES, ACCESS),
    make_row(
        "airflow.api_fastapi.auth.managers.models.resource_details",
        "AccessView BackfillDetails ConfigurationDetails ConnectionDetails DagAccessEntity DagDetails PoolDetails TeamDetails VariableDetails",
        REFUSES,
        ACCESS,
    ),
    make_row("airflow.api_fastapi.auth.managers.simple.simple_auth_manager", "SimpleAuthManager", REFUSES, ACCESS),
    make_row("airflow.api_fastapi.auth.managers.simple.user", "SimpleAuthManagerUser", REFUSES, ACCESS),
    make_row("airflow.api_fastapi.common.db.common", "AsyncSessionDep SessionDep paginated_select", REFUSES, SESSIONS),
    make_row("airflow.api_fastapi.common.router", "AirflowRouter", REFUSES, WEB),
    make_row("airflow.api_fastapi.core_api.base", "BaseModel StrictBaseModel", REFUSES, WEB),
    make_row(
        "airflow.api_fastapi.core_api.security",
        "GetUserDep get_user requires_access_asset requires_access_configuration requires_access_connection requires_access_dag requires_access_pool requires_access_variable requires_access_view requires_authenticated",
        REFUSES,
        ACCESS,
    ),
    make_row("airflow.api_fastapi.core_api.datamodels", "*", LATER, SERVICES),
    make_row("airflow.api_fastapi.core_api.routes", "*", LATER, SERVICES),
    make_row("airflow.api_fastapi.execution_api", "*", LATER, SERVICES),
    make_row("airflow.api_fastapi.main", "*", LATER, SERVICES),
    make_row("airflow.api_fastapi.auth.tokens", "*", LATER, SERVICES),
    make_row("airflow.api_fastapi.logging", "*", LATER, SERVICES),
    make_row("airflow.api.auth", "*", LATER, ACCESS),
    make_row("airflow.api.common.experimental", "*", LATER, DRIVING),
    make_row("airflow.assets.manager", "AssetManager asset_manager", REFUSES, ASSETS),
    make_row("airflow.auth", "*", LATER, PERMISSIONS),
    make_row("airflow.callbacks", "*", LATER, "it is internal to Airflow"),
    make_row(
        "airflow.cli",
        "*",
        LATER,
        "Gnomon's commands are `gnomon ...` (docs/reference/cli.md); a task calls them as a program, or the API",
    ),
    make_row("airflow.config_templates", "*", LATER, "options are listed by `gnomon config list`"),
    make_row(
        "airflow.contrib",
        "*",
        LATER,
        "contrib left Airflow with 2.0; use the provider package, or `[core] airflow_dialect = 2`, with which the old paths lead there",
    ),
    make_row("airflow.dag_processing.bundles.manager", "*", LATER, SERVICES),
    make_row("airflow.dag_processing.collection", "*", LATER, SERVICES),
    make_row("airflow.dag_processing.manager", "*", LATER, SERVICES),
    make_row("airflow.dag_processing.processor", "*", LATER, SERVICES),
    make_row("airflow.datasets", "expand_alias_to_datasets", REFUSES, ASSETS),
    make_row("airflow.datasets.manager", "DatasetManager dataset_manager", REFUSES, ASSETS),
    make_row("airflow.executors.executor_loader", "*", LATER, EXECUTORS),
    make_row("airflow.executors.executor_utils", "*", LATER, EXECUTORS),
    make_row("airflow.executors.workloads", "*", LATER, EXECUTORS),
    make_row("airflow.executors.base_executor", "BaseExecutor", REFUSES, EXECUTORS),
    make_row("airflow.executors.debug_executor", "DebugExecutor", REFUSES, EXECUTORS),
    make_row("airflow.executors.local_executor", "LocalExecutor", REFUSES, EXECUTORS),
    make_row("airflow.executors.sequential_executor", "SequentialExecutor", REFUSES, EXECUTORS),
    make_row("airflow.hooks.dbapi", "DbApiHook", REFUSES, SQL),
    make_row("airflow.hooks.dbapi_hook", "DbApiHook", REFUSES, SQL),
    make_row("airflow.jobs", "*", LATER, f"{SERVICES} (`gnomon services`), and keeps no jobs; {CLEANING}"),
    make_row(
        "airflow.kubernetes",
        "*",
        LATER,
        "it left Airflow with 3.0; use the provider package cncf.kubernetes, and executor_config for the pods of the KubernetesExecutor",
    ),
    make_row("airflow.lineage", "AUTO apply_lineage prepare_lineage", WORD, LINEAGE),
    make_row("airflow.lineage.entities", "Column File Table Tag User", WORD, LINEAGE),
    make_row("airflow.metrics", "*", LATER, "the figures of Gnomon's services are at /metrics"),
    make_row("airflow.models.callback", "*", LATER, RECORDS),
    make_row(
        "airflow.models.deadline",
        "*",
        LATER,
        "the scheduler keeps deadlines itself; give `DAG(deadline=DeadlineAlert(...))` from airflow.sdk",
    ),
    make_row(
        "airflow.sdk.coordinators",
        "*",
        LATER,
        "tasks are Python; run another language by BashOperator, or in a container by the provider package cncf.kubernetes or docker",
    ),
    make_row(
        "airflow.sdk.execution_time.comms",
        "*",
        LATER,
        "the messages between a task and its worker are Gnomon's own; use the task context",
    ),
    make_row(
        "airflow.sdk.api.client",
        "*",
        LATER,
        "the messages between a task and its worker are Gnomon's own; use the task context",
    ),
    make_row("airflow.sdk.observability.stats", "Stats", WORD, "numbers of author code are not collected"),
    make_row("airflow.sentry", "*", LATER, "call sentry_sdk.init() in a plugin or a DAG file"),
    make_row(
        "airflow.serialization.serializers",
        "*",
        LATER,
        "a value of a type of your own needs serialize() and deserialize() of its class, which XComs use",
    ),
    make_row("airflow.settings", "STATE_COLORS", WORD, "the page has colours of its own"),
    make_row(
        "airflow.triggers.callback",
        "*",
        LATER,
        "the triggerer runs an AsyncCallback itself; give it to DeadlineAlert(callback=...)",
    ),
    make_row("airflow.utils.airflow_flask_app", "*", LATER, WEB),
    make_row("airflow.utils.code_utils", "*", LATER, "use inspect.getsource()"),
    make_row("airflow.utils.entry_points", "*", LATER, "use importlib.metadata.entry_points()"),
    make_row("airflow.utils.log.colored_log", "*", LATER, "logging is set up by Gnomon's options"),
    make_row("airflow.utils.log.log_reader", "*", LATER, "`gnomon tasks logs`, and the API, read logs"),
    make_row("airflow.utils.log.timezone_aware", "*", LATER, "logging is set up by Gnomon's options"),
    make_row("airflow.utils.orm_event_handlers", "*", LATER, SESSIONS),
    make_row("airflow.utils.serve_logs", "*", LATER, SERVICES),
    make_row("airflow.logging_config", "*", LATER, "logging is set up by Gnomon's options"),
    make_row("airflow.migrations", "*", LATER, "Gnomon has a schema of its own"),
    make_row("airflow.models", "DagRun", REFUSES, RUNS),
    make_row("airflow.models", "TaskInstance", REFUSES, TASK_INSTANCES),
    make_row("airflow.models", "DagModel DagTag", REFUSES, DAG_RECORDS),
    make_row("airflow.models", "Pool", REFUSES, POOLS),
    make_row(
        "airflow.models",
        "DagPickle DagWarning DbCallbackRequest ImportError Log RenderedTaskInstanceFields SlaMiss TaskFail TaskReschedule Trigger",
        REFUSES,
        RECORDS,
    ),
    make_row("airflow.models.asset", "AssetDagRunQueue AssetEvent AssetModel expand_alias_to_assets", REFUSES, ASSETS),
    make_row("airflow.models.base", "Base", WORD, "there are no tables to derive"),
    make_row("airflow.models.crypto", "get_fernet", REFUSES, "DAG files and tasks have no key of the store"),
    make_row("airflow.models.dag", "DagModel DagTag", REFUSES, DAG_RECORDS),
    make_row("airflow.models.dagrun", "DagRun", REFUSES, RUNS),
    make_row("airflow.models.dataset", "DatasetEvent DatasetModel", REFUSES, ASSETS),
    make_row(
        "airflow.models.errors",
        "ImportError ParseImportError",
        REFUSES,
        "the database is not open to DAG files and tasks; `gnomon dags errors` lists them",
    ),
    make_row("airflow.models.log", "Log", REFUSES, RECORDS),
    *(make_row(f"airflow.models.{name}", "*", LATER, RECORDS) for name in _RECORD_MODULES),
    make_row("airflow.models.pool", "Pool", REFUSES, POOLS),
    make_row("airflow.models.renderedtifields", "RenderedTaskInstanceFields", REFUSES, RECORDS),
    make_row(
        "airflow.models.serialized_dag",
        "SerializedDagModel",
        REFUSES,
        "the database is not open to DAG files and tasks; see `gnomon dags show`",
    ),
    make_row("airflow.models.slamiss", "SlaMiss", REFUSES, "SLAs left Airflow with 3.0; use `DAG(deadline=...)`"),
    make_row("airflow.models.taskinstance", "TaskInstance clear_task_instances", REFUSES, TASK_INSTANCES),
    make_row("airflow.models.xcom", "XComModel", REFUSES, RECORDS),
    make_row("airflow.models.taskreschedule", "TaskReschedule", REFUSES, RECORDS),
    make_row(
        "airflow.models.trigger",
        "Trigger",
        REFUSES,
        "the database is not open to DAG files and tasks; `gnomon explain` says what a deferred task waits for",
    ),
    make_row("airflow.operators.generic_transfer", "GenericTransfer", REFUSES, SQL),
    make_row(
        "airflow.operators.sql",
        "BranchSQLOperator SQLCheckOperator SQLExecuteQueryOperator SQLIntervalCheckOperator SQLValueCheckOperator",
        REFUSES,
        SQL,
    ),
    make_row(
        "airflow.observability.metrics.stats_utils",
        "get_stats_factory",
        WORD,
        "numbers of author code are not collected",
    ),
    make_row("airflow.operators.subdag", "SubDagOperator", REFUSES, SUBDAGS),
    make_row("airflow.operators.subdag_operator", "SubDagOperator", REFUSES, SUBDAGS),
    make_row("airflow.providers.common.compat.sdk", "Stats", WORD, "numbers of author code are not collected"),
    make_row(
        "airflow.sdk.execution_time.hitl",
        "get_hitl_detail_content_detail update_hitl_detail_response",
        REFUSES,
        HITL_DETAILS,
    ),
    make_row("airflow.sdk", "AssetAccessControl", WORD, TEAMS),
    make_row("airflow.sdk", "SecretCache", LATER, CACHE),
    make_row("airflow.sdk.definitions.asset", "AssetAccessControl", WORD, TEAMS),
    make_row("airflow.sdk.definitions.asset.access_control", "AssetAccessControl", WORD, TEAMS),
    make_row("airflow.sdk.execution_time.cache", "SecretCache", REFUSES, CACHE),
    make_row("airflow.sdk.state", "AssetScope BaseStoreBackend TaskScope", REFUSES, STATE),
    make_row(
        "airflow.security.permissions",
        "ACTION_CAN_DELETE ACTION_CAN_EDIT ACTION_CAN_READ RESOURCE_DAG",
        WORD,
        PERMISSIONS,
    ),
    make_row(
        "airflow.serialization.serialized_objects",
        "BaseSerialization SerializedBaseOperator SerializedDAG",
        REFUSES,
        "serialized DAGs are internal; see `gnomon dags show` for what is stored",
    ),
    make_row(
        "airflow.settings",
        "Session engine",
        REFUSES,
        "the database is not open to DAG files and tasks; use the task context, Variable and Connection",
    ),
    make_row("airflow.settings", "configure_orm", WORD, "there is no connection to the database to configure"),
    make_row("airflow.stats", "Stats", WORD, "numbers of author code are not collected"),
    make_row(
        "airflow.ti_deps.deps.base_ti_dep",
        "BaseTIDep",
        REFUSES,
        "what a task waits for is not extensible; use a sensor",
    ),
    make_row(
        "airflow.timetables._cron",
        "CronMixin",
        REFUSES,
        "it is internal to Airflow; subclass airflow.timetables.base.Timetable",
    ),
    make_row(
        "airflow.traces.tracer",
        "Trace",
        WORD,
        "it sends no spans; a task begins spans of its own from ti.context_carrier",
    ),
    make_row("airflow.utils.cli", "get_dag get_dags process_subdir", REFUSES, "use DagBag().get_dag()"),
    make_row("airflow.utils.db", "create_session provide_session", REFUSES, SESSIONS),
    make_row(
        "airflow.utils.db",
        "add_default_pool_if_not_exists check check_migrations create_default_connections downgrade initdb merge_conn resetdb synchronize_log_template upgradedb",
        REFUSES,
        DATABASE,
    ),
    make_row("airflow.utils.db_cleanup", "*", LATER, CLEANING),
    make_row(
        "airflow.utils.dot_renderer",
        "render_dag render_dag_dependencies",
        REFUSES,
        "the web page draws DAGs; `gnomon dependencies graph -o dot` writes the dependencies between them",
    ),
    make_row(
        "airflow.utils.process_utils",
        "execute_in_subprocess execute_in_subprocess_with_kwargs",
        REFUSES,
        "use subprocess.run",
    ),
    make_row("airflow.utils.log.file_task_handler", "FileTaskHandler", REFUSES, LOG_HANDLERS),
    make_row(
        "airflow.utils.log.file_task_handler",
        "LogMessages LogMetadata LogResponse LogSourceInfo RawLogStream StreamingLogResponse StructuredLogMessage",
        WORD,
        LOG_HANDLERS,
    ),
    make_row("airflow.utils.python_virtualenv", "write_python_script", REFUSES, VENV_SCRIPT),
    make_row("airflow.providers.standard.utils.python_virtualenv", "write_python_script", REFUSES, VENV_SCRIPT),
    make_row(
        "airflow.utils.retries",
        "retry_db_transaction run_with_db_retries",
        REFUSES,
        "the database is not open to DAG files and tasks; there is nothing to retry",
    ),
    make_row("airflow.utils.session", "NEW_SESSION create_session provide_session", REFUSES, SESSIONS),
    make_row(
        "airflow.utils.sqlalchemy",
        "UtcDateTime with_row_locks",
        REFUSES,
        "the database is not open to DAG files and tasks; there are no tables to derive",
    ),
    make_row(
        "airflow.triggers.shared_stream",
        "SharedStreamManager",
        LATER,
        "the triggerer opens shared streams; a trigger only says its key",
    ),
    *(
        make_row(f"airflow.www.{name}", "*", LATER, WWW)
        for name in ("app", "auth", "decorators", "extensions", "fab_security", "security", "views")
    ),
    make_row(
        "airflow.www.utils",
        "CustomSQLAInterface DagRunCustomSQLAInterface check_dag_warnings check_import_errors dag_link dag_run_link datetime_f datetime_html encode_dag_run "
        "format_map_index generate_pages get_dag_run_conf get_mapped_summary get_params json_f json_render make_cache_key nobr_f "
        "pygment_html_render render sorted_dag_runs state_f state_token task_instance_link wrapped_markdown",
        REFUSES,
        WWW,
    ),
    make_row("airflow.www.utils", "UIAlert", WORD, "Gnomon's web page shows no alerts of settings"),
)
