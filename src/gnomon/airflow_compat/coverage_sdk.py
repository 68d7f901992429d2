"""The names of `airflow.sdk` that work, by module."""

from __future__ import annotations

from gnomon.airflow_compat.coverage_row import CoverageRow, CoverageStatus, make_row

PROVIDED = CoverageStatus.PROVIDED
OBJECT_STORAGE = "needs the extra: `pip install 'gnomon[object-storage]'`"

ROWS: tuple[CoverageRow, ...] = (
    make_row("airflow.sdk.execution_time.hitl", "HITLUser upsert_hitl_detail"),
    make_row("airflow.sdk", "ExceptionRetryPolicy RetryAction RetryDecision RetryPolicy RetryRule"),
    make_row(
        "airflow.sdk",
        "AsyncCallback BaseDeadlineReference DeadlineAlert DeadlineReference SyncCallback VariableInterval deadline_reference "
        "AllowedKeyMapper Asset AssetAlias AssetAll AssetAny AssetOrTimeSchedule AssetWatcher Metadata asset BaseAsyncOperator BaseBranchOperator BaseHook BaseNotifier BaseOperator BaseOperatorLink "
        "BaseSensorOperator BranchMixIn ChainMapper Connection Context CronDataIntervalTimetable "
        "CronPartitionTimetable CronTriggerTimetable DAG DagRunState DayWindow DeltaDataIntervalTimetable "
        "DeltaTriggerTimetable EdgeModifier EventsTimetable FanOutMapper FixedKeyMapper HourWindow "
        "IdentityMapper Label MinimumCount MonthWindow MultipleCronTriggerTimetable NEVER_EXPIRE Param "
        "ParamsDict PartitionMapper PartitionedAssetTimetable PartitionedAtRuntime PokeReturnValue ProductMapper QuarterWindow "
        "ResumableJobMixin RollupMapper SegmentWindow SkipMixin StartOfDayMapper StartOfHourMapper "
        "StartOfMonthMapper StartOfQuarterMapper StartOfWeekMapper StartOfYearMapper TaskGroup TaskInstance "
        "TaskInstanceState TriggerRule Variable WaitForAll WaitPolicy WeekWindow WeightRule Window XComArg "
        "YearWindow __version__ chain chain_linear conf cross_downstream dag get_current_context "
        "get_parsing_context literal macros setup task task_group teardown",
    ),
    make_row("airflow.sdk._shared.module_loading", "import_string is_valid_dotpath iter_namespace qualname"),
    make_row("airflow.sdk.api.datamodels._generated", "DagRun DagRunState DagRunType TaskInstanceState"),
    make_row("airflow.sdk.bases.branch", "BaseBranchOperator BranchMixIn"),
    make_row(
        "airflow.sdk.bases.decorator",
        "KNOWN_CONTEXT_KEYS DecoratedMappedOperator DecoratedOperator KeywordParameters TaskDecorator determine_kwargs get_unique_task_id is_async_callable "
        "task_decorator_factory",
    ),
    make_row("airflow.sdk.bases.hook", "BaseHook"),
    make_row("airflow.sdk.bases.notifier", "BaseNotifier"),
    make_row(
        "airflow.sdk.bases.operator",
        "BaseAsyncOperator BaseOperator BaseOperatorMeta OperatorPartial DB_SAFE_MAXIMUM DB_SAFE_MINIMUM chain chain_linear cross_downstream db_safe_priority",
    ),
    make_row("airflow.sdk.bases.operatorlink", "BaseOperatorLink"),
    make_row("airflow.sdk.bases.resumablejobmixin", "ResumableJobMixin"),
    make_row("airflow.sdk.bases.secrets_backend", "BaseSecretsBackend"),
    make_row("airflow.sdk.bases.sensor", "BaseSensorOperator PokeReturnValue poke_mode_only"),
    make_row(
        "airflow.sdk.bases.skipmixin", "SkipMixin XCOM_SKIPMIXIN_FOLLOWED XCOM_SKIPMIXIN_KEY XCOM_SKIPMIXIN_SKIPPED"
    ),
    make_row("airflow.sdk.configuration", "conf"),
    make_row("airflow.sdk.definitions.callback", "AsyncCallback Callback SyncCallback"),
    make_row(
        "airflow.sdk.definitions.deadline",
        "AverageRuntimeDeadline BaseDeadlineReference DagRunLogicalDateDeadline DagRunQueuedAtDeadline DeadlineAlert "
        "DeadlineReference AsyncCallback FixedDatetimeDeadline SyncCallback VariableInterval deadline_reference",
    ),
    make_row(
        "airflow.sdk.definitions._internal.abstractoperator",
        "AbstractOperator DEFAULT_EMAIL_ON_FAILURE DEFAULT_EMAIL_ON_RETRY DEFAULT_EXECUTOR DEFAULT_IGNORE_FIRST_DEPENDS_ON_PAST DEFAULT_OWNER "
        "DEFAULT_POOL_NAME DEFAULT_POOL_SLOTS DEFAULT_PRIORITY_WEIGHT DEFAULT_QUEUE DEFAULT_RETRIES DEFAULT_RETRY_DELAY DEFAULT_TASK_EXECUTION_TIMEOUT "
        "DEFAULT_TRIGGER_RULE DEFAULT_WAIT_FOR_PAST_DEPENDS_BEFORE_SKIPPING DEFAULT_WEIGHT_RULE MAX_RETRY_DELAY",
    ),
    make_row(
        "airflow.sdk.definitions._internal.templater", "LiteralValue NativeEnvironment SandboxedEnvironment Templater"
    ),
    make_row("airflow.sdk.definitions._internal.types", "ArgNotSet NOTSET SET_DURING_EXECUTION is_arg_set"),
    make_row(
        "airflow.sdk.definitions.asset",
        "Asset AssetAlias AssetAliasUniqueKey AssetAll AssetAny AssetNameRef AssetRef AssetUniqueKey AssetUriRef AssetWatcher BaseAsset Dataset Model",
    ),
    make_row("airflow.sdk.definitions.asset.decorators", "AssetDefinition MultiAssetDefinition asset"),
    make_row("airflow.sdk.definitions.asset.metadata", "Metadata"),
    make_row("airflow.sdk.definitions.connection", "Connection"),
    make_row("airflow.sdk.definitions.context", "Context context_merge get_current_context get_parsing_context"),
    make_row("airflow.sdk.definitions.dag", "DAG dag"),
    make_row("airflow.sdk.definitions.decorators", "TaskDecoratorCollection setup task task_group teardown"),
    make_row("airflow.sdk.definitions.decorators.setup_teardown", "setup_task teardown_task"),
    make_row("airflow.sdk.definitions.decorators.task_group", "task_group"),
    make_row("airflow.sdk.definitions.edges", "EdgeModifier Label"),
    make_row(
        "airflow.sdk.definitions.mappedoperator",
        "MappedOperator OperatorPartial ensure_xcomarg_return_value is_mappable_value",
    ),
    make_row(
        "airflow.sdk.definitions._internal.expandinput",
        "EXPAND_INPUT_EMPTY DictOfListsExpandInput ExpandInput ListOfDictsExpandInput MappedArgument is_mappable",
    ),
    make_row("airflow.sdk.execution_time.lazy_sequence", "LazyXComSequence"),
    make_row("airflow.sdk.definitions.param", "DagParam Param ParamsDict"),
    make_row("airflow.sdk.definitions.taskgroup", "MappedTaskGroup TaskGroup"),
    make_row("airflow.sdk.definitions.partition_mappers.base", "PartitionMapper RollupMapper"),
    make_row("airflow.sdk.definitions.partition_mappers.allowed_key", "AllowedKeyMapper"),
    make_row("airflow.sdk.definitions.partition_mappers.chain", "ChainMapper"),
    make_row("airflow.sdk.definitions.partition_mappers.fixed_key", "FixedKeyMapper"),
    make_row("airflow.sdk.definitions.partition_mappers.identity", "IdentityMapper"),
    make_row("airflow.sdk.definitions.partition_mappers.product", "ProductMapper"),
    make_row(
        "airflow.sdk.definitions.partition_mappers.temporal",
        "FanOutMapper StartOfDayMapper StartOfHourMapper StartOfMonthMapper StartOfQuarterMapper "
        "StartOfWeekMapper StartOfYearMapper",
    ),
    make_row("airflow.sdk.definitions.partition_mappers.wait_policy", "MinimumCount WaitForAll WaitPolicy"),
    make_row(
        "airflow.sdk.definitions.partition_mappers.window",
        "DayWindow HourWindow MonthWindow QuarterWindow SegmentWindow WeekWindow Window YearWindow",
    ),
    make_row(
        "airflow.sdk.definitions.retry_policy",
        "ChainRetryPolicy ExceptionRetryPolicy RetryAction RetryDecision RetryPolicy RetryRule",
    ),
    make_row("airflow.sdk.definitions.template", "literal"),
    make_row("airflow.sdk.definitions.variable", "Variable"),
    make_row("airflow.sdk.serde", "allow_class deserialize serialize"),
    make_row("airflow.sdk.definitions.xcom_arg", "ConcatXComArg MapXComArg PlainXComArg XComArg ZipXComArg"),
    make_row(
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
    make_row(
        "airflow.sdk.execution_time.context",
        "AIRFLOW_VAR_NAME_FORMAT_MAPPING AssetStateStoreAccessor AssetStateStoreAccessors DEFAULT_FORMAT_PREFIX ENV_VAR_FORMAT_PREFIX "
        "NEVER_EXPIRE TaskStateStoreAccessor context_to_airflow_vars get_current_context",
    ),
    make_row(
        "airflow.sdk.execution_time.macros",
        "datetime datetime_diff_for_humans dateutil ds_add ds_format ds_format_locale json random time "
        "timedelta uuid yaml",
    ),
    make_row("airflow.sdk.execution_time.task_runner", "RuntimeTaskInstance"),
    make_row("airflow.sdk.execution_time.timeout", "TimeoutPosix timeout"),
    make_row(
        "airflow.sdk._shared.secrets_masker",
        "DEFAULT_SENSITIVE_FIELDS Redactable Redacted SecretsMasker mask_secret redact should_hide_value_for_key",
    ),
    make_row(
        "airflow.sdk.execution_time.secrets_masker",
        "DEFAULT_SENSITIVE_FIELDS Redactable Redacted SecretsMasker mask_secret redact should_hide_value_for_key",
    ),
    make_row("airflow.sdk", "lineage result"),
    make_row(
        "airflow.sdk.lineage",
        "AssetLineageInfo ExtraLineageInfo HookLineage HookLineageCollector HookLineageReader NoOpCollector get_hook_lineage_collector",
    ),
    make_row("airflow.sdk.listener", "get_listener_manager"),
    make_row("airflow.sdk.plugins_manager", "AirflowPlugin"),
    make_row("airflow.sdk.log", "amask_secret mask_secret redact"),
    make_row("airflow.sdk.module_loading", "import_string is_valid_dotpath iter_namespace qualname"),
    make_row("airflow.sdk.providers_manager_runtime", "DialectInfo HookInfo ProvidersManagerTaskRuntime"),
    make_row(
        "airflow.sdk.timezone",
        "coerce_datetime convert_to_utc datetime from_timestamp initialize is_localized is_naive "
        "local_timezone make_aware make_naive parse parse_timezone td_format utc utc_epoch utcnow",
    ),
    make_row("airflow.sdk.types", "DagRunProtocol Operator RuntimeTaskInstanceProtocol TaskInstanceKey"),
    make_row("airflow.sdk", "ObjectStoragePath", PROVIDED, OBJECT_STORAGE),
    make_row("airflow.sdk", "BaseXCom"),
    make_row("airflow.sdk.bases.xcom", "BaseXCom"),
    make_row("airflow.sdk.execution_time.xcom", "BaseXCom XCom"),
    make_row("airflow.sdk.io", "ObjectStoragePath attach get_fs has_fs", PROVIDED, OBJECT_STORAGE),
    make_row("airflow.sdk.io.path", "ObjectStoragePath", PROVIDED, OBJECT_STORAGE),
    make_row("airflow.sdk.io.store", "ObjectStore attach", PROVIDED, OBJECT_STORAGE),
    make_row("airflow.sdk.io.fs", "get_fs has_fs", PROVIDED, OBJECT_STORAGE),
    make_row("airflow.sdk.definitions.timetables.simple", "ContinuousTimetable NullTimetable OnceTimetable"),
    make_row("airflow.sdk.definitions.timetables.interval", "CronDataIntervalTimetable DeltaDataIntervalTimetable"),
    make_row(
        "airflow.sdk.definitions.timetables.trigger",
        "CronTriggerTimetable DeltaTriggerTimetable MultipleCronTriggerTimetable",
    ),
    make_row("airflow.sdk.definitions.timetables.events", "EventsTimetable"),
    make_row("airflow.sdk.bases.timetable", "BaseTimetable"),
    make_row(
        "airflow.sdk._shared.timezones.timezone",
        "coerce_datetime convert_to_utc datetime from_timestamp initialize is_localized is_naive local_timezone "
        "make_aware make_naive parse parse_timezone td_format utc utc_epoch utcnow",
    ),
    make_row(
        "airflow.sdk.definitions.operator_resources",
        "CpuResource DiskResource EB GB GpuResource MB PB RamResource Resource Resources TB",
    ),
)
