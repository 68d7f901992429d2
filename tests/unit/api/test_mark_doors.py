"""Marks over the API: the operation that the page and `--api` ask for a preview, the dry run of the API and the mark itself agree, also in earlier and later runs."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.model.spec import TaskSpec
from gnomon.testing import Play

RUNS = ("r1", "r2", "r3")
FAILED = {"a": "success", "b": "failed", "c": "upstream_failed", "d": "upstream_failed"}
Names = list[tuple[str, str]]


@pytest.fixture
def failed(api: Client, deployment: Deployment) -> Client:
    """In each of three runs a succeeded and b failed; c and d stand below it; b and c are a group."""
    tasks = (
        TaskSpec(task_id="a"),
        TaskSpec(task_id="b", upstream=("a",), group="g"),
        TaskSpec(task_id="c", upstream=("b",), group="g"),
        TaskSpec(task_id="d", upstream=("c",)),
    )
    deployment.add(spec_of("m", tasks=tasks, groups={"g": None}))
    deployment.plays["b"] = Play(outcome="failed")
    deployment.start()
    for run_id in RUNS:
        api.send("POST", "/dags/m/dagRuns", {"logical_date": None, "dag_run_id": run_id})
        deployment.move(20)
        assert _states(api, run_id) == FAILED
    deployment.plays["c"] = deployment.plays["d"] = Play(run_s=10_000.0)
    return api


def _states(api: Client, run_id: str) -> dict[str, str | None]:
    return {
        one["task_id"]: one["state"] for one in api.get(f"/dags/m/dagRuns/{run_id}/taskInstances")["task_instances"]
    }


def _preview(api: Client, state: str, chosen: dict[str, str], scope: dict[str, bool]) -> dict[tuple[str, str], str]:
    query = urlencode({"run_id": "r2", "state": state, **chosen, **{name: str(value) for name, value in scope.items()}})
    return {
        (row["run_id"], row["task_id"]): row["becomes"]
        for row in api.own(f"/dags/m/operations/tasks.select_to_mark?{query}")
    }


def _names(page: dict[str, list[dict[str, str]]]) -> Names:
    return sorted((one["dag_run_id"], one["task_id"]) for one in page["task_instances"])


@pytest.mark.parametrize(
    ("path", "chosen"),
    [
        ("taskInstances/b", {"names": "b"}),
        ("taskInstances/a", {"names": "a"}),
        ("taskGroupInstances/g", {"group": "g"}),
    ],
)
@pytest.mark.parametrize(
    ("state", "past", "future", "downstream"),
    [
        ("success", True, False, False),
        ("skipped", False, True, False),
        ("success", True, True, True),
        ("failed", False, False, True),
        ("failed", True, True, False),
    ],
)
def test_the_previews_and_the_mark_agree(
    path: str, chosen: dict[str, str], state: str, past: bool, future: bool, downstream: bool, failed: Client
) -> None:
    body = {"new_state": state, "include_past": past, "include_future": future, "include_downstream": downstream}
    preview = _preview(failed, state, chosen, {"past": past, "future": future, "downstream": downstream})
    marked = sorted(name for name, becomes in preview.items() if becomes == state)
    before = {(run_id, task_id): found for run_id in RUNS for task_id, found in _states(failed, run_id).items()}
    assert _names(failed.send("PATCH", f"/dags/m/dagRuns/r2/{path}/dry_run", body)) == marked
    assert _names(failed.send("PATCH", f"/dags/m/dagRuns/r2/{path}", body)) == marked
    for run_id in RUNS:
        for task_id, found in _states(failed, run_id).items():
            becomes = preview.get((run_id, task_id))
            if becomes == state:
                assert found == state
            elif becomes is None:
                assert found == before[run_id, task_id], f"{task_id} of {run_id} is not in the preview {preview}"
    assert {run_id for run_id, _ in preview} <= {"r2", *(("r1",) if past else ()), *(("r3",) if future else ())}
    continued = {name for name, becomes in preview.items() if becomes == "cleared"}
    cleared = [event["run_id"] for event in failed.get("/eventLogs?dag_id=m&event=cleared&limit=100")["event_logs"]]
    assert sorted(cleared) == sorted({run_id for run_id, _ in continued})


def test_what_is_selected_and_has_the_state_already_does_not_run_again(failed: Client) -> None:
    body = {"new_state": "failed", "include_downstream": True}
    assert _names(failed.send("PATCH", "/dags/m/dagRuns/r2/taskInstances/a", body)) == [
        ("r2", "a"),
        ("r2", "c"),
        ("r2", "d"),
    ]
    assert _states(failed, "r2") == dict.fromkeys("abcd", "failed")


def test_a_group_that_the_run_does_not_have_is_refused(failed: Client) -> None:
    path = "/dags/m/operations/tasks.select_to_mark?run_id=r2&state=failed&group=none"
    assert "no task group 'none'; it has: g" in failed.own(path, status=400)["detail"]
