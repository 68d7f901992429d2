"""Errors that authors raise and catch in DAG files and tasks, under the names of the Airflow dialect.

One class per concept; `airflow_compat` re-exports these very classes under every path (airflow-surface.md A.8).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta


class AirflowException(Exception):
    """Base of the errors of the dialect: raised in a task, it fails the try."""

    status_code = 500


class AirflowBadRequest(AirflowException):
    """The other side was asked for something that makes no sense."""

    status_code = 400


class AirflowNotFoundException(AirflowException):
    """The thing asked for does not exist."""

    status_code = 404


class AirflowConfigException(AirflowException):
    """An option has no usable value."""


class AirflowInternalRuntimeError(BaseException):
    """Ends the process: an invariant of the product does not hold."""


class AirflowRuntimeError(AirflowException):
    """The server refused what a task asked of it; `error` holds its answer."""

    def __init__(self, error: object) -> None:
        super().__init__(str(error))
        self.error = error


# How a try ends


class AirflowSkipException(AirflowException):
    """The task is skipped."""


class AirflowFailException(AirflowException):
    """The task fails at once, whatever retries are left."""


class AirflowRescheduleException(AirflowException):
    """The try gives its slot back and is started again at `reschedule_date`; no try is used."""

    def __init__(self, reschedule_date: datetime) -> None:
        super().__init__(f"to be started again at {reschedule_date.isoformat()}")
        self.reschedule_date = reschedule_date


class AirflowSensorTimeout(AirflowException):
    """A sensor waited for all its `timeout`; not retried."""


class AirflowTaskTimeout(BaseException):
    """A try ran for longer than its `execution_timeout`."""


class AirflowTaskTerminated(BaseException):
    """The try was told to end (SIGTERM)."""


class TaskDeferred(BaseException):
    """The try hands its waiting to a trigger and leaves its worker."""

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
    """A deferral, or a start from a trigger, that could not go on: refused where it is written, with the remedy."""


class TaskDeferralError(AirflowException):
    """The trigger of a deferred task failed."""


class TaskDeferralTimeout(AirflowException):
    """A deferred task waited for longer than the timeout of its deferral."""


class TaskAwaitingInput(BaseException):
    """The try waits for a person."""


class TaskAlreadyRunningError(AirflowException):
    """This task instance runs already."""


class DownstreamTasksSkipped(AirflowException):
    """The task succeeded and wants these tasks of its run skipped: ids, or (id, map index) pairs."""

    def __init__(self, *, tasks: Sequence[str | tuple[str, int]]) -> None:
        super().__init__(f"skips {len(tasks)} downstream task(s)")
        self.tasks = tasks

    @property
    def task_ids(self) -> list[str]:
        """The ids alone, in the order given."""
        return [task if isinstance(task, str) else task[0] for task in self.tasks]


class DagRunTriggerException(AirflowException):
    """The task wants a run of another DAG."""

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
    """A timetable cannot plan what it was told to."""


class AirflowDagCycleException(AirflowException):
    """Tasks of a DAG wait for one another in a circle."""


class AirflowDagDuplicatedIdException(AirflowException):
    """Two DAGs carry one id."""

    def __init__(self, dag_id: str, incoming: str, existing: str) -> None:
        super().__init__(dag_id, incoming, existing)
        self.dag_id = dag_id
        self.incoming = incoming
        self.existing = existing

    def __str__(self) -> str:
        return (f"DAG id {self.dag_id!r} in {self.incoming} is taken by the DAG in {self.existing}. "
                "Give one of the two another dag_id.")


class DuplicateTaskIdFound(AirflowException):
    """Two tasks, or a task and a group, of one DAG carry one id."""


class TaskAlreadyInTaskGroup(AirflowException):
    """A task belongs to one task group only."""

    def __init__(self, task_id: str, existing_group_id: str | None, new_group_id: str | None) -> None:
        super().__init__(task_id, existing_group_id, new_group_id)
        self.task_id = task_id
        self.existing_group_id = existing_group_id
        self.new_group_id = new_group_id

    def __str__(self) -> str:
        around = f"the group {self.existing_group_id!r}" if self.existing_group_id else "the DAG's top level"
        return f"Task {self.task_id!r} stands in {around} already and cannot be added to {self.new_group_id!r} as well."


class FailFastDagInvalidTriggerRule(AirflowException):
    """A DAG with fail_fast has a task that waits for something else than the success of its upstream."""


class ParamValidationError(AirflowException):
    """A param has no value, or one that its schema refuses."""


class NotMapped(AirflowException):
    """A mapped task was expected."""


class NodeNotFound(AirflowException):
    """A task or group that the DAG does not have."""


class AirflowClusterPolicyError(AirflowException):
    """A policy of this installation failed."""


class AirflowClusterPolicyViolation(AirflowException):
    """A policy of this installation forbids this DAG or task."""


class AirflowClusterPolicySkipDag(AirflowException):
    """A policy of this installation wants this DAG left out."""


class AirflowInactiveAssetInInletOrOutletException(AirflowException):
    """A task reads or writes an asset that is not active."""

    def __init__(self, inactive_asset_keys: Iterable[object]) -> None:
        self.inactive_asset_keys = list(inactive_asset_keys)
        super().__init__(f"assets not active: {', '.join(map(str, self.inactive_asset_keys))}")


# Things that are not there


class DagNotFound(AirflowNotFoundException):
    """No DAG with that id."""


class DagCodeNotFound(AirflowNotFoundException):
    """The source of the DAG is not stored."""


class DagRunNotFound(AirflowNotFoundException):
    """No such run."""


class TaskNotFound(AirflowNotFoundException):
    """No task with that id in the DAG."""


class TaskInstanceNotFound(AirflowNotFoundException):
    """No such task instance."""


class PoolNotFound(AirflowNotFoundException):
    """No pool with that name."""


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
    """A mapped task needs the value of a task that returned nothing."""


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
    """The partition key does not read as one."""


class BackfillUnfinished(AirflowException):
    """Not every run of a backfill succeeded."""


class AirflowClearRunningTaskException(AirflowException):
    """A running task is not cleared."""


class AirflowFileParseException(AirflowException):
    """A connections or variables file does not read."""

    def __init__(self, msg: str, file_path: str = "", parse_errors: Sequence[object] = ()) -> None:
        super().__init__(msg)
        self.file_path = file_path
        self.parse_errors = parse_errors


class AirflowUnsupportedFileTypeException(AirflowException):
    """A connections or variables file of an unknown type."""


class ConnectionNotUnique(AirflowException):
    """Several connections carry one id."""


class VariableNotUnique(AirflowException):
    """Several variables carry one key."""


class AirflowSecretsBackendAccessDenied(AirflowException):
    """The secrets store refused."""


class AirflowOptionalProviderFeatureException(AirflowException):
    """A feature needs a package that is not installed."""


class InvalidStatsNameException(AirflowException):
    """A metric's name has characters that are not allowed."""


