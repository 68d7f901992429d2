"""Operators that call a function: the classes behind `@task` and its variants, and the base of PythonOperator."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import GeneratorType
from typing import Any, ClassVar, Self

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.arguments.converters import check_id
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.authoring.sdk.tasks.branching import BranchMixIn, SkipMixin, short_circuit
from gnomon.authoring.sdk.tasks.function_calls import call_with_context, check_call
from gnomon.authoring.sdk.tasks.operator import BaseOperator


def make_unique_task_id(task_id: str, dag: Any, group: Any) -> str:
    """Return `task_id`, or `task_id` with the next suffix `__1`, `__2`, ... when the DAG or group has that id."""
    dag = dag or (group.dag if group is not None else None) or authoring_state.current_dag()
    if dag is None:
        return task_id
    free: str = dag.make_unique_id(group or authoring_state.current_group(dag), task_id)
    return free


class DecoratedOperator(BaseOperator):
    """A task that calls a function. In the list of bases it comes before the operator class that runs the function."""

    template_fields: ClassVar[Collection[str]] = ("op_args", "op_kwargs")
    template_fields_renderers: ClassVar[dict[str, str]] = {"op_args": "py", "op_kwargs": "py"}
    shallow_copy_attrs: Sequence[str] = ("python_callable",)
    custom_operator_name: str = "@task"

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        task_id: str,
        op_args: Collection[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        kwargs_to_upstream: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if "_mapped_from" not in self.__dict__:
            task_id = make_unique_task_id(
                check_id("task_id", task_id, format_location(self._location)),
                kwargs.get("dag"),
                kwargs.get("task_group"),
            )
        self.python_callable = python_callable
        self.op_args: Any = list(op_args or ())
        self.op_kwargs: Any = dict(op_kwargs or {})
        where = f" of task {task_id!r}{format_location(self._location)}"
        check_call(python_callable, self.op_args, self.op_kwargs, where)
        super().__init__(task_id=task_id, **{**(kwargs_to_upstream or {}), **kwargs})

    def copy_with(self, op_kwargs: dict[str, Any]) -> Self:
        """Return a copy with other arguments of the function. Raises TypeError for arguments with which it cannot be called."""
        if op_kwargs.keys() != self.op_kwargs.keys():  # the constructor has checked its own names
            check_call(
                self.python_callable,
                self.op_args,
                op_kwargs,
                f" of task {self.task_id!r}{format_location(self._location)}",
            )
        other = self.prepare_for_execution()
        other.__dict__["op_kwargs"] = op_kwargs
        return other

    def execute(self, context: Any) -> Any:
        """Return the result of the operator class. Raises TypeError when multiple_outputs is set and the result is not a dict."""
        return self._check_multiple_outputs(super().execute(context))

    def _handle_output(self, return_value: Any) -> Any:
        return self._check_multiple_outputs(return_value)

    def _check_multiple_outputs(self, value: Any) -> Any:
        if not self.multiple_outputs or value is None:
            return value
        if not isinstance(value, dict):
            raise TypeError(
                f"Task {self.task_id!r} has multiple_outputs and must return a dict, not {value!r} "
                f"({type(value).__name__})."
            )
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"Task {self.task_id!r} has multiple_outputs; its keys must be text, not {key!r}.")
        return value

    multiple_outputs: bool


RETURNED_SHOWN_MAX = 4_000
"""The number of characters of a returned value that the log shows."""


class AbbreviatedValue:
    """A returned value as an argument of a log call. Its text is made, and cut, when the record is written.

    An error in the `__str__` of an author's class is therefore an error of logging and does not fail the task.
    """

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = value

    def __str__(self) -> str:
        text = str(self._value)
        return text if len(text) <= RETURNED_SHOWN_MAX else f"{text[:RETURNED_SHOWN_MAX]}… ({len(text)} characters)"


class FunctionOperator(BaseOperator):
    """Calls `python_callable` with `op_args`, `op_kwargs` and the context keys that are parameters of it."""

    python_callable: Callable[..., Any]
    op_args: Any
    op_kwargs: Any

    def __init__(
        self,
        *,
        templates_dict: dict[str, Any] | None = None,
        templates_exts: Sequence[str] | None = None,
        show_return_value_in_logs: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.templates_dict = templates_dict
        self.show_return_value_in_logs = show_return_value_in_logs
        if templates_exts:
            self.template_ext = tuple(templates_exts)  # type: ignore[misc]

    def call(self, context: Any) -> Any:
        """Call the function and return its result; a coroutine is run in a new event loop."""
        if self.templates_dict is not None:
            context["templates_dict"] = self.templates_dict
        value = call_with_context(self.python_callable, self.op_args, self.op_kwargs, context)
        if hasattr(value, "__await__"):
            import asyncio  # only coroutine functions need it

            value = asyncio.run(_await_value(value))
        if isinstance(value, GeneratorType):
            from gnomon.authoring.sdk.assets.yielded_metadata import run_generator  # few functions are generators

            value = run_generator(self.python_callable, value, context)
        return value

    def execute(self, context: Any) -> Any:
        value = self.call(context)
        if (
            value is not None and self.show_return_value_in_logs
        ):  # as PythonOperator: a first log line costs more than a small task
            self.log.info("Done. Returned value was: %s", AbbreviatedValue(value))
        return value


async def _await_value(value: Any) -> Any:
    return await value


class PythonDecoratedOperator(DecoratedOperator, FunctionOperator):
    """`@task`: calls the function."""

    template_fields: ClassVar[Collection[str]] = ("templates_dict", "op_args", "op_kwargs")
    class_name_in_airflow = "_PythonDecoratedOperator"
    custom_operator_name = "@task"
    is_copied_for_instances = True
    """On a class itself, not inherited: the constructor uses none of `op_kwargs`, so a mapped task makes one operator and copies it."""


class BranchDecoratedOperator(PythonDecoratedOperator, BranchMixIn):
    """`@task.branch`: the function returns the ids of the tasks to follow."""

    class_name_in_airflow = "_BranchPythonDecoratedOperator"
    custom_operator_name = "@task.branch"
    is_copied_for_instances = True
    inherits_from_skipmixin = True

    def execute(self, context: Any) -> Any:
        return self.do_branch(context, super().execute(context))


class ShortCircuitDecoratedOperator(PythonDecoratedOperator, SkipMixin):
    """`@task.short_circuit`: the tasks after it are skipped when the function returns a false value."""

    class_name_in_airflow = "_ShortCircuitDecoratedOperator"
    custom_operator_name = "@task.short_circuit"
    is_copied_for_instances = True
    inherits_from_skipmixin = True

    def __init__(self, *, ignore_downstream_trigger_rules: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.ignore_downstream_trigger_rules = ignore_downstream_trigger_rules

    def execute(self, context: Any) -> Any:
        return short_circuit(self, super().execute(context), context)
