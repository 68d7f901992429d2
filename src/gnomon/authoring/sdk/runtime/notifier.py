"""Notifiers: callbacks with template fields, given as `on_failure_callback=`, to a deadline, and to their like."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.authoring.sdk.templating.templater import Templater
from gnomon.model.errors.error_text import error_text

if TYPE_CHECKING:
    import logging

    import jinja2

    from gnomon.authoring.sdk.nodes.node_types import DagNode


class BaseNotifier(Templater):
    """A callback. A subclass defines `notify(context)`, `async_notify(context)` or both. Template fields are rendered before each call.

    Calling a notifier calls `notify`; awaiting it awaits `async_notify` with the context that `__init__` got.
    """

    template_fields: ClassVar[Collection[str]] = ()

    def __init__(self, context: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__()
        self.context: Mapping[str, Any] = {} if context is None else context
        self._dag: DagNode | None = None

    @property
    def log(self) -> logging.Logger:
        """The logger of the class."""
        import logging  # not needed to write a DAG

        kind = type(self)
        return logging.getLogger(f"airflow.notifiers.{kind.__module__}.{kind.__qualname__}")

    def get_dag(self) -> DagNode | None:
        """Return the DAG of the current call, or None."""
        return self.__dict__.get("_dag")

    def notify(self, context: Any) -> None:
        """Send the message. Subclasses override it."""
        raise NotImplementedError(f"{type(self).__name__} has no notify().")

    async def async_notify(self, context: Any) -> None:
        """Send the message from a coroutine. Subclasses override it."""
        raise NotImplementedError(f"{type(self).__name__} has no async_notify().")

    def _update_context(self, context: Mapping[str, Any]) -> Mapping[str, Any]:
        """Add the template fields of the notifier to the context, as they are before they are rendered, and return the context."""
        fields = {name: getattr(self, name) for name in self.template_fields}
        if not isinstance(context, MutableMapping):
            return {**context, **fields}
        context.update(fields)
        return context

    def render_template_fields(self, context: Mapping[str, Any], jinja_env: jinja2.Environment | None = None) -> None:
        """Replace each template field by its value for the run of `context`."""
        self._dag = context.get("dag")
        super().render_template_fields(context, jinja_env)

    def _prepare(self, context: Any) -> Any:
        copied = context.copy() if hasattr(context, "copy") else {**context}
        self.render_template_fields(self._update_context(copied))
        return copied

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Render the template fields and call `notify`. The arguments are a context, or those of an SLA callback of Airflow 2.

        Raises what `notify` raises, after an entry in the log.
        """
        context: Any = args[0] if len(args) == 1 else kwargs.pop("context", None)
        if context is None:
            names = ("dag", "task_list", "blocking_task_list", "blocking_tis")
            context = dict(zip(names, args, strict=False)) | kwargs
        context = self._prepare(context)
        try:
            self.notify(context)
        except Exception as error:
            self.log.error("notifier %s failed: %s", type(self).__name__, error_text(error))
            raise

    async def notify_async(self, context: Any) -> None:
        """Render the template fields and await `async_notify`. Raises what that raises, after an entry in the log."""
        context = self._prepare(context)
        try:
            await self.async_notify(context)
        except Exception as error:
            self.log.error("notifier %s failed: %s", type(self).__name__, error_text(error))
            raise

    def __await__(self) -> Generator[Any, None, None]:
        return self.notify_async(self.context).__await__()
