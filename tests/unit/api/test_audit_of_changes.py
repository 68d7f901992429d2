"""Changes of connections, Variables and pools are lines in the audit log: who, what, before and after, from where; never a secret."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment

from gnomon.entry.cli.main import main


def _lines(api: Client) -> list[tuple[str, str, dict[str, Any]]]:
    """Kind, author and body of each line about a connection, a Variable or a pool, oldest first."""
    rows = api.get("/eventLogs?order_by=event_log_id")["event_logs"]
    return [
        (row["event"], row["owner"], json.loads(row["extra"]))
        for row in rows
        if row["event"].startswith(("connection_", "variable_", "pool_"))
    ]


def test_each_change_of_a_pool_has_the_values_before_and_after(api: Client) -> None:
    api.send("POST", "/pools", {"name": "p", "slots": 3}, 201)
    api.send("PATCH", "/pools/p", {"slots": 4})
    api.send("PATCH", "/pools/p", {"slots": 4})
    api.send("DELETE", "/pools/p", status=204)
    three, four = ({"slots": slots, "include_deferred": False, "description": ""} for slots in (3, 4))
    assert [(event, body) for event, _, body in _lines(api)] == [
        ("pool_created", {"pool": "p", "after": three, "from": "127.0.0.1"}),
        ("pool_changed", {"pool": "p", "before": three, "after": four, "from": "127.0.0.1"}),
        ("pool_deleted", {"pool": "p", "before": four, "from": "127.0.0.1"}),
    ]
    assert {owner for _, owner, _ in _lines(api)} == {"api:anonymous"}


def test_secrets_are_masked_and_a_change_of_one_is_told(api: Client) -> None:
    body = {
        "connection_id": "c",
        "conn_type": "http",
        "host": "old",
        "password": "geheim",
        "extra": '{"api_key": "auch", "n": 1}',
    }
    api.send("POST", "/connections", body, 201)
    api.send("PATCH", "/connections/c", {**body, "host": "new", "password": "anders"})
    api.send(
        "PATCH", "/connections/c", {**body, "host": "new", "password": "anders", "extra": '{"api_key": "neu", "n": 1}'}
    )
    api.send("PATCH", "/connections", {"actions": [{"action": "delete", "entities": ["c"]}]})
    masked = {"conn_type": "http", "password": "***", "extra": '{"api_key": "***", "n": 1}'}
    told = [(event, body.get("before"), body.get("after")) for event, _, body in _lines(api)]
    assert told == [
        ("connection_created", None, {**masked, "host": "old"}),
        ("connection_changed", {**masked, "host": "old"}, {**masked, "host": "new", "password": "*** (changed)"}),
        ("connection_changed", {**masked, "host": "new"}, {**masked, "host": "new", "extra": "*** (changed)"}),
        ("connection_deleted", {**masked, "host": "new"}, None),
    ]


def test_values_of_variables_are_never_in_the_log(api: Client) -> None:
    api.send("POST", "/variables", {"key": "k", "value": "confidential", "description": "d"}, 201)
    api.send("PATCH", "/variables/k", {"key": "k", "value": "other"})
    api.send("PATCH", "/variables/k?update_mask=description", {"key": "k", "value": "x", "description": "e"})
    api.send("PATCH", "/variables", {"actions": [{"action": "create", "entities": [{"key": "m", "value": 1}]}]})
    api.send("DELETE", "/variables/k", status=204)
    assert [(event, body["variable"], body.get("before"), body.get("after")) for event, _, body in _lines(api)] == [
        ("variable_created", "k", None, {"value": "***", "description": "d"}),
        ("variable_changed", "k", {"value": "***", "description": "d"}, {"value": "*** (changed)", "description": "d"}),
        ("variable_changed", "k", {"value": "***", "description": "d"}, {"value": "***", "description": "e"}),
        ("variable_created", "m", None, {"value": "***"}),
        ("variable_deleted", "k", {"value": "***", "description": "e"}, None),
    ]


def test_commands_log_their_user(api: Client, deployment: Deployment) -> None:
    assert main(("pools", "set", "q", "2"), obj=deployment.home) == 0
    assert main(("variables", "set", "k", "v"), obj=deployment.home) == 0
    assert main(("connections", "add", "c", "--conn-type", "http"), obj=deployment.home) == 0
    assert main(("connections", "delete", "c"), obj=deployment.home) == 0
    lines = _lines(api)
    assert [event for event, _, _ in lines] == [
        "pool_created",
        "variable_created",
        "connection_created",
        "connection_deleted",
    ]
    assert all(owner.startswith("cli:") and "from" not in body for _, owner, body in lines)


def test_an_exported_list_of_pools_can_be_imported_although_it_contains_the_default_pool(api: Client) -> None:
    pools = [
        {name: pool[name] for name in ("name", "slots", "description", "include_deferred", "team_name")}
        for pool in api.get("/pools")["pools"]
    ]
    answer = api.send(
        "PATCH", "/pools", {"actions": [{"action": "create", "entities": pools, "action_on_existence": "overwrite"}]}
    )
    assert answer["create"] == {"success": ["default_pool"], "errors": []}
    assert "only slots and include_deferred" in api.fails(
        400, "/pools/default_pool?update_mask=description", "PATCH", {"description": "other"}
    )
