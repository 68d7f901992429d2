"""Notifiers: callbacks with template fields, given as `on_failure_callback=` and its like."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.sdk.templating.templater import Templater

if TYPE_CHECKING:
    from gnomon.sdk.dags.node_types import DagNode


class BaseNotifier(Templater):
    """A callback. A subclass defines `notify(context)`. The template fields are rendered before each call."""

    template_fields: ClassVar[Collection[str]] = ()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        self._dag: DagNode | None = None

    def get_dag(self) -> DagNode | None:
        """Return the DAG of the current call, or None."""
        return self.__dict__.get("_dag")

    def notify(self, context: Any) -> None:
        """Send the message. Subclasses override it."""
        raise NotImplementedError(f"{type(self).__name__} has no notify().")

    async def async_notify(self, context: Any) -> None:
        """Send the message from a coroutine. Subclasses override it."""
        raise NotImplementedError(f"{type(self).__name__} has no async_notify().")

    def _update_context(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """Return the context with the arguments of the callbacks of the DAG."""
        return {**context}

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Render the template fields and call `notify`. The arguments are a context, or those of an SLA callback of Airflow 2."""
        context: Any = args[0] if len(args) == 1 else kwargs.pop("context", None)
        if context is None:
            names = ("dag", "task_list", "blocking_task_list", "slas", "blocking_tis")
            context = dict(zip(names, args, strict=False)) | kwargs
        self._dag = context.get("dag")
        self.render_template_fields(context)
        try:
            self.notify(context)
        except Exception as error:
            import logging  # a failed notification must not fail the task

            logging.getLogger("airflow.task.notifiers").exception("Notifier %s failed: %s", type(self).__name__, error)
