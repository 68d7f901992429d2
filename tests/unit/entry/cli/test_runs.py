"""`gnomon runs`."""

from __future__ import annotations

import json

import pytest
from tests.conformance.case_dags import read_case
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.model.attempts import XComItem
from gnomon.model.spec import TaskSpec
from gnomon.testing import Play

RUN_FIELDS = [
    "dag_id",
    "run_id",
    "run_type",
    "state",
    "logical_date",
    "run_after",
    "data_interval_start",
    "data_interval_end",
    "start_date",
    "end_date",
    "conf",
    "reason",
    "partition_key",
    "partition_date",
]


@pytest.fixture
def failed(gnomon: Gnomon, deployment: Deployment) -> Deployment:
    """Run `r` of `a`: x succeeded, y failed, z could not run."""
    deployment.add(spec_of("a", {"x": (), "y": ("x",), "z": ("y",)}))
    deployment.plays["y"] = Play(outcome="failed", reason="ValueError: no")
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    deployment.move()
    return deployment


def _states(gnomon: Gnomon) -> dict[str, str]:
    return {row["task_id"]: row["state"] for row in json.loads(gnomon("tasks", "states", "a", "r", "-o", "json").out)}


def test_list_has_exactly_the_fields_of_a_run_newest_first(gnomon: Gnomon, failed: Deployment) -> None:
    gnomon("dags", "trigger", "a", "--run-id", "later")
    rows = json.loads(gnomon("runs", "list", "a", "-o", "json").out)
    assert [row["run_id"] for row in rows] == ["later", "r"]
    assert all(list(row) == RUN_FIELDS for row in rows)
    assert (rows[1]["state"], rows[1]["start_date"]) == ("failed", "2026-03-01T09:00:00.000000+00:00")
    assert rows[1]["reason"] == "task y failed: ValueError: no; not run because of it: z"


def test_list_of_one_state_alone(gnomon: Gnomon, failed: Deployment) -> None:
    gnomon("dags", "trigger", "a", "--run-id", "later")
    assert [
        row["run_id"] for row in json.loads(gnomon("runs", "list", "a", "--state", "failed", "-o", "json").out)
    ] == ["r"]


def test_list_of_a_dag_without_runs(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    assert gnomon("runs", "list", "a") == (0, "no runs; `gnomon explain a` says why\n", "")
    assert json.loads(gnomon("runs", "list", "a", "-o", "json").out) == []


def test_show_counts_the_states_of_its_tasks(gnomon: Gnomon, failed: Deployment) -> None:
    shown = json.loads(gnomon("runs", "show", "a", "r", "-o", "json").out)
    assert list(shown) == [*RUN_FIELDS, "task_states", "callbacks", "deadlines", "results", "notes"]
    assert shown["task_states"] == {"success": 1, "failed": 1, "upstream_failed": 1}
    assert "1 success, 1 failed, 1 upstream_failed" in gnomon("runs", "show", "a", "r").out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("runs", "show", "a", "s"), "there is no run 's' of DAG 'a'"),
        (("runs", "show", "b", "r"), "there is no DAG 'b'"),
        (("runs", "clear", "a", "rr"), "there is no run 'rr' of DAG 'a'; did you mean 'r'?"),
        (("runs", "mark", "a", "s", "--state", "failed"), "there is no run 's' of DAG 'a'"),
        (("tasks", "states", "a", "s"), "there is no run 's' of DAG 'a'"),
    ],
)
def test_an_unknown_run_is_exit_code_1(args: tuple[str, ...], said: str, gnomon: Gnomon, failed: Deployment) -> None:
    code, out, err = gnomon(*args)
    assert (code, out) == (1, "") and said in err


def test_clear_runs_everything_again(gnomon: Gnomon, failed: Deployment) -> None:
    failed.plays.clear()
    code, out, err = gnomon("runs", "clear", "a", "r")
    assert (code, err) == (0, "") and out.startswith("3 task instances cleared\n")
    failed.move()
    assert _states(gnomon) == {"x": "success", "y": "success", "z": "success"}
    assert json.loads(gnomon("runs", "show", "a", "r", "-o", "json").out)["state"] == "success"


def test_clear_only_failed_leaves_what_succeeded(gnomon: Gnomon, failed: Deployment) -> None:
    failed.plays.clear()
    rows = json.loads(gnomon("runs", "clear", "a", "r", "--only-failed", "-o", "json").out)
    assert [row["task_id"] for row in rows] == ["y", "z"]
    failed.move()
    tries = {
        row["task_id"]: row["try_number"] for row in json.loads(gnomon("tasks", "states", "a", "r", "-o", "json").out)
    }
    assert tries == {"x": 1, "y": 2, "z": 1}


def test_clear_shows_the_states_before_and_after(gnomon: Gnomon, failed: Deployment) -> None:
    rows = json.loads(gnomon("runs", "clear", "a", "r", "-o", "json").out)
    assert [(row["task_id"], row["previous_state"], row["state"]) for row in rows] == [
        ("x", "success", "running"),
        ("y", "failed", None),
        ("z", "upstream_failed", None),
    ]


@pytest.fixture
def running(gnomon: Gnomon, deployment: Deployment) -> Deployment:
    """Run `r` of `a`: x succeeded, y runs, z has not begun."""
    deployment.add(spec_of("a", {"x": (), "y": ("x",), "z": ("y",)}))
    deployment.plays["y"] = Play(run_s=1000)
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    deployment.move()
    return deployment


