"""`gnomon slots audit`: slots that planning has passed have a run or a reason."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.model.ids import group_of
from gnomon.model.instants import SECOND
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.ownership import commit

HOUR = 3600 * SECOND


@pytest.fixture
def hourly(gnomon: Gnomon, deployment: Deployment) -> Deployment:
    """Hourly DAG `a` has had four runs."""
    deployment.add(spec_of("a", timetable=HOURLY, start_at=NOW, catchup=True))
    deployment.start()
    deployment.move(4 * 3600 + 60)
    return deployment


def _audit(gnomon: Gnomon, *args: str) -> tuple[int, dict[str, Any]]:
    code, out, _ = gnomon("slots", "audit", *args, "-o", "json")
    return code, json.loads(out)


def test_slots_with_runs_are_no_findings(gnomon: Gnomon, hourly: Deployment) -> None:
    code, found = _audit(gnomon)
    assert (code, found["lost"], found["notes"]) == (0, [], []) and found["judged"] >= 4
    assert "slots judged: each has a run or a reason" in gnomon("slots", "audit").out


def test_a_slot_whose_run_vanished_is_found(gnomon: Gnomon, hourly: Deployment) -> None:
    with hourly.db.write() as tx:
        (lost,) = [run for run in dag_runs.list_runs(tx, "a") if run.run_after == NOW + 2 * HOUR]
        commit.delete_runs(tx, [lost.run_pk])
    code, found = _audit(gnomon, "a", "--since", "2026-03-01")
    assert code == 1 and found["lost"] == [
        {
            "dag_id": "a",
            "run_after": "2026-03-01T11:00:00.000000+00:00",
            "logical_date": "2026-03-01T11:00:00.000000+00:00",
            "run_id": "scheduled__2026-03-01T11:00:00+00:00",
        }
    ]
    assert "1 with neither run nor reason" in gnomon("slots", "audit").out
    assert _audit(gnomon, "--since", "1h")[1]["lost"] == []


def test_a_run_that_a_user_deleted_and_slots_of_a_pause_have_a_reason(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY, start_at=NOW, catchup=False))
    deployment.start()
    deployment.move(2 * 3600 + 60)
    run_id = json.loads(gnomon("runs", "list", "a", "-o", "json").out)[0]["run_id"]
    with deployment.db.read() as tx:
        run = dag_runs.find_stored_run(tx, "a", run_id)
    assert run is not None and run.run_after == NOW + 2 * HOUR
    with deployment.db.write() as tx:
        body = {"dag_pk": run.dag_pk, "run_pk": run.run_pk, "by": "me"}
        mailbox.submit_request(tx, by="me", kind="delete", body=body, groups=[group_of("a")], at=deployment.clock.now())
    deployment.move()
    gnomon("dags", "pause", "a")
    deployment.move(5 * 3600)
    assert _audit(gnomon)[1]["lost"] == []
    assert gnomon("dags", "unpause", "a").code == 0
    deployment.move(3600)
    code, found = _audit(gnomon)
    assert (code, found["lost"]) == (0, []) and found["judged"] >= 8


def test_a_dag_that_does_not_exist_is_named(gnomon: Gnomon, hourly: Deployment) -> None:
    code, _, err = gnomon("slots", "audit", "nope")
    assert code == 1 and "there is no DAG 'nope'" in err
