"""Bulk changes of pools, Variables and connections over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.api.served import Client

OBJECTS = [
    ("/pools", "name", {"slots": 3}),
    ("/variables", "key", {"value": "v"}),
    ("/connections", "connection_id", {"conn_type": "http"}),
]


def _act(api: Client, path: str, action: str, entities: list[object], **options: object) -> Any:
    return api.send("PATCH", path, {"actions": [{"action": action, "entities": entities, **options}]})[action]


@pytest.mark.parametrize(("path", "key", "fields"), OBJECTS)
def test_objects_are_created_changed_and_deleted(api: Client, path: str, key: str, fields: dict[str, object]) -> None:
    a, b, c = ({key: name, **fields} for name in "abc")
    assert _act(api, path, "create", [a, b]) == {"success": ["a", "b"], "errors": []}
    failed = _act(api, path, "create", [a, c])
    assert (failed["success"], failed["errors"][0]["status_code"]) == ([], 409)
    api.fails(404, f"{path}/c")
    assert _act(api, path, "create", [a, c], action_on_existence="skip")["success"] == ["c"]
    changed = {**a, "description": "new"}
    assert _act(api, path, "create", [changed], action_on_existence="overwrite")["success"] == ["a"]
    assert api.get(f"{path}/a")["description"] == "new"
    assert _act(api, path, "update", [{**b, "description": "masked"}], update_mask=[key])["success"] == ["b"]
    assert api.get(f"{path}/b")["description"] is None
    missing = {key: "x", **fields}
    failed = _act(api, path, "update", [{**b, "description": "no"}, missing])
    assert (failed["success"], failed["errors"][0]["status_code"], api.get(f"{path}/b")["description"]) == (
        [],
        404,
        None,
    )
    assert _act(api, path, "update", [{**b, "description": "yes"}, missing], action_on_non_existence="skip")[
        "success"
    ] == ["b"]
    assert api.get(f"{path}/b")["description"] == "yes"
    assert _act(api, path, "delete", ["a", "x"])["errors"][0]["status_code"] == 404
    assert _act(api, path, "delete", ["a", b, "x", "a"], action_on_non_existence="skip")["success"] == ["a", "b"]
    api.fails(404, f"{path}/a")


@pytest.mark.parametrize(("path", "key", "fields"), OBJECTS)
def test_actions_are_carried_out_in_their_order(api: Client, path: str, key: str, fields: dict[str, object]) -> None:
    entity = {key: "a", **fields}
    answer = api.send(
        "PATCH",
        path,
        {
            "actions": [
                {"action": "delete", "entities": ["a"]},
                {"action": "create", "entities": [entity]},
                {"action": "delete", "entities": [entity]},
            ]
        },
    )
    assert (answer["create"]["success"], answer["update"], answer["delete"]["success"]) == (["a"], None, ["a"])
    assert [error["status_code"] for error in answer["delete"]["errors"]] == [404]
    assert api.send("PATCH", path, {"actions": []}) == {"create": None, "update": None, "delete": None}


@pytest.mark.parametrize(
    ("path", "entities", "action", "status"),
    [
        ("/pools", ["default_pool"], "delete", 400),
        ("/pools", [{"name": "p", "slots": 1, "team_name": "t"}], "create", 501),
        ("/pools", [{"name": "default_pool", "slots": 1, "description": "d"}], "update", 400),
        ("/connections", [{"connection_id": "a b", "conn_type": "x"}], "create", 422),
        ("/connections", [{"connection_id": "c", "conn_type": "x", "extra": "[1]"}], "create", 422),
        ("/variables", [{"key": "k", "value": 1, "team_name": "t"}], "create", 501),
    ],
)
def test_what_one_change_refuses_a_bulk_change_refuses_too(
    api: Client, path: str, entities: list[object], action: str, status: int
) -> None:
    answer = _act(api, path, action, entities)
    assert (answer["success"], [error["status_code"] for error in answer["errors"]]) == ([], [status])


def test_a_mask_with_an_unknown_field_and_a_masked_password(api: Client) -> None:
    body = {"connection_id": "c", "conn_type": "http", "password": "geheim"}
    api.send("POST", "/connections", body, 201)
    assert _act(api, "/connections", "update", [body], update_mask=["colour"])["errors"][0]["status_code"] == 400
    refused = api.request(
        "PATCH", "/api/v2/connections", {"actions": [{"action": "create", "entities": [{**body, "port": "geheim"}]}]}
    )
    assert (refused.status, b"geheim" in refused.body) == (422, False)
    api.fails(422, "/pools", "PATCH", {"actions": [{"action": "rename", "entities": []}]})
