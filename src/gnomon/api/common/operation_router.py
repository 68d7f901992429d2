"""`OperationRouter`: a router of FastAPI whose routes cost next to nothing until they are asked for the first time.

FastAPI makes a validator of pydantic for each parameter, body and answer of a route: for the several hundred operations of the API some ten megabytes and half a second at each start, of
which a server uses a tenth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fastapi import APIRouter
from fastapi.params import Depends
from fastapi.routing import APIRoute
from starlette.routing import compile_path


class OperationRoute(APIRoute):
    """A route that knows its address, its methods and its dependencies, and makes everything else when something else of it is read: at its first request, or for the document."""

    def __init__(
        self,
        path: str,
        endpoint: Callable[..., Any],
        *,
        methods: Sequence[str] | set[str] | None = None,
        dependencies: Sequence[Depends] | None = None,
        **options: Any,
    ) -> None:
        """As `APIRoute`. What is wrong with the signature of the endpoint is told at the first use: a test uses all routes."""
        self.path, self.endpoint = path, endpoint
        self.path_regex, self.path_format, self.param_convertors = compile_path(path)
        self.methods = {method.upper() for method in methods or ("GET",)}
        self.dependencies = list(dependencies or ())
        self._options = options
        self._is_prepared = False

    def __getattr__(self, name: str) -> Any:
        """Python asks here for an attribute that is not set."""
        if self.__dict__.get("_is_prepared", True):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}", name=name, obj=self)
        self._is_prepared = True
        super().__init__(
            self.path, self.endpoint, methods=self.methods, dependencies=self.dependencies, **self._options
        )
        return getattr(self, name)

    def copy_below(self, prefix: str) -> OperationRoute:
        """The same route with a prefix before its path, for the document; neither of the two is prepared by this."""
        return OperationRoute(
            prefix + self.path, self.endpoint, methods=self.methods, dependencies=self.dependencies, **self._options
        )


class OperationRouter(APIRouter):
    """Declares operations: `@router.get("/dags")`."""

    def __init__(self, *, prefix: str = "", tags: Sequence[str] = (), include_in_schema: bool = True) -> None:
        """`prefix`: of all addresses; `tags`: of all operations, in the document; `include_in_schema`: whether the document has them."""
        super().__init__(
            prefix=prefix, tags=list(tags), include_in_schema=include_in_schema, route_class=OperationRoute
        )
