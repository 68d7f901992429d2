"""The names that are accepted without effect, raise on use, or cannot be imported yet, by module. Shared reasons come first."""

from __future__ import annotations

from gnomon.airflow_compat.coverage_row import CoverageRow, CoverageStatus, make_row

WORD, REFUSES, LATER = CoverageStatus.WORD, CoverageStatus.REFUSES, CoverageStatus.LATER

ASSET_WORDS = (
    "scheduling by assets is not supported yet: such a DAG runs only when it is triggered, and tasks record "
    "no asset events"
)
DRIVING = "DAG files and tasks do not drive the scheduler; use `gnomon dags trigger`"
SERVICES = "Gnomon has its own services"
PERMISSIONS = "permissions are not supported yet"
ASSETS = "scheduling by assets is not supported yet"
VIRTUALENV = "tasks in virtual environments are not supported yet; use BashOperator with that environment's python"
EXAMPLES = "of Airflow's examples only the workday timetable is part of Gnomon"
EXECUTORS = "executors are chosen by Gnomon's own options"
SQL = "it belongs to the common.sql provider"
OBJECT_STORAGE = "object storage paths are not supported yet; use the provider's hook or fsspec"
LINEAGE = "lineage is not collected"
LISTENERS = "listeners are not called yet"
LINKS = "links of tasks are not shown yet"
XCOM = "a task reads and writes XComs through ti.xcom_pull and ti.xcom_push; other back ends are not supported yet"
MAPPING = "dynamic task mapping is not supported yet; loop inside one task, or create tasks in a Python loop"
RUNS = (
    "the database is not open to DAG files and tasks; in a task use context['dag_run'], "
    "ti.get_previous_dagrun() and TaskInstance.get_dagrun_state()"
)
TASK_INSTANCES = (
    "the database is not open to DAG files and tasks; in a task use context['ti']; for counts and states of "
    "other tasks use airflow.sdk.TaskInstance.get_ti_count() and get_task_states()"
)
DAG_RECORDS = "the database is not open to DAG files and tasks; use the command `gnomon dags`"
POOLS = "the database is not open to DAG files and tasks; use `gnomon pools`"
RECORDS = "the database is not open to DAG files and tasks; use the `gnomon` commands to read such records"
ASSET_RECORDS = "the database is not open to DAG files and tasks; scheduling by assets is not supported yet"
SONG = "it only plays a song"
SUBDAGS = "SubDAGs left Airflow with 3.0; use a TaskGroup"
PARTITIONS = "partitioned assets and runs are not supported yet"
PEOPLE = "tasks that wait for a person are not supported yet"
STATE_STORES = "task and asset state stores are not supported yet"
DEADLINES = "deadlines are not supported yet"
RETRY_POLICIES = "retry policies are not supported yet; use retries, retry_delay and AirflowFailException"
CACHE = "secrets are not cached"
MASKING = "secrets are not hidden in logs yet"
SECRETS = "secrets back ends are not supported yet; set AIRFLOW_VAR_ and AIRFLOW_CONN_ variables"
SESSIONS = "DAG files and tasks have no session of the database; use the task context, Variable and Connection"

