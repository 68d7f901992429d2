"""The OpenAPI document declares the errors that each operation may answer."""

from __future__ import annotations

import asyncio
import json

import pytest
from starlette.requests import Request
from tests.unit.api.conftest import _deployed, _served

from gnomon.api import openapi_document
from gnomon.api.app import create_documented_app
from gnomon.api.documented_app import ERRORS
from gnomon.api.openapi_document import OpenApiDocument


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, dict[str, object]]]]:
    """/openapi.json of the server, which takes a second of processor time to make; the same on both databases."""
    with _deployed("sqlite", tmp_path_factory.mktemp("document")) as deployment, _served(deployment) as api:
        found: dict[str, dict[str, dict[str, dict[str, object]]]] = api.request("GET", "/openapi.json").json()
        return found


def test_each_operation_declares_the_errors(document: dict[str, dict[str, dict[str, dict[str, object]]]]) -> None:
    always = {str(status) for status in ERRORS if status not in (409, 413)}
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    assert len(operations) > 130
    assert [one["operationId"] for one in operations if not always <= set(one["responses"])] == []  # type: ignore[call-overload]
    assert "409" not in document["paths"]["/api/v2/pools"]["get"]["responses"]  # type: ignore[operator]
    assert {"409", "413"} <= set(document["paths"]["/api/v2/pools"]["post"]["responses"])  # type: ignore[call-overload]


def test_every_reference_of_the_document_has_its_schema(document: dict[str, object]) -> None:
    text = json.dumps(document)
    names = {part.partition('"')[0] for part in text.split('"$ref": "#/components/schemas/')[1:]}
    assert names
    assert names <= set(document["components"]["schemas"])  # type: ignore[index]


def test_no_schema_is_a_tuple(document: dict[str, object]) -> None:
    """Tools that make or check values from schemas cannot read `prefixItems` everywhere."""
    assert "prefixItems" not in json.dumps(document)


def test_the_document_says_where_a_count_is_a_lower_bound(document: dict[str, object]) -> None:
    schemas: dict[str, dict[str, dict[str, dict[str, str]]]] = document["components"]["schemas"]  # type: ignore[index]
    for name in ("EventLogCollectionResponse", "XComCollectionResponse"):
        assert schemas[name]["properties"]["total_entries"]["description"].startswith("A lower bound in two cases"), (
            name
        )


def test_the_child_process_makes_the_document_of_the_application(document: dict[str, object]) -> None:
    assert document == create_documented_app().openapi()


def test_a_document_that_cannot_be_made_is_an_error_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    made, request = OpenApiDocument(), Request({"type": "http"})
    monkeypatch.setattr(openapi_document, "_PROGRAM", "gnomon.api.no_such_module")
    refused = asyncio.run(made.answer(request))
    assert (refused.status_code, json.loads(refused.body)) == (
        503,
        {"detail": "the document could not be made; the log of the api-server has the reason"},
    )
    monkeypatch.setattr(openapi_document, "_PROGRAM", "platform")
    assert asyncio.run(made.answer(request)).status_code == 200
