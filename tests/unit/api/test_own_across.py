"""What `/api/gnomon/v1` tells of several DAGs at once: runs in slots, the nodes of the graph, slots of a year, watchers and backfills."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.changes.actions import schedule_previews
from gnomon.model.assets import AliasKey, AssetDeclaration, AssetKey, AssetRefKey
from gnomon.model.backfills import BackfillRecord
from gnomon.model.instants import SECOND
from gnomon.model.spec import TaskSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.storage.store.dag_records import backfills, dags

HOUR = 3600 * SECOND
DAY = "from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z"


def count(api: Client, schedule: dict[str, object], status: int = 200, **window: object) -> Any:
    reply = api.request("POST", "/api/gnomon/v1/timetables/days", {"schedule": schedule, **window})
    assert reply.status == status, reply
    return reply.json()


def test_the_runs_in_slots_have_their_states_and_a_manual_run_counts_for_the_slot_that_it_holds(
    api: Client, deployment: Deployment
) -> None:
    deployment.add(spec_of("hourly", timetable=HOURLY, tasks=()), spec_of("other"))
    deployment.start()
    api.send("POST", "/dags/hourly/dagRuns", {"logical_date": "2026-03-01T04:00:00Z", "dag_run_id": "mine"})
    api.send("POST", "/dags/hourly/dagRuns", {"logical_date": None, "dag_run_id": "free"})
    deployment.move(3700)
    answer = api.own(f"/dependencies/slotRuns?dag_id=hourly&dag_id=absent&dag_id=other&{DAY}")
    hourly, other = answer["dags"]
    found = {run["slot"]: run["run_id"] for run in hourly["runs"]}
    assert "mine" in found.values()
    assert "free" not in found.values()
    assert {run["state"] for run in hourly["runs"]} == {"success"}
    assert any(run_id.startswith("scheduled__") for run_id in found.values())
    assert (hourly["complete"], hourly["paused"], hourly["active"], hourly["decided_until"] > "2026-03-01T09") == (
        True,
        False,
        True,
        True,
    )
    assert (other["dag_id"], other["runs"]) == ("other", [])


@pytest.mark.parametrize(
    "query",
    [
        "",
        DAY,
        "dag_id=a&from=2026-03-01T00:00:00Z&to=2026-03-01T00:00:00Z",
        "dag_id=a&from=2026-03-01T00:00:00Z&to=2026-05-01T00:00:00Z",
        f"{'&'.join(['dag_id=a'] * 51)}&{DAY}",
        "dag_id=a&from=x&to=y",
    ],
)
def test_a_window_of_slots_that_is_wrong_is_refused(api: Client, query: str) -> None:
    assert "detail" in api.own(f"/dependencies/slotRuns?{query}", 422)


def test_the_nodes_of_the_graph_have_what_dags_name_trigger_and_close_to_a_circle(
    api: Client, deployment: Deployment
) -> None:
    orders = AssetDeclaration(name="orders", uri="s3://orders")
    key = AssetKey("orders", "s3://orders")
    deployment.add(
        spec_of(
            "load",
            assets=(orders,),
            tags=("b", "a"),
            tasks=(
                TaskSpec(task_id="write", outlets=(key, AliasKey("daily"))),
                TaskSpec(task_id="go", triggers_dag="report"),
            ),
        ),
        spec_of("report", asset_condition=AssetRefKey(name="orders"), tasks=(TaskSpec(task_id="read", inlets=(key,)),)),
        spec_of("lost", asset_condition=AssetRefKey(name="nowhere"), depends_on=(DependencySpec(dag_id="load"),)),
        spec_of(
            "ring", asset_condition=AliasKey("daily"), tasks=(TaskSpec(task_id="turn", outlets=(AliasKey("daily"),)),)
        ),
    )
    answer = api.own("/dependencies/nodes")
    by_id = {one["dag_id"]: one for one in answer["dags"]}
    assert (by_id["load"]["triggers"], by_id["load"]["tags"], by_id["report"]["triggers"]) == (
        ["report"],
        ["a", "b"],
        [],
    )
    assets = [(one["kind"], one["name"]) for one in answer["assets"]]
    assert sorted(assets) == [("alias", "daily"), ("asset", "orders"), ("unknown", "nowhere")]
    edges = {
        (one["dag_id"], one["task_id"], one["role"], answer["assets"][one["asset"]]["name"])
        for one in answer["asset_edges"]
    }
    assert edges == {
        ("load", "write", "outlet", "orders"),
        ("load", "write", "outlet", "daily"),
        ("report", None, "schedule", "orders"),
        ("report", "read", "inlet", "orders"),
        ("lost", None, "schedule", "nowhere"),
        ("ring", None, "schedule", "daily"),
        ("ring", "turn", "outlet", "daily"),
    }
    assert answer["circles"] == [["ring"]]


def test_the_newest_run_of_each_dag(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a", tasks=()), spec_of("b"))
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(5)
    assert api.own("/dependencies/newestRuns") == {"runs": {"a": ["r", "success"]}}


def test_the_newest_event_of_each_asset(api: Client, deployment: Deployment) -> None:
    declared = [AssetDeclaration(name=name, uri=f"s3://{name}") for name in ("orders", "items")]
    keys = tuple(AssetKey(one.name, one.uri) for one in declared)
    deployment.add(spec_of("load", assets=tuple(declared), tasks=(TaskSpec(task_id="write", outlets=keys),)))
    numbers = {one["name"]: one["id"] for one in api.send("GET", "/assets")["assets"]}
    assert api.own("/dependencies/newestEvents") == {"events": {}}
    event = api.send("POST", "/assets/events", {"asset_id": numbers["orders"]})
    assert api.own("/dependencies/newestEvents") == {"events": {str(numbers["orders"]): event["timestamp"]}}


def test_the_days_of_a_year_have_their_slots_and_the_others_their_reasons(api: Client, deployment: Deployment) -> None:
    deployment.home.cfg.home.mkdir(exist_ok=True)
    (deployment.home.cfg.home / "gnomon.toml").write_text('[calendars.de]\ncountry = "DE"\n')
    answer = count(
        api,
        {"cron": "0 6 * * *", "timezone": "Europe/Berlin", "calendar": "de"},
        **{"from": "2026-01-01T00:00:00", "to": "2027-01-01T00:00:00"},
    )
    days = {one["day"]: one["slots"] for one in answer["days"]}
    skipped = {one["day"]: one["reason"] for one in answer["skipped"]}
    assert (len(days) + len(skipped), days["2026-01-02"], "2026-01-01" in skipped) == (365, 1, True)
    assert [one["at"] for one in answer["clock_changes"]] == ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"]
    assert (answer["stop_reason"], answer["known_until"]) == (None, "2026-12-31T23:00:00Z")
    assert api.own("/timetables/choices")["calendars"] == ["de"]
    assert "BusinessDays" in api.own("/timetables/choices")["timetables"]


def test_a_dense_year_is_counted_in_pieces_up_to_where_the_time_is_over(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule_previews, "COUNTED_AT_ONCE", 100)
    day = {"from": "2026-03-28T00:00:00", "to": "2026-03-30T00:00:00"}
    answer = count(api, {"cron": "*/5 * * * *", "timezone": "Europe/Berlin"}, **day)
    assert [(one["day"], one["slots"], one["first"][11:16]) for one in answer["days"]] == [
        ("2026-03-28", 288, "23:00"),
        ("2026-03-29", 276, "23:00"),
    ]
    monkeypatch.setattr(schedule_previews, "ANSWER_S", -1.0)
    late = count(api, {"cron": "*/5 * * * *"}, **day)
    assert ("time for the answer is over" in late["stop_reason"], late["known_until"] < "2026-03-29") == (True, True)


def test_a_schedule_that_is_wrong_has_no_days(api: Client) -> None:
    assert "detail" in count(api, {"cron": "x"}, 400)
    assert "detail" in count(api, {"dag_id": "absent"}, 404)
    assert "detail" in count(api, {}, 422)
    assert (
        len(count(api, {"cron": "@daily"}, **{"from": "2026-01-01T00:00:00", "to": "2090-01-01T00:00:00"})["days"])
        == 367
    )


def test_backfills_of_all_dags_have_their_progress(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY), spec_of("b", timetable=HOURLY))
    with deployment.db.write() as tx:
        for dag_id in ("a", "b"):
            dag = dags.find_dag_row(tx, dag_id)
            assert dag is not None
            backfills.create_backfill(
                tx,
                BackfillRecord(
                    0, dag.dag_pk, dag.group_no, NOW - 3 * HOUR, NOW - HOUR, "failed", 2, False, {"n": 1}, NOW, "me"
                ),
            )
    answer = api.own("/backfills")
    assert [(one["backfill_id"], one["dag_id"], one["state"], one["created_by"]) for one in answer["backfills"]] == [
        (2, "b", "planning", "me"),
        (1, "a", "planning", "me"),
    ]
    api.send("PUT", "/backfills/1/pause")
    assert [one["dag_id"] for one in api.own("/backfills?state=paused")["backfills"]] == ["a"]
    assert api.own("/backfills?state=running&state=complete")["total_entries"] == 0
    assert api.own("/backfills?dag_id=absent")["backfills"] == []
    assert len(api.own("/backfills?limit=1&offset=1")["backfills"]) == 1
    assert "detail" in api.own("/backfills?state=lost", 422)


def test_an_asset_without_watchers_has_an_empty_list(api: Client, deployment: Deployment) -> None:
    deployment.add(
        spec_of(
            "load",
            assets=(AssetDeclaration(name="orders", uri="orders"),),
            tasks=(TaskSpec(task_id="write", outlets=(AssetKey("orders", "orders"),)),),
        )
    )
    assert api.own(f"/assets/{api.get('/assets')['assets'][0]['id']}/watchers") == {"watchers": []}
    assert "there is no asset" in api.own("/assets/99/watchers", 404)["detail"]
