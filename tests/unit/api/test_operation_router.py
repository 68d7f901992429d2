"""Routes of operations are prepared at their first use; an address without an operation prepares none."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

import pytest
from fastapi import Query
from starlette.types import Message

from gnomon.api.common.operation_router import OperationRoute, OperationRouter
from gnomon.api.documented_app import DocumentedApp

router = OperationRouter(prefix="/things", tags=["Thing"])


@router.get("/{name}")
def read_thing(name: str, size: Annotated[int, Query(le=10)] = 1) -> dict[str, int]:
    """A thing."""
    return {name: size}


@router.delete("/{name}", status_code=204)
def delete_thing(name: str) -> None:
    """No thing."""


def _list_prepared() -> list[str]:
    return [route.name for route in router.routes if isinstance(route, OperationRoute) and "dependant" in vars(route)]


def _ask(app: DocumentedApp, method: str, path: str, query: bytes = b"") -> tuple[int, dict[bytes, bytes], Any]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(
        app(
            {"type": "http", "method": method, "path": path, "query_string": query, "headers": [], "root_path": ""},
            receive,
            send,
        )
    )
    body = b"".join(message.get("body", b"") for message in sent)
    return sent[0]["status"], dict(sent[0]["headers"]), json.loads(body) if body else None


def test_a_route_is_prepared_at_its_first_request() -> None:
    app = DocumentedApp(title="t", version="1", redirect_slashes=False)
    app.add_operations(router, "/api")
    assert _ask(app, "GET", "/api/nothing")[0] == 404
    assert _ask(app, "GET", "/things/a")[0] == 404
    status, headers, _ = _ask(app, "POST", "/api/things/a")
    assert (status, headers[b"allow"]) == (405, b"GET")
    assert _list_prepared() == []
    assert _ask(app, "GET", "/api/things/a", b"size=3")[2] == {"a": 3}
    assert _ask(app, "GET", "/api/things/a", b"size=11")[0] == 422
    assert _list_prepared() == ["read_thing"]
    assert _ask(app, "DELETE", "/api/things/a")[0] == 204
    operations = app.openapi()["paths"]["/api/things/{name}"]
    assert {method: one["tags"] for method, one in operations.items()} == {"get": ["Thing"], "delete": ["Thing"]}
    assert app.openapi() is app.openapi()


def test_an_attribute_that_no_route_has_is_an_error_before_and_after() -> None:
    """`hasattr` and `copy` ask for such attributes."""
    route = OperationRoute("/a", read_thing)
    for _ in range(2):
        with pytest.raises(AttributeError, match="OperationRoute has no attribute 'colour'"):
            route.colour
    assert route.path == "/a"
