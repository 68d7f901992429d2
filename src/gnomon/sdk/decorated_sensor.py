"""`@task.sensor`: loaded when a file uses it."""

from __future__ import annotations

from typing import Any

from gnomon.sdk.callables import call_with_context
from gnomon.sdk.decorated import DecoratedOperator
from gnomon.sdk.sensor import BaseSensorOperator, PokeReturnValue


class SensorDecoratedOperator(DecoratedOperator, BaseSensorOperator):
    """`@task.sensor`: the function is poked until it returns something true."""

    custom_operator_name = "@task.sensor"

    def poke(self, context: Any) -> bool | PokeReturnValue:
        answer = call_with_context(self.python_callable, self.op_args, self.op_kwargs, context)
        if isinstance(answer, PokeReturnValue):
            return answer
        return bool(answer)
