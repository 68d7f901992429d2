"""What `/api/gnomon/v1` tells of one DAG: explanations, next runs, the grid."""

from __future__ import annotations

import msgspec
import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.model.assets import AssetKey
from gnomon.model.mapping import Expansion, LiteralLength
from gnomon.model.spec import TaskSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.storage.store.dag_records.dag_runs import find_stored_run
from gnomon.storage.store.dag_records.xcom_values import write_xcom
from gnomon.testing import Play


@pytest.fixture
def two(api: Client, deployment: Deployment) -> Client:
    """DAG a (first, then last) with run r0 that has failed, and r1 whose first task is running."""
    return _make_two(api, deployment)


@pytest.fixture(scope="module")
def read_two(read_api: Client, read_deployment: Deployment) -> Client:
    """The same for all tests that only read."""
    return _make_two(read_api, read_deployment)


def _make_two(api: Client, deployment: Deployment) -> Client:
    deployment.add(
        spec_of("a", {"first": (), "last": ("first",)}, max_active_runs=1), spec_of("hourly", timetable=HOURLY)
    )
    deployment.start()
    deployment.plays["first"] = Play(run_s=1.0, outcome="failed")
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r0"})
    deployment.move(30)
    deployment.plays["first"] = Play(run_s=1e6)
    for run_id in ("r1", "r2"):
        api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": run_id})
    deployment.move(5)
    return api


def test_a_dag_is_explained(two: Client) -> None:
    answer = two.own("/dags/a/explain")
    assert answer["state"] == "active"
    assert any("run r0 ended in state failed" in sentence for sentence in answer["sentences"])
    two.send("PATCH", "/dags/a", {"is_paused": True})
    answer = two.own("/dags/a/explain")
    assert (answer["state"], answer["sentences"][0]) == (
        "paused",
        "DAG a is paused; unpause it with: gnomon dags unpause a",
    )


def test_a_run_is_explained(read_two: Client) -> None:
    assert read_two.own("/dags/a/dagRuns/r0/explain")["state"] == "failed"
    waiting = read_two.own("/dags/a/dagRuns/r2/explain")
    assert waiting["state"] == "queued"
    assert any("max_active_runs" in sentence for sentence in waiting["sentences"])


def test_a_slot_without_a_run_is_explained(read_two: Client) -> None:
    answer = read_two.own("/dags/hourly/dagRuns/2030-01-01T00:00:00Z/explain")
    text = "the slot is in the future; see the coming runs with: gnomon dags next-runs hourly"
    assert (answer["state"], answer["sentences"], answer["conditions"]) == (None, [text], [])
    (coded,) = answer["coded"]
    command = {"verb": "dags next-runs", "names": ["hourly"], "options": []}
    assert (coded["code"], coded["arguments"]) == ("slot_is_in_the_future", {"command": command})
    assert [(span["kind"], span["text"]) for span in coded["spans"]] == [
        ("text", "the slot is in the future; see the coming runs with: "),
        ("command", "gnomon dags next-runs hourly"),
    ]
    assert coded["spans"][1]["command"] == command


def test_a_task_instance_is_explained(read_two: Client) -> None:
    assert read_two.own("/dags/a/dagRuns/r0/taskInstances/first/explain")["state"] == "failed"
    waiting = read_two.own("/dags/a/dagRuns/r1/taskInstances/last/explain")
    assert waiting["state"] is None
    assert any("first" in sentence for sentence in waiting["sentences"])
    assert (
        "no map index 3" in read_two.own("/dags/a/dagRuns/r0/taskInstances/first/explain?map_index=3")["sentences"][0]
    )


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/dags/x/explain", 404),
        ("/dags/~/explain", 400),
        ("/dags/a/dagRuns/x/explain", 404),
        ("/dags/a/dagRuns/r0/taskInstances/x/explain", 404),
        ("/dags/a/dagRuns/r0/taskInstances/first/explain?map_index=-2", 422),
        ("/dags/x/nextRuns", 404),
        ("/dags/hourly/nextRuns?limit=0", 422),
        ("/dags/hourly/nextRuns?limit=101", 422),
        ("/dags/hourly/nextRuns?from=soon", 422),
        ("/dags/x/grid", 404),
        ("/dags/~/grid", 400),
        ("/dags/a/grid?runs=0", 422),
        ("/dags/a/grid?before=x", 404),
        ("/dags/a/grid?state=ill", 422),
        ("/dags/x/structure", 404),
        ("/dags/~/structure", 400),
        ("/dags/a/structure?run_id=x", 404),
        ("/dags/a/dagRuns/x/timeline", 404),
        ("/dags/a/dagRuns/x/differences", 404),
        ("/dags/~/dagRuns/x/differences", 400),
        ("/unknown", 404),
    ],
)
def test_what_is_wrong_is_refused(read_two: Client, path: str, status: int) -> None:
    assert read_two.own(path, status)["detail"]


