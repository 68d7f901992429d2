"""`run_on_latest_version` of the API: whether a cleared run keeps the version of its DAG bundle."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.model.spec import FileInputs, ParsedDag, ParsedFile, TaskSpec
from gnomon.storage.store.parsed_files import dag_files

RUN = "/dags/a/dagRuns/r"


def add_version(deployment: Deployment, commit: str, *task_ids: str, **fields: Any) -> None:
    dag = spec_of("a", tasks=tuple(TaskSpec(task_id=task_id) for task_id in task_ids), **fields)
    parsed = ParsedFile(
        path="/dags/a.py",
        inputs=FileInputs(input_hash=commit),
        dags=(ParsedDag(spec=dag, spec_hash=commit),),
        bundle_name="team",
        bundle_version=commit,
    )
    with deployment.db.write() as tx:
        dag_files.record_parsed(tx, parsed, at=deployment.clock.now(), paused_by_default=False)


@pytest.mark.parametrize(
    ("chosen", "wanted", "commit", "tasks"),
    [
        (None, None, "one", {"x", "y"}),
        (None, True, "two", {"y", "z"}),
        (True, None, "two", {"y", "z"}),
        (True, False, "one", {"x", "y"}),
    ],
)
@pytest.mark.parametrize("path", [f"{RUN}/clear", "/dags/a/clearDagRuns", "/dags/a/clearTaskInstances"])
def test_the_run_keeps_its_version_or_takes_the_newest_one(
    api: Client,
    deployment: Deployment,
    path: str,
    chosen: bool | None,
    wanted: bool | None,
    commit: str,
    tasks: set[str],
) -> None:
    add_version(deployment, "one", "x", "y", rerun_with_latest_version=chosen)
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(20)
    assert (api.get(RUN)["state"], api.get(RUN)["bundle_version"]) == ("success", "one")
    add_version(deployment, "two", "y", "z", rerun_with_latest_version=chosen)
    deployment.move(20)
    body = {"dry_run": False, "only_failed": False, "run_on_latest_version": wanted}
    of_path = {"clearDagRuns": {"dag_runs": [{"dag_run_id": "r"}]}, "clearTaskInstances": {"dag_run_id": "r"}}.get(
        path.rpartition("/")[2], {}
    )
    api.send("POST", path, {**body, **of_path})
    deployment.move(20)
    assert (api.get(RUN)["state"], api.get(RUN)["bundle_version"]) == ("success", commit)
    rows = api.get(f"{RUN}/taskInstances")["task_instances"]
    assert {row["task_id"] for row in rows if row["state"] == "success"} >= tasks
    assert {row["task_id"]: row["try_number"] for row in rows}[min(tasks - {"y"})] == (2 if commit == "one" else 1)
