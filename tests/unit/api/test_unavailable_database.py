"""A database that is not there yet: a sentence and 503, and the same server answers once it is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.databases import create_schema
from tests.unit.api.served import served

from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.storage.store.errors import DatabaseUnavailable


def test_a_missing_database_is_said_so_and_found_when_it_is_there(tmp_path: Path) -> None:
    cfg = load_config({}, tmp_path)
    context = ApiContext(cfg, VirtualClock(0), OpenAccess(), lambda: HealthSnapshot(0, ()))
    with served(context) as client:
        assert "there is no Gnomon database" in client.fails(503, "/dags")
        assert client.get("/version")["version"] == "3.3.2"
        create_schema(cfg.database_url)
        assert client.get("/dags") == {"dags": [], "total_entries": 0}
    context.close()
    with pytest.raises(DatabaseUnavailable, match="stops"):
        assert context.database  # a thread that still runs opens no database that nobody closes
