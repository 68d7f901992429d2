"""The health page: from beats to statuses, from statuses to JSON and HTML, over a real socket."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator

import pytest
from tests.patience import PATIENCE_S

from gnomon.api.health import (
    ComponentHealth,
    HealthSnapshot,
    HealthStatus,
    WorkCounts,
    status_of_heartbeat,
    to_airflow_json,
)
from gnomon.api.page import render_page
from gnomon.api.service import ApiServer
from gnomon.model.instants import SECOND

AT = 1_767_225_600 * SECOND
PARTS = (
    ComponentHealth("metadatabase", None, HealthStatus.HEALTHY, note="SQLite"),
    ComponentHealth("scheduler", "latest_scheduler_heartbeat", HealthStatus.UNHEALTHY, AT - 90 * SECOND),
    ComponentHealth("worker", "latest_worker_heartbeat", HealthStatus.HEALTHY, AT, "32 slots on 1 worker"),
    ComponentHealth("triggerer", "latest_triggerer_heartbeat", None),
)
HEALTH = HealthSnapshot(AT, PARTS, WorkCounts(dags=2, paused=1, import_errors=1, runs={"success": 12345, "running": 1}), ("/dags/a.py: no <b> (`gnomon dags errors`)",))


@pytest.mark.parametrize(
    ("beat", "status"),
    [(None, None), (AT, HealthStatus.HEALTHY), (AT - 30 * SECOND, HealthStatus.HEALTHY), (AT - 30 * SECOND - 1, HealthStatus.UNHEALTHY)],
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


def test_a_database_that_is_away_is_told_and_escaped() -> None:
    page = render_page(HealthSnapshot(AT, (ComponentHealth("metadatabase", None, HealthStatus.UNHEALTHY),), None, ("The database <x> did not answer",)), "1")
    assert 'role="alert">The database &lt;x&gt; did not answer' in page


@pytest.fixture
def port() -> Iterator[int]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = ApiServer(listener, lambda: HEALTH, "1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield listener.getsockname()[1]
    server.shutdown()
    thread.join()
    server.server_close()


def _get(port: int, path: str, method: str = "GET") -> tuple[int, str | None, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    connection.request(method, path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.getheader("Content-Type"), body


@pytest.mark.parametrize("path", ["/health", "/monitor/health", "/api/v2/monitor/health", "/health?x=1"])
def test_health_is_served_as_json(port: int, path: str) -> None:
    status, kind, body = _get(port, path)
    assert (status, kind) == (200, "application/json")
    assert json.loads(body) == to_airflow_json(HEALTH)


def test_the_page_is_served_as_html(port: int) -> None:
    status, kind, body = _get(port, "/")
    assert (status, kind) == (200, "text/html; charset=utf-8")
    assert body.decode() == render_page(HEALTH, "1")


def test_head_gives_no_body(port: int) -> None:
    assert _get(port, "/health", "HEAD") == (200, "application/json", b"")


def test_another_page_is_not_there_and_the_answer_says_what_is(port: int) -> None:
    status, _, body = _get(port, "/grid")
    assert status == 404
    assert json.loads(body) == {"detail": "there is no page /grid; the pages are / and /health"}


def test_nothing_can_be_written(port: int) -> None:
    assert _get(port, "/", "POST")[0] == 501
