"""`@task.virtualenv`, `@task.external_python`, their branch forms, and `@task.stub`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, ClassVar

from gnomon.authoring.operators.interpreter_call import read_function_source
from gnomon.authoring.operators.virtualenv import ExternalPythonOperator, InterpreterOperator, PythonVirtualenvOperator
from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.tasks.branching import BranchMixIn
from gnomon.authoring.sdk.tasks.decorated_operators import DecoratedOperator
from gnomon.model.errors.authoring import AirflowFailException


class InterpreterDecoratedOperator(DecoratedOperator, InterpreterOperator):
    """A decorated function that another interpreter runs."""

    def __init__(
        self, *, python_callable: Callable[..., Any], op_args: Any = None, op_kwargs: Any = None, **kwargs: Any
    ) -> None:
        call = {"python_callable": python_callable, "op_args": op_args, "op_kwargs": op_kwargs}
        super().__init__(**call, kwargs_to_upstream=call, **kwargs)


class VirtualenvDecoratedOperator(InterpreterDecoratedOperator, PythonVirtualenvOperator):
    """`@task.virtualenv`: the function runs in a virtual environment."""

    template_fields = PythonVirtualenvOperator.template_fields
    class_name_in_airflow = "_PythonVirtualenvDecoratedOperator"
    custom_operator_name = "@task.virtualenv"


class ExternalPythonDecoratedOperator(InterpreterDecoratedOperator, ExternalPythonOperator):
    """`@task.external_python`: the function runs with another interpreter."""

    template_fields = ExternalPythonOperator.template_fields
    class_name_in_airflow = "_PythonExternalDecoratedOperator"
    custom_operator_name = "@task.external_python"


class BranchVirtualenvDecoratedOperator(VirtualenvDecoratedOperator, BranchMixIn):
    """`@task.branch_virtualenv`: the function returns the ids of the tasks to follow."""

    class_name_in_airflow = "_BranchPythonVirtualenvDecoratedOperator"
    custom_operator_name = "@task.branch_virtualenv"
    inherits_from_skipmixin = True

    def execute(self, context: Any) -> Any:
        return self.do_branch(context, super().execute(context))


class BranchExternalPythonDecoratedOperator(ExternalPythonDecoratedOperator, BranchMixIn):
    """`@task.branch_external_python`: the function returns the ids of the tasks to follow."""

    class_name_in_airflow = "_BranchExternalPythonDecoratedOperator"
    custom_operator_name = "@task.branch_external_python"
    inherits_from_skipmixin = True

    def execute(self, context: Any) -> Any:
        return self.do_branch(context, super().execute(context))


class StubDecoratedOperator(DecoratedOperator):
    """`@task.stub`: a task that a runtime for another language would run. The function must be empty."""

    class_name_in_airflow = "_StubOperator"
    custom_operator_name = "@task.stub"
    is_stub: ClassVar[bool] = True

    def __init__(self, *, python_callable: Callable[..., Any], task_id: str, **kwargs: Any) -> None:
        super().__init__(python_callable=python_callable, task_id=task_id, **kwargs)
        if getattr(self, "retry_policy", None) is not None:
            raise ValueError(
                f"Task {self.task_id!r}: @task.stub does not support `retry_policy`. Use `retries` instead."
            )
        body = ast.parse(read_function_source(python_callable)).body
        if len(body) != 1 or not isinstance(body[0], ast.FunctionDef):
            raise RuntimeError(f"Task {self.task_id!r}: @task.stub stands above a single function written with `def`.")
        filled = [statement for statement in body[0].body if not _is_empty(statement)]
        if filled:
            raise ValueError(
                f"Functions passed to @task.stub must be an empty function (`pass`, or `...` only); that of task {self.task_id!r}"
                f"{format_location(self._location)} is not, in its line {filled[0].lineno}."
            )

    def execute(self, context: Any) -> Any:
        """Fail: Gnomon has no runtime for another language."""
        raise AirflowFailException(
            f"Task {self.task_id!r} is a @task.stub, which a runtime for another language would run, and Gnomon has none. "
            "Call the other program from a BashOperator instead."
        )


def _is_empty(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Pass):
        return True
    is_constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_constant and isinstance(statement.value.value, str | type(...))  # type: ignore[attr-defined]