class PodMutationHookException(AirflowException):
    """A pod policy of this installation failed."""


class PodReconciliationError(AirflowException):
    """Two descriptions of a pod cannot be merged."""


class UnknownExecutorException(ValueError):
    """No executor with that name."""


class SerializationError(AirflowException):
    """A value cannot be stored."""


class DeserializationError(AirflowException):
    """A stored value cannot be read."""


class DeserializingResultError(ValueError):
    """The result of a task in another interpreter cannot be read."""


class NotSerializable(SerializationError, TypeError):
    """A value, or something inside it, has no form in typed JSON: `path` says where, `kind` what it is."""

    def __init__(self, what: str, path: str, kind: str, remedy: str) -> None:
        place = f" at {path}" if path else ""
        super().__init__(f"{what} cannot be stored: {kind}{place} has no JSON form. {remedy}")
        self.path = path
        self.kind = kind


class XComOverLimit(AirflowException, ValueError):
    """An XCom takes more bytes than the limit: the sentence names the key, the size and the limit, and shows how the value begins."""


class MappingNotSupported(AirflowException, NotImplementedError):
    """Dynamic task mapping is not there yet."""


class RemovedInAirflow3Warning(DeprecationWarning):
    """What Airflow 3 no longer has."""


class RemovedInAirflow4Warning(DeprecationWarning):
    """What Airflow 4 will no longer have."""


class AirflowProviderDeprecationWarning(DeprecationWarning):
    """What a provider package will no longer have."""
