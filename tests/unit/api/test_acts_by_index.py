"""The API takes the related map indices alone, to clear, to set states, and to say why an instance could not run; a clear follows markers."""

from __future__ import annotations

import pytest
from tests.conformance.case_dags import read_case
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.model.spec import ClearedTask, TaskSpec
from gnomon.testing import Play

RUN = "/dags/c16/dagRuns/r"
A1 = f"{RUN}/taskInstances/g.a/1"


@pytest.fixture
def failed(api: Client, deployment: Deployment) -> Client:
    """Run r of the case clear-one-map-index, in which every instance of g.a failed."""
    deployment.add(read_case("clear-one-map-index"))
    deployment.plays |= {"lst": Play(return_length=3), "g.a": Play(outcome="failed", reason="ValueError: no")}
    deployment.start()
    api.send("POST", "/dags/c16/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(30)
    return api


def _names(page: dict[str, list[dict[str, object]]]) -> list[str]:
    return [
        str(one["task_id"]) if one["map_index"] == -1 else f"{one['task_id']}[{one['map_index']}]"
        for one in page["task_instances"]
    ]


def test_clear_and_patch_take_one_index_of_the_group(failed: Client) -> None:
    clear = "/dags/c16/clearTaskInstances"
    assert _names(
        failed.send(
            "POST",
            clear,
            {"dag_run_id": "r", "task_ids": [["g.a", 1]], "include_downstream": True, "only_failed": False},
        )
    ) == [
        "g.a[1]",
        "g.b[1]",
        "after",
    ]
    assert _names(
        failed.send(
            "POST", clear, {"dag_run_id": "r", "task_ids": [["g.b", 1]], "include_upstream": True, "only_failed": False}
        )
    ) == [
        "lst",
        "g.s[1]",
        "g.a[1]",
        "g.b[1]",
    ]
    assert _names(failed.send("PATCH", f"{A1}/dry_run", {"new_state": "skipped", "include_downstream": True})) == [
        "g.a[1]",
        "g.b[1]",
        "after",
    ]
    assert _names(
        failed.send("PATCH", f"{RUN}/taskInstances/g.b/2/dry_run", {"new_state": "skipped", "include_upstream": True})
    ) == [
        "lst",
        "g.s[2]",
        "g.a[2]",
        "g.b[2]",
    ]


def test_a_state_that_is_set_lets_its_own_index_continue(failed: Client, deployment: Deployment) -> None:
    assert _names(failed.send("PATCH", A1, {"new_state": "success"})) == ["g.a[1]"]
    deployment.move(30)
    states = {
        name: one["state"]
        for one in failed.get(f"{RUN}/taskInstances")["task_instances"]
        for name in _names({"task_instances": [one]})
    }
    assert [states[f"g.b[{index}]"] for index in range(3)] == ["upstream_failed", "success", "upstream_failed"]
    assert states["after"] == "upstream_failed"


def test_why_an_instance_could_not_run_names_the_instance_of_its_own_index(failed: Client) -> None:
    (outcome,) = [
        one
        for one in failed.own(f"{RUN}/taskInstances/g.b/explain?map_index=1")["conditions"]
        if one["kind"] == "outcome"
    ]
    assert [(child["release"]["task_id"], child["release"]["map_index"]) for child in outcome["children"]] == [
        ("g.a", 1)
    ]


def test_clears_follow_markers_into_runs_of_other_dags(api: Client, deployment: Deployment) -> None:
    marker = TaskSpec(task_id="mark", upstream=("x",), runs_code=False, clears=ClearedTask(dag_id="b", task_id="x"))
    deployment.add(
        spec_of("a", tasks=(TaskSpec(task_id="x"), marker)), spec_of("b", {"w": (), "x": ("w",), "y": ("x",)})
    )
    deployment.start()
    for dag_id in ("a", "b"):
        api.send(
            "POST", f"/dags/{dag_id}/dagRuns", {"logical_date": "2026-02-01T00:00:00Z", "dag_run_id": f"{dag_id}0"}
        )
    deployment.move(30)

    def names(page: dict[str, list[dict[str, object]]]) -> list[str]:
        return [f"{one['dag_id']}.{one['task_id']}" for one in page["task_instances"]]

    body = {"dag_run_id": "a0", "task_ids": ["x"], "include_downstream": True, "only_failed": False}
    assert names(api.send("POST", "/dags/a/clearTaskInstances", body)) == ["a.x", "a.mark", "b.x", "b.y"]
    assert names(api.send("POST", "/dags/a/dagRuns/a0/clear", {"dry_run": True, "only_failed": False})) == [
        "a.x",
        "a.mark",
        "b.x",
        "b.y",
    ]
    api.send("POST", "/dags/a/dagRuns/a0/clear", {"dry_run": False, "only_failed": False})
    deployment.move(30)
    assert {
        one["task_id"]: one["try_number"] for one in api.get("/dags/b/dagRuns/b0/taskInstances")["task_instances"]
    } == {"w": 1, "x": 2, "y": 2}
