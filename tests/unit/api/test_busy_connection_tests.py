"""Tests of connections that are refused because too many run already."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.databases import create_schema
from tests.unit.api.served import served

from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.api.v2 import connections
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config


def test_a_refused_test_says_when_to_try_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cfg = load_config({"GNOMON__CORE__TEST_CONNECTION": "Enabled"}, tmp_path)
    create_schema(cfg.database_url)
    all_used = threading.BoundedSemaphore(1)
    all_used.acquire()
    monkeypatch.setattr(connections, "_CHECKS", all_used)
    context = ApiContext(cfg, VirtualClock(0), OpenAccess(), lambda: HealthSnapshot(0, ()))
    with served(context) as client:
        reply = client.request("POST", "/api/v2/connections/test", {"connection_id": "c", "conn_type": "http"})
    context.close()
    assert (reply.status, reply.headers["retry-after"]) == (429, "5")
    assert "try again" in reply.json()["detail"]
