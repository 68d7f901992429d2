"""The OpenAPI document declares the errors that each operation may answer."""

from __future__ import annotations

import json

import pytest
from tests.unit.api.served import Client
from tests.unit.cli.deployment import Deployment

from gnomon.api.documented_app import ERRORS


@pytest.fixture
def document(api: Client) -> dict[str, dict[str, dict[str, dict[str, object]]]]:
    """/openapi.json of the server."""
    found: dict[str, dict[str, dict[str, dict[str, object]]]] = api.request("GET", "/openapi.json").json()
    return found


def test_each_operation_declares_the_errors(document: dict[str, dict[str, dict[str, dict[str, object]]]]) -> None:
    always = {str(status) for status in ERRORS if status not in (409, 413)}
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    assert len(operations) > 130
    assert [one["operationId"] for one in operations if not always <= set(one["responses"])] == []  # type: ignore[call-overload]
    assert "409" not in document["paths"]["/api/v2/pools"]["get"]["responses"]  # type: ignore[operator]
    assert {"409", "413"} <= set(document["paths"]["/api/v2/pools"]["post"]["responses"])  # type: ignore[call-overload]


def test_every_reference_of_the_document_has_its_schema(document: dict[str, object], deployment: Deployment) -> None:
    text = json.dumps(document)
    names = {part.partition('"')[0] for part in text.split('"$ref": "#/components/schemas/')[1:]}
    assert names
    assert names <= set(document["components"]["schemas"])  # type: ignore[index]
