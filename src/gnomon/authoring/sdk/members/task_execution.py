"""The methods of a task that its process calls: hooks, `execute`, deferral and resumption."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, NoReturn, Self

from gnomon.authoring.sdk.templating.templater import Templater
from gnomon.model.errors.authoring import TaskDeferralError, TaskDeferralTimeout, TaskDeferred

if TYPE_CHECKING:
    import logging


TRIGGER_FAIL = "__fail__"
"""The method name with which `resume_execution` is called after a deferral without an event; `error` in its kwargs has the reason."""
TRIGGER_TIMEOUT = "Trigger timeout"
TRIGGER_FAILURE = "Trigger failure"


def name_class(operator_class: type) -> str:
    """Return the name of an operator class that authors read: that in Airflow where the class states it for itself, else its own."""
    return str(operator_class.__dict__.get("class_name_in_airflow") or operator_class.__name__)


class TaskExecution(Templater):
    """Base class of BaseOperator: the methods that concern running."""

    task_id: str
    logger_name: str | None = None

    @property
    def task_type(self) -> str:
        """The name of the class; for a class of `@task`, the name that it has in Airflow."""
        return name_class(type(self))

    @property
    def log(self) -> logging.Logger:
        """The logger of the class, or of `logger_name`."""
        import logging  # not needed to write a DAG

        return logging.getLogger(self.logger_name or f"airflow.task.operators.{type(self).__module__}.{self.task_type}")

    def execute(self, context: Any) -> Any:
        """Do the work of the task and return the value to push as an XCom. Subclasses override it."""
        raise NotImplementedError(
            f"{self.task_type} (task {self.task_id!r}) has no execute(). Write `def execute(self, context)` in the class."
        )

    def pre_execute(self, context: Any) -> None:
        """Called directly before `execute`; calls the function of the argument `pre_execute`."""
        hook = self.__dict__.get("_pre_execute_hook")
        if hook is not None:
            hook(context)

    def post_execute(self, context: Any, result: Any = None) -> None:
        """Called directly after `execute` with its result; calls the function of the argument `post_execute`."""
        hook = self.__dict__.get("_post_execute_hook")
        if hook is not None:
            hook(context, result)

    def on_kill(self) -> None:
        """Called when the attempt is terminated. Subclasses end what `execute` started outside the process."""

    def prepare_for_execution(self) -> Self:
        """Return a copy whose fields can be rendered without a change to this task."""
        other = object.__new__(type(self))  # as copy.copy, but faster: every child process calls it
        other.__dict__.update(self.__dict__, _lock_for_execution=True)
        return other

    def dry_run(self) -> None:
        """Log the current values of the template fields."""
        for name in self.template_fields:
            self.log.info("%s: %r", name, getattr(self, name, None))

    def defer(
        self,
        *,
        trigger: Any,
        method_name: str | None,
        kwargs: dict[str, Any] | None = None,
        timeout: dt.timedelta | float | None = None,
    ) -> NoReturn:
        """Leave the worker until `trigger` fires; then `method_name(context, event, **kwargs)` of a new task object is called.

        With `method_name` None the event itself ends the task. `timeout` limits the wait: a timedelta or seconds.
        Always raises TaskDeferred, which the runner catches.
        """
        raise TaskDeferred(trigger=trigger, method_name=method_name, kwargs=kwargs, timeout=timeout)

    def resume_execution(self, next_method: str, next_kwargs: dict[str, Any] | None, context: Any) -> Any:
        """Call the method that a deferral named.

        Raises TaskDeferralTimeout or TaskDeferralError when the deferral ended without an event.
        """
        kwargs = next_kwargs or {}
        if next_method == TRIGGER_FAIL:
            error = TaskDeferralTimeout if kwargs.get("error") == TRIGGER_TIMEOUT else TaskDeferralError
            raise error(kwargs.get("reason") or kwargs.get("error"))
        return getattr(self, next_method)(context, **kwargs)

    @staticmethod
    def xcom_pull(context: Any, **kwargs: Any) -> Any:
        """Return the XComs that tasks pushed; as `ti.xcom_pull`."""
        return context["ti"].xcom_pull(**kwargs)

    @staticmethod
    def xcom_push(context: Any, key: str, value: Any) -> None:
        """Push an XCom; as `ti.xcom_push`."""
        context["ti"].xcom_push(key=key, value=value)
