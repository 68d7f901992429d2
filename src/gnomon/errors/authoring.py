"""Errors that authors raise and catch in DAG files and tasks, under the names of the Airflow dialect.

One class for each concept; `airflow_compat` re-exports these classes under every path of Airflow (airflow-surface.md A.8).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta


class AirflowException(Exception):
    """Base of the errors of the dialect; raised in a task, it fails the try."""

    status_code = 500


class AirflowBadRequest(AirflowException):
    """The request is not valid."""

    status_code = 400


class AirflowNotFoundException(AirflowException):
    """The requested object does not exist."""

    status_code = 404


class AirflowConfigException(AirflowException):
    """An option has no usable value."""


class AirflowInternalRuntimeError(BaseException):
    """Ends the process: an invariant of the product does not hold."""


class AirflowRuntimeError(AirflowException):
    """The server refused a request of a task; `error` holds its answer."""

    def __init__(self, error: object) -> None:
        super().__init__(str(error))
        self.error = error


# How a try ends


class AirflowSkipException(AirflowException):
    """The task is skipped."""


class AirflowFailException(AirflowException):
    """The task fails at once, even if retries are left."""


class AirflowRescheduleException(AirflowException):
    """The attempt ends and the task starts again at `reschedule_date`; no try is used."""

    def __init__(self, reschedule_date: datetime) -> None:
        super().__init__(f"to be started again at {reschedule_date.isoformat()}")
        self.reschedule_date = reschedule_date


class AirflowSensorTimeout(AirflowException):
    """A sensor waited longer than its `timeout`; it is not retried."""


class AirflowTaskTimeout(BaseException):
    """A try ran for longer than its `execution_timeout`."""


class AirflowTaskTerminated(BaseException):
    """The try received SIGTERM."""


class TaskDeferred(BaseException):
    """The task defers to a trigger, and its attempt ends."""

    def __init__(
        self,
        *,
        trigger: object,
        method_name: str | None,
        kwargs: Mapping[str, object] | None = None,
        timeout: timedelta | float | None = None,
    ) -> None:
        super().__init__()
        self.trigger = trigger
        self.method_name = method_name
        self.kwargs = dict(kwargs) if isinstance(kwargs, Mapping) else kwargs
        self.timeout = timeout if timeout is None or isinstance(timeout, timedelta) else timedelta(seconds=timeout)

    def __str__(self) -> str:
        then = f", to go on in {self.method_name}()" if self.method_name else ""
        return f"deferred to {type(self.trigger).__name__}{then}"


class DeferralRefused(AirflowException):
    """A deferral, or a start from a trigger, that could not resume: raised where it is written, with the remedy."""


class TaskDeferralError(AirflowException):
    """The trigger of a deferred task failed."""


class TaskDeferralTimeout(AirflowException):
    """A deferred task waited for longer than the timeout of its deferral."""


class TaskAwaitingInput(BaseException):
    """The task waits for the answer of a person, and its attempt ends."""

    def __init__(
        self, *, method_name: str, kwargs: Mapping[str, object] | None = None, timeout: timedelta | float | None = None
    ) -> None:
        super().__init__()
        self.method_name = method_name
        self.kwargs = dict(kwargs) if isinstance(kwargs, Mapping) else kwargs
        self.timeout = timeout if timeout is None or isinstance(timeout, timedelta) else timedelta(seconds=timeout)

    def __str__(self) -> str:
        return f"waits for a person, to go on in {self.method_name}()"


class TaskAlreadyRunningError(AirflowException):
    """The task instance is running already."""


class DownstreamTasksSkipped(AirflowException):
    """The task succeeded, and these tasks of its run are to be skipped: ids, or (id, map index) pairs."""

    def __init__(self, *, tasks: Sequence[str | tuple[str, int]]) -> None:
        super().__init__(f"skips {len(tasks)} downstream task(s)")
        self.tasks = tasks

    @property
    def task_ids(self) -> list[str]:
        """The ids alone, in the order given."""
        return [task if isinstance(task, str) else task[0] for task in self.tasks]


class DagRunTriggerException(AirflowException):
    """The task triggers a run of another DAG."""

    def __init__(self, *, trigger_dag_id: str, dag_run_id: str | None = None, conf: object = None,
                 logical_date: datetime | None = None, **options: object) -> None:
        super().__init__(f"wants a run of DAG {trigger_dag_id!r}")
        self.trigger_dag_id = trigger_dag_id
        self.dag_run_id = dag_run_id
        self.conf = conf
        self.logical_date = logical_date
        self.options = options
        for name, value in options.items():
            setattr(self, name, value)


# Wrong DAG files


class AirflowTimetableInvalid(AirflowException):
    """A timetable is not valid as written."""


class AirflowDagCycleException(AirflowException):
    """The dependencies of the tasks of a DAG form a cycle."""


class AirflowDagDuplicatedIdException(AirflowException):
    """Two DAGs have the same id."""

    def __init__(self, dag_id: str, incoming: str, existing: str) -> None:
        super().__init__(dag_id, incoming, existing)
        self.dag_id = dag_id
        self.incoming = incoming
        self.existing = existing

    def __str__(self) -> str:
        return (f"DAG id {self.dag_id!r} in {self.incoming} is taken by the DAG in {self.existing}. "
                "Give one of the two another dag_id.")


class DuplicateTaskIdFound(AirflowException):
    """Two tasks of a DAG, or a task and a group, have the same id."""


class TaskAlreadyInTaskGroup(AirflowException):
    """The task is in a task group already."""

    def __init__(self, task_id: str, existing_group_id: str | None, new_group_id: str | None) -> None:
        super().__init__(task_id, existing_group_id, new_group_id)
        self.task_id = task_id
        self.existing_group_id = existing_group_id
        self.new_group_id = new_group_id

    def __str__(self) -> str:
        around = f"the group {self.existing_group_id!r}" if self.existing_group_id else "the DAG's top level"
        return f"Task {self.task_id!r} is in {around} already and cannot be added to {self.new_group_id!r} as well."


class FailFastDagInvalidTriggerRule(AirflowException):
    """A DAG with fail_fast has a task with a trigger rule other than all_success."""


class ParamValidationError(AirflowException):
    """A param has no value, or a value that its schema does not allow."""


class NotMapped(AirflowException):
    """A mapped task was expected."""


class AirflowClusterPolicyError(AirflowException):
    """A policy of this installation failed."""


class AirflowClusterPolicyViolation(AirflowException):
    """A policy of this installation does not allow the DAG or task."""


class AirflowClusterPolicySkipDag(AirflowException):
    """A policy of this installation excludes the DAG."""


class AirflowInactiveAssetInInletOrOutletException(AirflowException):
    """A task reads or writes an asset that is not active."""

    def __init__(self, inactive_asset_keys: Iterable[object]) -> None:
        self.inactive_asset_keys = list(inactive_asset_keys)
        super().__init__(f"assets not active: {', '.join(map(str, self.inactive_asset_keys))}")


# Things that are not there


class DagNotFound(AirflowNotFoundException):
    """There is no DAG with that id."""


class DagCodeNotFound(AirflowNotFoundException):
    """The source of the DAG is not stored."""


class DagRunNotFound(AirflowNotFoundException):
    """There is no such run."""


class TaskNotFound(AirflowNotFoundException):
    """The DAG has no task with that id."""


class NodeNotFound(TaskNotFound, KeyError):
    """The DAG or group has no task and no group with that id."""

    __str__ = Exception.__str__  # a KeyError shows its message in quotes


class TaskInstanceNotFound(AirflowNotFoundException):
    """There is no such task instance."""


class PoolNotFound(AirflowNotFoundException):
    """There is no pool with that name."""


class XComNotFound(AirflowException):
    """The task pushed nothing under that key."""

    def __init__(self, dag_id: str, task_id: str, key: str) -> None:
        super().__init__(dag_id, task_id, key)
        self.dag_id = dag_id
        self.task_id = task_id
        self.key = key

    def __str__(self) -> str:
        return f"Task {self.task_id!r} of DAG {self.dag_id!r} pushed no XCom with the key {self.key!r}."


class XComForMappingNotPushed(AirflowException):
    """A mapped task needs the value of a task that pushed none."""


class UnmappableXComTypePushed(AirflowException):
    """A mapped task needs a list or dict and was given something else."""


class UnmappableXComLengthPushed(AirflowException):
    """A mapped task was given more than `[core] max_map_length` values."""


# Runs and others


class DagRunAlreadyExists(AirflowBadRequest):
    """A run with that id or logical date exists."""


class DagRunTypeNotAllowed(AirflowBadRequest):
    """The DAG does not take runs of that type."""


class DagNotPartitionedError(AirflowBadRequest):
    """A partition key was given for a DAG without partitions."""


class InvalidPartitionKeyError(AirflowBadRequest):
    """The partition key is not valid."""


class BackfillUnfinished(AirflowException):
    """Not every run of a backfill succeeded."""


class AirflowClearRunningTaskException(AirflowException):
    """A running task cannot be cleared."""


class AirflowFileParseException(AirflowException):
    """A connections or variables file cannot be parsed."""

    def __init__(self, msg: str, file_path: str = "", parse_errors: Sequence[object] = ()) -> None:
        super().__init__(msg)
        self.file_path = file_path
        self.parse_errors = parse_errors


class AirflowUnsupportedFileTypeException(AirflowException):
    """The type of a connections or variables file is not supported."""


class ConnectionNotUnique(AirflowException):
    """Several connections have the same id."""


class VariableNotUnique(AirflowException):
    """Several variables have the same key."""


class AirflowSecretsBackendAccessDenied(AirflowException):
    """The secrets backend denied the access."""


class AirflowOptionalProviderFeatureException(AirflowException):
    """A feature needs a package that is not installed."""


class InvalidStatsNameException(AirflowException):
    """A metric's name has characters that are not allowed."""


