"""A clear follows ExternalTaskMarker into runs of other DAGs: the task that it names, all below, and the markers there."""

from __future__ import annotations

import json

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.model.spec import ClearedTask, TaskSpec
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.storage.store.dag_records import dag_runs

DATE = "2026-02-01T00:00:00+00:00"


def _with_marker(dag_id: str, clears: ClearedTask | None) -> tuple[str, tuple[TaskSpec, ...]]:
    return dag_id, (
        TaskSpec(task_id="first"),
        TaskSpec(task_id="work", upstream=("first",)),
        TaskSpec(task_id="after", upstream=("work",)),
        TaskSpec(task_id="mark", upstream=("work",), runs_code=False, clears=clears),
        TaskSpec(task_id="aside", upstream=("first",)),
    )


def _chain(gnomon: Gnomon, deployment: Deployment, *dags: tuple[str, tuple[TaskSpec, ...]]) -> None:
    deployment.add(*(spec_of(dag_id, tasks=tasks) for dag_id, tasks in dags))
    deployment.start()
    for dag_id, _ in dags:
        for number, date in enumerate((DATE, "2026-02-02T00:00:00+00:00")):
            gnomon("dags", "trigger", dag_id, "--run-id", f"{dag_id}{number}", "--logical-date", date)
    deployment.move(30)


def _rows(gnomon: Gnomon, *args: str) -> list[tuple[str, str, str]]:
    return [(row["dag_id"], row["run_id"], row["task_id"]) for row in json.loads(gnomon(*args, "-o", "json").out)]


OWN = [("a", "a0", "work"), ("a", "a0", "after"), ("a", "a0", "mark")]
IN_B = [("b", "b0", "work"), ("b", "b0", "after"), ("b", "b0", "mark")]
IN_C = [("c", "c0", "after")]


@pytest.fixture
def chained(gnomon: Gnomon, deployment: Deployment) -> Deployment:
    """The marker of a names `work` of b, in the run of the same date; that of b names `after` of c."""
    _chain(
        gnomon,
        deployment,
        _with_marker("a", ClearedTask(dag_id="b", task_id="work")),
        _with_marker("b", ClearedTask(dag_id="c", task_id="after", logical_date=DATE)),
        _with_marker("c", None),
    )
    return deployment


def test_a_clear_of_tasks_follows_the_markers_among_them(gnomon: Gnomon, chained: Deployment) -> None:
    assert _rows(gnomon, "tasks", "clear", "a", "a0", "work", "-d", "--dry-run") == OWN + IN_B + IN_C
    assert _rows(gnomon, "tasks", "clear", "a", "a0", "work", "after", "--dry-run") == OWN[:2], (
        "the marker is not among them"
    )
    assert sorted(_rows(gnomon, "tasks", "clear", "a", "a0", "work", "-d")) == sorted(OWN + IN_B + IN_C)
    chained.move(30)
    for dag_id, tries in (
        ("a", {"work": 2, "after": 2, "aside": 1}),
        ("b", {"work": 2, "after": 2, "first": 1}),
        ("c", {"after": 2, "work": 1}),
    ):
        rows = {
            row["task_id"]: row for row in json.loads(gnomon("tasks", "states", dag_id, f"{dag_id}0", "-o", "json").out)
        }
        assert {task_id: rows[task_id]["try_number"] for task_id in tries} == tries
        assert {row["state"] for row in rows.values()} == {"success"}
    assert json.loads(gnomon("tasks", "states", "b", "b1", "-o", "json").out)[1]["try_number"] == 1, (
        "the run of another date"
    )


def test_a_clear_of_a_run_follows_its_markers(gnomon: Gnomon, chained: Deployment) -> None:
    shown = _rows(gnomon, "runs", "clear", "a", "a0", "--dry-run")
    assert [row for row in shown if row[0] != "a"] == IN_B + IN_C and len(shown) == 5 + 4
    assert sorted(_rows(gnomon, "runs", "clear", "a", "a0")) == sorted(shown)


def test_the_table_names_the_dags(gnomon: Gnomon, chained: Deployment) -> None:
    head = gnomon("tasks", "clear", "a", "a0", "work", "-d", "--dry-run").out.splitlines()[1]
    assert head.split()[:3] == ["dag_id", "run_id", "task_id"]


@pytest.mark.parametrize(("depth", "is_reached"), [(1, False), (2, True)])
def test_markers_are_followed_as_far_as_the_first_allows(
    depth: int, is_reached: bool, gnomon: Gnomon, deployment: Deployment
) -> None:
    _chain(
        gnomon,
        deployment,
        _with_marker("a", ClearedTask(dag_id="b", task_id="work", depth=depth)),
        _with_marker("b", ClearedTask(dag_id="c", task_id="after", depth=1)),
        _with_marker("c", None),
    )
    code, _, err = gnomon("tasks", "clear", "a", "a0", "work", "-d")
    assert code == (0 if is_reached else 1)
    assert (
        is_reached or "lead further than the recursion_depth of the first, at task 'mark' of run 'b0' of DAG 'b'" in err
    )


def test_markers_in_a_circle_end_where_they_began(gnomon: Gnomon, deployment: Deployment) -> None:
    _chain(
        gnomon,
        deployment,
        _with_marker("a", ClearedTask(dag_id="b", task_id="work")),
        _with_marker("b", ClearedTask(dag_id="a", task_id="work")),
    )
    assert _rows(gnomon, "tasks", "clear", "a", "a0", "work", "-d", "--dry-run") == OWN + IN_B


def test_a_marker_of_what_does_not_exist_clears_nothing_more(gnomon: Gnomon, deployment: Deployment) -> None:
    for_nothing = (
        ClearedTask(dag_id="nope", task_id="work"),
        ClearedTask(dag_id="b", task_id="nope"),
        ClearedTask(dag_id="b", task_id="work", logical_date="no date"),
    )
    _chain(
        gnomon,
        deployment,
        *(_with_marker(f"a{number}", clears) for number, clears in enumerate(for_nothing)),
        _with_marker("b", None),
    )
    for number in range(3):
        assert {
            row[0] for row in _rows(gnomon, "tasks", "clear", f"a{number}", f"a{number}0", "work", "-d", "--dry-run")
        } == {f"a{number}"}


def test_fields_that_are_templates_are_those_of_the_last_attempt(gnomon: Gnomon, deployment: Deployment) -> None:
    _chain(gnomon, deployment, _with_marker("a", ClearedTask()), _with_marker("b", None))
    assert _rows(gnomon, "tasks", "clear", "a", "a0", "work", "-d", "--dry-run") == OWN, "nothing is rendered"
    with deployment.db.write() as tx:
        dag, run = find_dag(tx, "a"), dag_runs.find_stored_run(tx, "a", "a0")
        assert run is not None
        fields = {"external_dag_id": "b", "external_task_id": "after", "logical_date": "2026-02-02T00:00:00+00:00"}
        tx.send_many("commit.rendered_fields", [(run.run_pk, dag.task_numbers["mark"], -1, json.dumps(fields))])
    assert _rows(gnomon, "tasks", "clear", "a", "a0", "work", "-d", "--dry-run") == [*OWN, ("b", "b1", "after")]