@pytest.mark.parametrize("state", ["success", "failed"])
def test_mark_ends_what_runs_skips_what_has_not_begun_and_keeps_what_has_ended(
    state: str, gnomon: Gnomon, running: Deployment
) -> None:
    shown = json.loads(gnomon("runs", "mark", "a", "r", "--state", state, "--dry-run", "-o", "json").out)
    assert [(row["task_id"], row["state"], row["becomes"]) for row in shown] == [
        ("y", "running", state),
        ("z", None, "skipped"),
    ]
    rows = json.loads(gnomon("runs", "mark", "a", "r", "--state", state, "-o", "json").out)
    assert [(row["task_id"], row["previous_state"], row["state"], row["try_number"]) for row in rows] == [
        ("y", "running", state, 1),
        ("z", None, "skipped", 0),
    ]


def test_marking_the_run_of_a_task_that_works_fails_the_task(gnomon: Gnomon, deployment: Deployment) -> None:
    """The case mark-run-failed-teardown, as far as it is about what runs: `drop` is its teardown."""
    deployment.add(read_case("mark-run-failed-teardown"))
    deployment.plays |= {"create": Play(run_s=1.0), "work": Play(run_s=60.0)}
    deployment.start()
    gnomon("dags", "trigger", "c21", "--run-id", "r")
    deployment.move(4.0)
    gnomon("runs", "mark", "c21", "r", "--state", "failed")
    deployment.move(30.0)
    states = {
        row["task_id"]: row["state"] for row in json.loads(gnomon("tasks", "states", "c21", "r", "-o", "json").out)
    }
    assert (states["create"], states["work"]) == ("success", "failed")
    assert json.loads(gnomon("runs", "show", "c21", "r", "-o", "json").out)["state"] == "failed"


def test_marking_an_ended_run_keeps_the_states_of_its_tasks(gnomon: Gnomon, failed: Deployment) -> None:
    assert json.loads(gnomon("runs", "mark", "a", "r", "--state", "success", "--dry-run", "-o", "json").out) == []
    gnomon("runs", "mark", "a", "r", "--state", "success")
    assert json.loads(gnomon("runs", "show", "a", "r", "-o", "json").out)["state"] == "success"
    assert _states(gnomon) == {"x": "success", "y": "failed", "z": "upstream_failed"}


def test_a_dry_run_changes_nothing(gnomon: Gnomon, failed: Deployment) -> None:
    code, out, _ = gnomon("runs", "clear", "a", "r", "--only-failed", "--dry-run")
    assert code == 0 and out.startswith("2 task instances would be cleared\n")
    failed.move()
    assert _states(gnomon) == {"x": "success", "y": "failed", "z": "upstream_failed"}


@pytest.mark.parametrize("state", ["success", "failed"])
def test_mark_ends_a_running_run(state: str, gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", {"x": (), "y": ("x",)}))
    deployment.plays["x"] = Play(run_s=1000)
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    deployment.move()
    assert gnomon("runs", "mark", "a", "r", "--state", state) == (0, f"marked run 'r' of DAG 'a' {state}\n", "")
    shown = json.loads(gnomon("runs", "show", "a", "r", "-o", "json").out)
    assert shown["state"] == state and "marked" in shown["reason"]


def test_a_dry_run_of_mark_changes_nothing(gnomon: Gnomon, running: Deployment) -> None:
    gnomon("runs", "mark", "a", "r", "--state", "failed", "--dry-run")
    running.move()
    assert _states(gnomon) == {"x": "success", "y": "running", "z": None}


def test_without_a_scheduler_the_request_stands(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    gnomon("dags", "trigger", "a", "--run-id", "r")
    code, out, err = gnomon("runs", "mark", "a", "r", "--state", "failed")
    assert (code, out) == (0, "")
    assert err == "accepted as request 1: no scheduler is alive; it will be applied when one starts\n"
    deployment.start()
    deployment.move()
    assert json.loads(gnomon("runs", "show", "a", "r", "-o", "json").out)["state"] == "failed"


def test_a_busy_scheduler_is_waited_for_and_the_request_stands(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    deployment.freeze()
    began = deployment.clock.now()
    code, _, err = gnomon("runs", "mark", "a", "r", "--state", "failed")
    assert code == 0 and err == "accepted as request 1: not done within 5 s; the scheduler will still apply it\n"
    assert 4.9 < (deployment.clock.now() - began) / 1_000_000 < 5.2


def test_show_prints_what_the_tasks_with_a_result_returned(gnomon: Gnomon, deployment: Deployment) -> None:
    tasks = (
        TaskSpec(task_id="one", returns_dag_result=True),
        TaskSpec(task_id="other"),
        TaskSpec(task_id="silent", returns_dag_result=True),
    )
    deployment.add(spec_of("a", tasks=tasks))
    for task_id in ("one", "other"):
        deployment.plays[task_id] = Play(
            xcoms=(XComItem(key="return_value", value='{"rows": 7}'), XComItem(key="more", value="1"))
        )
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    deployment.move()
    assert json.loads(gnomon("runs", "show", "a", "r", "-o", "json").out)["results"] == {"one": {"rows": 7}}
    shown = gnomon("runs", "show", "a", "r").out
    assert "result of one" in shown and '{"rows": 7}' in shown and "result of other" not in shown
