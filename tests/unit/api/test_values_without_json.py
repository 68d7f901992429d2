"""Values that JSON, or UTF-8, cannot carry: refused in a request, and shown as escapes where a task has stored them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.model import serde
from gnomon.model.assets import AssetDeclaration, AssetEmission, AssetKey
from gnomon.model.attempts import XComItem
from gnomon.storage.store.admin.variables import set_variable
from gnomon.storage.store.dag_records import dag_runs
from gnomon.testing import Play

RUN = "/dags/a/dagRuns/r"
ENTRIES = f"{RUN}/taskInstances/only/xcomEntries"
SURROGATE = "a" + chr(0xDCE9) + "b"
STORED = {
    "text": SURROGATE,
    "list": [SURROGATE, 1],
    "key": {SURROGATE: 1},
    "typed": {"__type": "float", "__value": "nan"},
    "null": "a\0b",
}


@pytest.fixture
def run(api: Client, deployment: Deployment) -> Client:
    deployment.add(spec_of("a", assets=(AssetDeclaration(name="n", uri="u://n", group="g"),)))
    xcoms = tuple(XComItem(key=key, value=serde.dumps(value)) for key, value in STORED.items())
    deployment.plays["only"] = Play(
        xcoms=xcoms, asset_events=(AssetEmission(asset=AssetKey("n", "u://n"), extra={"null": "a\0b"}),)
    )
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(10)
    return api


def test_a_lone_surrogate_in_a_stored_xcom_is_shown_as_an_escape(run: Client) -> None:
    shown = {key: run.get(f"{ENTRIES}/{key}")["value"] for key in STORED}
    assert shown["text"] == "a\\udce9b"
    assert shown["list"] == ["a\\udce9b", 1]
    assert shown["key"] == {"a\\udce9b": 1}
    assert shown["null"] == "a\0b"
    assert run.get(f"{ENTRIES}/text?stringify=true")["value"] == "a\\udce9b"


def test_a_stored_value_that_is_not_json_is_shown_as_text(run: Client, deployment: Deployment) -> None:
    with deployment.db.write() as tx:
        found = dag_runs.find_stored_run(tx, "a", "r")
        assert found is not None
        tx.send_many("commit.xcoms", [(found.run_pk, 0, -1, "broken", "not JSON")])
    assert run.get(f"{ENTRIES}/broken")["value"] == "not JSON"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_json_does_not_have_is_refused_and_its_field_named(run: Client, number: str) -> None:
    bodies: list[tuple[str, str, str, str]] = [
        ("POST", "/dags/a/dagRuns", '{"logical_date": null, "conf": {"a": [%s]}}', "conf"),
        ("POST", ENTRIES, '{"key": "k", "value": {"a": %s}}', "value"),
        ("POST", "/assets/events", '{"asset_id": 1, "extra": {"a": %s}}', "extra"),
        ("PUT", f"{RUN}/taskInstances/only/state-store/k", '{"value": %s}', "value"),
    ]
    for method, path, body, field in bodies:
        reply = run.request(method, f"/api/v2{path}", (body % number).encode(), {"Content-Type": "application/json"})
        assert reply.status == 422, (path, reply.body)
        faults: Any = json.loads(reply.body)
        assert field in json.dumps(faults), faults


def test_a_stored_variable_with_a_lone_surrogate_in_its_json_is_shown_with_an_escape(
    api: Client, deployment: Deployment
) -> None:
    """A task may store one: json.dumps writes it as an escape, and no answer could carry it."""
    with deployment.db.write() as tx:
        set_variable(tx, "k", json.dumps({"a": SURROGATE, SURROGATE: 1}))
    shown = api.get("/variables/k")["value"]
    assert json.loads(shown) == {"a": "a\\udce9b", "a\\udce9b": 1}
    assert [one["value"] for one in api.get("/variables")["variables"]] == [shown]


def test_an_error_that_repeats_a_lone_surrogate_is_answered(api: Client) -> None:
    reply = api.request(
        "POST", "/api/v2/connections", b'{"connection_id": "a\\ud83d", "conn_type": "http", "nothing\\ud83d": 1}'
    )
    assert 400 <= reply.status < 500, reply
