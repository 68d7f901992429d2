"""`Operation`: a function of a scope and of plain arguments, with a name and the permission that it needs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypeVar, get_type_hints

from gnomon.changes.operations.operation_scope import OperationScope

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)
Verb = Literal["read", "create", "edit", "delete"]
"""What an operation does, in the words of `gnomon.api.policies.Permission`."""
DAG_ID = "dag_id"
"""The argument that names the DAG of an operation about one DAG: its permission is that of the account on this DAG."""


@dataclass(frozen=True, slots=True)
class Operation(Generic[P, R_co]):
    """`name`: for example `dags.list`. `verb` and `resource`: the permission, in the words of the API's access policy.

    Arguments are texts, numbers, booleans, None, lists of texts, and for a change also JSON objects. The result is None, a text, a number, or
    dataclasses of these, which JSON carries without loss.
    """

    name: str
    verb: Verb
    resource: str
    function: Callable[Concatenate[OperationScope, P], R_co]

    @property
    def is_read(self) -> bool:
        """Nothing is changed, so a client may ask again."""
        return self.verb == "read"

    @property
    def is_about_dag(self) -> bool:
        """An argument names the one DAG that the operation is about."""
        return any(parameter.name == DAG_ID for parameter in self.list_parameters())

    def list_parameters(self) -> list[inspect.Parameter]:
        """The arguments after the scope, with their types."""
        hints = get_type_hints(self.function)
        _, *rest = inspect.signature(self.function).parameters.values()
        return [parameter.replace(annotation=hints[parameter.name]) for parameter in rest]

    def find_result_type(self) -> Any:
        """The type of the result. Any: as `typing` describes types."""
        return get_type_hints(self.function)["return"]

    def bind(self, *args: P.args, **kwargs: P.kwargs) -> dict[str, Any]:
        """The arguments by name, with the defaults of those that are not given."""
        bound = inspect.signature(self.function).bind(None, *args, **kwargs)
        bound.apply_defaults()
        return dict(list(bound.arguments.items())[1:])


def operation(
    name: str, verb: Verb, resource: str
) -> Callable[[Callable[Concatenate[OperationScope, P], R_co]], Operation[P, R_co]]:
    """Make an operation of a function."""
    return lambda function: Operation(name, verb, resource, function)