def test_next_runs_have_reasons(read_two: Client) -> None:
    answer = read_two.own("/dags/hourly/nextRuns?limit=2")
    assert [run["run_after"] for run in answer["next_runs"]] == ["2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z"]
    assert {run["state"] for run in answer["next_runs"]} == {"planned"}
    assert all(run["why"] for run in answer["next_runs"])
    assert (answer["schedule"]["text"], answer["paused"], answer["blocked"], answer["dropped"]) == (
        "0 * * * *",
        False,
        None,
        [],
    )
    later = read_two.own("/dags/hourly/nextRuns?limit=1&from=2026-03-05T06:30:00%2B01:00")
    assert [run["run_after"] for run in later["next_runs"]] == ["2026-03-05T06:00:00Z"]
    far = read_two.own("/dags/hourly/nextRuns?from=2999-01-01")
    assert far["next_runs"] == []
    assert "no run is due at 2999-01-01T00:00:00.000000+00:00 or later" in far["notes"][0]
    assert "manually only" in read_two.own("/dags/a/nextRuns")["notes"][0]


def test_next_runs_tell_which_slots_are_skipped(two: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("late", timetable=HOURLY, start_at=1_772_236_800_000_000), file="/dags/late.py")
    skipped = two.own("/dags/late/nextRuns?limit=1")["skipped"]
    assert [(one["first"], one["count"]) for one in skipped] == [("2026-02-28T00:00:00Z", 33)]
    assert skipped[0]["reason"]


def test_the_grid_has_a_cell_for_each_task_and_run(read_two: Client) -> None:
    grid = read_two.own("/dags/a/grid")
    assert [(run["run_id"], run["state"]) for run in grid["runs"]] == [
        ("r0", "failed"),
        ("r1", "running"),
        ("r2", "queued"),
    ]
    assert grid["task_ids"] == ["first", "last"]
    named = [[cell if cell is None else grid["states"][cell] for cell in row] for row in grid["cells"]]
    assert named[0] == ["failed", "running", None]
    assert named[1][0] == "upstream_failed"
    assert [run["run_id"] for run in read_two.own("/dags/a/grid?runs=1")["runs"]] == ["r2"]


def test_the_grid_is_paged_and_filtered_by_runs(read_two: Client) -> None:
    newest = read_two.own("/dags/a/grid?runs=2")
    assert ([run["run_id"] for run in newest["runs"]], newest["has_older"]) == (["r1", "r2"], True)
    older = read_two.own("/dags/a/grid?runs=2&before=r1")
    assert ([run["run_id"] for run in older["runs"]], older["has_older"]) == (["r0"], False)
    assert [run["run_id"] for run in read_two.own("/dags/a/grid?state=failed&run_type=manual")["runs"]] == ["r0"]
    assert [run["run_id"] for run in read_two.own("/dags/a/grid?run_id=r1")["runs"]] == ["r1"]
    assert read_two.own("/dags/a/grid?run_type=scheduled")["runs"] == []


