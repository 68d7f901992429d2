"""How a try ends: what author code raises to end it in another way than by returning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from gnomon.model.errors.airflow_errors import AirflowException


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

    def __init__(
        self,
        *,
        trigger_dag_id: str,
        dag_run_id: str | None = None,
        conf: object = None,
        logical_date: datetime | None = None,
        **options: object,
    ) -> None:
        super().__init__(f"wants a run of DAG {trigger_dag_id!r}")
        self.trigger_dag_id = trigger_dag_id
        self.dag_run_id = dag_run_id
        self.conf = conf
        self.logical_date = logical_date
        self.options = options
        for name, value in options.items():
            setattr(self, name, value)
