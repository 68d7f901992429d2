"""The health page: from beats to statuses, from statuses to JSON and HTML, over a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.api.served import Client, served

from gnomon.api.access.open_access import OpenAccess
from gnomon.api.common.version_header import find_version
from gnomon.api.context import ApiContext
from gnomon.api.health import (
    ComponentHealth,
    HealthSnapshot,
    HealthStatus,
    WorkCounts,
    status_of_heartbeat,
    to_airflow_json,
)
from gnomon.api.health_words import WORDS
from gnomon.api.page import render_page
from gnomon.api.page_files import PageFiles
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.instants import SECOND
from gnomon.model.sentences import quote, render, say

AT = 1_767_225_600 * SECOND
PARTS = (
    ComponentHealth("metadatabase", None, HealthStatus.HEALTHY, note="SQLite"),
    ComponentHealth("scheduler", "latest_scheduler_heartbeat", HealthStatus.UNHEALTHY, AT - 90 * SECOND),
    ComponentHealth("worker", "latest_worker_heartbeat", HealthStatus.HEALTHY, AT, "32 slots on 1 worker"),
    ComponentHealth("triggerer", "latest_triggerer_heartbeat", None),
)
HEALTH = HealthSnapshot(
    AT,
    PARTS,
    WorkCounts(dags=2, paused=1, import_errors=1, runs={"success": 12345, "running": 1}),
    (quote("/dags/a.py: no <b> (`gnomon dags errors`)"),),
)


@pytest.mark.parametrize(
    ("beat", "status"),
    [
        (None, None),
        (AT, HealthStatus.HEALTHY),
        (AT - 30 * SECOND, HealthStatus.HEALTHY),
        (AT - 30 * SECOND - 1, HealthStatus.UNHEALTHY),
    ],
)
def test_health_is_a_young_beat(beat: int | None, status: HealthStatus | None) -> None:
    assert status_of_heartbeat(beat, AT, 30) is status


def test_the_answer_has_airflows_shape() -> None:
    assert to_airflow_json(HEALTH) == {
        "metadatabase": {"status": "healthy"},
        "scheduler": {"status": "unhealthy", "latest_scheduler_heartbeat": "2025-12-31T23:58:30.000000+00:00"},
        "worker": {"status": "healthy", "latest_worker_heartbeat": "2026-01-01T00:00:00.000000+00:00"},
        "triggerer": {"status": None, "latest_triggerer_heartbeat": None},
    }


def test_the_page_says_what_a_person_needs() -> None:
    page = render_page(HEALTH, "1.2 <3>")
    assert "last heartbeat 1 min ago" in page
    assert "12,345" in page
    assert "/dags/a.py: no &lt;b&gt; (<code>gnomon dags errors</code>)" in page
    assert page.index("Running") < page.index("Succeeded")
    assert "1.2 &lt;3&gt;" in page
    assert "There are no DAGs yet" not in page
    assert "Triggerer" not in page


def test_a_page_without_dags_says_what_to_do() -> None:
    assert "Put a file into the <code>dags</code> folder" in render_page(HealthSnapshot(AT, PARTS, WorkCounts()), "1")


def test_the_page_is_in_the_language_of_the_browser() -> None:
    problem = say("no_task_was_deferred")
    page = render_page(HealthSnapshot(AT, PARTS, WorkCounts(), (problem,)), "1", accepted="zh-CN,zh;q=0.9,en;q=0.8")
    assert '<html lang="zh-CN">' in page
    assert "服务" in page
    assert "1 分钟前" in page
    assert "还没有 DAG" in page
    assert "Services" not in page
    assert render(problem) not in page


def test_both_languages_have_the_same_words() -> None:
    assert set(WORDS["en"]) == set(WORDS["zh"])


def test_a_database_that_is_away_is_told_and_escaped() -> None:
    page = render_page(
        HealthSnapshot(
            AT,
            (ComponentHealth("metadatabase", None, HealthStatus.UNHEALTHY),),
            None,
            (quote("The database <x> did not answer"),),
        ),
        "1",
    )
    assert 'role="alert">The database &lt;x&gt; did not answer' in page


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setattr("gnomon.api.app.find_page_files", lambda: PageFiles(tmp_path, None, "no Node"))
    context = ApiContext(load_config({}, tmp_path), VirtualClock(AT), OpenAccess(), lambda: HEALTH)
    with served(context) as made:
        yield made


@pytest.mark.parametrize("path", ["/health", "/monitor/health", "/health?x=1"])
def test_health_is_served_as_json(client: Client, path: str) -> None:
    reply = client.request("GET", path)
    assert (reply.status, reply.kind) == (200, "application/json")
    assert reply.json() == to_airflow_json(HEALTH)


def test_the_api_has_the_components_of_airflow(client: Client) -> None:
    assert client.get("/monitor/health") == {
        "metadatabase": {"status": "healthy"},
        "scheduler": {"status": "unhealthy", "latest_scheduler_heartbeat": "2025-12-31T23:58:30.000000+00:00"},
        "triggerer": {"status": None, "latest_triggerer_heartbeat": None},
        "dag_processor": None,
    }


def test_the_page_is_served_as_html(client: Client) -> None:
    reply = client.request("GET", "/")
    assert (reply.status, reply.kind) == (200, "text/html; charset=utf-8")
    assert reply.body.decode() == render_page(HEALTH, find_version(), reason="no Node")


def test_a_browser_may_not_use_the_page_otherwise(client: Client) -> None:
    headers = client.request("GET", "/").headers
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")


def test_head_gives_no_body(client: Client) -> None:
    reply = client.request("HEAD", "/health")
    assert (reply.status, reply.kind, reply.body) == (200, "application/json", b"")


def test_another_page_is_not_there_and_the_answer_says_what_is(client: Client) -> None:
    reply = client.request("GET", "/grid")
    assert reply.status == 404
    assert reply.json()["detail"] == "there is no page /grid; the pages begin at /"


def test_nothing_can_be_written(client: Client) -> None:
    assert client.request("POST", "/").status == 405