def test_the_structure_has_groups_edges_labels_and_marks(two: Client, deployment: Deployment) -> None:
    tasks = (
        TaskSpec(task_id="make", is_setup=True),
        TaskSpec(
            task_id="g.each", upstream=("make",), group="g", expansion=Expansion(factors=(LiteralLength(length=3),))
        ),
        TaskSpec(
            task_id="end",
            upstream=("g.each", "make"),
            is_teardown=True,
            trigger_rule="all_done_setup_success",
            outlets=(AssetKey("out", "file://out"),),
        ),
    )
    spec = spec_of(
        "shaped",
        groups={"g": None},
        edge_labels={"make\x1fg.each": "for each"},
        depends_on=(DependencySpec(dag_id="a"),),
    )
    deployment.add(msgspec.structs.replace(spec, tasks=tasks), file="/dags/shaped.py")
    answer = two.own("/dags/shaped/structure")
    assert answer["groups"] == [{"group_id": "g", "parent": None, "mapped": False}]
    assert answer["tasks"][1] == {"task_id": "g.each", "operator": "BaseOperator", "group": 0, "is_mapped": True}
    assert (answer["tasks"][0]["is_setup"], answer["tasks"][2]["is_teardown"], answer["tasks"][2]["trigger_rule"]) == (
        True,
        True,
        "all_done_setup_success",
    )
    assert sorted(answer["edges"]) == [[0, 1], [0, 2], [1, 2]]
    assert answer["labels"] == [[0, 1, "for each"]]
    assert [(one["kind"], one["name"], one["is_upstream"], one["tasks"]) for one in answer["outside"]] == [
        ("dag", "a", True, []),
        ("asset", "out", False, [2]),
    ]
    assert two.own("/dags/shaped/grid")["task_groups"] == [None, 0, None]


def test_the_timeline_has_the_times_of_instances_and_attempts(read_two: Client) -> None:
    answer = read_two.own("/dags/a/dagRuns/r0/timeline")
    assert (answer["state"], answer["task_ids"], answer["is_complete"]) == ("failed", ["first", "last"], True)
    task, map_index, state, try_number, started, ended, _resume_at, _name = answer["instances"][0]
    assert (task, map_index, answer["states"][state], try_number) == (0, -1, "failed", 1)
    assert ended - started == 1000
    assert [attempt[:2] for attempt in answer["attempts"]] == [[0, 1]]
    running = read_two.own("/dags/a/dagRuns/r1/timeline")
    assert running["attempts"] == []
    assert running["instances"][0][5] is None


def test_a_run_is_compared_with_the_last_successful_one_before_it(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("compared", {"task": ()}))
    deployment.start()
    for run_id, outcome, seconds, conf in (
        ("good", "success", 10.0, {"day": 1, "url": "http://me:word@host/x", "same": 0}),
        ("bad", "failed", 1.0, {"day": 2, "url": "http://me:word@host/y", "same": 0}),
        ("last", "success", 60.0, {"day": 2, "same": 0, "empty": None}),
    ):
        deployment.plays["task"] = Play(run_s=seconds, outcome=outcome)
        api.send("POST", "/dags/compared/dagRuns", {"logical_date": None, "dag_run_id": run_id, "conf": conf})
        deployment.move(120)
    with deployment.db.write() as tx:
        for run_id, values in (
            ("good", {"return_value": "1", "same": "7", "long": "0" * 400}),
            ("last", {"return_value": "2", "same": "7", "long": "1" * 400}),
        ):
            run = find_stored_run(tx, "compared", run_id)
            assert run is not None
            for key, value in values.items():
                write_xcom(tx, run.run_pk, 0, -1, key, value)
    assert api.own("/dags/compared/dagRuns/good/differences")["run_id"] is None
    bad = api.own("/dags/compared/dagRuns/bad/differences")
    assert (bad["run_id"], bad["durations"], bad["versions"], bad["xcoms"]) == ("good", [10.0, 1.0], None, [])
    last = api.own("/dags/compared/dagRuns/last/differences")
    assert last["params"] == [
        {"name": "day", "before": 1, "after": 2},
        {"name": "url", "before": "http://***@host/x", "after": None},
    ]
    assert (last["run_id"], last["durations"], last["has_more_xcoms"]) == ("good", [10.0, 60.0], False)
    assert last["xcoms"] == [
        {"task_id": "task", "key": "long", "before": None, "after": None, "is_long": True},
        {"task_id": "task", "key": "return_value", "before": 1, "after": 2, "is_long": False},
    ]
