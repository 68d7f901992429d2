"""Backfills: listed, paused, continued, cancelled."""

from __future__ import annotations

import pytest
from tests.unit.api.served import Client
from tests.unit.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.model.backfills import BackfillRecord
from gnomon.model.instants import SECOND
from gnomon.store.dag_records import backfills, dags

HOUR = 3600 * SECOND


@pytest.fixture
def backfilled(api: Client, deployment: Deployment) -> Client:
    """DAG a with backfill 1 of three hours."""
    deployment.add(spec_of("a", timetable=HOURLY, display_name="Letters"), spec_of("b"))
    with deployment.db.write() as tx:
        dag = dags.find_dag_row(tx, "a")
        assert dag is not None
        backfills.create_backfill(tx, BackfillRecord(0, dag.dag_pk, dag.group_no, NOW - 3 * HOUR, NOW - HOUR, "failed", 2, False, {"n": 1}, NOW, "me"))
    return api


def test_a_backfill_is_shown(backfilled: Client) -> None:
    page = backfilled.get("/backfills?dag_id=a&order_by=-id")
    assert page["total_entries"] == 1
    assert page["backfills"][0] == backfilled.get("/backfills/1") == {
        "id": 1, "dag_id": "a", "from_date": "2026-03-01T06:00:00Z", "to_date": "2026-03-01T08:00:00Z", "dag_run_conf": {"n": 1}, "is_paused": False,
        "reprocess_behavior": "failed", "max_active_runs": 2, "created_at": "2026-03-01T09:00:00Z", "completed_at": None,
        "updated_at": "2026-03-01T09:00:00Z", "dag_display_name": "Letters",
    }  # fmt: skip
    assert backfilled.get("/backfills?dag_id=b")["backfills"] == []
    assert backfilled.get("/backfills?dag_id=a&offset=1")["backfills"] == []


@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_it_is_paused_continued_and_cancelled(backfilled: Client, deployment: Deployment, method: str) -> None:
    assert backfilled.send(method, "/backfills/1/pause")["is_paused"] is True
    assert backfilled.send(method, "/backfills/1/unpause")["is_paused"] is False
    backfilled.send(method, "/backfills/1/cancel")
    assert "cancelled before" in backfilled.fails(409, "/backfills/1/cancel", method)
    deployment.start()
    deployment.move(20)
    assert backfilled.get("/backfills/1")["completed_at"] is not None
    backfilled.fails(409, "/backfills/1/pause", method)


def test_what_does_not_exist_is_named(backfilled: Client) -> None:
    backfilled.fails(404, "/backfills/7")
    backfilled.fails(404, "/backfills/7/pause", "PUT")
    backfilled.fails(404, "/backfills?dag_id=x")
    backfilled.fails(422, "/backfills")
    backfilled.fails(422, "/backfills/-1")
    backfilled.fails(400, "/backfills?dag_id=a&order_by=colour")
