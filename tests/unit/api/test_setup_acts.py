"""The API takes setups and teardowns with what it clears, and leaves teardowns to run when it marks."""

from __future__ import annotations

import pytest
from tests.conformance.case_dags import read_case, read_case_dags
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment

from gnomon.testing import Play

LINE = "/dags/c14_indirect/dagRuns/r1"


@pytest.fixture
def ended(api: Client, deployment: Deployment) -> Client:
    """Runs r1 of the DAGs of the case have succeeded."""
    dags = read_case_dags("cleared-task-waits-for-setup", "c14.py")
    deployment.add(dags["c14_indirect"], dags["c14_mapped"])
    deployment.plays["lst"] = Play(return_length=3)
    deployment.start()
    for dag_id in ("c14_indirect", "c14_mapped"):
        api.send("POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None, "dag_run_id": "r1"})
    deployment.move(30)
    return api


def _names(page: dict[str, list[dict[str, object]]]) -> list[str]:
    return [
        str(one["task_id"]) if one["map_index"] == -1 else f"{one['task_id']}[{one['map_index']}]"
        for one in page["task_instances"]
    ]


@pytest.mark.parametrize(
    ("dag_id", "task_ids", "fields", "taken"),
    [
        ("c14_indirect", ["w2"], {}, ["s", "w2", "t"]),
        ("c14_indirect", ["w2"], {"include_downstream": True}, ["s", "w2", "w3", "t"]),
        ("c14_indirect", ["w2"], {"include_upstream": True}, ["s", "w1", "w2", "t"]),
        ("c14_indirect", ["s"], {}, ["s", "t"]),
        ("c14_mapped", [["g.a", 1]], {"include_downstream": True}, ["g.s[1]", "g.a[1]", "g.b[1]", "g.t[1]", "after"]),
        ("c14_mapped", [["g.b", 1]], {"include_upstream": True}, ["lst", "g.s[1]", "g.a[1]", "g.b[1]", "g.t[1]"]),
        ("c14_mapped", [["g.b", 1]], {}, ["g.s[1]", "g.b[1]", "g.t[1]"]),
        ("c14_mapped", ["g.b"], {}, [f"g.{task}[{index}]" for task in "sbt" for index in range(3)]),
    ],
)
def test_a_clear_takes_setups_and_teardowns(
    dag_id: str, task_ids: list[object], fields: dict[str, bool], taken: list[str], ended: Client
) -> None:
    body = {"dag_run_id": "r1", "task_ids": task_ids, "only_failed": False, **fields}
    assert _names(ended.send("POST", f"/dags/{dag_id}/clearTaskInstances", {**body, "dry_run": True})) == taken
    assert _names(ended.send("POST", f"/dags/{dag_id}/clearTaskInstances", {**body, "dry_run": False})) == taken


def test_a_mark_of_what_is_below_leaves_the_teardown(ended: Client) -> None:
    body = {"new_state": "failed", "include_downstream": True}
    assert _names(ended.send("PATCH", f"{LINE}/taskInstances/w1/dry_run", body)) == ["w1", "w2", "w3"]
    assert _names(ended.send("PATCH", f"{LINE}/taskInstances/w1", body)) == ["w1", "w2", "w3"]


def test_a_cleared_task_waits_for_its_setup_and_the_api_says_so(ended: Client, deployment: Deployment) -> None:
    deployment.plays["s"] = Play(run_s=60.0)
    ended.send(
        "POST",
        "/dags/c14_indirect/clearTaskInstances",
        {"dag_run_id": "r1", "task_ids": ["w2"], "only_failed": False, "dry_run": False},
    )
    deployment.move(10)
    (rule,) = [
        one for one in ended.own(f"{LINE}/taskInstances/w2/explain")["conditions"] if one["kind"] == "trigger_rule"
    ]
    assert rule["text"] == "it waits for its setup s: of 1, 1 not done; open: s (running)"
    assert [child["text"] for child in rule["children"]] == ["s (running)", "w1 (success)"]


def test_a_task_that_could_not_run_because_of_its_setup_names_the_setup(api: Client, deployment: Deployment) -> None:
    deployment.add(read_case_dags("cleared-task-waits-for-setup", "c14.py")["c14_indirect"])
    deployment.plays["s"] = Play(outcome="failed", reason="no cluster")
    deployment.start()
    api.send("POST", "/dags/c14_indirect/dagRuns", {"logical_date": None, "dag_run_id": "r1"})
    deployment.move(30)
    (outcome,) = [one for one in api.own(f"{LINE}/taskInstances/w3/explain")["conditions"] if one["kind"] == "outcome"]
    assert "its setup s did not succeed" in outcome["text"]
    assert [child["release"]["task_id"] for child in outcome["children"]] == ["s", "w2"]


def test_a_run_that_is_set_to_failed_is_torn_down_first(api: Client, deployment: Deployment) -> None:
    deployment.add(read_case("mark-run-failed-teardown"))
    deployment.plays |= {"work": Play(run_s=600.0), "drop": Play(run_s=5.0)}
    deployment.start()
    api.send("POST", "/dags/c21/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(10)
    assert api.send("PATCH", "/dags/c21/dagRuns/r", {"state": "failed"})["state"] == "running"
    (stopped,) = [one for one in api.own("/dags/c21/dagRuns/r/explain")["conditions"] if one["kind"] == "torn_down"]
    assert stopped["text"].startswith("marked failed by ") and stopped["text"].endswith(
        ": it ends as failed when its teardowns have ended"
    )
    deployment.move(20)
    states = {one["task_id"]: one["state"] for one in api.get("/dags/c21/dagRuns/r/taskInstances")["task_instances"]}
    assert states == {"create": "success", "work": "failed", "drop": "success"}
    assert api.get("/dags/c21/dagRuns/r")["state"] == "failed"
