"""A sensor that asks a Python function."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, ClassVar

from gnomon.operators.keywords import determine_kwargs
from gnomon.sdk.sensor import BaseSensorOperator, PokeReturnValue


class PythonSensor(BaseSensorOperator):
    """Waits until `python_callable(*op_args, **op_kwargs)` returns something true, or a PokeReturnValue that is done."""

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
