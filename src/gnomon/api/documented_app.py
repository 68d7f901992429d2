"""`DocumentedApp`: the application with its operations, and the OpenAPI document, which declares for every operation the errors that it may answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fastapi import FastAPI

from gnomon.api.common.operation_router import OperationRoute, OperationRouter
from gnomon.api.common.route_index import RouteIndex

_METHODS = ("get", "put", "post", "patch", "delete")
_WITHOUT_CONFLICT = ("get",)
ERRORS = {
    400: "The request cannot be understood, or names something that is not allowed here",
    401: "No valid login or token",
    403: "The user lacks the permission",
    404: "There is no such object, or the user may not see it",
    409: "The state of the object does not allow the change",
    413: "The body is too large",
    422: "A parameter or the body does not fit",
    429: "Too many requests; wait as long as the header Retry-After says",
    501: "Gnomon does not have this",
    503: "The database or the scheduler is not available",
}
"""By status of an error: what it means. Each operation may answer each of them; 409 only changes, 413 only operations with a body."""
_DETAIL_TEXT = {"type": "string", "title": "Detail"}
_DETAIL_FAULTS = {"type": "array", "items": {"$ref": "#/components/schemas/ValidationError"}, "title": "Faults"}
_SENTENCE_FIELDS: dict[str, Any] = {
    "code": {"type": "string", "title": "Code"},
    "arguments": {"type": "object", "additionalProperties": True, "title": "Arguments"},
    "spans": {"type": "array", "items": {"type": "object", "additionalProperties": True}, "title": "Spans"},
}
"""The sentence of a refusal, for programs: as in `SentenceAnswer`."""
_SCHEMAS: dict[str, Any] = {
    "HTTPExceptionResponse": {
        "type": "object",
        "title": "HTTPExceptionResponse",
        "required": ["detail"],
        "properties": {"detail": _DETAIL_TEXT, **_SENTENCE_FIELDS},
    },
    "HTTPValidationError": {
        "type": "object",
        "title": "HTTPValidationError",
        "required": ["detail"],
        "properties": {"detail": {"anyOf": [_DETAIL_TEXT, _DETAIL_FAULTS], "title": "Detail"}},
    },
}
"""The two shapes of an error (`gnomon.api.common.errors`), with the names that Airflow's document has."""


class DocumentedApp(FastAPI):
    """FastAPI with an index of operations in place of included routers.

    The document declares the errors here and not with each route: FastAPI would build a model for each of 1,400 pairs at every start.
    """

    def __init__(self, **options: Any) -> None:
        """As FastAPI."""
        super().__init__(**options)
        self._index = RouteIndex()
        self._routers: list[tuple[str, OperationRouter]] = []
        self.router.routes.insert(0, self._index)
        self.after_loading: Callable[[], None] = lambda: None
        """Called when a group of operations was loaded."""

    def add_operations(self, router: OperationRouter, prefix: str = "") -> None:
        """Answer the operations of a router, with the prefix before their addresses, and have them in the document."""
        self._index.add(prefix, router.routes)
        self._routers.append((prefix, router))

    def add_group(self, prefix: str, list_routers: Callable[[], Iterable[OperationRouter]]) -> None:
        """As `add_operations` for each of the routers, when one of their operations is asked for first, or the document."""

        def load() -> None:
            for router in list_routers():
                self.add_operations(router, prefix)
            self.after_loading()

        self._index.add_when_asked(prefix, load)

    def openapi(self) -> dict[str, Any]:
        """The document; made at the first call."""
        if self.openapi_schema is None:
            self._index.load_all()
            described = FastAPI(title=self.title, version=self.version, description=self.description, openapi_url=None)
            described.router.routes = [
                route.copy_below(prefix)
                for prefix, router in self._routers
                for route in router.routes
                if isinstance(route, OperationRoute)
            ]
            self.openapi_schema = described.openapi()
            declare_errors(self.openapi_schema)
        return self.openapi_schema


def declare_errors(document: dict[str, Any]) -> None:
    """Add the errors to each operation, in place."""
    document["components"]["schemas"].update(_SCHEMAS)
    for methods in document["paths"].values():
        for method in _METHODS:
            if method in methods:
                _declare_errors_of(method, methods[method])


def _declare_errors_of(method: str, operation: dict[str, Any]) -> None:
    for status, meaning in ERRORS.items():
        if (status == 409 and method in _WITHOUT_CONFLICT) or (status == 413 and "requestBody" not in operation):
            continue
        name = "HTTPValidationError" if status == 422 else "HTTPExceptionResponse"
        schema = {"$ref": f"#/components/schemas/{name}"}
        operation["responses"][str(status)] = {
            "description": meaning,
            "content": {"application/json": {"schema": schema}},
        }
