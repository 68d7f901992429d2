"""The names outside `airflow.sdk` and provider packages that work, by module; see also `coverage_sdk.py` and `coverage_providers.py`."""

from __future__ import annotations

from gnomon.airflow_compat.coverage_row import CoverageRow, make_row
from gnomon.airflow_compat.coverage_sdk import OBJECT_STORAGE, PROVIDED

PLUGINS = "timetables, listeners and links of operators act; `gnomon plugins list` shows what else a plugin brings, without effect"

ROWS: tuple[CoverageRow, ...] = (
    make_row("airflow.api_fastapi.app", "AUTH_MANAGER_FASTAPI_APP_PREFIX"),
    make_row("airflow.api_fastapi.auth.managers.base_auth_manager", "COOKIE_NAME_JWT_TOKEN"),
    make_row("airflow", "AirflowException Asset DAG Dataset XComArg __version__ conf"),
    make_row("airflow.api_fastapi.auth.managers.models.resource_details", "AssetAliasDetails AssetDetails"),
    make_row("airflow.assets", "Asset AssetAlias AssetAll AssetAny"),
    make_row("airflow.compat.functools", "cache cached_property"),
    make_row(
        "airflow.configuration",
        "AIRFLOW_CONFIG AIRFLOW_HOME AirflowConfigException AirflowConfigParser as_dict conf get get_airflow_config get_airflow_home getboolean getfloat getint getsection has_option "
        "remove_option set",
    ),
    make_row("airflow.dag_processing.bundles.base", "BaseDagBundle"),
    make_row("airflow.dag_processing.bundles.local", "LocalDagBundle"),
    make_row("airflow.dag_processing.dagbag", "DagBag FileLoadStat"),
    make_row("airflow.datasets", "Dataset DatasetAlias DatasetAll DatasetAny"),
    make_row("airflow.datasets.metadata", "Metadata"),
    make_row("airflow.decorators", "TaskDecorator dag setup task task_group teardown"),
    make_row(
        "airflow.decorators.base",
        "DecoratedMappedOperator DecoratedOperator TaskDecorator get_unique_task_id task_decorator_factory",
    ),
    make_row("airflow.decorators.bash", "bash_task"),
    make_row("airflow.decorators.branch_python", "branch_task"),
    make_row("airflow.decorators.condition", "run_if skip_if"),
    make_row("airflow.sdk.definitions.decorators.condition", "run_if skip_if"),
    make_row(
        "airflow.executors.executor_constants",
        "CELERY_EXECUTOR CELERY_KUBERNETES_EXECUTOR CORE_EXECUTOR_NAMES ConnectorSource DEBUG_EXECUTOR KUBERNETES_EXECUTOR LOCAL_EXECUTOR "
        "LOCAL_KUBERNETES_EXECUTOR MOCK_EXECUTOR SEQUENTIAL_EXECUTOR",
    ),
    make_row("airflow.models.dagparam", "DagParam"),
    make_row("airflow.decorators.python", "python_task"),
    make_row("airflow.decorators.sensor", "DecoratedSensorOperator sensor_task"),
    make_row("airflow.decorators.setup_teardown", "setup_task teardown_task"),
    make_row("airflow.decorators.short_circuit", "short_circuit_task"),
    make_row("airflow.decorators.task_group", "task_group"),
    make_row(
        "airflow.example_dags.plugins.decreasing_priority_weight_strategy",
        "DecreasingPriorityStrategy DecreasingPriorityWeightStrategyPlugin",
    ),
    make_row("airflow.example_dags.plugins.business_day_window", "BusinessDayWindow BusinessDayWindowPlugin"),
    make_row("airflow.example_dags.plugins.custom_partition_mapper", "PrefixStripMapper PrefixStripMapperPlugin"),
    make_row(
        "airflow.example_dags.plugins.custom_partition_timetable",
        "ScheduledRuntimePartitionTimetable ScheduledRuntimePartitionTimetablePlugin",
    ),
    make_row(
        "airflow.example_dags.plugins.event_listener",
        "on_dag_run_failed on_dag_run_running on_dag_run_success on_task_instance_failed on_task_instance_running "
        "on_task_instance_skipped on_task_instance_success",
    ),
    make_row("airflow.example_dags.libs.helper", "print_stuff"),
    make_row(
        "airflow.www.utils",
        "datetime_to_string epoch get_attr_renderer get_sensitive_variables_fields should_hide_value_for_key",
    ),
    make_row("airflow.example_dags.plugins.listener_plugin", "MetadataCollectionPlugin"),
    make_row("airflow.providers.standard.get_provider_info", "get_provider_info"),
    make_row(
        "airflow.providers.standard.utils.openlineage",
        "OPENLINEAGE_PROVIDER_MIN_VERSION safe_inject_openlineage_properties_into_dagrun_conf",
    ),
    make_row("airflow.providers.standard.utils.sensor_helper", "_get_count_by_matched_states"),
    make_row(
        "airflow.providers.standard.version_compat",
        "AIRFLOW_V_3_0_PLUS AIRFLOW_V_3_1_3_PLUS AIRFLOW_V_3_1_PLUS AIRFLOW_V_3_2_PLUS AIRFLOW_V_3_3_PLUS ArgNotSet BaseOperator NOTSET "
        "get_base_airflow_version_tuple is_arg_set",
    ),
    make_row("airflow.example_dags.plugins.workday", "AfterWorkdayTimetable WorkdayTimetablePlugin"),
    make_row(
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
    make_row("airflow.hooks.base", "BaseHook DiscoverableHook"),
    make_row("airflow.hooks.base_hook", "BaseHook"),
    make_row("airflow.hooks.filesystem", "FSHook"),
    make_row("airflow.hooks.subprocess", "SubprocessHook SubprocessResult working_directory"),
    make_row("airflow.listeners", "hookimpl"),
    make_row("airflow.listeners.listener", "ListenerManager get_listener_manager"),
    make_row("airflow.listeners.types", "AssetEvent"),
    make_row(
        "airflow.macros",
        "datetime datetime_diff_for_humans dateutil ds_add ds_format ds_format_locale json random time "
        "timedelta uuid yaml",
    ),
    make_row(
        "airflow.models",
        "BaseOperator BaseOperatorLink Connection DAG DagBag MappedOperator Operator Param SkipMixin Variable XComArg",
    ),
    make_row(
        "airflow.models.abstractoperator",
        "AbstractOperator DEFAULT_EMAIL_ON_FAILURE DEFAULT_EMAIL_ON_RETRY DEFAULT_EXECUTOR DEFAULT_IGNORE_FIRST_DEPENDS_ON_PAST DEFAULT_OWNER "
        "DEFAULT_POOL_NAME DEFAULT_POOL_SLOTS DEFAULT_PRIORITY_WEIGHT DEFAULT_QUEUE DEFAULT_RETRIES DEFAULT_RETRY_DELAY DEFAULT_TASK_EXECUTION_TIMEOUT "
        "DEFAULT_TRIGGER_RULE DEFAULT_WAIT_FOR_PAST_DEPENDS_BEFORE_SKIPPING DEFAULT_WEIGHT_RULE MAX_RETRY_DELAY",
    ),
    make_row("airflow.models.base", "ID_LEN"),
    make_row("airflow.models.baseoperator", "BaseOperator BaseOperatorLink chain chain_linear cross_downstream"),
    make_row("airflow.models.baseoperatorlink", "BaseOperatorLink"),
    make_row("airflow.models.connection", "Connection"),
    make_row("airflow.models.dag", "DAG DagContext create_timetable dag"),
    make_row("airflow.models.dagbag", "DagBag FileLoadStat"),
    make_row(
        "airflow.models.expandinput",
        "EXPAND_INPUT_EMPTY DictOfListsExpandInput ExpandInput ListOfDictsExpandInput MappedArgument "
        "NotFullyPopulated is_mappable",
    ),
    make_row(
        "airflow.models.mappedoperator", "MappedOperator OperatorPartial ensure_xcomarg_return_value is_mappable_value"
    ),
    make_row("airflow.models.operator", "Operator"),
    make_row("airflow.models.param", "DagParam Param ParamsDict"),
    make_row("airflow.models.skipmixin", "SkipMixin"),
    make_row("airflow.models.taskinstance", "TaskInstanceKey get_current_context set_current_context"),
    make_row("airflow.models.taskinstancekey", "TaskInstanceKey"),
    make_row("airflow.models.taskmixin", "DependencyMixin TaskMixin"),
    make_row("airflow.models.variable", "Variable"),
    make_row("airflow.models.xcom", "XCOM_RETURN_KEY"),
    make_row("airflow.models.xcom_arg", "ConcatXComArg MapXComArg PlainXComArg XComArg ZipXComArg"),
    make_row("airflow.notifications.basenotifier", "BaseNotifier"),
    make_row("airflow.operators.bash", "BashOperator"),
    make_row("airflow.operators.bash_operator", "BashOperator"),
    make_row("airflow.operators.branch", "BaseBranchOperator BranchMixIn"),
    make_row("airflow.operators.branch_operator", "BaseBranchOperator"),
    make_row("airflow.operators.dagrun_operator", "TriggerDagRunOperator"),
    make_row("airflow.operators.datetime", "BranchDateTimeOperator target_times_as_dates"),
    make_row("airflow.operators.dummy", "DummyOperator EmptyOperator"),
    make_row("airflow.operators.dummy_operator", "DummyOperator EmptyOperator"),
    make_row("airflow.operators.email", "EmailOperator"),
    make_row("airflow.operators.email_operator", "EmailOperator"),
    make_row("airflow.operators.empty", "EmptyOperator"),
    make_row("airflow.operators.latest_only", "LatestOnlyOperator"),
    make_row("airflow.operators.latest_only_operator", "LatestOnlyOperator"),
    make_row(
        "airflow.operators.python",
        "BranchExternalPythonOperator BranchPythonOperator BranchPythonVirtualenvOperator ExternalPythonOperator PythonOperator "
        "PythonVirtualenvOperator ShortCircuitOperator get_current_context",
    ),
    make_row(
        "airflow.operators.python_operator",
        "BranchExternalPythonOperator BranchPythonOperator BranchPythonVirtualenvOperator ExternalPythonOperator PythonOperator "
        "PythonVirtualenvOperator ShortCircuitOperator get_current_context",
    ),
    make_row("airflow.operators.trigger_dagrun", "DagIsPaused TriggerDagRunLink TriggerDagRunOperator"),
    make_row("airflow.operators.weekday", "BranchDayOfWeekOperator"),
    make_row("airflow.policies", "hookimpl"),
    make_row("airflow.operators.smooth", "SmoothOperator"),
    make_row("airflow.hooks.package_index", "PackageIndexHook"),
    make_row("airflow.utils.python_virtualenv", "prepare_virtualenv"),
    make_row("airflow.decorators.branch_external_python", "branch_external_python_task"),
    make_row("airflow.decorators.branch_virtualenv", "branch_virtualenv_task"),
    make_row("airflow.decorators.external_python", "external_python_task"),
    make_row("airflow.decorators.python_virtualenv", "virtualenv_task"),
    make_row("airflow.decorators.stub", "stub"),
    make_row("airflow.partition_mappers.base", "PartitionMapper RollupMapper"),
    make_row("airflow.partition_mappers.allowed_key", "AllowedKeyMapper"),
    make_row("airflow.partition_mappers.chain", "ChainMapper"),
    make_row("airflow.partition_mappers.fixed_key", "FixedKeyMapper"),
    make_row("airflow.partition_mappers.identity", "IdentityMapper"),
    make_row("airflow.partition_mappers.product", "ProductMapper"),
    make_row(
        "airflow.partition_mappers.temporal",
        "FanOutMapper StartOfDayMapper StartOfHourMapper StartOfMonthMapper StartOfQuarterMapper "
        "StartOfWeekMapper StartOfYearMapper",
    ),
    make_row("airflow.partition_mappers.wait_policy", "MinimumCount PartitionSatisfaction WaitForAll WaitPolicy"),
    make_row(
        "airflow.partition_mappers.window",
        "DayWindow HourWindow MonthWindow QuarterWindow SegmentWindow WeekWindow Window YearWindow",
    ),
    make_row("airflow.models.trigger", "TRIGGER_FAIL_REPR TriggerFailureReason"),
    make_row(
        "airflow.lineage.hook",
        "AssetLineageInfo ExtraLineageInfo HookLineage HookLineageCollector HookLineageReader NoOpCollector get_hook_lineage_collector",
    ),
    make_row("airflow.secrets", "BaseSecretsBackend"),
    make_row("airflow.secrets.base_secrets", "BaseSecretsBackend"),
    make_row("airflow.secrets.environment_variables", "EnvironmentVariablesBackend"),
    make_row("airflow.secrets.local_filesystem", "LocalFilesystemBackend"),
    make_row(
        "airflow.providers.common.compat.sdk",
        "AssetLineageInfo HookLineage HookLineageCollector HookLineageReader NoOpCollector get_hook_lineage_collector mask_secret",
    ),
    make_row("airflow.security.kerberos", "get_kerberos_principal renew_from_kt"),
    make_row("airflow.security.utils", "get_components get_fqdn principal_from_username replace_hostname_pattern"),
    make_row("airflow.sensors.base", "BaseSensorOperator PokeReturnValue poke_mode_only"),
    make_row("airflow.sensors.base_sensor_operator", "BaseSensorOperator"),
    make_row("airflow.sensors.bash", "BashSensor"),
    make_row("airflow.sensors.date_time", "DateTimeSensor DateTimeSensorAsync"),
    make_row(
        "airflow.sensors.external_task", "ExternalDagLink ExternalTaskMarker ExternalTaskSensor ExternalTaskSensorLink"
    ),
    make_row("airflow.sensors.external_task_sensor", "ExternalTaskMarker ExternalTaskSensor ExternalTaskSensorLink"),
    make_row("airflow.sensors.filesystem", "FileSensor"),
    make_row("airflow.sensors.python", "PythonSensor"),
    make_row("airflow.sensors.time_delta", "TimeDeltaSensor TimeDeltaSensorAsync WaitSensor"),
    make_row("airflow.sensors.time_sensor", "TimeSensor TimeSensorAsync"),
    make_row("airflow.sensors.weekday", "DayOfWeekSensor"),
    make_row("airflow.settings", "AIRFLOW_HOME DAGS_FOLDER PLUGINS_FOLDER TIMEZONE pod_mutation_hook"),
    make_row("airflow.task.priority_strategy", "PriorityWeightStrategy"),
    make_row("airflow.task.trigger_rule", "TriggerRule"),
    make_row("airflow.task.weight_rule", "WeightRule"),
    make_row("airflow.template.templater", "Templater"),
    make_row("airflow.timetables.assets", "AssetOrTimeSchedule"),
    make_row("airflow.timetables.base", "DagRunInfo DataInterval TimeRestriction Timetable"),
    make_row("airflow.timetables.datasets", "DatasetOrTimeSchedule"),
    make_row("airflow.timetables.events", "EventsTimetable"),
    make_row("airflow.timetables.interval", "CronDataIntervalTimetable DeltaDataIntervalTimetable"),
    make_row(
        "airflow.timetables.simple",
        "AssetTriggeredTimetable ContinuousTimetable DatasetTriggeredTimetable NullTimetable OnceTimetable PartitionedAssetTimetable PartitionedAtRuntime",
    ),
    make_row(
        "airflow.timetables.trigger",
        "CronPartitionTimetable CronTriggerTimetable DeltaTriggerTimetable MultipleCronTriggerTimetable",
    ),
    make_row(
        "airflow.triggers.base",
        "BaseEventTrigger BaseTaskEndEvent BaseTrigger StartTriggerArgs TaskFailedEvent TaskFailureEvent TaskSkippedEvent "
        "TaskSuccessEvent TriggerEvent",
    ),
    make_row("airflow.triggers.external_task", "DagStateTrigger TaskStateTrigger WorkflowTrigger"),
    make_row("airflow.triggers.file", "DirectoryFileDeleteTrigger FileDeleteTrigger FileTrigger"),
    make_row(
        "airflow.triggers.shared_stream",
        "AckTimeout AdvanceItem AdvanceOutcome SharedStreamProducer reject_shared_stream_event",
    ),
    make_row("airflow.triggers.temporal", "DateTimeTrigger TimeDeltaTrigger"),
    make_row("airflow.triggers.testing", "FailureTrigger SuccessTrigger"),
    make_row(
        "airflow.typing_compat",
        "Literal NotRequired ParamSpec Protocol Self TypeAlias TypeGuard TypedDict Unpack runtime_checkable",
    ),
    make_row("airflow.utils.context", "ConnectionAccessor Context VariableAccessor context_merge"),
    make_row("airflow.serialization.serde", "deserialize serialize"),
    make_row("airflow.utils.dag_parsing_context", "get_parsing_context"),
    make_row(
        "airflow.utils.dates", "cron_presets date_range datetime days_ago parse_execution_date round_time timedelta"
    ),
    make_row("airflow.utils.decorators", "apply_defaults"),
    make_row("airflow.utils.deprecation_tools", "add_deprecated_classes"),
    make_row("airflow.utils.edgemodifier", "EdgeModifier Label"),
    make_row(
        "airflow.utils.email", "build_mime_message get_email_address_list send_email send_email_smtp send_mime_email"
    ),
    make_row("airflow.utils.dag_cycle_tester", "check_cycle test_cycle"),
    make_row("airflow.utils.file", "TemporaryDirectory mkdirs"),
    make_row("airflow.utils.hashlib_wrapper", "md5"),
    make_row(
        "airflow.utils.helpers",
        "as_flattened_list at_most_one chain chunks convert_camel_to_snake cross_downstream exactly_one "
        "is_container merge_dicts partition prune_dict validate_key",
    ),
    make_row("airflow.utils.json", "AirflowJsonEncoder WebEncoder"),
    make_row("airflow.utils.log.json_formatter", "JSONFormatter"),
    make_row("airflow.utils.log.logging_mixin", "LoggingMixin remove_escape_codes"),
    make_row(
        "airflow.utils.log.secrets_masker",
        "DEFAULT_SENSITIVE_FIELDS Redactable Redacted SecretsMasker mask_secret redact should_hide_value_for_key",
    ),
    make_row("airflow.utils.module_loading", "import_string is_valid_dotpath iter_namespace qualname"),
    make_row("airflow.utils.net", "get_host_ip_address get_hostname getfqdn"),
    make_row(
        "airflow.utils.operator_helpers",
        "AIRFLOW_VAR_NAME_FORMAT_MAPPING DEFAULT_FORMAT_PREFIX ENV_VAR_FORMAT_PREFIX KeywordParameters context_to_airflow_vars determine_kwargs "
        "make_kwargs_callable",
    ),
    make_row("airflow.utils.platform", "getuser"),
    make_row("airflow.utils.process_utils", "patch_environ"),
    make_row("airflow.utils.setup_teardown", "SetupTeardownContext"),
    make_row("airflow.utils.state", "DagRunState State TaskInstanceState"),
    make_row("airflow.utils.strings", "get_random_string to_boolean"),
    make_row("airflow.utils.task_group", "MappedTaskGroup TaskGroup"),
    make_row("airflow.utils.template", "literal"),
    make_row("airflow.utils.timeout", "TimeoutPosix timeout"),
    make_row(
        "airflow.utils.timezone",
        "coerce_datetime convert_to_utc datetime from_timestamp initialize is_localized is_naive "
        "local_timezone make_aware make_naive parse parse_timezone td_format utc utc_epoch utcnow",
    ),
    make_row("airflow.utils.trigger_rule", "TriggerRule"),
    make_row(
        "airflow.utils.operator_resources",
        "CpuResource DiskResource EB GB GpuResource MB PB RamResource Resource Resources TB",
    ),
    make_row("airflow.utils.types", "ArgNotSet DagRunTriggeredByType DagRunType NOTSET"),
    make_row("airflow.utils.weekday", "WeekDay"),
    make_row("airflow.utils.weight_rule", "WeightRule"),
    make_row("airflow.utils.xcom", "XCOM_RETURN_KEY"),
    make_row("airflow.utils.yaml", "YAMLError dump safe_load"),
    make_row("airflow.version", "version"),
    make_row("airflow.plugins_manager", "AirflowPlugin", PROVIDED, PLUGINS),
    make_row("airflow.providers.common.compat.sdk", "AirflowPlugin", PROVIDED, PLUGINS),
    make_row("airflow.io", "get_fs has_fs", PROVIDED, OBJECT_STORAGE),
    make_row("airflow.io.path", "ObjectStoragePath", PROVIDED, OBJECT_STORAGE),
    make_row("airflow.io.storage", "ObjectStore attach", PROVIDED, OBJECT_STORAGE),
    make_row("airflow.io.store", "ObjectStore attach", PROVIDED, OBJECT_STORAGE),
    make_row("airflow.models", "XCom"),
    make_row("airflow.models.xcom", "BaseXCom XCom"),
    make_row("airflow.utils.json", "XComDecoder XComEncoder"),
)
