"""A task at work: what its process calls, from the first hook to the end of a deferral."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, NoReturn, Self

from gnomon.errors.authoring import TaskDeferralError, TaskDeferralTimeout, TaskDeferred
from gnomon.sdk.templating.templater import Templater

if TYPE_CHECKING:
    import logging


TRIGGER_FAIL = "__fail__"
"""`resume_execution` is called with this instead of a method when the wait brought no event; `error` says which."""
TRIGGER_TIMEOUT = "Trigger timeout"
TRIGGER_FAILURE = "Trigger failure"


class TaskExecution(Templater):
    """What a BaseOperator does when it runs."""

    task_id: str
    logger_name: str | None = None

    @property
    def task_type(self) -> str:
        """The name of its class."""
        return type(self).__name__

    @property
    def log(self) -> logging.Logger:
        """The logger of its class."""
        import logging  # not needed to write a DAG

        return logging.getLogger(self.logger_name or f"airflow.task.operators.{type(self).__module__}.{self.task_type}")

    def execute(self, context: Any) -> Any:
        """The work; what it returns is pushed as an XCom. Subclasses write it."""
        raise NotImplementedError(
            f"{self.task_type} (task {self.task_id!r}) has no execute(). Write `def execute(self, context)` in the class."
        )

    def pre_execute(self, context: Any) -> None:
        """Runs right before `execute`."""
        hook = self.__dict__.get("_pre_execute_hook")
        if hook is not None:
            hook(context)

    def post_execute(self, context: Any, result: Any = None) -> None:
        """Runs right after `execute`, with what it returned."""
        hook = self.__dict__.get("_post_execute_hook")
        if hook is not None:
            hook(context, result)

    def on_kill(self) -> None:
        """Ends what `execute` started outside of its process, when the try is told to end."""

    def prepare_for_execution(self) -> Self:
        """A copy whose fields may be rendered without touching this one."""
        other = object.__new__(type(self))  # what copy.copy does, without its detour: every child process pays for it
        other.__dict__.update(self.__dict__, _lock_for_execution=True)
        return other

    def dry_run(self) -> None:
        """Logs the template fields as they are now."""
        for name in self.template_fields:
            self.log.info("%s: %r", name, getattr(self, name, None))

    def defer(
        self, *, trigger: Any, method_name: str | None, kwargs: dict[str, Any] | None = None,
        timeout: dt.timedelta | float | None = None,
    ) -> NoReturn:
        """Leaves the worker; `method_name` goes on, in a new object, when the trigger fires: `(context, event, **kwargs)`.

        None: the event itself ends the task. `timeout`: the longest wait, a timedelta or seconds.
        """
        raise TaskDeferred(trigger=trigger, method_name=method_name, kwargs=kwargs, timeout=timeout)

    def resume_execution(self, next_method: str, next_kwargs: dict[str, Any] | None, context: Any) -> Any:
        """Calls the method that a deferral named; raises when its wait brought no event."""
        kwargs = next_kwargs or {}
        if next_method == TRIGGER_FAIL:
            error = TaskDeferralTimeout if kwargs.get("error") == TRIGGER_TIMEOUT else TaskDeferralError
            raise error(kwargs.get("reason") or kwargs.get("error"))
        return getattr(self, next_method)(context, **kwargs)

    @staticmethod
    def xcom_pull(context: Any, **kwargs: Any) -> Any:
        """What tasks pushed: `ti.xcom_pull`."""
        return context["ti"].xcom_pull(**kwargs)

    @staticmethod
    def xcom_push(context: Any, key: str, value: Any) -> None:
        """Pushes a value: `ti.xcom_push`."""
        context["ti"].xcom_push(key=key, value=value)
