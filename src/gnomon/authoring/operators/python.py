"""Tasks that call a Python function."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import GeneratorType
from typing import Any, ClassVar

from gnomon.authoring.operators.function_keywords import determine_kwargs
from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.nodes.authoring_state import get_current_context
from gnomon.authoring.sdk.tasks.branching import BaseBranchOperator, SkipMixin, short_circuit
from gnomon.authoring.sdk.tasks.decorated_operators import AbbreviatedValue, FunctionOperator
from gnomon.authoring.sdk.tasks.sensor import BaseSensorOperator, PokeReturnValue

__all__ = [
    "BranchPythonOperator",
    "PythonOperator",
    "ShortCircuitOperator",
    "get_current_context",
]


class PythonOperator(FunctionOperator):
    """Calls `python_callable(*op_args, **op_kwargs)` with the context keys that are parameters of it; a coroutine is run to its end.

    The result is pushed as an XCom.
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
                f"python_callable of task {self.task_id!r}{format_location(self._location)} must be a function, not {python_callable!r} "
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
        if isinstance(value, GeneratorType):
            from gnomon.authoring.sdk.assets.yielded_metadata import run_generator  # few functions are generators

            value = run_generator(self.python_callable, value, context)
        if value is None:
            return None  # no log line: the first log line of a child process costs more than a small task
        if self.show_return_value_in_logs:
            self.log.info("Done. Returned value was: %s", AbbreviatedValue(value))
        else:
            self.log.info("Done. Returned value not shown")
        return value

    def determine_kwargs(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keyword arguments of the call: the items of the context and of `op_kwargs` that the function takes."""
        own = determine_kwargs(self.python_callable, self.op_args, self.op_kwargs)
        return {**determine_kwargs(self.python_callable, self.op_args, context), **own}

    def execute_callable(self) -> Any:
        """Call the function with the current `op_args` and `op_kwargs` and return its result."""
        value = self.python_callable(*self.op_args, **self.op_kwargs)
        if hasattr(value, "__await__"):
            import asyncio  # only coroutine functions need it

            value = asyncio.run(_await_value(value))
        return value


async def _await_value(value: Any) -> Any:
    return await value


class BranchPythonOperator(BaseBranchOperator, PythonOperator):
    """Follows the tasks or groups whose ids the function returns, and skips the other tasks directly after it."""

    def choose_branch(self, context: Any) -> str | Iterable[str] | None:
        chosen: str | Iterable[str] | None = PythonOperator.execute(self, context)
        return chosen


class ShortCircuitOperator(PythonOperator, SkipMixin):
    """Skips the tasks after it when the function returns a false value.

    With `ignore_downstream_trigger_rules` all tasks after it are skipped; without, the direct downstream tasks are skipped, and
    the trigger rules decide for the other tasks.
    """

    inherits_from_skipmixin = True

    def __init__(self, *, ignore_downstream_trigger_rules: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.ignore_downstream_trigger_rules = ignore_downstream_trigger_rules

    def execute(self, context: Any) -> Any:
        return short_circuit(self, super().execute(context), context)


class PythonSensor(BaseSensorOperator):
    """Waits until `python_callable(*op_args, **op_kwargs)` returns a true value, or a PokeReturnValue that is done."""

    template_fields: ClassVar[Collection[str]] = ("templates_dict", "op_args", "op_kwargs")

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        op_args: Collection[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        templates_dict: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.python_callable = python_callable
        self.op_args = op_args or ()
        self.op_kwargs = op_kwargs or {}
        self.templates_dict = templates_dict

    def poke(self, context: Any) -> bool | PokeReturnValue:
        if self.templates_dict is not None:
            context["templates_dict"] = self.templates_dict
        own = determine_kwargs(self.python_callable, self.op_args, self.op_kwargs)
        kwargs = {**determine_kwargs(self.python_callable, self.op_args, context), **own}
        answer = self.python_callable(*self.op_args, **kwargs)
        return answer if isinstance(answer, PokeReturnValue) else bool(answer)
