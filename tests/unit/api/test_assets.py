"""Assets, aliases, events and queues over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.model.assets import AliasKey, AllOf, AssetDeclaration, AssetKey, AssetRefKey
from gnomon.model.spec import TaskSpec

ORDERS, STOCK = AssetKey("orders", "s3://shop/orders"), AssetKey("stock", "stock")


def _fill(api: Client, deployment: Deployment) -> None:
    declared = AssetDeclaration(name="orders", uri="s3://shop/orders", group="shop", extra={"team": "sales"})
    stock = AssetDeclaration(name="stock", uri="stock")
    deployment.add(
        spec_of(
            "load",
            assets=(declared,),
            alias_groups={"daily": "feeds"},
            tasks=(TaskSpec(task_id="write", outlets=(ORDERS, AliasKey("daily"))),),
        ),
        spec_of("report", asset_condition=AllOf((ORDERS, AssetRefKey(name="stock"))), assets=(declared,)),
        spec_of("count", assets=(stock,), tasks=(TaskSpec(task_id="read", inlets=(ORDERS,), outlets=(STOCK,)),)),
        spec_of("recount", assets=(stock,), tasks=(TaskSpec(task_id="again", outlets=(STOCK,)),)),
        spec_of("mail", asset_condition=AliasKey("daily")),
    )
    deployment.start()


@pytest.fixture
def shop(api: Client, deployment: Deployment) -> Client:
    """`load` writes orders and an alias, `report` waits for orders and stock, `mail` for the alias, and reads orders."""
    _fill(api, deployment)
    return api


@pytest.fixture(scope="module")
def shop_to_read(read_api: Client, read_deployment: Deployment) -> Client:
    """The same for the tests that change nothing."""
    _fill(read_api, read_deployment)
    return read_api


def _ids(api: Client) -> dict[str, int]:
    return {one["name"]: one["id"] for one in api.get("/assets")["assets"]}


def _add(api: Client, name: str, **more: Any) -> Any:
    return api.send("POST", "/assets/events", {"asset_id": _ids(api)[name], **more})


def test_assets_name_the_dags_and_tasks_that_use_them(shop_to_read: Client) -> None:
    page = shop_to_read.get("/assets?order_by=name")
    assert ([one["name"] for one in page["assets"]], page["total_entries"]) == (["orders", "stock"], 2)
    orders = page["assets"][0]
    assert {
        name: orders[name]
        for name in ("uri", "group", "extra", "created_at", "updated_at", "aliases", "watchers", "last_asset_event")
    } == {
        "uri": "s3://shop/orders",
        "group": "shop",
        "extra": {"team": "sales"},
        "created_at": "2026-03-01T09:00:00Z",
        "updated_at": "2026-03-01T09:00:00Z",
        "aliases": [],
        "watchers": [],
        "last_asset_event": {"id": None, "timestamp": None},
    }
    assert [one["dag_id"] for one in orders["scheduled_dags"]] == ["report"]
    assert [(one["dag_id"], one["task_id"]) for one in orders["producing_tasks"]] == [("load", "write")]
    assert [(one["dag_id"], one["task_id"]) for one in orders["consuming_tasks"]] == [("count", "read")]
    assert [one["dag_id"] for one in page["assets"][1]["scheduled_dags"]] == ["report"]
    assert shop_to_read.get(f"/assets/{orders['id']}") == orders
    shop_to_read.fails(404, "/assets/99")
    shop_to_read.fails(422, "/assets/x")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("name_pattern=ORD", ["orders"]),
        ("name_prefix_pattern=st", ["stock"]),
        ("uri_pattern=shop", ["orders"]),
        ("uri_prefix_pattern=s3", ["orders"]),
        ("dag_ids=load", ["orders"]),
        ("dag_ids=recount&dag_ids=load", ["orders", "stock"]),
        ("order_by=-name", ["stock", "orders"]),
        ("limit=1", ["orders"]),
        ("limit=1&offset=1", ["stock"]),
        ("order_by=created_at", ["orders", "stock"]),
    ],
)
def test_filters_of_assets(shop_to_read: Client, query: str, expected: list[str]) -> None:
    page = shop_to_read.get(f"/assets?{query}&order_by=name" if "order_by" not in query else f"/assets?{query}")
    assert [one["name"] for one in page["assets"]] == expected


def test_an_asset_that_no_file_names_any_more_is_listed_on_demand(shop: Client, deployment: Deployment) -> None:
    before = _ids(shop)
    deployment.move(60)
    changed = AssetDeclaration(name="orders", uri="s3://shop/orders", group="shop", extra={"team": "finance"})
    deployment.add(
        spec_of("load", assets=(changed,), tasks=(TaskSpec(task_id="write", outlets=(ORDERS,)),)), version="2"
    )
    assert list(_ids(shop)) == ["orders"]
    everything = shop.get("/assets?only_active=false")["assets"]
    assert {one["name"]: one["id"] for one in everything} == before
    orders = next(one for one in everything if one["name"] == "orders")
    assert (orders["extra"], orders["created_at"], orders["updated_at"]) == (
        {"team": "finance"},
        "2026-03-01T09:00:00Z",
        "2026-03-01T09:01:00Z",
    )


def test_aliases_have_ids_and_groups(shop: Client, deployment: Deployment) -> None:
    page = shop.get("/assets/aliases")
    (alias,) = page["asset_aliases"]
    assert (alias["name"], alias["group"], page["total_entries"]) == ("daily", "feeds", 1)
    assert shop.get(f"/assets/aliases/{alias['id']}") == alias
    assert shop.get("/assets/aliases?name_pattern=x")["asset_aliases"] == []
    assert shop.get("/assets/aliases?name_prefix_pattern=da&order_by=-name")["total_entries"] == 1
    shop.fails(404, "/assets/aliases/99")
    deployment.add(spec_of("load", tasks=(TaskSpec(task_id="write"),)), version="2")
    assert shop.get(f"/assets/aliases/{alias['id']}")["name"] == "daily"


def test_an_event_from_outside_makes_a_run_and_names_it(shop: Client, deployment: Deployment) -> None:
    event = _add(shop, "orders", extra={"rows": 3})
    assert {
        name: event[name]
        for name in ("name", "group", "extra", "source_dag_id", "source_map_index", "created_dagruns", "timestamp")
    } == {
        "name": "orders",
        "group": "shop",
        "extra": {"rows": 3, "from_rest_api": True},
        "source_dag_id": None,
        "source_map_index": -1,
        "created_dagruns": [],
        "timestamp": "2026-03-01T09:00:00Z",
    }
    deployment.move(2)
    last = _add(shop, "stock")
    deployment.move(30)
    (run,) = shop.get("/dags/report/dagRuns")["dag_runs"]
    page = shop.get("/assets/events?order_by=-timestamp")
    assert ([one["id"] for one in page["asset_events"]], page["total_entries"]) == ([last["id"], event["id"]], 2)
    assert [
        [(one["dag_id"], one["run_id"], one["state"], one["triggering"]) for one in shown["created_dagruns"]]
        for shown in page["asset_events"]
    ] == [
        [("report", run["dag_run_id"], "success", True)],
        [("report", run["dag_run_id"], "success", False)],
    ]
    upstream = shop.get(f"/dags/report/dagRuns/{run['dag_run_id']}/upstreamAssetEvents")
    assert ([one["id"] for one in upstream["asset_events"]], upstream["total_entries"]) == (
        [event["id"], last["id"]],
        2,
    )
    assert shop.get(f"/assets/{_ids(shop)['stock']}")["last_asset_event"] == {
        "id": last["id"],
        "timestamp": last["timestamp"],
    }
    shop.fails(404, "/assets/events", "POST", {"asset_id": 99})
    shop.fails(422, "/assets/events", "POST", {"asset_id": 1, "partition_key": " "})
    assert "no teams" in shop.fails(
        501, "/assets/events", "POST", {"asset_id": 1, "access_control": {"consumer_teams": ["x"]}}
    )
    assert [one["owner"] for one in shop.get("/eventLogs?event=asset_event_added")["event_logs"]] == [
        "api:anonymous"
    ] * 2


def test_filters_of_events(shop: Client, deployment: Deployment) -> None:
    shop.send("POST", "/dags/load/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(20)
    _add(shop, "stock", partition_key="2026-03-01")
    for query, expected in (
        ("source_dag_id=load", ["orders"]),
        ("source_task_id=write&source_run_id=r", ["orders"]),
        ("source_map_index=-1", ["orders", "stock"]),
        ("source_dag_id=x", []),
        (f"asset_id={_ids(shop)['stock']}", ["stock"]),
        ("name_pattern=STO", ["stock"]),
        ("name_prefix_pattern=or", ["orders"]),
        ("timestamp_gte=2026-03-01T09:00:10Z", ["stock"]),
        ("timestamp_lt=2026-03-01T09:00:10Z", ["orders"]),
        ("limit=1&offset=1", ["stock"]),
        ("order_by=-source_dag_id", ["orders", "stock"]),
    ):
        assert [one["name"] for one in shop.get(f"/assets/events?{query}")["asset_events"]] == expected, query
    assert shop.get("/assets/events")["asset_events"][1]["partition_key"] == "2026-03-01"
    shop.fails(400, "/assets/events?order_by=nothing")


def test_the_owner_deletes_queued_events(shop: Client, deployment: Deployment) -> None:
    _add(shop, "orders")
    deployment.move(60)
    _add(shop, "orders")
    orders = _ids(shop)["orders"]
    entry = {"dag_id": "report", "asset_id": orders, "created_at": "2026-03-01T09:00:00Z", "dag_display_name": "report"}
    for path in (f"/assets/{orders}/queuedEvents", "/dags/report/assets/queuedEvents"):
        assert shop.get(path) == {"queued_events": [entry], "total_entries": 1}
        assert shop.get(f"{path}?before=2026-03-01T09:00:00Z")["total_entries"] == 0
    assert shop.get(f"/dags/report/assets/{orders}/queuedEvents") == entry
    one = f"/dags/report/assets/{orders}/queuedEvents"
    shop.send("DELETE", f"{one}?before=2026-03-01T09:00:30Z", status=204)
    assert shop.get(one)["created_at"] == "2026-03-01T09:01:00Z"
    shop.send("DELETE", one, status=204)
    assert "no event" in shop.fails(404, one, "DELETE")
    shop.fails(404, one)
    _add(shop, "stock")
    deployment.move(5)
    assert shop.get("/dags/report/dagRuns")["dag_runs"] == []
    shop.send("DELETE", f"/assets/{_ids(shop)['stock']}/queuedEvents", status=204)
    shop.fails(404, f"/assets/{_ids(shop)['stock']}/queuedEvents", "DELETE")
    _add(shop, "stock")
    shop.send("DELETE", "/dags/report/assets/queuedEvents", status=204)
    shop.fails(404, "/dags/report/assets/queuedEvents", "DELETE")
    shop.fails(422, f"{one}?before=yesterday")
    shop.fails(404, "/dags/nothing/assets/queuedEvents")
    logged = shop.get("/eventLogs?event=queued_events_deleted")["event_logs"]
    assert [(entry["dag_id"], entry["owner"]) for entry in logged] == [("report", "api:anonymous")] * 4


def test_queued_events_stay_while_the_owner_does_nothing(shop: Client, deployment: Deployment) -> None:
    _add(shop, "orders")
    deployment.freeze()
    assert "is stored and will be carried out" in shop.fails(503, "/dags/report/assets/queuedEvents", "DELETE")
    assert shop.get("/dags/report/assets/queuedEvents")["total_entries"] == 1


def test_an_asset_is_materialized_by_the_only_dag_that_writes_it(shop: Client, deployment: Deployment) -> None:
    ids = _ids(shop)
    run = shop.send("POST", f"/assets/{ids['orders']}/materialize")
    assert (run["dag_id"], run["run_type"], run["triggering_user_name"]) == (
        "load",
        "asset_materialization",
        "anonymous",
    )
    assert run["dag_run_id"].startswith("asset_materialization__")
    named = shop.send(
        "POST", f"/assets/{ids['orders']}/materialize", {"dag_run_id": "again", "conf": {"n": 1}, "note": "by hand"}
    )
    assert (named["dag_run_id"], named["conf"], named["note"]) == ("again", {"n": 1}, "by hand")
    shop.fails(409, f"/assets/{ids['orders']}/materialize", "POST", {"dag_run_id": "again"})
    assert "trigger one of them: count, recount" in shop.fails(409, f"/assets/{ids['stock']}/materialize", "POST")
    shop.fails(404, "/assets/99/materialize", "POST")
    deployment.add(spec_of("load", tasks=(TaskSpec(task_id="write"),)), version="2")
    assert "no task has asset" in shop.fails(404, f"/assets/{ids['orders']}/materialize", "POST")
