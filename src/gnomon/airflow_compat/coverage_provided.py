"""The names that work, by module."""

from __future__ import annotations

from gnomon.airflow_compat.row import Row, row

ROWS: tuple[Row, ...] = (
    row("airflow", "AirflowException DAG XComArg __version__ conf"),
    row("airflow.compat.functools", "cache cached_property"),
    row(
        "airflow.configuration",
        "AirflowConfigException AirflowConfigParser as_dict conf get getboolean getfloat getint has_option",
    ),
    row("airflow.decorators", "TaskDecorator dag setup task task_group teardown"),
    row("airflow.decorators.base", "DecoratedOperator TaskDecorator get_unique_task_id task_decorator_factory"),
    row("airflow.decorators.bash", "bash_task"),
    row("airflow.decorators.branch_python", "branch_task"),
    row("airflow.decorators.python", "python_task"),
    row("airflow.decorators.sensor", "DecoratedSensorOperator sensor_task"),
    row("airflow.decorators.setup_teardown", "setup_task teardown_task"),
    row("airflow.decorators.short_circuit", "short_circuit_task"),
    row("airflow.decorators.task_group", "task_group"),
    row("airflow.example_dags.plugins.workday", "AfterWorkdayTimetable WorkdayTimetablePlugin"),
    row(
        "airflow.exceptions",
        "AirflowBadRequest AirflowClearRunningTaskException AirflowClusterPolicyError "
        "AirflowClusterPolicySkipDag AirflowClusterPolicyViolation AirflowConfigException "
        "AirflowDagCycleException AirflowDagDuplicatedIdException AirflowException AirflowFailException "
        "AirflowFileParseException AirflowInactiveAssetInInletOrOutletException AirflowInternalRuntimeError "
        "AirflowNotFoundException AirflowOptionalProviderFeatureException AirflowProviderDeprecationWarning "
        "AirflowRescheduleException AirflowRuntimeError AirflowSecretsBackendAccessDenied "
        "AirflowSensorTimeout AirflowSkipException AirflowTaskTerminated AirflowTaskTimeout "
        "AirflowTimetableInvalid AirflowUnsupportedFileTypeException BackfillUnfinished ConnectionNotUnique "
        "DagCodeNotFound DagNotFound DagNotPartitionedError DagRunAlreadyExists DagRunNotFound "
        "DagRunTriggerException DagRunTypeNotAllowed DeserializationError DeserializingResultError "
        "DownstreamTasksSkipped DuplicateTaskIdFound FailFastDagInvalidTriggerRule InvalidPartitionKeyError "
        "InvalidStatsNameException NodeNotFound NotMapped ParamValidationError PodMutationHookException "
        "PodReconciliationError PoolNotFound RemovedInAirflow3Warning RemovedInAirflow4Warning "
        "SerializationError TaskAlreadyInTaskGroup TaskAlreadyRunningError TaskAwaitingInput "
        "TaskDeferralError TaskDeferralTimeout TaskDeferred TaskInstanceNotFound TaskNotFound "
        "UnknownExecutorException UnmappableXComLengthPushed UnmappableXComTypePushed VariableNotUnique "
        "XComForMappingNotPushed XComNotFound",
    ),
    row("airflow.hooks.base", "BaseHook DiscoverableHook"),
    row("airflow.hooks.base_hook", "BaseHook"),
    row("airflow.hooks.filesystem", "FSHook"),
    row("airflow.hooks.subprocess", "SubprocessHook SubprocessResult working_directory"),
    row(
        "airflow.macros",
        "datetime datetime_diff_for_humans dateutil ds_add ds_format ds_format_locale json random time "
        "timedelta uuid yaml",
    ),
    row("airflow.models", "BaseOperator Connection DAG DagBag Operator Param SkipMixin Variable XComArg"),
    row("airflow.models.abstractoperator", "AbstractOperator"),
    row("airflow.models.baseoperator", "BaseOperator chain chain_linear cross_downstream"),
    row("airflow.models.connection", "Connection"),
    row("airflow.models.dag", "DAG DagContext create_timetable dag"),
    row("airflow.models.dagbag", "DagBag"),
    row("airflow.models.operator", "Operator"),
    row("airflow.models.param", "DagParam Param ParamsDict"),
    row("airflow.models.skipmixin", "SkipMixin"),
    row("airflow.models.taskinstance", "TaskInstanceKey get_current_context set_current_context"),
    row("airflow.models.taskinstancekey", "TaskInstanceKey"),
    row("airflow.models.taskmixin", "DependencyMixin TaskMixin"),
    row("airflow.models.variable", "Variable"),
    row("airflow.models.xcom", "XCOM_RETURN_KEY"),
    row("airflow.models.xcom_arg", "XComArg"),
    row("airflow.notifications.basenotifier", "BaseNotifier"),
    row("airflow.operators.bash", "BashOperator"),
    row("airflow.operators.bash_operator", "BashOperator"),
    row("airflow.operators.branch", "BaseBranchOperator BranchMixIn"),
    row("airflow.operators.branch_operator", "BaseBranchOperator"),
    row("airflow.operators.dagrun_operator", "TriggerDagRunOperator"),
    row("airflow.operators.datetime", "BranchDateTimeOperator target_times_as_dates"),
    row("airflow.operators.dummy", "DummyOperator EmptyOperator"),
    row("airflow.operators.dummy_operator", "DummyOperator EmptyOperator"),
    row("airflow.operators.empty", "EmptyOperator"),
    row("airflow.operators.latest_only", "LatestOnlyOperator"),
    row("airflow.operators.latest_only_operator", "LatestOnlyOperator"),
    row("airflow.operators.python", "BranchPythonOperator PythonOperator ShortCircuitOperator get_current_context"),
    row(
        "airflow.operators.python_operator",
        "BranchPythonOperator PythonOperator ShortCircuitOperator get_current_context",
    ),
    row("airflow.operators.trigger_dagrun", "DagIsPaused TriggerDagRunOperator"),
    row("airflow.operators.weekday", "BranchDayOfWeekOperator"),
    row("airflow.providers.standard.decorators.bash", "bash_task"),
    row("airflow.providers.standard.decorators.branch_python", "branch_task"),
    row("airflow.providers.standard.decorators.python", "python_task"),
    row("airflow.providers.standard.decorators.sensor", "DecoratedSensorOperator sensor_task"),
    row("airflow.providers.standard.decorators.short_circuit", "short_circuit_task"),
    row(
        "airflow.providers.standard.exceptions",
        "DuplicateStateError ExternalDagFailedError ExternalTaskFailedError ExternalTaskGroupFailedError "
        "ExternalTaskNotFoundError",
    ),
    row("airflow.providers.standard.hooks.filesystem", "FSHook"),
    row("airflow.providers.standard.hooks.subprocess", "SubprocessHook SubprocessResult working_directory"),
    row("airflow.providers.standard.operators.bash", "BashOperator"),
    row("airflow.providers.standard.operators.branch", "BaseBranchOperator BranchMixIn"),
    row("airflow.providers.standard.operators.datetime", "BranchDateTimeOperator target_times_as_dates"),
    row("airflow.providers.standard.operators.empty", "EmptyOperator"),
    row("airflow.providers.standard.operators.latest_only", "LatestOnlyOperator"),
    row(
        "airflow.providers.standard.operators.python",
        "BranchPythonOperator PythonOperator ShortCircuitOperator get_current_context",
    ),
    row("airflow.providers.standard.operators.trigger_dagrun", "DagIsPaused TriggerDagRunOperator"),
    row("airflow.providers.standard.operators.weekday", "BranchDayOfWeekOperator"),
    row("airflow.providers.standard.sensors.bash", "BashSensor"),
    row("airflow.providers.standard.sensors.date_time", "DateTimeSensor DateTimeSensorAsync"),
    row("airflow.providers.standard.sensors.external_task", "ExternalTaskMarker ExternalTaskSensor"),
    row("airflow.providers.standard.sensors.filesystem", "FileSensor"),
    row("airflow.providers.standard.sensors.python", "PythonSensor"),
    row("airflow.providers.standard.sensors.time", "TimeSensor TimeSensorAsync"),
    row("airflow.providers.standard.sensors.time_delta", "TimeDeltaSensor TimeDeltaSensorAsync WaitSensor"),
    row("airflow.providers.standard.sensors.weekday", "DayOfWeekSensor"),
    row("airflow.providers.standard.triggers.external_task", "DagStateTrigger WorkflowTrigger"),
    row("airflow.providers.standard.triggers.file", "DirectoryFileDeleteTrigger FileDeleteTrigger FileTrigger"),
    row("airflow.providers.standard.triggers.temporal", "DateTimeTrigger TimeDeltaTrigger"),
    row("airflow.providers.standard.utils.skipmixin", "SkipMixin"),
    row("airflow.providers.standard.utils.weekday", "WeekDay"),
    row("airflow.providers_manager", "DialectInfo HookInfo ProviderInfo ProvidersManager"),
    row(
        "airflow.sdk",
        "BaseAsyncOperator BaseBranchOperator BaseHook BaseNotifier BaseOperator BaseSensorOperator "
        "BranchMixIn Connection Context CronDataIntervalTimetable CronTriggerTimetable DAG DagRunState "
        "DeltaDataIntervalTimetable DeltaTriggerTimetable EdgeModifier EventsTimetable Label "
        "MultipleCronTriggerTimetable Param ParamsDict PokeReturnValue SkipMixin TaskGroup TaskInstance "
        "TaskInstanceState TriggerRule Variable WeightRule XComArg __version__ chain chain_linear conf cross_downstream "
        "dag get_current_context get_parsing_context literal macros setup task task_group teardown",
    ),
    row("airflow.sdk._shared.module_loading", "import_string is_valid_dotpath iter_namespace qualname"),
    row("airflow.sdk.api.datamodels._generated", "DagRun DagRunState DagRunType TaskInstanceState"),
    row("airflow.sdk.bases.branch", "BaseBranchOperator BranchMixIn"),
    row(
        "airflow.sdk.bases.decorator",
        "DecoratedOperator KeywordParameters TaskDecorator determine_kwargs get_unique_task_id is_async_callable "
        "task_decorator_factory",
    ),
    row("airflow.sdk.bases.hook", "BaseHook"),
    row("airflow.sdk.bases.notifier", "BaseNotifier"),
    row("airflow.sdk.bases.operator", "BaseAsyncOperator BaseOperator chain chain_linear cross_downstream"),
    row("airflow.sdk.bases.sensor", "BaseSensorOperator PokeReturnValue poke_mode_only"),
    row("airflow.sdk.bases.skipmixin", "SkipMixin"),
    row("airflow.sdk.configuration", "conf"),
    row("airflow.sdk.definitions._internal.abstractoperator", "AbstractOperator"),
    row("airflow.sdk.definitions._internal.templater", "Templater"),
    row("airflow.sdk.definitions._internal.types", "ArgNotSet NOTSET"),
    row("airflow.sdk.definitions.connection", "Connection"),
    row("airflow.sdk.definitions.context", "Context get_current_context get_parsing_context"),
    row("airflow.sdk.definitions.dag", "DAG dag"),
    row("airflow.sdk.definitions.decorators", "TaskDecoratorCollection setup task task_group teardown"),
    row("airflow.sdk.definitions.decorators.setup_teardown", "setup_task teardown_task"),
    row("airflow.sdk.definitions.decorators.task_group", "task_group"),
    row("airflow.sdk.definitions.edges", "EdgeModifier Label"),
    row("airflow.sdk.definitions.param", "DagParam Param ParamsDict"),
    row("airflow.sdk.definitions.taskgroup", "TaskGroup"),
    row("airflow.sdk.definitions.template", "literal"),
    row("airflow.sdk.definitions.variable", "Variable"),
    row("airflow.sdk.definitions.xcom_arg", "XComArg"),
    row(
        "airflow.sdk.exceptions",
        "AirflowBadRequest AirflowClearRunningTaskException AirflowClusterPolicyError "
        "AirflowClusterPolicySkipDag AirflowClusterPolicyViolation AirflowConfigException "
        "AirflowDagCycleException AirflowDagDuplicatedIdException AirflowException AirflowFailException "
        "AirflowFileParseException AirflowInactiveAssetInInletOrOutletException AirflowInternalRuntimeError "
        "AirflowNotFoundException AirflowOptionalProviderFeatureException AirflowProviderDeprecationWarning "
        "AirflowRescheduleException AirflowRuntimeError AirflowSecretsBackendAccessDenied "
        "AirflowSensorTimeout AirflowSkipException AirflowTaskTerminated AirflowTaskTimeout "
        "AirflowTimetableInvalid AirflowUnsupportedFileTypeException BackfillUnfinished ConnectionNotUnique "
        "DagCodeNotFound DagNotFound DagNotPartitionedError DagRunAlreadyExists DagRunNotFound "
        "DagRunTriggerException DagRunTypeNotAllowed DeserializationError DeserializingResultError "
        "DownstreamTasksSkipped DuplicateTaskIdFound FailFastDagInvalidTriggerRule InvalidPartitionKeyError "
        "InvalidStatsNameException NodeNotFound NotMapped ParamValidationError PodMutationHookException "
        "PodReconciliationError PoolNotFound RemovedInAirflow3Warning RemovedInAirflow4Warning "
        "SerializationError TaskAlreadyInTaskGroup TaskAlreadyRunningError TaskAwaitingInput "
        "TaskDeferralError TaskDeferralTimeout TaskDeferred TaskInstanceNotFound TaskNotFound "
        "UnknownExecutorException UnmappableXComLengthPushed UnmappableXComTypePushed VariableNotUnique "
        "XComForMappingNotPushed XComNotFound",
    ),
    row("airflow.sdk.execution_time.context", "context_to_airflow_vars get_current_context"),
    row(
        "airflow.sdk.execution_time.macros",
        "datetime datetime_diff_for_humans dateutil ds_add ds_format ds_format_locale json random time "
        "timedelta uuid yaml",
    ),
    row("airflow.sdk.execution_time.task_runner", "RuntimeTaskInstance"),
    row("airflow.sdk.execution_time.timeout", "TimeoutPosix timeout"),
    row("airflow.sdk.log", "redact"),
    row("airflow.sdk.module_loading", "import_string is_valid_dotpath iter_namespace qualname"),
    row("airflow.sdk.providers_manager_runtime", "DialectInfo HookInfo ProvidersManagerTaskRuntime"),
    row(
        "airflow.sdk.timezone",
        "coerce_datetime convert_to_utc datetime from_timestamp initialize is_localized is_naive "
        "local_timezone make_aware make_naive parse parse_timezone td_format utc utc_epoch utcnow",
    ),
    row("airflow.sdk.types", "DagRunProtocol Operator RuntimeTaskInstanceProtocol TaskInstanceKey"),
    row("airflow.sensors.base", "BaseSensorOperator PokeReturnValue poke_mode_only"),
    row("airflow.sensors.base_sensor_operator", "BaseSensorOperator"),
    row("airflow.sensors.bash", "BashSensor"),
    row("airflow.sensors.date_time", "DateTimeSensor DateTimeSensorAsync"),
    row("airflow.sensors.external_task", "ExternalTaskMarker ExternalTaskSensor"),
    row("airflow.sensors.external_task_sensor", "ExternalTaskMarker ExternalTaskSensor"),
    row("airflow.sensors.filesystem", "FileSensor"),
    row("airflow.sensors.python", "PythonSensor"),
    row("airflow.sensors.time_delta", "TimeDeltaSensor TimeDeltaSensorAsync WaitSensor"),
    row("airflow.sensors.time_sensor", "TimeSensor TimeSensorAsync"),
    row("airflow.sensors.weekday", "DayOfWeekSensor"),
    row("airflow.settings", "AIRFLOW_HOME DAGS_FOLDER PLUGINS_FOLDER TIMEZONE pod_mutation_hook"),
    row("airflow.task.trigger_rule", "TriggerRule"),
    row("airflow.task.weight_rule", "WeightRule"),
    row("airflow.template.templater", "Templater"),
    row("airflow.timetables.base", "DagRunInfo DataInterval TimeRestriction Timetable"),
    row("airflow.timetables.events", "EventsTimetable"),
    row("airflow.timetables.interval", "CronDataIntervalTimetable DeltaDataIntervalTimetable"),
    row("airflow.timetables.simple", "ContinuousTimetable NullTimetable OnceTimetable"),
    row("airflow.timetables.trigger", "CronTriggerTimetable DeltaTriggerTimetable MultipleCronTriggerTimetable"),
    row(
        "airflow.triggers.base",
        "BaseEventTrigger BaseTaskEndEvent BaseTrigger StartTriggerArgs TaskFailedEvent TaskFailureEvent TaskSkippedEvent "
        "TaskSuccessEvent TriggerEvent",
    ),
    row("airflow.triggers.external_task", "DagStateTrigger WorkflowTrigger"),
    row("airflow.triggers.file", "DirectoryFileDeleteTrigger FileDeleteTrigger FileTrigger"),
    row("airflow.triggers.temporal", "DateTimeTrigger TimeDeltaTrigger"),
    row("airflow.triggers.testing", "FailureTrigger SuccessTrigger"),
    row(
        "airflow.typing_compat",
        "Literal NotRequired ParamSpec Protocol Self TypeAlias TypeGuard TypedDict Unpack runtime_checkable",
    ),
    row("airflow.utils.context", "ConnectionAccessor Context VariableAccessor context_merge"),
    row("airflow.utils.dag_parsing_context", "get_parsing_context"),
    row("airflow.utils.dates", "cron_presets days_ago parse_execution_date"),
    row("airflow.utils.decorators", "apply_defaults"),
    row("airflow.utils.deprecation_tools", "add_deprecated_classes"),
    row("airflow.utils.edgemodifier", "EdgeModifier Label"),
    row("airflow.utils.email", "get_email_address_list send_email send_email_smtp"),
    row("airflow.utils.file", "TemporaryDirectory mkdirs"),
    row("airflow.utils.hashlib_wrapper", "md5"),
    row(
        "airflow.utils.helpers",
        "as_flattened_list at_most_one chain chunks convert_camel_to_snake cross_downstream exactly_one "
        "is_container merge_dicts partition prune_dict validate_key",
    ),
    row("airflow.utils.json", "AirflowJsonEncoder WebEncoder"),
    row("airflow.utils.log.logging_mixin", "LoggingMixin"),
    row("airflow.utils.log.secrets_masker", "redact"),
    row("airflow.utils.module_loading", "import_string is_valid_dotpath iter_namespace qualname"),
    row("airflow.utils.net", "get_hostname getfqdn"),
    row(
        "airflow.utils.operator_helpers",
        "KeywordParameters context_to_airflow_vars determine_kwargs make_kwargs_callable",
    ),
    row("airflow.utils.platform", "getuser"),
    row("airflow.utils.process_utils", "patch_environ"),
    row("airflow.utils.setup_teardown", "SetupTeardownContext"),
    row("airflow.utils.state", "DagRunState State TaskInstanceState"),
    row("airflow.utils.strings", "get_random_string to_boolean"),
    row("airflow.utils.task_group", "TaskGroup"),
    row("airflow.utils.template", "literal"),
    row("airflow.utils.timeout", "TimeoutPosix timeout"),
    row(
        "airflow.utils.timezone",
        "coerce_datetime convert_to_utc datetime from_timestamp initialize is_localized is_naive "
        "local_timezone make_aware make_naive parse parse_timezone td_format utc utc_epoch utcnow",
    ),
    row("airflow.utils.trigger_rule", "TriggerRule"),
    row("airflow.utils.types", "ArgNotSet DagRunType NOTSET"),
    row("airflow.utils.weekday", "WeekDay"),
    row("airflow.utils.weight_rule", "WeightRule"),
    row("airflow.utils.xcom", "XCOM_RETURN_KEY"),
    row("airflow.utils.yaml", "YAMLError dump safe_load"),
    row("airflow.version", "version"),
)
