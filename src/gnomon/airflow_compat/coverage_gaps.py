"""The names that are words only, raise on use, or are not there yet, by module. Reasons that rows share stand first."""

from __future__ import annotations

from gnomon.airflow_compat.row import Row, Status, row

WORD, REFUSES, LATER = Status.WORD, Status.REFUSES, Status.LATER

ASSET_WORDS = (
    "scheduling by assets is not supported yet: such a DAG runs only when it is triggered, and tasks record "
    "no asset events"
)
DRIVING = "DAG files and tasks do not drive the scheduler; use `gnomon dags trigger`"
SERVICES = "Gnomon's services are not Airflow's"
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
    "the database is not open to DAG files and tasks; in a task ask context['dag_run'], "
    "ti.get_previous_dagrun() and TaskInstance.get_dagrun_state()"
)
TASK_INSTANCES = (
    "the database is not open to DAG files and tasks; in a task ask context['ti']; for counts and states of "
    "others airflow.sdk.TaskInstance.get_ti_count() and get_task_states()"
)
DAG_RECORDS = (
    "the database is not open to DAG files and tasks; the command `gnomon dags` and the store's own commands "
    "tell and change it"
)
POOLS = "the database is not open to DAG files and tasks; `gnomon pools` tells and changes pools"
RECORDS = "the database is not open to DAG files and tasks; such records are read through the commands"
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
SESSIONS = "DAG files and tasks have no session of the database; ask through the context, Variable and Connection"

