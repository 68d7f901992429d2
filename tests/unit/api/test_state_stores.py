"""The task and asset state stores over HTTP."""

from __future__ import annotations

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.model.assets import AssetDeclaration, AssetKey
from gnomon.model.spec import TaskSpec
from gnomon.model.state_values import StateWriter
from gnomon.storage.store.state_stores.asset_state_store import set_asset_state

TASK = "/dags/a/dagRuns/r/taskInstances/only/state-store"


@pytest.fixture
def stocked(api: Client, deployment: Deployment) -> Client:
    """Run r of DAG a has ended; its task writes asset `stock`."""
    declared = AssetDeclaration(name="stock", uri="s3://stock")
    deployment.add(
        spec_of("a", assets=(declared,), tasks=(TaskSpec(task_id="only", outlets=(AssetKey("stock", "s3://stock"),)),))
    )
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(10)
    return api


def test_values_of_a_task_instance(stocked: Client, deployment: Deployment) -> None:
    stocked.send("PUT", f"{TASK}/page", {"value": {"n": 1}, "expires_at": None}, 204)
    stocked.send("PUT", f"{TASK}/a%2Fb", {"value": [1, None]}, 204)
    stocked.send("PUT", f"{TASK}/soon", {"value": "x", "expires_at": "2026-03-01T09:01:00Z"}, 204)
    page = stocked.get(TASK)
    assert [(one["key"], one["value"], one["expires_at"]) for one in page["task_state_store"]] == [
        ("a/b", [1, None], "2026-03-31T09:00:10Z"),
        ("page", {"n": 1}, None),
        ("soon", "x", "2026-03-01T09:01:00Z"),
    ]
    assert page["total_entries"] == 3
    assert [one["key"] for one in stocked.get(f"{TASK}?limit=1&offset=1")["task_state_store"]] == ["page"]
    assert stocked.get(f"{TASK}/a/b")["value"] == [1, None]
    deployment.move(60)
    stocked.fails(404, f"{TASK}/soon")
    assert stocked.send("PATCH", f"{TASK}/page", {"value": 2}) is None
    assert (stocked.get(f"{TASK}/page")["value"], stocked.get(f"{TASK}/page")["expires_at"]) == (2, None)
    stocked.fails(404, f"{TASK}/other", "PATCH", {"value": 2})
    stocked.send("DELETE", f"{TASK}/page", status=204)
    stocked.send("DELETE", f"{TASK}/page", status=204)
    stocked.fails(404, f"{TASK}/page")
    stocked.send("DELETE", TASK, status=204)
    assert stocked.get(TASK) == {"task_state_store": [], "total_entries": 0}
    kinds = [
        (one["event"], one["task_id"], one["extra"])
        for one in stocked.get("/eventLogs?event_prefix_pattern=task_state&order_by=id")["event_logs"]
    ]
    assert kinds == [
        ("task_state_set", "only", "page"),
        ("task_state_set", "only", "a/b"),
        ("task_state_set", "only", "soon"),
        ("task_state_set", "only", "page"),
        ("task_state_deleted", "only", "page"),
        ("task_state_deleted", "only", "all keys"),
    ]


def test_what_the_task_state_store_refuses(stocked: Client) -> None:
    for body in ({"value": None}, {}, {"value": 1, "expires_at": "2026-03-01T09:01:00"}, {"value": 1, "more": 2}):
        stocked.fails(422, f"{TASK}/k", "PUT", body)
    assert "1 to 512 characters" in stocked.fails(422, f"{TASK}/{'k' * 513}", "PUT", {"value": 1})
    for path in (
        "/dags/a/dagRuns/r/taskInstances/x/state-store",
        "/dags/a/dagRuns/x/taskInstances/only/state-store",
        f"{TASK}?map_index=3",
    ):
        stocked.fails(404, path)
        stocked.fails(404, path, "DELETE")
    stocked.fails(422, f"{TASK}?map_index=-2")
    stocked.send("PUT", f"{TASK}/k", {"value": 1}, 204)
    stocked.send("DELETE", f"{TASK}?all_map_indices=true&map_index=7", status=204)
    assert stocked.get(TASK)["total_entries"] == 0


def test_values_of_an_asset_name_their_last_writer(stocked: Client, deployment: Deployment) -> None:
    (asset,) = stocked.get("/assets")["assets"]
    store = f"/assets/{asset['id']}/state-store"
    stocked.send("PUT", f"{store}/offset", {"value": 5}, 204)
    now = deployment.clock.now()
    with deployment.db.write() as tx:
        set_asset_state(
            tx, "stock", "task", "1", now, StateWriter("task", dag_id="a", run_id="r", task_id="only", map_index=-1)
        )
        set_asset_state(tx, "stock", "watcher", '"seen"', now, StateWriter("watcher"))
        set_asset_state(tx, "stock", "command", "[]", now, StateWriter("cli", "cli:ann"))
        set_asset_state(tx, "other", "offset", "9", now, StateWriter("watcher"))
    names = {"dag_id": None, "run_id": None, "task_id": None, "map_index": None}
    page = stocked.get(store)
    assert {one["key"]: (one["value"], one["last_updated_by"]) for one in page["asset_state_store"]} == {
        "offset": (5, {"kind": "api", **names}),
        "watcher": ("seen", {"kind": "watcher", **names}),
        "command": ([], {"kind": "api", **names}),
        "task": (1, {"kind": "task", "dag_id": "a", "run_id": "r", "task_id": "only", "map_index": -1}),
    }
    assert (page["total_entries"], [one["key"] for one in stocked.get(f"{store}?limit=1")["asset_state_store"]]) == (
        4,
        ["command"],
    )
    assert stocked.get(f"{store}/offset")["updated_at"] == "2026-03-01T09:00:10Z"
    stocked.fails(404, f"{store}/nothing")
    stocked.fails(404, "/assets/99/state-store")
    stocked.fails(422, f"{store}/k", "PUT", {"value": None})
    for _ in range(2):
        stocked.send("DELETE", f"{store}/offset", status=204)
    stocked.send("DELETE", store, status=204)
    assert stocked.get(store) == {"asset_state_store": [], "total_entries": 0}
    kinds = [
        (one["event"], one["extra"])
        for one in stocked.get("/eventLogs?event_prefix_pattern=asset_state&order_by=id")["event_logs"]
    ]
    assert kinds == [
        ("asset_state_set", "asset stock: offset"),
        ("asset_state_deleted", "asset stock: offset"),
        ("asset_state_deleted", "asset stock: all keys"),
    ]
