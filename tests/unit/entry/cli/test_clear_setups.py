"""A clear takes the setups and teardowns of what it takes, a mark leaves teardowns to run: at every door that selects task instances."""

from __future__ import annotations

import json

import pytest
from tests.conformance.case_dags import read_case, read_case_dags
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment

from gnomon.testing import Play


def _names(gnomon: Gnomon, *args: str) -> list[str]:
    rows = json.loads(gnomon("tasks", *args, "-o", "json").out)
    return [row["task_id"] if row["map_index"] < 0 else f"{row['task_id']}[{row['map_index']}]" for row in rows]


@pytest.fixture
def line(gnomon: Gnomon, deployment: Deployment) -> Deployment:
    """Run `r` of s >> w1 >> w2 >> w3 >> t with the teardown t of the setup s has succeeded."""
    deployment.add(read_case("clear-takes-setups"))
    deployment.start()
    gnomon("dags", "trigger", "c17", "--run-id", "r")
    deployment.move(30.0)
    return deployment


@pytest.mark.parametrize(
    ("chosen", "taken"),
    [
        (("w2",), ["s", "w2", "t"]),
        (("w2", "-d"), ["s", "w2", "w3", "t"]),
        (("w2", "-u"), ["s", "w1", "w2", "t"]),
        (("s",), ["s", "t"]),
        (("t",), ["t"]),
        (("s", "-d"), ["s", "w1", "w2", "w3", "t"]),
        (("w1", "w3"), ["s", "w1", "w3", "t"]),
        (("-t", "^w2$"), ["s", "w2", "t"]),
        (("t", "-u"), ["s", "w1", "w2", "w3", "t"]),
    ],
    ids=" ".join,
)
def test_a_clear_takes_setups_and_teardowns_and_shows_them_before(
    chosen: tuple[str, ...], taken: list[str], gnomon: Gnomon, line: Deployment
) -> None:
    assert _names(gnomon, "clear", "c17", "r", *chosen, "--dry-run") == taken
    assert _names(gnomon, "clear", "c17", "r", *chosen) == taken


@pytest.mark.parametrize(
    ("chosen", "taken"),
    [
        (("w2",), ["w2"]),
        (("w2", "-d"), ["w2", "w3"]),
        (("w2", "-u"), ["s", "w1", "w2"]),
        (("s", "-d"), ["s", "w1", "w2", "w3"]),
        (("t",), ["t"]),
        (("t", "-u"), ["s", "w1", "w2", "w3", "t"]),
    ],
    ids=" ".join,
)
def test_a_mark_leaves_the_teardowns_below_to_run(
    chosen: tuple[str, ...], taken: list[str], gnomon: Gnomon, line: Deployment
) -> None:
    assert _names(gnomon, "mark", "c17", "r", *chosen, "--state", "skipped", "--dry-run") == taken
    assert _names(gnomon, "mark", "c17", "r", *chosen, "--state", "skipped") == taken


def test_only_failed_takes_no_setup_that_succeeded(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(read_case_dags("cleared-task-waits-for-setup", "c14.py")["c14_indirect"])
    deployment.plays["w2"] = Play(outcome="failed")
    deployment.start()
    gnomon("dags", "trigger", "c14_indirect", "--run-id", "r")
    deployment.move(30.0)
    assert _names(gnomon, "clear", "c14_indirect", "r", "w2", "-d", "--only-failed", "--dry-run") == ["w2", "w3"]


@pytest.fixture
def mapped(gnomon: Gnomon, deployment: Deployment) -> Deployment:
    """Run `r` of a mapped group of a setup, two tasks and a teardown has succeeded."""
    deployment.add(read_case_dags("cleared-task-waits-for-setup", "c14.py")["c14_mapped"])
    deployment.plays["lst"] = Play(return_length=3)
    deployment.start()
    gnomon("dags", "trigger", "c14_mapped", "--run-id", "r")
    deployment.move(30.0)
    return deployment


@pytest.mark.parametrize(
    ("chosen", "taken"),
    [
        (("g.b[1]",), ["g.s[1]", "g.b[1]", "g.t[1]"]),
        (("g.a[1]", "-d"), ["g.s[1]", "g.a[1]", "g.b[1]", "g.t[1]", "after"]),
        (("g.b[1]", "-u"), ["lst", "g.s[1]", "g.a[1]", "g.b[1]", "g.t[1]"]),
        (("g.s[2]",), ["g.s[2]", "g.t[2]"]),
        (("g.b", "--map-index", "0"), ["g.s[0]", "g.b[0]", "g.t[0]"]),
        (("g.b",), [f"g.{task}[{index}]" for task in "sbt" for index in range(3)]),
    ],
    ids=" ".join,
)
def test_in_a_mapped_group_a_clear_takes_the_setup_and_the_teardown_of_its_index(
    chosen: tuple[str, ...], taken: list[str], gnomon: Gnomon, mapped: Deployment
) -> None:
    assert _names(gnomon, "clear", "c14_mapped", "r", *chosen, "--dry-run") == taken
    assert sorted(_names(gnomon, "clear", "c14_mapped", "r", *chosen)) == sorted(taken)


def test_the_cleared_task_waits_for_the_second_run_of_its_setup(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(read_case_dags("cleared-task-waits-for-setup", "c14.py")["c14_indirect"])
    deployment.start()
    gnomon("dags", "trigger", "c14_indirect", "--run-id", "r")
    deployment.move(30.0)
    deployment.plays["s"] = Play(run_s=60.0)
    gnomon("tasks", "clear", "c14_indirect", "r", "w2")
    deployment.move(20.0)
    assert (
        "it waits for its setup s: of 1, 1 not done; open: s (running)"
        in gnomon("explain", "c14_indirect", "r", "w2").out
    )
    deployment.plays["s"] = Play(outcome="failed")
    deployment.move(60.0)
    states = {
        row["task_id"]: row["state"]
        for row in json.loads(gnomon("tasks", "states", "c14_indirect", "r", "-o", "json").out)
    }
    assert states == dict.fromkeys(("s", "w1", "w2", "w3", "t"), "success")


def test_a_run_that_is_marked_failed_is_torn_down_first(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(read_case("mark-run-failed-teardown"))
    deployment.plays |= {"work": Play(run_s=600.0), "drop": Play(run_s=5.0)}
    deployment.start()
    gnomon("dags", "trigger", "c21", "--run-id", "r")
    deployment.move(10.0)
    shown = gnomon("runs", "mark", "c21", "r", "--state", "failed", "--dry-run").out
    assert "work" in shown and "drop" not in shown
    assert (
        gnomon("runs", "mark", "c21", "r", "--state", "failed").out
        == "marked run 'r' of DAG 'c21' failed: its teardowns run first\n"
    )
    assert "run r is running (marked failed by" in gnomon("explain", "c21").out
    said = gnomon("explain", "c21", "r").out
    assert "marked failed by " in said and ": it ends as failed when its teardowns have ended" in said
    deployment.move(20.0)
    states = {
        row["task_id"]: row["state"] for row in json.loads(gnomon("tasks", "states", "c21", "r", "-o", "json").out)
    }
    assert states == {"create": "success", "work": "failed", "drop": "success"}
    (run,) = json.loads(gnomon("runs", "list", "c21", "-o", "json").out)
    assert run["state"] == "failed" and run["reason"].startswith("marked failed by ")
