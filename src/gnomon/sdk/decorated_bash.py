"""`@task.bash`: loaded when a file uses it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

from gnomon.sdk.callables import call_with_context
from gnomon.sdk.decorated import DecoratedOperator


def bash_class(base: type) -> type:
    """`@task.bash` over the operator class that runs commands: the function returns the command."""

    class BashDecoratedOperator(DecoratedOperator, base):  # type: ignore[misc]
        """The function's result is the command, rendered as a template."""

        template_fields: ClassVar[Collection[str]] = (*DecoratedOperator.template_fields, *base.template_fields)  # type: ignore[attr-defined]
        custom_operator_name = "@task.bash"

        def __init__(self, **kwargs: Any) -> None:
            super().__init__(kwargs_to_upstream={"bash_command": ""}, **kwargs)

        def execute(self, context: Any) -> Any:
            command = call_with_context(self.python_callable, self.op_args, self.op_kwargs, context)
            if not isinstance(command, str) or not command.strip():
                raise TypeError(
                    f"The function of @task.bash task {self.task_id!r} must return the command as text, not {command!r}."
                )
            self.bash_command = self.render_template(command, context)
            return base.execute(self, context)  # type: ignore[attr-defined]

    BashDecoratedOperator.__name__ = BashDecoratedOperator.__qualname__ = "BashDecoratedOperator"
    return BashDecoratedOperator

