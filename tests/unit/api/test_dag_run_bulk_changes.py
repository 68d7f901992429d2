"""Bulk changes of runs over HTTP."""

from __future__ import annotations

from typing import Any

from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.testing import Play


def _act(api: Client, dag_id: str, action: str, entities: list[object], **options: object) -> Any:
    return api.send(
        "PATCH", f"/dags/{dag_id}/dagRuns", {"actions": [{"action": action, "entities": entities, **options}]}
    )[action]


def test_runs_are_marked_and_deleted(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a"), spec_of("b"))
    deployment.plays["only"] = Play(run_s=1000.0)
    deployment.start()
    for dag_id in ("a", "b"):
        api.send("POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(5)
    failed = _act(api, "a", "update", [{"dag_run_id": "r", "state": "failed"}, {"dag_run_id": "x", "state": "failed"}])
    assert (failed["success"], [error["status_code"] for error in failed["errors"]]) == (["a.r"], [404])
    assert api.get("/dags/a/dagRuns/r")["state"] == "failed"
    several: list[object] = [
        {"dag_run_id": "r", "dag_id": "b", "state": "success"},
        {"dag_run_id": "r"},
        {"dag_run_id": "r", "dag_id": "c"},
    ]
    changed = _act(api, "~", "update", several, action_on_non_existence="skip")
    assert (changed["success"], [error["status_code"] for error in changed["errors"]]) == (["b.r"], [400])
    assert api.get("/dags/b/dagRuns/r")["state"] == "success"
    assert [
        error["status_code"] for error in _act(api, "a", "update", [{"dag_run_id": "r", "dag_id": "b"}])["errors"]
    ] == [400]
    assert _act(api, "a", "update", [{"dag_run_id": "r", "note": "n"}]) == {"success": ["a.r"], "errors": []}
    assert api.get("/dags/a/dagRuns/r")["note"] == "n"
    assert [error["status_code"] for error in _act(api, "a", "create", [{"dag_run_id": "n"}])["errors"]] == [405]
    deployment.move(5)
    assert _act(api, "a", "delete", ["r", "x"], action_on_non_existence="skip") == {"success": ["a.r"], "errors": []}
    api.fails(404, "/dags/a/dagRuns/r")