ROWS: tuple[Row, ...] = (
    row("airflow.sdk", "BaseOperatorLink", WORD, LINKS),
    row("airflow", "Asset Dataset", WORD, ASSET_WORDS),
    row("airflow.api.client.local_client", "Client", REFUSES, DRIVING),
    row("airflow.api.common.trigger_dag", "trigger_dag", REFUSES, DRIVING),
    row("airflow.api_fastapi", "*", LATER, SERVICES),
    row("airflow.assets", "Asset AssetAlias AssetAll AssetAny", WORD, ASSET_WORDS),
    row("airflow.auth", "*", LATER, PERMISSIONS),
    row("airflow.callbacks", "*", LATER, "it is internal to Airflow"),
    row("airflow.cli", "*", LATER, "Gnomon's commands are `gnomon ...`"),
    row("airflow.config_templates", "*", LATER, "options are listed by `gnomon config list`"),
    row("airflow.contrib", "*", LATER, "contrib left Airflow with 2.0; use the provider package"),
    row(
        "airflow.dag_processing",
        "*",
        LATER,
        "Gnomon's services are not Airflow's; for tests of DAG files use airflow.models.DagBag",
    ),
    row("airflow.datasets", "Dataset DatasetAlias DatasetAll DatasetAny", WORD, ASSET_WORDS),
    row("airflow.datasets", "expand_alias_to_datasets", REFUSES, ASSETS),
    row("airflow.datasets.manager", "DatasetManager dataset_manager", REFUSES, ASSETS),
    row("airflow.datasets.metadata", "Metadata", WORD, ASSET_WORDS),
    row("airflow.decorators.branch_external_python", "*", LATER, VIRTUALENV),
    row("airflow.decorators.branch_virtualenv", "*", LATER, VIRTUALENV),
    row("airflow.decorators.external_python", "*", LATER, VIRTUALENV),
    row("airflow.decorators.python_virtualenv", "*", LATER, VIRTUALENV),
    row("airflow.decorators.virtualenv", "*", LATER, VIRTUALENV),
    row("airflow.decorators.base", "DecoratedMappedOperator", REFUSES, MAPPING),
    row("airflow.example_dags.plugins.business_day_window", "*", LATER, EXAMPLES),
    row("airflow.example_dags.plugins.custom_partition_mapper", "*", LATER, EXAMPLES),
    row("airflow.example_dags.plugins.custom_partition_timetable", "*", LATER, EXAMPLES),
    row("airflow.example_dags.plugins.decreasing_priority_weight_strategy", "*", LATER, EXAMPLES),
    row("airflow.example_dags.plugins.event_listener", "*", LATER, EXAMPLES),
    row("airflow.example_dags.plugins.listener_plugin", "*", LATER, EXAMPLES),
    row("airflow.executors.base_executor", "BaseExecutor", REFUSES, EXECUTORS),
    row("airflow.executors.debug_executor", "DebugExecutor", REFUSES, EXECUTORS),
    row("airflow.executors.local_executor", "LocalExecutor", REFUSES, EXECUTORS),
    row("airflow.executors.sequential_executor", "SequentialExecutor", REFUSES, EXECUTORS),
    row("airflow.hooks.dbapi", "DbApiHook", REFUSES, SQL),
    row("airflow.hooks.dbapi_hook", "DbApiHook", REFUSES, SQL),
    row("airflow.io", "get_fs", REFUSES, OBJECT_STORAGE),
    row("airflow.io.path", "ObjectStoragePath", REFUSES, OBJECT_STORAGE),
    row("airflow.io.storage", "ObjectStore attach", REFUSES, OBJECT_STORAGE),
    row("airflow.io.store", "ObjectStore attach", REFUSES, OBJECT_STORAGE),
    row("airflow.jobs", "*", LATER, SERVICES),
    row("airflow.kubernetes", "*", LATER, "Kubernetes is not supported yet"),
    row("airflow.lineage", "apply_lineage prepare_lineage", WORD, LINEAGE),
    row("airflow.lineage.entities", "Column File Table User", WORD, LINEAGE),
    row(
        "airflow.lineage.hook",
        "AssetLineageInfo HookLineage HookLineageCollector HookLineageReader NoOpCollector get_hook_lineage_collector",
        WORD,
        LINEAGE,
    ),
    row("airflow.listeners", "hookimpl", WORD, LISTENERS),
    row("airflow.listeners.listener", "get_listener_manager", REFUSES, LISTENERS),
    row("airflow.logging_config", "*", LATER, "logging is set up by Gnomon's options"),
    row("airflow.migrations", "*", LATER, "Gnomon has a schema of its own"),
    row("airflow.models", "BaseOperatorLink", WORD, LINKS),
    row("airflow.models", "XCom", REFUSES, XCOM),
    row("airflow.models", "MappedOperator", REFUSES, MAPPING),
    row("airflow.models", "DagRun", REFUSES, RUNS),
    row("airflow.models", "TaskInstance", REFUSES, TASK_INSTANCES),
    row("airflow.models", "DagModel DagTag", REFUSES, DAG_RECORDS),
    row("airflow.models", "Pool", REFUSES, POOLS),
    row(
        "airflow.models",
        "ImportError Log RenderedTaskInstanceFields SlaMiss TaskFail TaskReschedule Trigger",
        REFUSES,
        RECORDS,
    ),
    row("airflow.models.asset", "AssetDagRunQueue AssetEvent AssetModel", REFUSES, ASSET_RECORDS),
    row("airflow.models.base", "Base", WORD, "there are no tables to derive"),
    row("airflow.models.baseoperator", "BaseOperatorLink", WORD, LINKS),
    row("airflow.models.baseoperatorlink", "BaseOperatorLink", WORD, LINKS),
    row("airflow.models.crypto", "get_fernet", REFUSES, "DAG files and tasks have no key of the store"),
    row("airflow.models.dag", "DagModel DagTag", REFUSES, DAG_RECORDS),
    row("airflow.models.dagrun", "DagRun", REFUSES, RUNS),
    row("airflow.models.dataset", "DatasetEvent DatasetModel", REFUSES, ASSET_RECORDS),
    row(
        "airflow.models.errors",
        "ImportError ParseImportError",
        REFUSES,
        "the database is not open to DAG files and tasks; `gnomon dags errors` lists them",
    ),
    row("airflow.models.expandinput", "MappedArgument", WORD, MAPPING),
    row("airflow.models.log", "Log", REFUSES, RECORDS),
    row("airflow.models.mappedoperator", "MappedOperator OperatorPartial", REFUSES, MAPPING),
    row("airflow.models.pool", "Pool", REFUSES, POOLS),
    row("airflow.models.renderedtifields", "RenderedTaskInstanceFields", REFUSES, RECORDS),
    row(
        "airflow.models.serialized_dag",
        "SerializedDagModel",
        REFUSES,
        "the database is not open to DAG files and tasks; `gnomon dags show` tells what is stored",
    ),
    row("airflow.models.slamiss", "SlaMiss", REFUSES, "SLAs left Airflow with 3.0; deadlines are not supported yet"),
    row("airflow.models.taskinstance", "TaskInstance clear_task_instances", REFUSES, TASK_INSTANCES),
    row("airflow.models.taskreschedule", "TaskReschedule", REFUSES, RECORDS),
    row(
        "airflow.models.trigger",
        "Trigger",
        REFUSES,
        "the database is not open to DAG files and tasks; `gnomon explain` says what a deferred task waits for",
    ),
    row("airflow.models.xcom", "BaseXCom XCom", REFUSES, XCOM),
    row(
        "airflow.operators.email",
        "EmailOperator",
        REFUSES,
        "mail operators are not supported yet; call airflow.utils.email.send_email in a Python task",
    ),
    row("airflow.operators.generic_transfer", "GenericTransfer", REFUSES, SQL),
    row(
        "airflow.operators.python",
        "BranchExternalPythonOperator BranchPythonVirtualenvOperator ExternalPythonOperator "
        "PythonVirtualenvOperator",
        REFUSES,
        VIRTUALENV,
    ),
    row("airflow.operators.smooth", "*", LATER, SONG),
    row(
        "airflow.operators.sql",
        "BranchSQLOperator SQLCheckOperator SQLExecuteQueryOperator SQLIntervalCheckOperator "
        "SQLValueCheckOperator",
        REFUSES,
        SQL,
    ),
    row("airflow.operators.subdag", "SubDagOperator", REFUSES, SUBDAGS),
    row("airflow.operators.subdag_operator", "SubDagOperator", REFUSES, SUBDAGS),
    row("airflow.operators.trigger_dagrun", "TriggerDagRunLink", WORD, LINKS),
    row("airflow.partition_mappers.base", "PartitionMapper", REFUSES, PARTITIONS),
    row("airflow.partition_mappers.window", "Window", REFUSES, PARTITIONS),
    row(
        "airflow.plugins_manager",
        "AirflowPlugin",
        WORD,
        "of a plugin, its timetables are used so far; `gnomon plugins list` shows what else it brings",
    ),
    row("airflow.policies", "hookimpl", WORD, "policies are not called yet"),
    row("airflow.providers.standard.decorators.branch_external_python", "*", LATER, VIRTUALENV),
    row("airflow.providers.standard.decorators.branch_virtualenv", "*", LATER, VIRTUALENV),
    row("airflow.providers.standard.decorators.external_python", "*", LATER, VIRTUALENV),
    row("airflow.providers.standard.decorators.python_virtualenv", "*", LATER, VIRTUALENV),
    row("airflow.providers.standard.decorators.stub", "*", LATER, "tasks in other languages are not supported yet"),
    row("airflow.providers.standard.decorators.virtualenv", "*", LATER, VIRTUALENV),
    row("airflow.providers.standard.hooks.package_index", "*", LATER, VIRTUALENV),
    row(
        "airflow.providers.standard.operators.hitl",
        "ApprovalOperator HITLBranchOperator HITLEntryOperator HITLOperator",
        REFUSES,
        PEOPLE,
    ),
    row(
        "airflow.providers.standard.operators.python",
        "BranchExternalPythonOperator BranchPythonVirtualenvOperator ExternalPythonOperator "
        "PythonVirtualenvOperator",
        REFUSES,
        VIRTUALENV,
    ),
    row("airflow.providers.standard.operators.smooth", "*", LATER, SONG),
    row("airflow.providers.standard.operators.trigger_dagrun", "TriggerDagRunLink", WORD, LINKS),
    row("airflow.providers.standard.sensors.external_task", "ExternalDagLink ExternalTaskSensorLink", WORD, LINKS),
    row("airflow.providers.standard.triggers.hitl", "HITLTrigger", REFUSES, PEOPLE),
    row(
        "airflow.sdk",
        "Asset AssetAccessControl AssetAlias AssetAll AssetAny AssetWatcher Metadata",
        WORD,
        ASSET_WORDS,
    ),
    row("airflow.sdk", "NEVER_EXPIRE", WORD, STATE_STORES),
    row(
        "airflow.sdk",
        "AsyncCallback BaseDeadlineReference DeadlineAlert DeadlineReference SyncCallback deadline_reference",
        REFUSES,
        DEADLINES,
    ),
    row(
        "airflow.sdk",
        "AllowedKeyMapper ChainMapper CronPartitionTimetable DayWindow FanOutMapper FixedKeyMapper HourWindow "
        "IdentityMapper MinimumCount MonthWindow PartitionMapper PartitionedAssetTimetable "
        "PartitionedAtRuntime ProductMapper QuarterWindow RollupMapper SegmentWindow StartOfDayMapper "
        "StartOfHourMapper StartOfMonthMapper StartOfQuarterMapper StartOfWeekMapper StartOfYearMapper "
        "WaitForAll WaitPolicy WeekWindow Window YearWindow",
        REFUSES,
        PARTITIONS,
    ),
    row("airflow.sdk", "ExceptionRetryPolicy RetryAction RetryDecision RetryPolicy RetryRule", REFUSES, RETRY_POLICIES),
    row("airflow.sdk", "ResumableJobMixin", LATER, STATE_STORES),
    row("airflow.sdk", "AssetOrTimeSchedule asset", REFUSES, ASSETS),
    row("airflow.sdk", "ObjectStoragePath", REFUSES, OBJECT_STORAGE),
    row("airflow.sdk", "lineage", WORD, LINEAGE),
    row("airflow.sdk", "BaseXCom", REFUSES, XCOM),
    row("airflow.sdk", "result", LATER, "the result of a run is not supported yet"),
    row("airflow.sdk", "SecretCache", LATER, CACHE),
    row("airflow.sdk.bases.decorator", "DecoratedMappedOperator", REFUSES, MAPPING),
    row("airflow.sdk.bases.operatorlink", "BaseOperatorLink", WORD, LINKS),
    row("airflow.sdk.bases.xcom", "BaseXCom", REFUSES, XCOM),
    row(
        "airflow.sdk.definitions.asset",
        "Asset AssetAccessControl AssetAlias AssetAll AssetAny AssetRef AssetWatcher BaseAsset Dataset Model",
        WORD,
        ASSET_WORDS,
    ),
    row("airflow.sdk.definitions.asset.metadata", "Metadata", WORD, ASSET_WORDS),
    row("airflow.sdk.definitions.callback", "AsyncCallback SyncCallback", REFUSES, DEADLINES),
    row(
        "airflow.sdk.definitions.deadline",
        "BaseDeadlineReference DeadlineAlert DeadlineReference VariableInterval deadline_reference",
        REFUSES,
        DEADLINES,
    ),
    row("airflow.sdk.definitions.mappedoperator", "MappedOperator OperatorPartial", REFUSES, MAPPING),
    row(
        "airflow.sdk.definitions.retry_policy",
        "ExceptionRetryPolicy RetryAction RetryDecision RetryPolicy RetryRule",
        REFUSES,
        RETRY_POLICIES,
    ),
    row("airflow.sdk.execution_time.cache", "SecretCache", REFUSES, CACHE),
    row("airflow.sdk.execution_time.context", "NEVER_EXPIRE", WORD, STATE_STORES),
    row("airflow.sdk.execution_time.xcom", "BaseXCom XCom", REFUSES, XCOM),
    row("airflow.sdk.io", "ObjectStoragePath attach get_fs", REFUSES, OBJECT_STORAGE),
    row("airflow.sdk.io.path", "ObjectStoragePath", REFUSES, OBJECT_STORAGE),
    row(
        "airflow.sdk.lineage",
        "AssetLineageInfo HookLineage HookLineageCollector HookLineageReader NoOpCollector get_hook_lineage_collector",
        WORD,
        LINEAGE,
    ),
    row("airflow.sdk.log", "mask_secret", WORD, MASKING),
    row("airflow.secrets", "BaseSecretsBackend", REFUSES, SECRETS),
    row("airflow.secrets.local_filesystem", "LocalFilesystemBackend", REFUSES, SECRETS),
    row(
        "airflow.security.permissions",
        "ACTION_CAN_DELETE ACTION_CAN_EDIT ACTION_CAN_READ RESOURCE_DAG",
        WORD,
        PERMISSIONS,
    ),
    row("airflow.sensors.external_task", "ExternalDagLink ExternalTaskSensorLink", WORD, LINKS),
    row(
        "airflow.serialization.serde",
        "deserialize serialize",
        REFUSES,
        "XComs are typed JSON; see the reference of XComs",
    ),
    row(
        "airflow.serialization.serialized_objects",
        "BaseSerialization SerializedBaseOperator SerializedDAG",
        REFUSES,
        "`gnomon dags show` tells what is stored",
    ),
    row(
        "airflow.settings",
        "Session engine",
        REFUSES,
        "the database is not open to DAG files and tasks; ask through the context, Variable and Connection",
    ),
    row("airflow.stats", "Stats", WORD, "numbers of author code are not collected"),
    row(
        "airflow.task.priority_strategy",
        "PriorityWeightStrategy",
        REFUSES,
        "priority strategies of one's own are not supported yet; use weight_rule downstream, upstream or absolute",
    ),
    row(
        "airflow.ti_deps.deps.base_ti_dep",
        "BaseTIDep",
        REFUSES,
        "what a task waits for is not extensible; use a sensor",
    ),
    row(
        "airflow.timetables._cron",
        "CronMixin",
        REFUSES,
        "it is internal to Airflow; subclass airflow.timetables.base.Timetable",
    ),
    row("airflow.timetables.assets", "AssetOrTimeSchedule", REFUSES, ASSETS),
    row("airflow.timetables.datasets", "DatasetOrTimeSchedule", REFUSES, ASSETS),
    row("airflow.timetables.simple", "AssetTriggeredTimetable DatasetTriggeredTimetable", REFUSES, ASSETS),
    row("airflow.timetables.trigger", "CronPartitionTimetable", REFUSES, PARTITIONS),
    row("airflow.traces.tracer", "Trace", WORD, "traces are not collected"),
    row("airflow.utils.cli", "get_dag", REFUSES, "use DagBag().get_dag()"),
    row("airflow.utils.db", "create_session provide_session", REFUSES, SESSIONS),
    row(
        "airflow.utils.dot_renderer",
        "render_dag render_dag_dependencies",
        REFUSES,
        "pictures of DAGs are not drawn yet",
    ),
    row("airflow.utils.log.secrets_masker", "mask_secret", WORD, MASKING),
    row("airflow.utils.operator_resources", "Resources", WORD, "tasks are not placed by resources"),
    row(
        "airflow.utils.process_utils",
        "execute_in_subprocess execute_in_subprocess_with_kwargs",
        REFUSES,
        "use subprocess.run",
    ),
    row("airflow.utils.python_virtualenv", "prepare_virtualenv write_python_script", REFUSES, VIRTUALENV),
    row(
        "airflow.utils.retries",
        "retry_db_transaction run_with_db_retries",
        REFUSES,
        "the database is not open to DAG files and tasks; there is nothing to retry",
    ),
    row("airflow.utils.session", "NEW_SESSION create_session provide_session", REFUSES, SESSIONS),
    row(
        "airflow.utils.sqlalchemy",
        "UtcDateTime with_row_locks",
        REFUSES,
        "the database is not open to DAG files and tasks; there are no tables to derive",
    ),
    row(
        "airflow.triggers.shared_stream", "*", LATER,
        "no asset is watched yet, so there are no streams that triggers share; BaseEventTrigger has their methods",
    ),
    row("airflow.utils.task_group", "MappedTaskGroup", REFUSES, MAPPING),
    row("airflow.www", "*", LATER, "Airflow's web application is not here"),
)
