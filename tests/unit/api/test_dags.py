"""DAGs: lists, filters, details, pausing, deleting, tags, tasks, versions, numbers of runs, sources."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.model.assets import AssetKey
from gnomon.model.spec import ParamSpec, ParseFailure, TaskSpec


def _ids(page: Any) -> list[str]:
    return [dag["dag_id"] for dag in page["dags"]]


def _fill(deployment: Deployment) -> None:
    file = deployment.home.cfg.home / "dags" / "etl.py"
    file.parent.mkdir(parents=True)
    file.write_text("# the source\n")
    deployment.add(
        spec_of(
            "extract",
            tags=("etl", "daily"),
            owner="ann, bob",
            display_name="Get Data",
            timetable=HOURLY,
            description="Gets it.",
        ),
        spec_of(
            "load",
            {"x": (), "y": ("x",)},
            tags=("etl",),
            params={"n": ParamSpec(default=1)},
            asset_condition=AssetKey("orders", "s3://orders"),
        ),
        file=str(file),
    )
    deployment.add(
        spec_of("old_one"),
        file="/elsewhere/old.py",
        paused=True,
        failures=(ParseFailure(kind="dag", message="bad", traceback="Tb"),),
    )


@pytest.fixture
def three(api: Client, deployment: Deployment) -> Client:
    _fill(deployment)
    return api


@pytest.fixture(scope="module")
def three_to_read(read_api: Client, read_deployment: Deployment) -> Client:
    """The same for the tests that change nothing."""
    _fill(read_deployment)
    return read_api


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["extract", "load", "old_one"]),
        ("limit=1&offset=1", ["load"]),
        ("order_by=-dag_id", ["old_one", "load", "extract"]),
        ("tags=etl", ["extract", "load"]),
        ("tags=etl&tags=daily&tags_match_mode=all", ["extract"]),
        ("tags=etl&tags=daily&tags_match_mode=any", ["extract", "load"]),
        ("tags=none", []),
        ("owners=bob", ["extract"]),
        ("dag_id_pattern=LO", ["load"]),
        ("dag_id_prefix_pattern=old_", ["old_one"]),
        ("dag_id_pattern=old_one|load", ["load", "old_one"]),
        ("dag_display_name_pattern=data", ["extract"]),
        ("dag_display_name_prefix_pattern=get", []),
        ("paused=true", ["old_one"]),
        ("has_import_errors=true", ["old_one"]),
        ("has_asset_schedule=true", ["load"]),
        ("asset_dependency=orders", ["load"]),
        ("timetable_type=CronTriggerTimetable", ["extract"]),
        ("bundle_name=dags-folder", ["extract", "load", "old_one"]),
        ("bundle_name=other", []),
        ("last_dag_run_state=success", []),
        ("dag_run_state=queued", []),
        ("order_by=next_dagrun&limit=1", ["extract"]),
    ],
)
def test_filters(three_to_read: Client, query: str, expected: list[str]) -> None:
    assert _ids(three_to_read.get(f"/dags?{query}")) == expected


def test_the_newest_run_is_filtered_by(three: Client, deployment: Deployment) -> None:
    three.send("PATCH", "/dags/extract", {"is_paused": True})
    deployment.start()
    three.send("POST", "/dags/load/dagRuns", {"logical_date": None})
    deployment.move(20)
    assert _ids(three.get("/dags?last_dag_run_state=success")) == ["load"]
    assert _ids(three.get("/dags?dag_run_start_date_gte=2026-03-01T09:00:00Z")) == ["load"]
    assert _ids(three.get("/dags?dag_run_start_date_lt=2026-03-01T09:00:00Z")) == []
    assert _ids(three.get("/dags?order_by=-last_run_start_date&limit=1")) == ["load"]


def test_lists_by_the_newest_run_count_all_dags_that_meet_the_filters(three: Client, deployment: Deployment) -> None:
    deployment.start()
    for dag_id in ("extract", "load"):
        three.send("POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None})
    deployment.move(20)
    for path, query, key in (("v2", "dag_run_state=success", "total_entries"), ("gnomon/v1", "state=success", "total")):
        for limit, offset, expected in ((1, 0, ["load"]), (1, 1, ["extract"]), (5, 2, [])):
            page = three.request(
                "GET", f"/api/{path}/dags?{query}&order_by=-dag_id&limit={limit}&offset={offset}"
            ).json()
            assert (_ids(page), page[key]) == (expected, 2)
    assert three.get("/dags?dag_run_state=failed")["total_entries"] == 0


def test_one_dag(three: Client) -> None:
    dag = three.get("/dags/extract")
    assert (dag["dag_display_name"], dag["owners"], dag["relative_fileloc"], dag["timetable_summary"]) == (
        "Get Data",
        ["ann", "bob"],
        "etl.py",
        "0 * * * *",
    )
    assert [tag["name"] for tag in dag["tags"]] == ["daily", "etl"]
    details = three.get("/dags/load/details")
    assert details["params"] == {"n": {"value": 1, "schema": {}, "description": None}}
    assert details["asset_expression"] == {"asset": {"name": "orders", "uri": "s3://orders"}}
    assert (details["timezone"], details["catchup"], details["latest_dag_version"]["version_number"]) == (
        "UTC",
        False,
        1,
    )
    assert "did you mean 'load'" in three.fails(404, "/dags/lod")


def test_pausing(three: Client, deployment: Deployment) -> None:
    assert three.send("PATCH", "/dags/extract", {"is_paused": True})["is_paused"] is True
    assert _ids(three.get("/dags?paused=true")) == ["extract", "old_one"]
    page = three.send("PATCH", "/dags?dag_id_pattern=~&paused=true", {"is_paused": False})
    assert ([(dag["dag_id"], dag["is_paused"]) for dag in page["dags"]], page["total_entries"]) == (
        [("extract", False), ("old_one", False)],
        2,
    )
    assert three.send("PATCH", "/dags", {"is_paused": True})["dags"] == []
    three.fails(422, "/dags/extract", "PATCH", {"is_paused": True, "colour": 1})
    three.fails(404, "/dags/nothing", "PATCH", {"is_paused": True})
    three.fails(400, "/dags/extract?update_mask=owner", "PATCH", {"is_paused": True})
    events = three.get("/eventLogs?event=dag_paused&order_by=-id")["event_logs"]
    assert [(one["dag_id"], one["owner"]) for one in events] == [("extract", "api:anonymous")]


def test_a_deleted_dag_is_stale(three: Client, deployment: Deployment) -> None:
    deployment.add(file="/elsewhere/old.py")
    assert _ids(three.get("/dags")) == ["extract", "load"]
    assert three.get("/dags?exclude_stale=false&dag_id_prefix_pattern=old")["dags"][0]["is_stale"] is True
    deployment.start()
    three.send("DELETE", "/dags/old_one")
    three.fails(404, "/dags/old_one")


def test_tags_tasks_and_versions(three: Client, deployment: Deployment) -> None:
    assert three.get("/dagTags") == {"tags": ["daily", "etl"], "total_entries": 2}
    assert three.get("/dagTags?tag_name_pattern=ET&order_by=-name")["tags"] == ["etl"]
    tasks = three.get("/dags/load/tasks?order_by=-task_id")
    assert [(task["task_id"], task["downstream_task_ids"]) for task in tasks["tasks"]] == [("y", []), ("x", ["y"])]
    assert three.get("/dags/load/tasks/x")["retry_delay"] == {
        "__type": "TimeDelta",
        "days": 0,
        "seconds": 300,
        "microseconds": 0,
    }
    three.fails(404, "/dags/load/tasks/z")
    deployment.add(spec_of("old_one", tasks=(TaskSpec(task_id="new"),)), file="/elsewhere/old.py", version="2")
    versions = three.get("/dags/old_one/dagVersions?order_by=-version_number")
    assert [one["version_number"] for one in versions["dag_versions"]] == [2, 1]
    assert three.get("/dags/old_one/dagVersions/1")["bundle_name"] == "dags-folder"
    three.fails(404, "/dags/old_one/dagVersions/9")


def test_numbers_of_runs_and_the_source(three: Client, deployment: Deployment) -> None:
    three.send("POST", "/dags/load/dagRuns", {"logical_date": None})
    stats = three.get("/dagStats?dag_ids=load&dag_ids=extract")
    counted = {one["dag_id"]: {state["state"]: state["count"] for state in one["stats"]} for one in stats["dags"]}
    assert counted == {
        "extract": {"queued": 0, "running": 0, "success": 0, "failed": 0},
        "load": {"queued": 1, "running": 0, "success": 0, "failed": 0},
    }
    deployment.add(file="/elsewhere/old.py")
    states = ("queued", "running", "success", "failed")
    everything = three.get("/dagStats")
    assert ([one["dag_id"] for one in everything["dags"]], everything["total_entries"]) == (["extract", "load"], 2), (
        "by id, without the DAG that no file defines"
    )
    assert [one["dag_display_name"] for one in everything["dags"]] == ["Get Data", "load"]
    assert [[(one["state"], one["count"]) for one in dag["stats"]] for dag in everything["dags"]] == [
        [(state, number) for state, number in zip(states, counts, strict=True)]
        for counts in ((0, 0, 0, 0), (1, 0, 0, 0))
    ]
    assert three.get("/dagSources/load")["content"] == "# the source\n"
    text = three.request("GET", "/api/v2/dagSources/load", headers={"Accept": "text/plain"})
    assert (text.kind, text.body) == ("text/plain; charset=utf-8", b"# the source\n")
    three.fails(404, "/dagSources/load?version_number=7")
    three.fails(404, "/dagSources/old_one")
    three.send("PUT", f"/parseDagFile/{three.get('/dags/load')['file_token']}", status=201)
    three.fails(404, "/parseDagFile/bm90aGluZw", "PUT")


def test_import_errors(three: Client) -> None:
    page = three.get("/importErrors?filename_pattern=OLD&order_by=-timestamp")
    (error,) = page["import_errors"]
    assert (error["filename"], error["stack_trace"], page["total_entries"]) == ("/elsewhere/old.py", "Tb", 1)
    assert three.get(f"/importErrors/{error['import_error_id']}") == error
    assert three.get("/importErrors?filename=/none")["import_errors"] == []
    three.fails(404, "/importErrors/1")
    three.fails(422, "/importErrors/x")
