"""Each field of each body, and each parameter of each operation, with each value that is often wrong: refused, or read back as it was given.

The fields and the parameters are those of the OpenAPI document.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from tests.conformance.fuzzed_api import fuzzed_api
from tests.databases import BOTH, empty_database
from tests.unit.api.api_document import read_document
from tests.unit.api.served import Client
from tests.unit.api.test_hostile_fields import KNOWN, Bodies

SEED = 31
SHORT = 300
"""Requests of the short form, on each database."""
VALUES: dict[str, Any] = {
    "a text for a flag": "False",
    "null": None,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "a huge number": 10**30,
    "a negative number": -1_000_000_000,
    "an empty text": "",
    "a lone surrogate": "a\udce9b",
    "NUL": "a\0b",
    "a list": ["a", "a"],
    "an object": {"a": 1},
    "an object with NaN": {"a": [float("nan")]},
    "an object with a lone surrogate": {"a": ["a\udce9b"]},
    "an object with such a key": {"\ud83d": 1},
    "a moment": "2024-03-04T00:00:00Z",
    "a fraction": 0.5,
    "true": True,
}
STREAMS = ("/wait", "/api/gnomon/v1/events")
"""Operations that stay open on purpose."""
KEPT_BY_NULL = {"state", "new_state"}
"""Fields of a PATCH that null leaves as they are, as in Airflow: a run has always a state."""
SECRET = "***"


class Cell(NamedTuple):
    """One request. `field`: the field of the body or the parameter with the value."""

    method: str
    path: str
    field: str
    value: str
    body: bytes | None


def list_cells(document: dict[str, Any]) -> list[Cell]:
    return [*list_body_cells(document), *list_parameter_cells(document)]


def list_body_cells(document: dict[str, Any]) -> Iterator[Cell]:
    bodies = Bodies(document)
    for path, method, operation in list_operations(document):
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        schema = bodies._resolve(content["schema"]) if content else {}
        for field in schema.get("properties", {}):
            for name, value in VALUES.items():
                yield Cell(
                    method.upper(), fill(path), field, name, json.dumps({**bodies.make(schema), field: value}).encode()
                )  # type: ignore[dict-item]


def list_parameter_cells(document: dict[str, Any]) -> Iterator[Cell]:
    for path, method, operation in list_operations(document):
        for parameter in operation.get("parameters", []) if method == "get" else ():
            for name, value in VALUES.items():
                text = value if isinstance(value, str) else json.dumps(value)
                if parameter["in"] == "query":
                    yield Cell(
                        "GET",
                        f"{fill(path)}?{urlencode({parameter['name']: text}, errors='surrogatepass')}",
                        parameter["name"],
                        name,
                        None,
                    )
                elif parameter["in"] == "path" and text:
                    place = re.sub(
                        r"{" + parameter["name"] + r"[^}]*}",
                        urlencode({"": text}, errors="surrogatepass")[1:].replace("+", "%20"),
                        path,
                    )
                    yield Cell("GET", fill(place), parameter["name"], name, None)


def list_operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        if not path.endswith(STREAMS):
            yield from (
                (path, method, operation) for method, operation in methods.items() if isinstance(operation, dict)
            )


def fill(path: str) -> str:
    return re.sub(r"{([^}:]*)[^}]*}", lambda part: KNOWN.get(part[1], "1"), path)


def find_fault(api: Client, cell: Cell) -> str | None:
    """What is wrong with the answer; None: nothing."""
    reply = api.request(cell.method, cell.path, cell.body)
    if reply.status >= 500 and reply.status not in (501, 503):
        return f"{reply.status}: {reply.body[:200]!r}"
    if reply.status >= 400:
        return None if cell.body is None or reply.json().get("detail") else f"{reply.status} without a sentence"
    if cell.body is None:
        return None
    if "NaN" in cell.value or cell.value == "infinity":
        return f"a number that JSON does not have is accepted: {reply.body[:200]!r}"
    answer = reply.json() if reply.body and reply.kind == "application/json" else {}
    if not isinstance(answer, dict) or cell.field not in answer:
        return None
    given, shown = json.loads(cell.body)[cell.field], answer[cell.field]
    is_default = given is None and (cell.method == "POST" or cell.field in KEPT_BY_NULL)
    return None if is_default or is_same(given, shown) else f"{given!r} reads back as {shown!r}"


def is_same(given: Any, shown: Any) -> bool:
    """Whether the answer shows what was given: secrets are masked, what is empty may be null, a flag may be text, and moments have one form of several."""
    if (
        shown == given
        or (given in ("", None) and shown in ("", None))
        or (isinstance(shown, bool) and str(shown) == given)
    ):
        return True
    if isinstance(given, dict) and isinstance(shown, dict):  # the extra of an event says by which door it came
        return given.items() <= shown.items()
    if isinstance(shown, str) and isinstance(given, int | float):  # seconds since 1970, as in Airflow
        return datetime.fromisoformat(shown).timestamp() == given
    if isinstance(shown, str):
        return (
            SECRET in shown
            or shown.rstrip("0Z.") == str(given).rstrip("0Z.")
            or shown in (json.dumps(given, indent=2), json.dumps(given))
        )
    return False


@pytest.fixture(scope="module")
def cells() -> list[Cell]:
    found = list_cells(read_document())
    assert len(found) > 15_000
    return found


@pytest.fixture(scope="module", params=BOTH)
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("doors")
    with empty_database(request.param, folder) as url, fuzzed_api(folder, url) as client:
        yield client


def find_faults(api: Client, cells: list[Cell]) -> dict[str, str]:
    found = {f"{cell.method} {cell.path} {cell.field}={cell.value}": find_fault(api, cell) for cell in cells}
    return {what: fault for what, fault in found.items() if fault is not None}


def test_some_values_of_fields_and_parameters_are_refused_or_read_back(api: Client, cells: list[Cell]) -> None:
    assert find_faults(api, random.Random(SEED).sample(cells, SHORT)) == {}


@pytest.mark.soak
def test_each_value_of_each_field_and_parameter_is_refused_or_read_back(
    api: Client, cells: list[Cell], capsys: pytest.CaptureFixture[str]
) -> None:
    faults = find_faults(api, cells)
    with capsys.disabled():
        kinds = Counter("in bodies" if cell.body is not None else "in addresses" for cell in cells)
        print(
            f"\narguments of the API: {len(cells):,} cells, {kinds['in bodies']:,} in bodies, {kinds['in addresses']:,} in addresses, {len(faults)} faults",
            end="",
        )
    assert faults == {}
