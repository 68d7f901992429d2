"""What `/api/gnomon/v1` tells before a run or a backfill is created, of the settings of a DAG, and of who changed it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.model.spec import ParamSpec


def _ask(api: Client, path: str, body: object, status: int = 200) -> Any:
    reply = api.request("POST", f"/api/gnomon/v1{path}", body)
    assert reply.status == status, (path, reply)
    return reply.json()


@pytest.fixture
def hourly(api: Client, deployment: Deployment) -> Client:
    """DAG hourly with a param, and some of its runs."""
    deployment.add(
        spec_of(
            "hourly",
            timetable=HOURLY,
            max_active_runs=2,
            params={"day": ParamSpec(default=1, schema={"type": "integer", "maximum": 31})},
        )
    )
    deployment.start()
    deployment.move(60)
    return api


def test_a_run_is_previewed_and_not_created(hourly: Client) -> None:
    before = hourly.get("/dags/hourly/dagRuns")["total_entries"]
    found = _ask(hourly, "/dags/hourly/runPreview", {"logical_date": None, "conf": {"day": 40}})
    assert found["data_interval_end"] == "2026-03-01T09:01:00Z"
    assert found["dag_run_id"].startswith("manual__")
    assert list(found["conf_faults"]) == ["day"]
    assert (found["taken_by"], found["notes"]) == (None, [])
    taken = _ask(
        hourly,
        "/dags/hourly/runPreview",
        {"logical_date": None, "dag_run_id": hourly.get("/dags/hourly/dagRuns?limit=1")["dag_runs"][0]["dag_run_id"]},
    )
    assert taken["taken_by"] == taken["dag_run_id"]
    assert hourly.get("/dags/hourly/dagRuns")["total_entries"] == before


def test_a_preview_tells_what_would_keep_the_run_waiting(hourly: Client) -> None:
    hourly.send("PATCH", "/dags/hourly", {"is_paused": True})
    found = _ask(hourly, "/dags/hourly/runPreview", {"logical_date": None, "run_after": "2030-01-01T00:00:00Z"})
    assert found["notes"][0].split(":")[0] == "DAG hourly is paused"
    assert found["notes"][-1].startswith("the run waits until 2030-01-01")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"logical_date": None, "dag_run_id": "a/b\n"},
        {"logical_date": None, "data_interval_start": "2026-01-01T00:00:00Z"},
    ],
)
def test_a_wrong_run_is_refused(hourly: Client, body: dict[str, Any]) -> None:
    reply = hourly.request("POST", "/api/gnomon/v1/dags/hourly/runPreview", body)
    assert reply.status in (400, 422)
    assert reply.json()["detail"]


def test_each_slot_of_a_backfill_has_its_effect_and_reason(hourly: Client, deployment: Deployment) -> None:
    body = {"from_date": "2026-02-28T20:00:00Z", "to_date": "2026-03-01T10:00:00Z"}
    found = _ask(hourly, "/dags/hourly/backfillPreview", body)
    assert found["counts"]["create"] + found["counts"]["leave"] == len(found["slots"])
    left = [slot for slot in found["slots"] if slot["effect"] == "leave"]
    assert left
    assert {slot["reason"] for slot in left if slot["state"] == "success"} == {
        "its run ended success, and the backfill does not run such runs again"
    }
    again = _ask(hourly, "/dags/hourly/backfillPreview", {**body, "reprocess_behavior": "completed"})
    assert again["counts"]["run again"] >= 1
    hourly.send("POST", "/backfills", {"dag_id": "hourly", **body})
    deployment.move(60)
    row = hourly.own("/backfills?dag_id=hourly")["backfills"][0]
    assert row["slots"] == len(found["slots"])
    assert row["left"] >= len(left)
    assert (
        "ends before it begins"
        in _ask(
            hourly, "/dags/hourly/backfillPreview", {"from_date": body["to_date"], "to_date": body["from_date"]}, 422
        )["detail"]
    )


def test_limits_say_where_they_come_from(hourly: Client) -> None:
    limits = {one["name"]: one for one in hourly.own("/dags/hourly/settings")["limits"]}
    assert limits["max_active_runs"]["value"] == 2
    assert "set in the file of the DAG" in limits["max_active_runs"]["origin"]
    assert "option [core] max_active_tasks_per_dag (its default)" in limits["max_active_tasks"]["origin"]


def test_versions_say_what_they_changed(hourly: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("hourly", {"first": (), "second": ()}, timetable=HOURLY), version="2")
    rows = hourly.own("/dags/hourly/versions")["versions"]
    assert [row["version"] for row in rows] == [2, 1]
    assert "task second added" in [change["text"] for change in rows[0]["changes"]]
    assert [change["text"] for change in rows[-1]["changes"]] == ["first version"]


def test_the_audit_log_of_a_dag_is_read_in_pages_and_filtered(hourly: Client) -> None:
    for paused in (True, False, True):
        hourly.send("PATCH", "/dags/hourly", {"is_paused": paused})
    first = hourly.own("/dags/hourly/audit?limit=2")
    assert [row["event"] for row in first["rows"]] == ["dag_paused", "dag_unpaused"]
    second = hourly.own(f"/dags/hourly/audit?limit=2&older_than={first['next']}")
    assert second["rows"][0]["id"] < first["rows"][-1]["id"]
    assert {row["event"] for row in hourly.own("/dags/hourly/audit?event=paused")["rows"]} == {
        "dag_paused",
        "dag_unpaused",
    }
    assert hourly.own("/dags/hourly/audit?from=2030-01-01")["rows"] == []
    hourly.own("/dags/hourly/audit?older_than=x", 422)
    hourly.own("/dags/unknown/audit", 404)
