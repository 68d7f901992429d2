"""`gnomon failures`: what failed, why, and what it holds up."""

from __future__ import annotations

import json

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.model.upstream_edges import DependencySpec
from gnomon.testing import Play

HOUR = 3_600_000_000


@pytest.fixture
def failed(deployment: Deployment) -> Deployment:
    """DAG up has failed and DAG down waits for it; DAG mended failed and then succeeded."""
    deployment.plays |= {
        "x": Play(outcome="failed", reason="KeyError: 'rows'\nsecond line"),
        "m": Play(outcome="failed", reason="once"),
    }
    deployment.add(
        spec_of("up", {"x": (), "y": ("x",), "z": ("y",)}, timetable=HOURLY, start_at=NOW - 30 * 60_000_000),
        spec_of("down", timetable=HOURLY, start_at=NOW - 30 * 60_000_000, depends_on=(DependencySpec(dag_id="up"),)),
        spec_of("mended", {"m": ()}),
    )
    deployment.start()
    return deployment


def fail_all(gnomon: Gnomon, deployment: Deployment) -> None:
    assert gnomon("dags", "trigger", "mended", "--run-id", "bad").code == 0
    deployment.move(10)
    deployment.plays["m"] = Play()
    assert gnomon("dags", "trigger", "mended", "--run-id", "good").code == 0
    deployment.move(10)


def test_each_failed_run_is_told_with_its_cause_and_what_it_holds_up(gnomon: Gnomon, failed: Deployment) -> None:
    fail_all(gnomon, failed)
    code, out, err = gnomon("failures", "--since", "yesterday")
    assert (code, err) == (0, "")
    assert (
        "  up scheduled__2026-03-01T09:00:00+00:00  still broken\n    x failed: KeyError: 'rows'\n    not run because of it: y, z\n"
        in out
    )
    assert "    waiting for it: down scheduled__2026-03-01T09:00:00+00:00\n" in out
    assert "  mended bad  healed by good\n    m failed: once\n" in out
    assert out.splitlines()[-1] == "2 failed runs; 1 DAG still broken"


def test_the_same_as_a_document_and_of_one_dag(gnomon: Gnomon, failed: Deployment) -> None:
    fail_all(gnomon, failed)
    (row,) = json.loads(gnomon("failures", "up", "-o", "json").out)
    assert (row["dag_id"], row["tasks"], row["failed_tasks"]) == ("up", [{"task": "x", "error": "KeyError: 'rows'"}], 1)
    assert (row["held_up_tasks"], row["held_up"], row["healed_by"]) == (["y", "z"], 2, None)
    assert row["waiting_runs"] == ["down scheduled__2026-03-01T09:00:00+00:00"]


def test_nothing_failed_and_a_limit_are_said(gnomon: Gnomon, failed: Deployment) -> None:
    assert gnomon("failures", "--since", "1s") == (0, "no run failed\n", "")
    assert json.loads(gnomon("failures", "--since", "1s", "-o", "json").out) == []
    assert "there is no DAG 'mendde'; did you mean 'mended'?" in gnomon("failures", "mendde").err
    fail_all(gnomon, failed)
    assert gnomon("failures", "--limit", "1").err == "only the last 1 are listed; --limit lists more\n"
