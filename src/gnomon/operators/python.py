"""Tasks that call a Python function."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from gnomon.operators.keywords import determine_kwargs
from gnomon.sdk.branch import BaseBranchOperator
from gnomon.sdk.current import get_current_context
from gnomon.sdk.decorated import AbbreviatedValue, CallsFunction
from gnomon.sdk.place import at
from gnomon.sdk.skip import SkipMixin, cut_short

__all__ = [
    "BranchPythonOperator",
    "PythonOperator",
    "ShortCircuitOperator",
    "get_current_context",
]


class PythonOperator(CallsFunction):
    """Calls `python_callable(*op_args, **op_kwargs)`, with the context keys that it takes; a coroutine runs to its end.

    What it returns is pushed as an XCom.
    """

    template_fields: ClassVar[Collection[str]] = ("templates_dict", "op_args", "op_kwargs")
    template_fields_renderers: ClassVar[dict[str, str]] = {"templates_dict": "json", "op_args": "py", "op_kwargs": "py"}
    ui_color = "#ffefeb"
    shallow_copy_attrs: Sequence[str] = ("python_callable", "op_kwargs")

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        op_args: Collection[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not callable(python_callable):
            raise TypeError(
                f"python_callable of task {self.task_id!r}{at(self._place)} must be a function, not {python_callable!r} "
                f"({type(python_callable).__name__}). Give the function itself, without calling it."
            )
        self.python_callable = python_callable
        self.op_args = op_args or ()
        self.op_kwargs = op_kwargs or {}

    def execute(self, context: Any) -> Any:
        if self.templates_dict is not None:
            context["templates_dict"] = self.templates_dict
        self.op_kwargs = self.determine_kwargs(context)
        value = self.execute_callable()
        if value is None:
            return None  # nothing to show: the first log line of a child costs more than a small task
        if self.show_return_value_in_logs:
            self.log.info("Done. Returned value was: %s", AbbreviatedValue(value))
        else:
            self.log.info("Done. Returned value not shown")
        return value

    def determine_kwargs(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """The keyword arguments of the call: of the context and `op_kwargs`, those that the function takes."""
        own = determine_kwargs(self.python_callable, self.op_args, self.op_kwargs)
        return {**determine_kwargs(self.python_callable, self.op_args, context), **own}

    def execute_callable(self) -> Any:
        """What the function returns for `op_args` and `op_kwargs` as they are now."""
        value = self.python_callable(*self.op_args, **self.op_kwargs)
        if hasattr(value, "__await__"):
            import asyncio  # only coroutine functions need it

            value = asyncio.run(_finished(value))
        return value


async def _finished(value: Any) -> Any:
    return await value


class BranchPythonOperator(BaseBranchOperator, PythonOperator):
    """Follows the tasks (or groups) whose ids the function returns, and skips the others directly after it."""

    def choose_branch(self, context: Any) -> str | Iterable[str] | None:
        chosen: str | Iterable[str] | None = PythonOperator.execute(self, context)
        return chosen


class ShortCircuitOperator(PythonOperator, SkipMixin):
    """Skips what comes after it when the function returns something false.

    With `ignore_downstream_trigger_rules` all tasks after it, at any distance; without, the direct ones, and trigger
    rules decide about the rest.
    """

    inherits_from_skipmixin = True

    def __init__(self, *, ignore_downstream_trigger_rules: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.ignore_downstream_trigger_rules = ignore_downstream_trigger_rules

    def execute(self, context: Any) -> Any:
        return cut_short(self, super().execute(context), context)