ROWS: tuple[CoverageRow, ...] = (
    make_row("airflow.sdk", "BaseOperatorLink", WORD, LINKS),
    make_row("airflow", "Asset Dataset", WORD, ASSET_WORDS),
    make_row("airflow.api.client.local_client", "Client", REFUSES, DRIVING),
    make_row("airflow.api.common.trigger_dag", "trigger_dag", REFUSES, DRIVING),
    make_row("airflow.api_fastapi", "*", LATER, SERVICES),
    make_row("airflow.assets", "Asset AssetAlias AssetAll AssetAny", WORD, ASSET_WORDS),
    make_row("airflow.auth", "*", LATER, PERMISSIONS),
    make_row("airflow.callbacks", "*", LATER, "it is internal to Airflow"),
    make_row("airflow.cli", "*", LATER, "Gnomon's commands are `gnomon ...`"),
    make_row("airflow.config_templates", "*", LATER, "options are listed by `gnomon config list`"),
    make_row("airflow.contrib", "*", LATER, "contrib left Airflow with 2.0; use the provider package"),
    make_row(
        "airflow.dag_processing",
        "*",
        LATER,
        "Gnomon's services are not Airflow's; for tests of DAG files use airflow.models.DagBag",
    ),
    make_row("airflow.datasets", "Dataset DatasetAlias DatasetAll DatasetAny", WORD, ASSET_WORDS),
    make_row("airflow.datasets", "expand_alias_to_datasets", REFUSES, ASSETS),
    make_row("airflow.datasets.manager", "DatasetManager dataset_manager", REFUSES, ASSETS),
    make_row("airflow.datasets.metadata", "Metadata", WORD, ASSET_WORDS),
    make_row("airflow.decorators.branch_external_python", "*", LATER, VIRTUALENV),
    make_row("airflow.decorators.branch_virtualenv", "*", LATER, VIRTUALENV),
    make_row("airflow.decorators.external_python", "*", LATER, VIRTUALENV),
    make_row("airflow.decorators.python_virtualenv", "*", LATER, VIRTUALENV),
    make_row("airflow.decorators.virtualenv", "*", LATER, VIRTUALENV),
    make_row("airflow.decorators.base", "DecoratedMappedOperator", REFUSES, MAPPING),
    make_row("airflow.example_dags.plugins.business_day_window", "*", LATER, EXAMPLES),
    make_row("airflow.example_dags.plugins.custom_partition_mapper", "*", LATER, EXAMPLES),
    make_row("airflow.example_dags.plugins.custom_partition_timetable", "*", LATER, EXAMPLES),
    make_row("airflow.example_dags.plugins.decreasing_priority_weight_strategy", "*", LATER, EXAMPLES),
    make_row("airflow.example_dags.plugins.event_listener", "*", LATER, EXAMPLES),
    make_row("airflow.example_dags.plugins.listener_plugin", "*", LATER, EXAMPLES),
    make_row("airflow.executors.base_executor", "BaseExecutor", REFUSES, EXECUTORS),
    make_row("airflow.executors.debug_executor", "DebugExecutor", REFUSES, EXECUTORS),
    make_row("airflow.executors.local_executor", "LocalExecutor", REFUSES, EXECUTORS),
    make_row("airflow.executors.sequential_executor", "SequentialExecutor", REFUSES, EXECUTORS),
    make_row("airflow.hooks.dbapi", "DbApiHook", REFUSES, SQL),
    make_row("airflow.hooks.dbapi_hook", "DbApiHook", REFUSES, SQL),
    make_row("airflow.io", "get_fs", REFUSES, OBJECT_STORAGE),
    make_row("airflow.io.path", "ObjectStoragePath", REFUSES, OBJECT_STORAGE),
    make_row("airflow.io.storage", "ObjectStore attach", REFUSES, OBJECT_STORAGE),
    make_row("airflow.io.store", "ObjectStore attach", REFUSES, OBJECT_STORAGE),
    make_row("airflow.jobs", "*", LATER, SERVICES),
    make_row("airflow.kubernetes", "*", LATER, "Kubernetes is not supported yet"),
    make_row("airflow.lineage", "apply_lineage prepare_lineage", WORD, LINEAGE),
    make_row("airflow.lineage.entities", "Column File Table User", WORD, LINEAGE),
    make_row(
        "airflow.lineage.hook",
        "AssetLineageInfo HookLineage HookLineageCollector HookLineageReader NoOpCollector get_hook_lineage_collector",
        WORD,
        LINEAGE,
    ),
    make_row("airflow.listeners", "hookimpl", WORD, LISTENERS),
    make_row("airflow.listeners.listener", "get_listener_manager", REFUSES, LISTENERS),
    make_row("airflow.logging_config", "*", LATER, "logging is set up by Gnomon's options"),
    make_row("airflow.migrations", "*", LATER, "Gnomon has a schema of its own"),
    make_row("airflow.models", "BaseOperatorLink", WORD, LINKS),
    make_row("airflow.models", "XCom", REFUSES, XCOM),
    make_row("airflow.models", "MappedOperator", REFUSES, MAPPING),
    make_row("airflow.models", "DagRun", REFUSES, RUNS),
    make_row("airflow.models", "TaskInstance", REFUSES, TASK_INSTANCES),
    make_row("airflow.models", "DagModel DagTag", REFUSES, DAG_RECORDS),
    make_row("airflow.models", "Pool", REFUSES, POOLS),
    make_row(
        "airflow.models",
        "ImportError Log RenderedTaskInstanceFields SlaMiss TaskFail TaskReschedule Trigger",
        REFUSES,
        RECORDS,
    ),
    make_row("airflow.models.asset", "AssetDagRunQueue AssetEvent AssetModel", REFUSES, ASSET_RECORDS),
    make_row("airflow.models.base", "Base", WORD, "there are no tables to derive"),
    make_row("airflow.models.baseoperator", "BaseOperatorLink", WORD, LINKS),
    make_row("airflow.models.baseoperatorlink", "BaseOperatorLink", WORD, LINKS),
    make_row("airflow.models.crypto", "get_fernet", REFUSES, "DAG files and tasks have no key of the store"),
    make_row("airflow.models.dag", "DagModel DagTag", REFUSES, DAG_RECORDS),
    make_row("airflow.models.dagrun", "DagRun", REFUSES, RUNS),
    make_row("airflow.models.dataset", "DatasetEvent DatasetModel", REFUSES, ASSET_RECORDS),
    make_row(
        "airflow.models.errors",
        "ImportError ParseImportError",
        REFUSES,
        "the database is not open to DAG files and tasks; `gnomon dags errors` lists them",
    ),
    make_row("airflow.models.expandinput", "MappedArgument", WORD, MAPPING),
    make_row("airflow.models.log", "Log", REFUSES, RECORDS),
    make_row("airflow.models.mappedoperator", "MappedOperator OperatorPartial", REFUSES, MAPPING),
    make_row("airflow.models.pool", "Pool", REFUSES, POOLS),
    make_row("airflow.models.renderedtifields", "RenderedTaskInstanceFields", REFUSES, RECORDS),
    make_row(
        "airflow.models.serialized_dag",
        "SerializedDagModel",
        REFUSES,
        "the database is not open to DAG files and tasks; see `gnomon dags show`",
    ),
    make_row("airflow.models.slamiss", "SlaMiss", REFUSES, "SLAs left Airflow with 3.0; deadlines are not supported yet"),
    make_row("airflow.models.taskinstance", "TaskInstance clear_task_instances", REFUSES, TASK_INSTANCES),
    make_row("airflow.models.taskreschedule", "TaskReschedule", REFUSES, RECORDS),
    make_row(
        "airflow.models.trigger",
        "Trigger",
        REFUSES,
        "the database is not open to DAG files and tasks; `gnomon explain` says what a deferred task waits for",
    ),
    make_row("airflow.models.xcom", "BaseXCom XCom", REFUSES, XCOM),
    make_row(
        "airflow.operators.email",
        "EmailOperator",
        REFUSES,
        "mail operators are not supported yet; call airflow.utils.email.send_email in a Python task",
    ),
    make_row("airflow.operators.generic_transfer", "GenericTransfer", REFUSES, SQL),
    make_row(
        "airflow.operators.python",
        "BranchExternalPythonOperator BranchPythonVirtualenvOperator ExternalPythonOperator "
        "PythonVirtualenvOperator",
        REFUSES,
        VIRTUALENV,
    ),
    make_row("airflow.operators.smooth", "*", LATER, SONG),
    make_row(
        "airflow.operators.sql",
        "BranchSQLOperator SQLCheckOperator SQLExecuteQueryOperator SQLIntervalCheckOperator "
        "SQLValueCheckOperator",
        REFUSES,
        SQL,
    ),
    make_row("airflow.operators.subdag", "SubDagOperator", REFUSES, SUBDAGS),
    make_row("airflow.operators.subdag_operator", "SubDagOperator", REFUSES, SUBDAGS),
    make_row("airflow.operators.trigger_dagrun", "TriggerDagRunLink", WORD, LINKS),
    make_row("airflow.partition_mappers.base", "PartitionMapper", REFUSES, PARTITIONS),
    make_row("airflow.partition_mappers.window", "Window", REFUSES, PARTITIONS),
    make_row(
        "airflow.plugins_manager",
        "AirflowPlugin",
        WORD,
        "of a plugin, its timetables are used so far; `gnomon plugins list` shows what else it brings",
    ),
    make_row("airflow.policies", "hookimpl", WORD, "policies are not called yet"),
    make_row("airflow.providers.standard.decorators.branch_external_python", "*", LATER, VIRTUALENV),
    make_row("airflow.providers.standard.decorators.branch_virtualenv", "*", LATER, VIRTUALENV),
    make_row("airflow.providers.standard.decorators.external_python", "*", LATER, VIRTUALENV),
    make_row("airflow.providers.standard.decorators.python_virtualenv", "*", LATER, VIRTUALENV),
    make_row("airflow.providers.standard.decorators.stub", "*", LATER, "tasks in other languages are not supported yet"),
    make_row("airflow.providers.standard.decorators.virtualenv", "*", LATER, VIRTUALENV),
    make_row("airflow.providers.standard.hooks.package_index", "*", LATER, VIRTUALENV),
    make_row(
        "airflow.providers.standard.operators.hitl",
        "ApprovalOperator HITLBranchOperator HITLEntryOperator HITLOperator",
        REFUSES,
        PEOPLE,
    ),
    make_row(
        "airflow.providers.standard.operators.python",
        "BranchExternalPythonOperator BranchPythonVirtualenvOperator ExternalPythonOperator "
        "PythonVirtualenvOperator",
        REFUSES,
        VIRTUALENV,
    ),
    make_row("airflow.providers.standard.operators.smooth", "*", LATER, SONG),
    make_row("airflow.providers.standard.operators.trigger_dagrun", "TriggerDagRunLink", WORD, LINKS),
    make_row("airflow.providers.standard.sensors.external_task", "ExternalDagLink ExternalTaskSensorLink", WORD, LINKS),
    make_row("airflow.providers.standard.triggers.hitl", "HITLTrigger", REFUSES, PEOPLE),
    make_row(
        "airflow.sdk",
        "Asset AssetAccessControl AssetAlias AssetAll AssetAny AssetWatcher Metadata",
        WORD,
        ASSET_WORDS,
    ),
    make_row("airflow.sdk", "NEVER_EXPIRE", WORD, STATE_STORES),
    make_row(
        "airflow.sdk",
        "AsyncCallback BaseDeadlineReference DeadlineAlert DeadlineReference SyncCallback deadline_reference",
        REFUSES,
        DEADLINES,
    ),
    make_row(
        "airflow.sdk",
        "AllowedKeyMapper ChainMapper CronPartitionTimetable DayWindow FanOutMapper FixedKeyMapper HourWindow "
        "IdentityMapper MinimumCount MonthWindow PartitionMapper PartitionedAssetTimetable "
        "PartitionedAtRuntime ProductMapper QuarterWindow RollupMapper SegmentWindow StartOfDayMapper "
        "StartOfHourMapper StartOfMonthMapper StartOfQuarterMapper StartOfWeekMapper StartOfYearMapper "
        "WaitForAll WaitPolicy WeekWindow Window YearWindow",
        REFUSES,
        PARTITIONS,
    ),
    make_row("airflow.sdk", "ExceptionRetryPolicy RetryAction RetryDecision RetryPolicy RetryRule", REFUSES, RETRY_POLICIES),
    make_row("airflow.sdk", "ResumableJobMixin", LATER, STATE_STORES),
    make_row("airflow.sdk", "AssetOrTimeSchedule asset", REFUSES, ASSETS),
    make_row("airflow.sdk", "ObjectStoragePath", REFUSES, OBJECT_STORAGE),
    make_row("airflow.sdk", "lineage", WORD, LINEAGE),
    make_row("airflow.sdk", "BaseXCom", REFUSES, XCOM),
    make_row("airflow.sdk", "result", LATER, "the result of a run is not supported yet"),
    make_row("airflow.sdk", "SecretCache", LATER, CACHE),
    make_row("airflow.sdk.bases.decorator", "DecoratedMappedOperator", REFUSES, MAPPING),
    make_row("airflow.sdk.bases.operatorlink", "BaseOperatorLink", WORD, LINKS),
    make_row("airflow.sdk.bases.xcom", "BaseXCom", REFUSES, XCOM),
    make_row(
        "airflow.sdk.definitions.asset",
        "Asset AssetAccessControl AssetAlias AssetAll AssetAny AssetRef AssetWatcher BaseAsset Dataset Model",
        WORD,
        ASSET_WORDS,
    ),
    make_row("airflow.sdk.definitions.asset.metadata", "Metadata", WORD, ASSET_WORDS),
    make_row("airflow.sdk.definitions.callback", "AsyncCallback SyncCallback", REFUSES, DEADLINES),
    make_row(
        "airflow.sdk.definitions.deadline",
        "BaseDeadlineReference DeadlineAlert DeadlineReference VariableInterval deadline_reference",
        REFUSES,
        DEADLINES,
    ),
    make_row("airflow.sdk.definitions.mappedoperator", "MappedOperator OperatorPartial", REFUSES, MAPPING),
    make_row(
        "airflow.sdk.definitions.retry_policy",
        "ExceptionRetryPolicy RetryAction RetryDecision RetryPolicy RetryRule",
        REFUSES,
        RETRY_POLICIES,
    ),
    make_row("airflow.sdk.execution_time.cache", "SecretCache", REFUSES, CACHE),
    make_row("airflow.sdk.execution_time.context", "NEVER_EXPIRE", WORD, STATE_STORES),
    make_row("airflow.sdk.execution_time.xcom", "BaseXCom XCom", REFUSES, XCOM),
    make_row("airflow.sdk.io", "ObjectStoragePath attach get_fs", REFUSES, OBJECT_STORAGE),
    make_row("airflow.sdk.io.path", "ObjectStoragePath", REFUSES, OBJECT_STORAGE),
    make_row(
        "airflow.sdk.lineage",
        "AssetLineageInfo HookLineage HookLineageCollector HookLineageReader NoOpCollector get_hook_lineage_collector",
        WORD,
        LINEAGE,
    ),
    make_row("airflow.sdk.log", "mask_secret", WORD, MASKING),
    make_row("airflow.secrets", "BaseSecretsBackend", REFUSES, SECRETS),
    make_row("airflow.secrets.local_filesystem", "LocalFilesystemBackend", REFUSES, SECRETS),
    make_row(
        "airflow.security.permissions",
        "ACTION_CAN_DELETE ACTION_CAN_EDIT ACTION_CAN_READ RESOURCE_DAG",
        WORD,
        PERMISSIONS,
    ),
    make_row("airflow.sensors.external_task", "ExternalDagLink ExternalTaskSensorLink", WORD, LINKS),
    make_row(
        "airflow.serialization.serde",
        "deserialize serialize",
        REFUSES,
        "XComs are typed JSON; see the reference of XComs",
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
    make_row("airflow.stats", "Stats", WORD, "numbers of author code are not collected"),
    make_row(
        "airflow.task.priority_strategy",
        "PriorityWeightStrategy",
        REFUSES,
        "priority strategies of one's own are not supported yet; use weight_rule downstream, upstream or absolute",
    ),
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
    make_row("airflow.timetables.assets", "AssetOrTimeSchedule", REFUSES, ASSETS),
    make_row("airflow.timetables.datasets", "DatasetOrTimeSchedule", REFUSES, ASSETS),
    make_row("airflow.timetables.simple", "AssetTriggeredTimetable DatasetTriggeredTimetable", REFUSES, ASSETS),
    make_row("airflow.timetables.trigger", "CronPartitionTimetable", REFUSES, PARTITIONS),
    make_row("airflow.traces.tracer", "Trace", WORD, "traces are not collected"),
    make_row("airflow.utils.cli", "get_dag", REFUSES, "use DagBag().get_dag()"),
    make_row("airflow.utils.db", "create_session provide_session", REFUSES, SESSIONS),
    make_row(
        "airflow.utils.dot_renderer",
        "render_dag render_dag_dependencies",
        REFUSES,
        "pictures of DAGs are not drawn yet",
    ),
    make_row("airflow.utils.log.secrets_masker", "mask_secret", WORD, MASKING),
    make_row("airflow.utils.operator_resources", "Resources", WORD, "tasks are not placed by resources"),
    make_row(
        "airflow.utils.process_utils",
        "execute_in_subprocess execute_in_subprocess_with_kwargs",
        REFUSES,
        "use subprocess.run",
    ),
    make_row("airflow.utils.python_virtualenv", "prepare_virtualenv write_python_script", REFUSES, VIRTUALENV),
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
        "airflow.triggers.shared_stream", "*", LATER,
        "no asset is watched yet, so there are no streams that triggers share; BaseEventTrigger has their methods",
    ),
    make_row("airflow.utils.task_group", "MappedTaskGroup", REFUSES, MAPPING),
    make_row("airflow.www", "*", LATER, "Airflow's web application is not here"),
)
