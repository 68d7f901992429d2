"""What commands say of dependencies that wait for something that is not there, or that can never be met."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.entry.cli.deployment import HOURLY, Deployment, Ended, spec_of

from gnomon.model.spec import TaskSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.storage.store.cross_dag import dag_edges
from gnomon.storage.store.dag_records import dags

CIRCLE = "DAG 'report' is in a cycle of DAGs: report -> billing -> report"


def report_of(*waits: DependencySpec, **fields: Any) -> Any:
    return spec_of("report", timetable=HOURLY, depends_on=waits, **fields)


def put(deployment: Deployment, error: str | None) -> None:
    with deployment.db.write() as tx:
        row = dags.find_dag_row(tx, "report")
        assert row is not None
        dag_edges.set_dependency_errors(tx, {row.dag_pk: error})


def document(ended: Ended) -> Any:
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


@pytest.mark.parametrize("command", [["dags", "show", "report"], ["explain", "report"]])
def test_an_upstream_that_is_not_there_is_told_with_the_nearest_name_until_it_is(
    command: list[str], gnomon: Any, deployment: Deployment
) -> None:
    deployment.add(report_of(DependencySpec(dag_id="biling")), spec_of("billing", timetable=HOURLY))
    told = "DAG 'report' waits for DAG 'biling', which is in no file (did you mean 'billing'?); its runs wait until it is there"
    assert told in gnomon(*command).out
    deployment.add(spec_of("biling", timetable=HOURLY), file="/dags/biling.py")
    assert "DAG 'biling'" not in gnomon(*command).out


def test_the_list_tells_it_of_each_dag(gnomon: Any, deployment: Deployment) -> None:
    waiting = TaskSpec(task_id="load", depends_on=(DependencySpec(dag_id="billing", task_id="clos"),))
    deployment.add(report_of(tasks=(waiting,)), spec_of("billing", {"close": ()}, timetable=HOURLY))
    ended = gnomon("dags", "list")
    assert ended.err.strip() == (
        "report: task 'load' of DAG 'report' waits for task 'clos' of DAG 'billing', which has no such task (did you mean 'close'?); "
        "a run without that task counts as failed"
    )
    rows = {row["dag_id"]: row["warnings"] for row in document(gnomon("dags", "list", "-o", "json"))}
    assert (len(rows["report"]), rows["billing"]) == (1, [])


def test_a_dependency_that_is_well_is_not_spoken_of(gnomon: Any, deployment: Deployment) -> None:
    deployment.add(
        report_of(DependencySpec(dag_id="billing"), DependencySpec(dag_id="billing", task_id="only")),
        spec_of("billing", timetable=HOURLY),
    )
    assert gnomon("dags", "list").err == ""
    assert document(gnomon("dags", "show", "report", "-o", "json"))["warnings"] == []


def test_an_error_over_all_files_is_the_error_of_the_dag(gnomon: Any, deployment: Deployment) -> None:
    deployment.add(report_of(DependencySpec(dag_id="billing")), spec_of("billing", timetable=HOURLY))
    put(deployment, CIRCLE)
    assert f"report: {CIRCLE}" in gnomon("dags", "list").err
    assert document(gnomon("dags", "show", "report", "-o", "json"))["error"] == CIRCLE
    assert f"no run of the DAG is planned: {CIRCLE}" in gnomon("explain", "report").out
    assert (
        f"none of these runs is created until this error is fixed: {CIRCLE}"
        in gnomon("dags", "next-runs", "report").out
    )
    assert f"planning stopped: {CIRCLE}" in gnomon("explain", "report", "2026-03-01T09:00").out
    put(deployment, None)
    assert CIRCLE not in gnomon("explain", "report").out


def test_unpausing_a_dag_of_which_nothing_is_planned_says_so(gnomon: Any, deployment: Deployment) -> None:
    deployment.add(report_of(DependencySpec(dag_id="billing")), paused=True)
    put(deployment, CIRCLE)
    said = gnomon("dags", "unpause", "--dry-run", "report").out
    assert f"nothing runs: {CIRCLE}" in said and "at once" not in said
