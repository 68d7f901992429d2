"""What `/api/gnomon/v1` tells of many DAGs: the list with its filters, the timeline, and what failed."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.model.sentences import render, say
from gnomon.model.slots import TimetableRef
from gnomon.testing import Play


def cron(text: str) -> TimetableRef:
    """A schedule in UTC."""
    return TimetableRef(
        path=HOURLY.path, data={**HOURLY.data, "expression": text}, summary=text, description=f"cron {text}"
    )


def _fill(api: Client, deployment: Deployment) -> None:
    deployment.add(
        spec_of("failing", {"breaks": ()}, tags=("finance", "daily"), owner="ann, bob"),
        spec_of("healed", {"breaks": ()}, tags=("finance",), owner="ann"),
    )
    deployment.add(
        spec_of("hourly", {"works": ()}, timetable=HOURLY, tags=("daily",), display_name="Every hour"),
        file="/dags/team/hourly.py",
    )
    deployment.add(spec_of("idle", {"never": ()}), file="/dags/team/idle.py")
    deployment.start()
    api.send("PATCH", "/dags/idle", {"is_paused": True})
    deployment.plays["breaks"] = Play(run_s=1.0, outcome="failed", reason="\nValueError: no rows\nmore of it")
    for dag_id in ("failing", "healed"):
        api.send("POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None, "dag_run_id": "bad"})
    deployment.move(30)
    deployment.plays["breaks"] = Play(run_s=2.0)
    api.send("POST", "/dags/healed/dagRuns", {"logical_date": None, "dag_run_id": "good"})
    deployment.move(30)


@pytest.fixture
def many(api: Client, deployment: Deployment) -> Client:
    """`failing` failed at its last run, `healed` failed and succeeded then, `hourly` has a schedule, `idle` is paused and has no run."""
    _fill(api, deployment)
    return api


@pytest.fixture(scope="module")
def many_to_read(read_api: Client, read_deployment: Deployment) -> Client:
    """The same for the tests that change nothing."""
    _fill(read_api, read_deployment)
    return read_api


def names(api: Client, query: str) -> list[str]:
    return [dag["dag_id"] for dag in api.own(f"/dags?{query}")["dags"]]


def group(answer: Any, name: str) -> Any:
    return next(one for one in answer["groups"] if one["name"] == name)


FILTERS: list[tuple[str, list[str]]] = [
    ("", ["failing", "healed", "hourly", "idle"]), ("search=HOUR", ["hourly"]), ("search=every", ["hourly"]), ("tag=finance&tag=daily", ["failing", "healed", "hourly"]),
    ("tag=finance&tag=daily&tags_match_mode=all", ["failing"]), ("tag_not=finance", ["hourly", "idle"]), ("owner=bob", ["failing"]),
    ("owner_not=ann", ["hourly", "idle"]), ("state=failed", ["failing"]), ("state_not=failed", ["healed", "hourly", "idle"]), ("state=none", ["idle"]),
    ("state_not=none&state_not=success", ["failing"]), ("paused=true", ["idle"]), ("paused=false&tag=daily", ["failing", "hourly"]),
    ("unscheduled=true", ["failing", "healed", "idle"]), ("unscheduled=false", ["hourly"]), ("folder=/dags/team", ["hourly", "idle"]),
    ("folder_not=/dags/team", ["failing", "healed"]), ("import_error=true", []), ("late=true", []), ("late=false&paused=true", ["idle"]), ("favorite=true", []),
    ("warning=true", []), ("dag_id_not=idle", ["failing", "healed", "hourly"]), ("order_by=-failures&limit=2", ["healed", "failing"]),
    ("order_by=-last_run&limit=1", ["healed"]), ("order_by=-dag_id&limit=1&offset=1", ["hourly"]), ("order_by=-duration&limit=1", ["healed"]),
    ("order_by=next_run&limit=1", ["hourly"]),
]  # fmt: skip


def test_each_filter_can_be_turned_round_and_each_order_is_kept(many_to_read: Client) -> None:
    assert {query: names(many_to_read, query) for query, _ in FILTERS} == dict(FILTERS)


def test_a_wrong_filter_is_refused(many_to_read: Client) -> None:
    for query in ("state=soon", "order_by=colour", "limit=0", "limit=101", "colour=red", "paused=perhaps"):
        reply = many_to_read.request("GET", f"/api/gnomon/v1/dags?{query}")
        assert reply.status in (400, 422), reply


def test_a_dag_is_listed_with_its_schedule_its_newest_runs_and_its_counts(many_to_read: Client) -> None:
    answer = many_to_read.own("/dags")
    healed = answer["dags"][1]
    assert [(run["run_id"], run["state"]) for run in healed["runs"]] == [("bad", "failed"), ("good", "success")]
    assert (healed["counts"], healed["recent"]) == ({"success": 1, "failed": 1}, {"success": 1, "failed": 1})
    assert healed["runs"][1]["duration"] > healed["runs"][0]["duration"] > 0
    assert [run["end_date"] > run["run_after"] for run in healed["runs"]] == [True, True]
    hourly = answer["dags"][2]
    assert (hourly["display_name"], hourly["schedule"]["text"], hourly["next_run"], hourly["late_since"]) == (
        "Every hour",
        "0 * * * *",
        "2026-03-01T10:00:00.000000+00:00",
        None,
    )
    assert (hourly["counts"], answer["total"]) == ({"success": 1}, 4)


def test_the_failure_of_a_dag_is_that_of_its_first_failed_task_in_the_language_of_the_reader(
    api: Client, deployment: Deployment
) -> None:
    deployment.add(spec_of("many", {"ends_last": (), "ends_first": ()}))
    deployment.start()
    reason = render(say("try_took_too_long", duration=5.0))
    deployment.plays["ends_last"] = Play(run_s=20.0, outcome="failed", reason="ValueError: upstream is gone")
    deployment.plays["ends_first"] = Play(run_s=5.0, outcome="failed", reason=reason)
    api.send("POST", "/dags/many/dagRuns", {"logical_date": None, "dag_run_id": "bad"})
    deployment.move(60)
    assert api.own("/dags")["dags"][0]["failure"] == {"task_id": "ends_first", "map_index": -1, "error": reason}
    api.headers["Gnomon-Language"] = "zh"
    chinese = api.own("/dags")["dags"][0]["failure"]["error"]
    assert chinese != reason and re.search("[\u4e00-\u9fff]", chinese)


def test_the_values_of_the_filters_are_listed_with_their_numbers(many_to_read: Client) -> None:
    answer = many_to_read.own("/dagFilters")
    assert answer["tags"] == [{"value": "daily", "dags": 2}, {"value": "finance", "dags": 2}]
    assert {one["value"]: one["dags"] for one in answer["folders"]} == {"/dags": 2, "/dags/team": 2}
    assert {one["value"] for one in answer["owners"]} >= {"ann", "bob"}


def test_a_dag_whose_last_run_failed_is_still_broken_and_one_that_succeeded_since_is_healed(
    many_to_read: Client,
) -> None:
    answer = many_to_read.own("/failures")
    assert [(dag["dag_id"], dag["is_broken"], dag["healed_by"]) for dag in answer["dags"]] == [
        ("failing", True, None),
        ("healed", False, "good"),
    ]
    assert [(run["tasks"], run["failed_tasks"]) for run in answer["dags"][0]["failures"]] == [
        ([{"task_id": "breaks", "map_index": -1, "error": "ValueError: no rows"}], 1)
    ]
    assert (answer["complete"], answer["left_out"]) == (True, 0)
    assert many_to_read.own("/failures?since=2999-01-01")["dags"] == []
    assert many_to_read.own("/failures?limit=1")["left_out"] == 1


def test_a_failure_counts_by_its_end(many_to_read: Client) -> None:
    ended_at = many_to_read.own("/failures")["dags"][0]["failures"][0]["ended_at"].replace("+", "%2B")
    assert len(many_to_read.own(f"/failures?since={ended_at}")["dags"]) >= 1


def test_the_timeline_counts_the_due_times_of_the_coming_hours_and_the_ends_of_the_past(
    many: Client, deployment: Deployment
) -> None:
    deployment.add(spec_of("often", {"x": ()}, timetable=cron("*/5 * * * *"), tags=("dense",)), file="/dags/often.py")
    deployment.move(10)
    answer = many.own("/timeline?hours=3&past=2")
    assert (answer["hours"], answer["unknown"]) == (6, 0)
    assert group(answer, "dense")["coming"][3:] == [12, 12, 12]
    assert group(answer, "daily")["coming"][3:] == [1, 1, 1]
    finance = group(answer, "finance")
    assert (sum(finance["failed"]), sum(finance["success"]), finance["dags"]) == (2, 1, 2)
    due = [one["run_after"] for one in answer["coming"]]
    assert due == sorted(due)
    assert sum(one["dag_id"] == "hourly" for one in answer["coming"]) == 1
    by_dag = many.own("/timeline?group_by=dag&tag=dense&past=0")
    assert [one["name"] for one in by_dag["groups"]] == ["often"]
    for grouping, expected in {"owner": "ann", "folder": "/dags", "pool": "default_pool", "state": "failed"}.items():
        assert group(many.own(f"/timeline?group_by={grouping}"), expected)["dags"] >= 1


def test_what_is_due_within_the_hour_is_counted_from_now_on_and_not_from_an_hour_of_the_clock(
    many: Client, deployment: Deployment
) -> None:
    deployment.add(spec_of("often", {"x": ()}, timetable=cron("*/5 * * * *"), tags=("dense",)), file="/dags/often.py")
    deployment.move(10)
    deployment.clock.advance(1_500)
    dense = many.own("/timeline?hours=3&past=0&tag=dense")
    assert dense["within_hour"] == 12
    assert group(dense, "dense")["coming"][0] < 12 < sum(group(dense, "dense")["coming"][:2])


def test_an_overdue_run_is_late_in_the_list_and_on_the_timeline(many: Client, deployment: Deployment) -> None:
    deployment.freeze()
    deployment.clock.advance(3_700)
    assert names(many, "late=true") == ["hourly"]
    assert many.own("/dags?late=true")["dags"][0]["late_since"] == "2026-03-01T10:00:00.000000+00:00"
    assert group(many.own("/timeline"), "daily")["late"] == 1
    late = many.own("/work")["late"]
    assert [(one["dag_id"], one["late_since"]) for one in late] == [("hourly", "2026-03-01T10:00:00Z")]
