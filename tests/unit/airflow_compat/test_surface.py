"""Every import path that Airflow 3.3.2 or 2.x had for names of this version is in the table (airflow-surface.md A.1, A.10)."""

from __future__ import annotations

import pytest

from gnomon.airflow_compat import coverage
from gnomon.airflow_compat.coverage_row import CoverageStatus

SDK = """
DAG dag task task_group setup teardown asset result TaskGroup BaseOperator BaseAsyncOperator BaseSensorOperator
PokeReturnValue BaseBranchOperator BranchMixIn SkipMixin BaseHook BaseNotifier BaseOperatorLink BaseXCom XComArg Param
ParamsDict Asset AssetAlias AssetAll AssetAny AssetWatcher AssetAccessControl Metadata Connection Variable
ObjectStoragePath Context get_current_context get_parsing_context TaskInstance DagRunState TaskInstanceState TriggerRule
WeightRule chain chain_linear cross_downstream Label EdgeModifier literal macros conf lineage ResumableJobMixin RetryPolicy
RetryAction RetryDecision RetryRule ExceptionRetryPolicy DeadlineAlert DeadlineReference BaseDeadlineReference
deadline_reference AsyncCallback SyncCallback AssetOrTimeSchedule CronDataIntervalTimetable CronPartitionTimetable
CronTriggerTimetable DeltaDataIntervalTimetable DeltaTriggerTimetable EventsTimetable MultipleCronTriggerTimetable
PartitionedAssetTimetable PartitionedAtRuntime PartitionMapper IdentityMapper AllowedKeyMapper FixedKeyMapper ChainMapper
ProductMapper FanOutMapper RollupMapper StartOfHourMapper StartOfDayMapper StartOfWeekMapper StartOfMonthMapper
StartOfQuarterMapper StartOfYearMapper Window HourWindow DayWindow WeekWindow MonthWindow QuarterWindow YearWindow
SegmentWindow WaitForAll MinimumCount WaitPolicy NEVER_EXPIRE SecretCache __version__
"""

