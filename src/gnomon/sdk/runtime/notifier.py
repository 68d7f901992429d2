"""Notifiers: callbacks with template fields, given as `on_failure_callback=` and its like."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.sdk.templating.templater import Templater

if TYPE_CHECKING:
    from gnomon.sdk.dags.node_types import DagNode


class BaseNotifier(Templater):
    """A callback: write `notify(context)`. Its template fields are rendered before each call."""

    template_fields: ClassVar[Collection[str]] = ()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        self._dag: DagNode | None = None

    def get_dag(self) -> DagNode | None:
        """The DAG of the call that is running."""
        return self.__dict__.get("_dag")

    def notify(self, context: Any) -> None:
        """Sends the message. Subclasses write it."""
        raise NotImplementedError(f"{type(self).__name__} has no notify().")

    async def async_notify(self, context: Any) -> None:
        """Sends the message, from a coroutine."""
        raise NotImplementedError(f"{type(self).__name__} has no async_notify().")

    def _update_context(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """The context with the arguments of the DAG's callbacks."""
        return {**context}

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Renders the fields and notifies. Takes a context, or what an SLA callback of Airflow 2 was given."""
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
