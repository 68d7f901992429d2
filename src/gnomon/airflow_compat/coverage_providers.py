"""The names of provider packages that work, by module."""

from __future__ import annotations

from gnomon.airflow_compat.coverage_row import CoverageRow, make_row

ROWS: tuple[CoverageRow, ...] = (
    make_row(
        "airflow.providers.common.compat.sdk",
        "AIRFLOW_VAR_NAME_FORMAT_MAPPING AirflowConfigException AirflowException AirflowFailException AirflowNotFoundException "
        "AirflowOptionalProviderFeatureException AirflowSensorTimeout AirflowSkipException AirflowTaskTimeout Asset AssetAlias "
        "AssetAll AssetAny BaseBranchOperator BaseHook BaseNotifier BaseOperator BaseOperatorLink BaseSensorOperator BranchMixIn ChainRetryPolicy "
        "Connection Context DAG DagRunState DagRunTriggerException DecoratedMappedOperator DecoratedOperator DownstreamTasksSkipped "
        "EdgeModifier ExceptionRetryPolicy KeywordParameters Label MappedOperator Metadata ObjectStoragePath Param "
        "ParamValidationError PokeReturnValue ResumableJobMixin RetryAction RetryDecision RetryPolicy RetryRule "
        "SET_DURING_EXECUTION SkipMixin TaskDecorator TaskDeferred TaskGroup TaskInstanceKey TaskInstanceState TriggerRule "
        "Variable WeightRule XCOM_RETURN_KEY XCom XComArg XComNotFound chain chain_linear conf context_merge "
        "context_to_airflow_vars cross_downstream dag determine_kwargs get_current_context get_listener_manager "
        "get_parsing_context get_unique_task_id hookimpl io literal poke_mode_only redact setup task task_decorator_factory "
        "task_group teardown timeout timezone",
    ),
    make_row("airflow.providers.standard.decorators.bash", "bash_task"),
    make_row("airflow.providers.standard.decorators.branch_python", "branch_task"),
    make_row("airflow.providers.standard.decorators.python", "python_task"),
    make_row("airflow.providers.standard.decorators.sensor", "DecoratedSensorOperator sensor_task"),
    make_row("airflow.providers.standard.decorators.short_circuit", "short_circuit_task"),
    make_row(
        "airflow.providers.standard.exceptions",
        "AirflowException AirflowExternalTaskSensorException DuplicateStateError ExternalDagDeletedError ExternalDagFailedError "
        "ExternalDagNotFoundError ExternalTaskFailedError ExternalTaskGroupFailedError ExternalTaskGroupNotFoundError "
        "ExternalTaskNotFoundError HITLRejectException HITLTimeoutError HITLTriggerEventError",
    ),
    make_row("airflow.providers.standard.hooks.filesystem", "FSHook"),
    make_row("airflow.providers.standard.hooks.subprocess", "SubprocessHook SubprocessResult working_directory"),
    make_row("airflow.providers.standard.operators.bash", "BashOperator"),
    make_row("airflow.providers.standard.operators.branch", "BaseBranchOperator BranchMixIn"),
    make_row("airflow.providers.standard.operators.datetime", "BranchDateTimeOperator target_times_as_dates"),
    make_row("airflow.providers.standard.operators.empty", "EmptyOperator"),
    make_row("airflow.providers.standard.operators.latest_only", "LatestOnlyOperator"),
    make_row(
        "airflow.providers.standard.operators.python",
        "_SERIALIZERS BranchExternalPythonOperator BranchPythonOperator BranchPythonVirtualenvOperator ExternalPythonOperator PythonOperator "
        "PythonVirtualenvOperator ShortCircuitOperator get_current_context",
    ),
    make_row("airflow.providers.standard.decorators.branch_external_python", "branch_external_python_task"),
    make_row("airflow.providers.standard.decorators.branch_virtualenv", "branch_virtualenv_task"),
    make_row("airflow.providers.standard.decorators.external_python", "external_python_task"),
    make_row("airflow.providers.standard.decorators.python_virtualenv", "virtualenv_task"),
    make_row("airflow.providers.standard.decorators.stub", "stub"),
    make_row("airflow.providers.standard.hooks.package_index", "PackageIndexHook"),
    make_row(
        "airflow.providers.standard.operators.hitl",
        "ApprovalOperator HITLBranchOperator HITLEntryOperator HITLOperator",
    ),
    make_row("airflow.providers.standard.operators.smooth", "SmoothOperator"),
    make_row(
        "airflow.providers.standard.operators.trigger_dagrun",
        "DagIsPaused TriggerDagRunLink TriggerDagRunOperator XCOM_LOGICAL_DATE_ISO XCOM_RUN_ID",
    ),
    make_row(
        "airflow.providers.standard.triggers.hitl",
        "HITLTrigger HITLTriggerEventFailurePayload HITLTriggerEventSuccessPayload",
    ),
    make_row("airflow.providers.standard.utils.python_virtualenv", "prepare_virtualenv"),
    make_row("airflow.providers.standard.operators.weekday", "BranchDayOfWeekOperator"),
    make_row("airflow.providers.standard.sensors.bash", "BashSensor"),
    make_row("airflow.providers.standard.sensors.date_time", "DateTimeSensor DateTimeSensorAsync"),
    make_row(
        "airflow.providers.standard.sensors.external_task",
        "ExternalDagLink ExternalTaskMarker ExternalTaskSensor ExternalTaskSensorLink",
    ),
    make_row("airflow.providers.standard.sensors.filesystem", "FileSensor"),
    make_row("airflow.providers.standard.sensors.python", "PythonSensor"),
    make_row("airflow.providers.standard.sensors.time", "TimeSensor TimeSensorAsync"),
    make_row("airflow.providers.standard.sensors.time_delta", "TimeDeltaSensor TimeDeltaSensorAsync WaitSensor"),
    make_row("airflow.providers.standard.sensors.weekday", "DayOfWeekSensor"),
    make_row("airflow.providers.standard.triggers.external_task", "DagStateTrigger WorkflowTrigger"),
    make_row("airflow.providers.standard.triggers.file", "DirectoryFileDeleteTrigger FileDeleteTrigger FileTrigger"),
    make_row("airflow.providers.standard.triggers.temporal", "DateTimeTrigger TimeDeltaTrigger"),
    make_row(
        "airflow.providers.standard.utils.skipmixin",
        "SkipMixin XCOM_SKIPMIXIN_FOLLOWED XCOM_SKIPMIXIN_KEY XCOM_SKIPMIXIN_SKIPPED",
    ),
    make_row("airflow.providers.standard.utils.weekday", "WeekDay"),
    make_row("airflow.providers_manager", "DialectInfo HookInfo ProviderInfo ProvidersManager"),
)
