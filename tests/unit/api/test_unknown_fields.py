"""An argument of an operation with a field that it does not have is refused: a misspelt one would be left out without a word."""

from __future__ import annotations

import pytest
from tests.unit.api.served import Client

GIVEN = {
    "conn_type": "http",
    "description": None,
    "host": None,
    "schema": None,
    "login": None,
    "password": None,
    "port": None,
    "extra": None,
}


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        (
            "connections.set",
            {"conn_id": "c", "given": {"feilds": {"conn_type": "http"}}},
            "it has no field 'feilds'; its fields: uri, json, fields",
        ),
        ("connections.set", {"conn_id": "c", "given": {"a": [float("nan")]}}, "it has no field 'a'"),
        (
            "connections.import",
            {"new_connections": [{"conn_id": "c", **GIVEN}, {"conn_id": "d", "hots": "h", **GIVEN}]},
            "it has no field 'hots'",
        ),
        (
            "variables.import",
            {"new_variables": [{"key": "k", "value": "v", "descripton": "d"}]},
            "it has no field 'descripton'",
        ),
    ],
)
def test_a_field_that_is_not_known_is_refused(name: str, arguments: dict[str, object], said: str, api: Client) -> None:
    reply = api.request("POST", f"/api/gnomon/v1/operations/{name}", arguments)
    assert reply.status == 422 and said in str(reply.json()["detail"])
    assert api.get("/connections")["total_entries"] == api.get("/variables")["total_entries"] == 0
