"""Which parts of a request FastAPI calls in a thread of its pool: each such call costs processor time and a place in the pool."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from fastapi.dependencies.models import Dependant

from gnomon.api.access.permissions import RequiredPermission, list_operations
from gnomon.api.v2.routers import ROUTERS


def test_no_dependency_of_an_operation_is_called_in_a_thread() -> None:
    called = {one.call for route in list_operations(ROUTERS) for one in _walk(route.dependant)}
    functions = [call.__call__ if isinstance(call, RequiredPermission) else call for call in called]
    assert functions
    assert all(inspect.iscoroutinefunction(one) or inspect.isasyncgenfunction(one) for one in functions)


def _walk(dependant: Dependant) -> Iterator[Dependant]:
    for one in dependant.dependencies:
        yield one
        yield from _walk(one)