PATHS = """
airflow: DAG Asset XComArg Dataset AirflowException __version__
airflow.models: DAG BaseOperator Variable Connection XCom TaskInstance DagRun DagModel DagBag Pool Param MappedOperator SkipMixin Log BaseOperatorLink TaskReschedule Trigger SlaMiss ImportError Operator
airflow.models.dag: DagModel DAG dag DagContext create_timetable
airflow.models.variable: Variable
airflow.models.connection: Connection
airflow.models.xcom: XCOM_RETURN_KEY XCom BaseXCom
airflow.models.taskinstance: TaskInstance clear_task_instances set_current_context
airflow.models.taskinstancekey: TaskInstanceKey
airflow.models.dagrun: DagRun
airflow.models.taskmixin: DependencyMixin
airflow.models.asset: AssetModel AssetEvent
airflow.models.crypto: get_fernet
airflow.models.serialized_dag: SerializedDagModel
airflow.models.baseoperator: BaseOperator chain cross_downstream chain_linear BaseOperatorLink
airflow.models.abstractoperator: AbstractOperator
airflow.models.baseoperatorlink: BaseOperatorLink
airflow.models.param: Param ParamsDict
airflow.models.xcom_arg: XComArg
airflow.models.dagbag: DagBag
airflow.models.skipmixin: SkipMixin
airflow.models.mappedoperator: MappedOperator
airflow.models.operator: Operator
airflow.models.dataset: DatasetModel DatasetEvent
airflow.models.expandinput: MappedArgument
airflow.triggers.base: BaseTrigger TriggerEvent BaseEventTrigger StartTriggerArgs TaskSuccessEvent TaskFailedEvent TaskSkippedEvent
airflow.triggers.testing: SuccessTrigger
airflow.triggers.temporal: DateTimeTrigger TimeDeltaTrigger
airflow.triggers.external_task: WorkflowTrigger DagStateTrigger
airflow.triggers.file: FileTrigger FileDeleteTrigger
airflow.timetables.base: Timetable DagRunInfo DataInterval TimeRestriction
airflow.timetables.interval: CronDataIntervalTimetable DeltaDataIntervalTimetable
airflow.timetables.trigger: CronTriggerTimetable MultipleCronTriggerTimetable DeltaTriggerTimetable CronPartitionTimetable
airflow.timetables.events: EventsTimetable
airflow.timetables.simple: NullTimetable OnceTimetable ContinuousTimetable AssetTriggeredTimetable DatasetTriggeredTimetable
airflow.timetables.assets: AssetOrTimeSchedule
airflow.timetables.datasets: DatasetOrTimeSchedule
airflow.timetables._cron: CronMixin
airflow.utils.dates: cron_presets days_ago parse_execution_date
airflow.utils.edgemodifier: Label EdgeModifier
airflow.utils.state: State TaskInstanceState DagRunState
airflow.utils.types: DagRunType NOTSET ArgNotSet
airflow.utils.session: provide_session create_session NEW_SESSION
airflow.utils.db: provide_session create_session
airflow.utils.email: send_email send_email_smtp
airflow.utils.helpers: merge_dicts exactly_one prune_dict chain cross_downstream
airflow.utils.log.logging_mixin: LoggingMixin
airflow.utils.log.secrets_masker: mask_secret redact
airflow.utils.process_utils: execute_in_subprocess
airflow.utils.net: get_hostname
airflow.utils.strings: to_boolean
airflow.utils.yaml: safe_load
airflow.utils.hashlib_wrapper: md5
airflow.utils.retries: retry_db_transaction
airflow.utils.sqlalchemy: UtcDateTime
airflow.utils.dot_renderer: render_dag
airflow.utils.timezone: utcnow datetime parse convert_to_utc utc make_aware is_localized parse_timezone
airflow.utils.trigger_rule: TriggerRule
airflow.utils.task_group: TaskGroup MappedTaskGroup
airflow.utils.weight_rule: WeightRule
airflow.utils.weekday: WeekDay
airflow.utils.context: Context context_merge
airflow.utils.setup_teardown: SetupTeardownContext
airflow.utils.operator_helpers: determine_kwargs KeywordParameters context_to_airflow_vars
airflow.utils.operator_resources: Resources
airflow.utils.xcom: XCOM_RETURN_KEY
airflow.utils.timeout: timeout
airflow.utils.decorators: apply_defaults
airflow.utils.template: literal
airflow.utils.dag_parsing_context: get_parsing_context
airflow.utils.module_loading: import_string
airflow.utils.file: TemporaryDirectory
airflow.utils.python_virtualenv: prepare_virtualenv
airflow.utils.json: AirflowJsonEncoder
airflow.utils.cli: get_dag
airflow.exceptions: AirflowException AirflowNotFoundException AirflowRescheduleException AirflowConfigException AirflowBadRequest AirflowTimetableInvalid AirflowClusterPolicyViolation AirflowClusterPolicySkipDag AirflowOptionalProviderFeatureException AirflowProviderDeprecationWarning DagNotFound DagRunNotFound DagRunAlreadyExists TaskNotFound ParamValidationError RemovedInAirflow4Warning SerializationError AirflowSkipException AirflowFailException AirflowSensorTimeout AirflowTaskTimeout AirflowDagCycleException DuplicateTaskIdFound TaskDeferred TaskDeferralError XComNotFound RemovedInAirflow3Warning AirflowTaskTerminated BackfillUnfinished
airflow.configuration: conf get getboolean
airflow.plugins_manager: AirflowPlugin
airflow.listeners: hookimpl
airflow.listeners.listener: get_listener_manager
airflow.policies: hookimpl
airflow.settings: Session AIRFLOW_HOME TIMEZONE
airflow.version: version
airflow.secrets: BaseSecretsBackend
airflow.secrets.local_filesystem: LocalFilesystemBackend
airflow.providers_manager: ProvidersManager
airflow.task.priority_strategy: PriorityWeightStrategy
airflow.task.trigger_rule: TriggerRule
airflow.task.weight_rule: WeightRule
airflow.serialization.serialized_objects: SerializedDAG
airflow.serialization.serde: deserialize
airflow.ti_deps.deps.base_ti_dep: BaseTIDep
airflow.api.common.trigger_dag: trigger_dag
airflow.api.client.local_client: Client
airflow.executors.base_executor: BaseExecutor
airflow.executors.local_executor: LocalExecutor
airflow.executors.sequential_executor: SequentialExecutor
airflow.executors.debug_executor: DebugExecutor
airflow.typing_compat: Literal
airflow.sdk.timezone: utcnow
airflow.sdk.exceptions: AirflowException
airflow.sdk.bases.operator: BaseOperator
airflow.sdk.bases.sensor: BaseSensorOperator
airflow.sdk.definitions.param: Param
airflow.sdk.definitions.asset: Asset Dataset Model
airflow.sdk.execution_time.macros: ds_add
airflow.sdk.execution_time.xcom: XCom
airflow.sdk.definitions.deadline: DeadlineAlert
airflow.sdk.definitions.context: Context
airflow.sdk.definitions._internal.types: NOTSET
airflow.decorators: dag task task_group setup teardown TaskDecorator
airflow.decorators.base: DecoratedOperator task_decorator_factory TaskDecorator get_unique_task_id
airflow.decorators.python: python_task
airflow.decorators.task_group: task_group
airflow.operators.python: PythonOperator BranchPythonOperator ShortCircuitOperator PythonVirtualenvOperator ExternalPythonOperator get_current_context
airflow.operators.bash: BashOperator
airflow.operators.empty: EmptyOperator
airflow.operators.branch: BaseBranchOperator
airflow.operators.datetime: BranchDateTimeOperator
airflow.operators.weekday: BranchDayOfWeekOperator
airflow.operators.latest_only: LatestOnlyOperator
airflow.operators.trigger_dagrun: TriggerDagRunOperator
airflow.operators.email: EmailOperator
airflow.operators.smooth: SmoothOperator
airflow.operators.generic_transfer: GenericTransfer
airflow.operators.python_operator: PythonOperator
airflow.operators.bash_operator: BashOperator
airflow.operators.dummy: DummyOperator
airflow.operators.dummy_operator: DummyOperator
airflow.operators.subdag: SubDagOperator
airflow.operators.sql: SQLCheckOperator
airflow.sensors.base: BaseSensorOperator PokeReturnValue poke_mode_only
airflow.sensors.base_sensor_operator: BaseSensorOperator
airflow.sensors.python: PythonSensor
airflow.sensors.bash: BashSensor
airflow.sensors.filesystem: FileSensor
airflow.sensors.date_time: DateTimeSensor DateTimeSensorAsync
airflow.sensors.time_sensor: TimeSensor TimeSensorAsync
airflow.sensors.time_delta: TimeDeltaSensor TimeDeltaSensorAsync
airflow.sensors.weekday: DayOfWeekSensor
airflow.sensors.external_task: ExternalTaskSensor ExternalTaskMarker
airflow.sensors.external_task_sensor: ExternalTaskSensor
airflow.hooks.base: BaseHook DiscoverableHook
airflow.hooks.base_hook: BaseHook
airflow.hooks.filesystem: FSHook
airflow.hooks.subprocess: SubprocessHook
airflow.hooks.dbapi: DbApiHook
airflow.datasets: Dataset DatasetAlias DatasetAll DatasetAny
airflow.datasets.metadata: Metadata
airflow.datasets.manager: DatasetManager
airflow.assets: Asset
airflow.notifications.basenotifier: BaseNotifier
airflow.io.path: ObjectStoragePath
airflow.io.storage: attach
airflow.io.store: attach
airflow.io: get_fs
airflow.macros: ds_add ds_format
airflow.lineage: apply_lineage
airflow.lineage.hook: get_hook_lineage_collector
airflow.lineage.entities: File
airflow.stats: Stats
airflow.traces.tracer: Trace
airflow.security.permissions: ACTION_CAN_READ
airflow.kubernetes: *
airflow.contrib: *
airflow.www.views: *
airflow.compat.functools: cached_property
airflow.template.templater: Templater
airflow.providers.standard.operators.python: PythonOperator BranchPythonOperator ShortCircuitOperator PythonVirtualenvOperator BranchPythonVirtualenvOperator ExternalPythonOperator BranchExternalPythonOperator get_current_context
airflow.providers.standard.operators.bash: BashOperator
airflow.providers.standard.operators.branch: BranchMixIn BaseBranchOperator
airflow.providers.standard.operators.datetime: BranchDateTimeOperator target_times_as_dates
airflow.providers.standard.operators.empty: EmptyOperator
airflow.providers.standard.operators.hitl: HITLOperator ApprovalOperator HITLBranchOperator HITLEntryOperator
airflow.providers.standard.operators.latest_only: LatestOnlyOperator
airflow.providers.standard.operators.trigger_dagrun: DagIsPaused TriggerDagRunLink TriggerDagRunOperator
airflow.providers.standard.operators.weekday: BranchDayOfWeekOperator
airflow.providers.standard.sensors.bash: BashSensor
airflow.providers.standard.sensors.python: PythonSensor
airflow.providers.standard.sensors.time_delta: TimeDeltaSensor TimeDeltaSensorAsync WaitSensor
airflow.providers.standard.decorators.bash: bash_task
airflow.providers.standard.decorators.branch_python: branch_task
airflow.providers.standard.decorators.python: python_task
airflow.providers.standard.decorators.sensor: DecoratedSensorOperator sensor_task
airflow.providers.standard.decorators.short_circuit: short_circuit_task
airflow.providers.standard.decorators.stub: stub
airflow.providers.standard.hooks.subprocess: SubprocessHook working_directory
airflow.providers.standard.utils.weekday: WeekDay
"""


def _paths() -> list[tuple[str, str]]:
    lines = [line.partition(": ") for line in PATHS.strip().splitlines()]
    return [("airflow.sdk", name) for name in SDK.split()] + [
        (module, name) for module, _, names in lines for name in names.split()
    ]


def test_every_import_path_is_in_the_table() -> None:
    assert [f"{module}.{name}" for module, name in _paths() if coverage.find_row(module, name) is None] == []


@pytest.mark.parametrize(
    "name",
    "DAG BaseOperator PythonOperator BashOperator EmptyOperator Variable Connection Param XComArg chain Label".split(),
)
def test_the_names_of_this_version_are_provided_wherever_they_were(name: str) -> None:
    homes = [coverage.find_row(module, other) for module, other in _paths() if other == name]
    assert homes
    assert {row.status for row in homes if row is not None} == {CoverageStatus.PROVIDED}
