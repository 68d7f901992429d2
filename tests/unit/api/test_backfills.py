"""Backfills: created, listed, paused, continued, cancelled."""

from __future__ import annotations

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.model.backfills import BackfillRecord
from gnomon.model.instants import SECOND
from gnomon.model.spec import ParamSpec, TaskSpec
from gnomon.storage.store.dag_records import backfills, dags

HOUR = 3600 * SECOND
BODY = {"dag_id": "a", "from_date": "2026-02-01T00:00:00Z", "to_date": "2026-02-01T03:00:00Z"}


@pytest.fixture
def backfilled(api: Client, deployment: Deployment) -> Client:
    """DAG a with backfill 1 of three hours."""
    deployment.add(spec_of("a", timetable=HOURLY, display_name="Letters"), spec_of("b"))
    with deployment.db.write() as tx:
        dag = dags.find_dag_row(tx, "a")
        assert dag is not None
        backfills.create_backfill(
            tx,
            BackfillRecord(
                0, dag.dag_pk, dag.group_no, NOW - 3 * HOUR, NOW - HOUR, "failed", 2, False, {"n": 1}, NOW, "me"
            ),
        )
    return api


def test_a_backfill_is_shown(backfilled: Client) -> None:
    page = backfilled.get("/backfills?dag_id=a&order_by=-id")
    assert page["total_entries"] == 1
    assert (
        page["backfills"][0]
        == backfilled.get("/backfills/1")
        == {
            "id": 1,
            "dag_id": "a",
            "from_date": "2026-03-01T06:00:00Z",
            "to_date": "2026-03-01T08:00:00Z",
            "dag_run_conf": {"n": 1},
            "is_paused": False,
            "reprocess_behavior": "failed",
            "max_active_runs": 2,
            "created_at": "2026-03-01T09:00:00Z",
            "completed_at": None,
            "updated_at": "2026-03-01T09:00:00Z",
            "dag_display_name": "Letters",
        }
    )
    assert backfilled.get("/backfills?dag_id=b")["backfills"] == []
    assert backfilled.get("/backfills?dag_id=a&offset=1")["backfills"] == []


@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_it_is_paused_continued_and_cancelled(backfilled: Client, deployment: Deployment, method: str) -> None:
    assert backfilled.send(method, "/backfills/1/pause")["is_paused"] is True
    assert backfilled.send(method, "/backfills/1/unpause")["is_paused"] is False
    backfilled.send(method, "/backfills/1/cancel")
    assert "was cancelled by api:anonymous" in backfilled.fails(409, "/backfills/1/cancel", method)
    deployment.start()
    deployment.move(20)
    assert backfilled.get("/backfills/1")["completed_at"] is not None
    backfilled.fails(409, "/backfills/1/pause", method)


def test_what_does_not_exist_is_named(backfilled: Client) -> None:
    backfilled.fails(404, "/backfills/7")
    backfilled.fails(404, "/backfills/7/pause", "PUT")
    backfilled.fails(404, "/backfills?dag_id=x")
    backfilled.fails(422, "/backfills")
    backfilled.fails(422, "/backfills/-1")
    backfilled.fails(400, "/backfills?dag_id=a&order_by=colour")


def test_a_backfill_is_created_and_runs_to_its_end(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY, display_name="The A"))
    deployment.start()
    made = api.send("POST", "/backfills", {**BODY, "max_active_runs": 2, "dag_run_conf": {"k": 1}})
    assert made == {
        "id": 1,
        "dag_id": "a",
        "from_date": "2026-02-01T00:00:00Z",
        "to_date": "2026-02-01T03:00:00Z",
        "dag_run_conf": {"k": 1},
        "is_paused": False,
        "reprocess_behavior": "none",
        "max_active_runs": 2,
        "created_at": made["created_at"],
        "completed_at": None,
        "updated_at": made["created_at"],
        "dag_display_name": "The A",
    }
    assert "has not ended" in api.fails(409, "/backfills", "POST", BODY)
    deployment.move(60)
    assert api.get("/backfills/1")["completed_at"] is not None
    runs = api.get("/dags/a/dagRuns?run_type=backfill")["dag_runs"]
    assert [(run["state"], run["conf"]) for run in runs] == [("success", {"k": 1})] * 4
    api.fails(409, "/backfills/1/pause", "PUT")
    api.send("POST", "/backfills", {**BODY, "reprocess_behavior": "completed"})
    page = api.get("/backfills?dag_id=a&order_by=-id&limit=1")
    assert ([one["reprocess_behavior"] for one in page["backfills"]], page["total_entries"]) == (["completed"], 2)


def test_a_dry_run_shows_the_slots_that_would_run(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY))
    api.send("POST", "/dags/a/dagRuns", {"logical_date": "2026-02-01T01:00:00Z"})
    found = api.send("POST", "/backfills/dry_run", {**BODY, "run_backwards": True})
    assert found["backfills"][0] == {
        "logical_date": "2026-02-01T03:00:00Z",
        "partition_key": None,
        "partition_date": None,
    }
    assert [one["logical_date"][11:13] for one in found["backfills"]] == ["03", "02", "00"]
    assert found["total_entries"] == 3
    assert api.get("/backfills?dag_id=a")["total_entries"] == 0


@pytest.fixture(scope="module")
def refusing(read_api: Client, read_deployment: Deployment) -> Client:
    """The API with DAGs of which no backfill is created."""
    read_deployment.add(
        spec_of("none"),
        spec_of("timely", timetable=HOURLY, allowed_run_types=("manual", "scheduled")),
        spec_of("a", timetable=HOURLY, params={"n": ParamSpec(default=1, schema={"type": "integer"})}),
        spec_of("chained", timetable=HOURLY, tasks=(TaskSpec(task_id="t", depends_on_past=True),)),
    )
    return read_api


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        ({"dag_id": "nowhere"}, 404, "there is no DAG 'nowhere'"),
        ({"dag_id": "none"}, 422, "which has no times"),
        ({"dag_id": "timely"}, 400, "allows no backfill runs"),
        ({"dag_run_conf": {"n": "x"}}, 400, "does not fit the params"),
        ({"to_date": "2026-01-01T00:00:00Z"}, 422, "ends before it begins"),
        ({"from_date": "2026-02-01T00:10:00Z", "to_date": "2026-02-01T00:20:00Z"}, 422, "no slot"),
        ({"max_active_runs": 0}, 422, "at least 1"),
        (
            {"run_on_latest_version": False, "reprocess_behavior": "failed"},
            422,
            "set its rerun_with_latest_version=False",
        ),
        ({"dag_id": "chained", "run_backwards": True}, 422, "run it forwards"),
    ],
)
@pytest.mark.parametrize("path", ["/backfills", "/backfills/dry_run"])
def test_what_cannot_be_backfilled_is_refused(
    refusing: Client, path: str, body: dict[str, object], status: int, sentence: str
) -> None:
    assert sentence in str(refusing.fails(status, path, "POST", {**BODY, **body}))
    assert refusing.get("/backfills?dag_id=a")["total_entries"] == 0