class PodMutationHookException(AirflowException):
    """A pod policy of this installation failed."""


class PodReconciliationError(AirflowException):
    """Two descriptions of a pod cannot be merged."""


class UnknownExecutorException(ValueError):
    """There is no executor with that name."""


class SerializationError(AirflowException):
    """A value cannot be stored."""


class DeserializationError(AirflowException):
    """A stored value cannot be read."""


class DeserializingResultError(ValueError):
    """The result of a task in another interpreter cannot be read."""


class NotSerializable(SerializationError, TypeError):
    """A value, or a part of it, has no form in typed JSON: `path` is the place inside the value, `kind` its type."""

    def __init__(self, what: str, path: str, kind: str, remedy: str) -> None:
        location = f" at {path}" if path else ""
        super().__init__(f"{what} cannot be stored: {kind}{location} has no JSON form. {remedy}")
        self.path = path
        self.kind = kind


class XComOverLimit(AirflowException, ValueError):
    """An XCom exceeds the limit: the message names the key, the size and the limit, and shows the beginning of the value."""


class MappingNotSupported(AirflowException, NotImplementedError):
    """The number of instances would differ between the instances of a mapped group, which is not supported."""


class RemovedInAirflow3Warning(DeprecationWarning):
    """A feature that Airflow 3 no longer has."""


class RemovedInAirflow4Warning(DeprecationWarning):
    """A feature that Airflow 4 will no longer have."""


class AirflowProviderDeprecationWarning(DeprecationWarning):
    """A feature that a provider package will no longer have."""
