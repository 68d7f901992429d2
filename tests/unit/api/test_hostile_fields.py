"""Each field of each body of both APIs with hostile values, the other fields valid, so that no other one is refused first: never a server error."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.conformance.fuzzed_api import fuzzed_api
from tests.databases import BOTH, empty_database
from tests.unit.api.api_document import read_document
from tests.unit.api.served import Client

SEED = 17
SHORT = 400
"""Requests of the short form."""
DEPTH_MAX = 3
KNOWN = {"dag_id": "etl", "dag_run_id": "r", "task_id": "write", "map_index": "-1", "try_number": "1", "run_id": "r"}
TEXTS = (
    "",
    "\0",
    "\ud83d",
    "\u202e" + "x" * 3000,
    "x" * 1_000_000,
    "../../etc/passwd",
    "'; DROP TABLE dag; --",
    "%_\\%" * 50,
    "~",
    "{{7*7}}",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59-14:00",
    "a\nb",
    " ",
    "-1",
)
OTHERS: tuple[object, ...] = (
    None,
    True,
    0,
    -1,
    2**31,
    2**63,
    10**30,
    -(10**30),
    0.5,
    1e308,
    float("nan"),
    float("inf"),
    [],
    {},
    [[]],
    [None],
    {"a": None},
    ["~"] * 1000,
    {"": {"": []}},
)


def _nest(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = {"a": [value]}
    return value


HOSTILE: tuple[object, ...] = (*TEXTS, *OTHERS, _nest(40), _nest(300))


class Bodies:
    """Makes bodies from the schemas of a document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._schemas = document["components"]["schemas"]

    def list_hostile(self, schema: dict[str, Any]) -> Iterator[object]:
        """A valid body with each of its fields replaced by each hostile value, one at a time."""
        yield from self._list(self._resolve(schema), 0)

    def make(self, schema: dict[str, Any], depth: int = 0) -> object:
        """A value that the schema permits, as far as it says."""
        schema = self._resolve(schema)
        if "const" in schema or "enum" in schema or "default" in schema:
            return (
                schema["const"] if "const" in schema else schema["enum"][0] if "enum" in schema else schema["default"]
            )
        kind = schema.get("type")
        if kind == "object":
            required = schema.get("required", ()) if depth <= DEPTH_MAX else ()
            return {name: self.make(schema["properties"][name], depth + 1) for name in required}
        if kind == "array":
            return [self.make(schema["items"], depth + 1)] if depth <= DEPTH_MAX and "items" in schema else []
        if kind == "string":
            return "2026-03-01T00:00:00Z" if schema.get("format") == "date-time" else "etl"
        return {"integer": 1, "number": 1.0, "boolean": True}.get(kind or "")

    def _list(self, schema: dict[str, Any], depth: int) -> Iterator[object]:
        valid = self.make(schema)
        if not isinstance(valid, dict) or depth > DEPTH_MAX:
            yield from HOSTILE
            return
        for name, field in schema.get("properties", {}).items():
            for value in HOSTILE:
                yield {**valid, name: value}
            inner = self._resolve(field)
            items = self._resolve(inner["items"]) if inner.get("type") == "array" and "items" in inner else None
            for nested in (
                self._list(inner, depth + 1) if inner.get("type") == "object" and inner.get("properties") else ()
            ):
                yield {**valid, name: nested}
            for nested in self._list(items, depth + 1) if items is not None and items.get("properties") else ():
                yield {**valid, name: [nested]}

    def _resolve(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema itself; of several that are possible the first that is not null."""
        while "$ref" in schema or "anyOf" in schema or "oneOf" in schema:
            if "$ref" in schema:
                schema = self._schemas[schema["$ref"].rpartition("/")[2]]
            else:
                schema = next(
                    one for one in schema["anyOf" if "anyOf" in schema else "oneOf"] if one.get("type") != "null"
                )
        return schema


@pytest.fixture(scope="module", params=BOTH)
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("hostile")
    with empty_database(request.param, folder) as url, fuzzed_api(folder, url) as client:
        yield client


@pytest.fixture(scope="module")
def requests() -> list[tuple[str, str, bytes]]:
    """Method, path and body."""
    document = read_document()
    bodies = Bodies(document)
    found = []
    for path, methods in document["paths"].items():
        place = re.sub(r"{([^}:]*)[^}]*}", lambda part: KNOWN.get(part[1], "1"), path)
        for method, one in methods.items():
            content = one.get("requestBody", {}).get("content", {}).get("application/json")
            for body in bodies.list_hostile(content["schema"]) if content else ():
                found.append((method.upper(), place, json.dumps(body).encode()))
    assert len(found) > 5_000
    return found


def _send(api: Client, method: str, path: str, body: bytes) -> None:
    reply = api.request(method, path, body)
    assert reply.status < 500 or reply.status in (501, 503), (method, path, body[:300], reply)
    assert b"Traceback" not in reply.body, (method, path, body[:300], reply)
    if reply.status >= 400:
        assert "detail" in reply.json(), (method, path, body[:300], reply)


def test_some_fields_with_hostile_values(api: Client, requests: list[tuple[str, str, bytes]]) -> None:
    for one in random.Random(SEED).sample([one for one in requests if len(one[2]) < 100_000], SHORT):
        _send(api, *one)


@pytest.mark.soak
def test_each_field_with_each_hostile_value(api: Client, requests: list[tuple[str, str, bytes]]) -> None:
    for one in requests:
        _send(api, *one)
