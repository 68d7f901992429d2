"""What an answer shows with *** may be sent back: the stored secrets stay, at each door, and *** is never stored over one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.model.assets import AssetDeclaration, AssetKey
from gnomon.model.attempts import XComItem
from gnomon.model.spec import TaskSpec
from gnomon.storage.store.admin import connections, variables
from gnomon.storage.store.state_stores import asset_state_store, task_state_store
from gnomon.testing import Play

PASSWORD, TOKEN = "first-secret-word", "second-secret-word"
NESTED = {
    "region": "north",
    "deep": {"list": [{"name": "a", "password": PASSWORD}, {"name": "b", "password": TOKEN}]},
    "url": f"https://me:{PASSWORD}@host/p",
}
SHOWN = {
    "region": "north",
    "deep": {"list": [{"name": "a", "password": "***"}, {"name": "b", "password": "***"}]},
    "url": "https://***@host/p",
}
CONNECTION = {
    "connection_id": "c",
    "conn_type": "http",
    "host": f"https://me:{PASSWORD}@host",
    "login": "me",
    "password": PASSWORD,
    "extra": json.dumps(NESTED),
}
TASK = "/dags/a/dagRuns/r/taskInstances/only"
STATE = f"{TASK}/state-store/k"


def _operate(api: Client, name: str, arguments: dict[str, object], path: str = "", status: int = 200) -> Any:
    reply = api.request("POST", f"/api/gnomon/v1{path}/operations/{name}", arguments)
    assert reply.status == status, reply
    return reply.json()


def _change_in_bulk(api: Client, things: str, action: dict[str, object]) -> None:
    answer = api.send("PATCH", f"/{things}", {"actions": [action]})
    assert answer[str(action["action"])]["errors"] == [], answer


def _bulk_update(things: str) -> Callable[[Client, dict[str, object]], None]:
    return lambda api, body: _change_in_bulk(api, things, {"action": "update", "entities": [body]})


def _bulk_overwrite(things: str) -> Callable[[Client, dict[str, object]], None]:
    return lambda api, body: _change_in_bulk(
        api, things, {"action": "create", "action_on_existence": "overwrite", "entities": [body]}
    )


VARIABLE_DOORS: dict[str, Callable[[Client, dict[str, object]], object]] = {
    "PATCH": lambda api, body: api.send("PATCH", f"/variables/{body['key']}", body),
    "PATCH with a mask": lambda api, body: api.send("PATCH", f"/variables/{body['key']}?update_mask=value", body),
    "bulk update": _bulk_update("variables"),
    "bulk overwrite": _bulk_overwrite("variables"),
    "variables.set": lambda api, body: _operate(api, "variables.set", {"key": body["key"], "value": body["value"]}),
    "variables.import": lambda api, body: _operate(
        api, "variables.import", {"new_variables": [body], "action": "overwrite"}
    ),
}
CONNECTION_DOORS: dict[str, Callable[[Client, dict[str, object]], object]] = {
    "PATCH": lambda api, body: api.send("PATCH", "/connections/c", body),
    "bulk update": _bulk_update("connections"),
    "bulk overwrite": _bulk_overwrite("connections"),
    "connections.set": lambda api, body: _operate(
        api,
        "connections.set",
        {"conn_id": "c", "given": {"fields": {name: value for name, value in body.items() if name != "connection_id"}}},
    ),
    "connections.set as JSON": lambda api, body: _operate(
        api,
        "connections.set",
        {
            "conn_id": "c",
            "given": {"json": json.dumps({name: value for name, value in body.items() if name != "connection_id"})},
        },
    ),
    "connections.import": lambda api, body: _operate(
        api,
        "connections.import",
        {
            "overwrite": True,
            "new_connections": [
                {
                    "conn_id": "c",
                    "schema": None,
                    "port": None,
                    "description": None,
                    **{name: value for name, value in body.items() if name != "connection_id"},
                }
            ],
        },
    ),
}


def _variable(deployment: Deployment, key: str) -> str:
    with deployment.db.read() as tx:
        found = variables.find_variable(tx, key)
    assert found is not None
    return found.value


@pytest.mark.parametrize("door", VARIABLE_DOORS)
@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("api_key", PASSWORD, "***"),
        ("address", f"postgres://me:{PASSWORD}@host/db", "postgres://***@host/db"),
        ("nested", json.dumps(NESTED), json.dumps(SHOWN)),
        ("several", json.dumps([NESTED]), json.dumps([SHOWN])),
        ("written_wide", json.dumps(NESTED, indent=4), json.dumps(SHOWN)),
    ],
)
def test_a_variable_that_is_sent_back_stays_as_it_was(
    door: str, key: str, value: str, shown: str, api: Client, deployment: Deployment
) -> None:
    api.send("POST", "/variables", {"key": key, "value": value}, 201)
    assert api.get(f"/variables/{key}")["value"] == shown
    VARIABLE_DOORS[door](api, {"key": key, "value": shown, "description": None})
    assert _variable(deployment, key) == value


@pytest.mark.parametrize("door", VARIABLE_DOORS)
def test_what_is_changed_beside_a_masked_part_is_stored_and_the_secrets_stay(
    door: str, api: Client, deployment: Deployment
) -> None:
    api.send("POST", "/variables", {"key": "nested", "value": json.dumps(NESTED)}, 201)
    a, b = SHOWN["deep"]["list"]  # type: ignore[index]
    changed = {
        **SHOWN,
        "region": "south",
        "note": "***new***",
        "deep": {"list": [b, {"name": "c", "password": "third"}, a]},
    }
    VARIABLE_DOORS[door](api, {"key": "nested", "value": json.dumps(changed), "description": None})
    stored = json.loads(_variable(deployment, "nested"))
    assert (stored["region"], stored["note"], stored["url"]) == ("south", "***new***", NESTED["url"])
    assert stored["deep"]["list"] == [
        {"name": "b", "password": TOKEN},
        {"name": "c", "password": "third"},
        {"name": "a", "password": PASSWORD},
    ]


@pytest.mark.parametrize(
    ("key", "value", "sent"),
    [
        ("address", f"postgres://me:{PASSWORD}@host/db", "postgres://***@other/db"),
        ("nested", {"a": {"password": PASSWORD}}, {"b": {"password": "***"}}),
        ("passwords", [PASSWORD, TOKEN], ["***"]),
        ("url", {"url": f"https://me:{PASSWORD}@h"}, {"url": "https://***@g"}),
        ("nested", {"password": PASSWORD}, {"password": "***", "again": "***"}),
        (
            "moved",
            [{"name": "a", "password": PASSWORD}, {"name": "b", "password": TOKEN}],
            [{"name": "c", "password": "***"}, {"name": "a", "password": "***"}],
        ),
    ],
)
def test_a_mask_that_stands_for_no_secret_any_more_is_refused(
    key: str, value: object, sent: object, api: Client, deployment: Deployment
) -> None:
    api.send("POST", "/variables", {"key": key, "value": value}, 201)
    before = _variable(deployment, key)
    if key == "passwords":
        assert api.get(f"/variables/{key}")["value"] == '["***", "***"]'
    assert "has ***" in api.fails(400, f"/variables/{key}", "PATCH", {"key": key, "value": sent})
    assert _variable(deployment, key) == before
    assert PASSWORD not in str(api.fails(400, f"/variables/{key}", "PATCH", {"key": key, "value": sent}))


def test_a_variable_without_a_secret_may_have_stars(api: Client, deployment: Deployment) -> None:
    api.send("POST", "/variables", {"key": "text", "value": "plain"}, 201)
    api.send("PATCH", "/variables/text", {"key": "text", "value": "*** plain ***"})
    assert _variable(deployment, "text") == "*** plain ***"
    api.send("PATCH", "/variables/text", {"key": "text", "value": {"password": "new", "other": "***"}})
    assert json.loads(_variable(deployment, "text")) == {"password": "new", "other": "***"}


@pytest.mark.parametrize("door", CONNECTION_DOORS)
def test_a_connection_that_is_sent_back_keeps_its_secrets(door: str, api: Client, deployment: Deployment) -> None:
    api.send("POST", "/connections", CONNECTION, 201)
    shown = api.get("/connections/c")
    body = {name: shown[name] for name in ("connection_id", "conn_type", "host", "password", "extra")}
    assert PASSWORD not in json.dumps(body)
    extra = {**json.loads(body["extra"]), "region": "south"}
    CONNECTION_DOORS[door](api, {**body, "login": "you", "extra": json.dumps(extra)})
    with deployment.db.read() as tx:
        stored = connections.get_connection(tx, "c")
    assert stored is not None
    assert (stored.login, stored.password, stored.host) == ("you", PASSWORD, CONNECTION["host"])
    assert json.loads(stored.extra or "") == {**NESTED, "region": "south"}


def test_the_masked_uri_of_a_connection_sent_back_keeps_its_secrets(api: Client, deployment: Deployment) -> None:
    _operate(
        api,
        "connections.set",
        {"conn_id": "c", "given": {"uri": f"postgres://me:{PASSWORD}@host:5/db?api_token={TOKEN}&region=north"}},
    )
    shown = api.request("GET", "/api/gnomon/v1/operations/connections.get?conn_id=c").json()["uri"]
    assert "***" in shown and PASSWORD not in shown and TOKEN not in shown
    _operate(api, "connections.set", {"conn_id": "c", "given": {"uri": shown.replace("host:5", "other:6")}})
    with deployment.db.read() as tx:
        stored = connections.get_connection(tx, "c")
    assert stored is not None
    assert (stored.host, stored.port, stored.password, json.loads(stored.extra or "")) == (
        "other",
        6,
        PASSWORD,
        {"api_token": TOKEN, "region": "north"},
    )


def test_a_mask_in_a_changed_host_is_refused_and_a_password_may_have_stars(api: Client, deployment: Deployment) -> None:
    api.send("POST", "/connections", CONNECTION, 201)
    body = {"connection_id": "c", "conn_type": "http", "host": "https://***@other"}
    assert "host has ***" in api.fails(400, "/connections/c", "PATCH", body)
    assert "extra.token has ***" in api.fails(
        400, "/connections/c", "PATCH", {"connection_id": "c", "conn_type": "http", "extra": '{"token": "***"}'}
    )
    api.send("PATCH", "/connections/c", {"connection_id": "c", "conn_type": "http", "password": "a***b"})
    with deployment.db.read() as tx:
        stored = connections.get_connection(tx, "c")
    assert stored is not None and stored.password == "a***b"


@pytest.fixture
def kept(api: Client, deployment: Deployment) -> Client:
    """Run r of DAG a has ended: its task pushed NESTED under `x` and keeps it under `k`, and so does asset `stock`."""
    stock = AssetKey("stock", "s3://stock")
    deployment.add(
        spec_of(
            "a",
            assets=(AssetDeclaration(name="stock", uri="s3://stock"),),
            tasks=(TaskSpec(task_id="only", outlets=(stock,)),),
        )
    )
    deployment.plays["only"] = Play(xcoms=(XComItem(key="x", value=json.dumps(NESTED)),))
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(10)
    api.send("PUT", STATE, {"value": NESTED}, 204)
    api.send("PUT", _stock(api), {"value": NESTED}, 204)
    return api


def _stock(api: Client) -> str:
    (asset,) = api.get("/assets")["assets"]
    return f"/assets/{asset['id']}/state-store/k"


def _read_xcom(deployment: Deployment) -> Any:
    with deployment.db.read() as tx:
        return json.loads(
            tx.all("xcom_values.batch_of_task", run_pk=1, task_id="only", key="x", start=0, limit=1)[0][0]
        )


def _read_states(deployment: Deployment) -> list[Any]:
    with deployment.db.read() as tx:
        kept = task_state_store.list_instance_state(
            tx, task_state_store.TaskStateScope(1, 0, -1), deployment.clock.now()
        )
        return [json.loads(one.value) for one in (*kept, *asset_state_store.list_asset_state(tx, "stock"))]


EDITED = {**SHOWN, "region": "south"}


@pytest.mark.parametrize(
    "send",
    [
        lambda api: api.send("PATCH", f"{TASK}/xcomEntries/x", {"value": EDITED}),
        lambda api: _operate(
            api,
            "xcoms.set",
            {"run_id": "r", "task_id": "only", "map_index": -1, "key": "x", "text": json.dumps(EDITED)},
            "/dags/a",
        ),
    ],
    ids=["PATCH", "xcoms.set"],
)
def test_an_xcom_that_is_sent_back_keeps_its_secrets(
    send: Callable[[Client], object], kept: Client, deployment: Deployment
) -> None:
    assert kept.get(f"{TASK}/xcomEntries/x?deserialize=true")["value"] == SHOWN
    send(kept)
    assert _read_xcom(deployment) == {**NESTED, "region": "south"}


STATE_DOORS: dict[str, Callable[[Client], object]] = {
    "PUT": lambda api: (
        api.send("PUT", STATE, {"value": EDITED}, 204),
        api.send("PUT", _stock(api), {"value": EDITED}, 204),
    ),
    "PATCH": lambda api: (
        api.send("PATCH", STATE, {"value": EDITED}),
        api.send("PUT", _stock(api), {"value": EDITED}, 204),
    ),
    "operations": lambda api: (
        _operate(
            api,
            "task_state.set",
            {"run_id": "r", "task_id": "only", "map_index": -1, "key": "k", "value": json.dumps(EDITED)},
            "/dags/a",
        ),
        _operate(api, "asset_state.set", {"name": "stock", "key": "k", "value": json.dumps(EDITED)}),
    ),
}


@pytest.mark.parametrize("door", STATE_DOORS)
def test_what_a_task_or_an_asset_keeps_and_that_is_sent_back_keeps_its_secrets(
    door: str, kept: Client, deployment: Deployment
) -> None:
    assert kept.get(STATE)["value"] == SHOWN == kept.get(_stock(kept))["value"]
    STATE_DOORS[door](kept)
    assert _read_states(deployment) == [{**NESTED, "region": "south"}] * 2
    assert "deep.list[0]" in str(
        kept.fails(400, _stock(kept), "PUT", {"value": {"deep": {"list": [{"name": "c", "password": "***"}]}}})
    )
