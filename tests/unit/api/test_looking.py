"""What the page reads: a real database, a real run folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gnomon.api.health import Status
from gnomon.api.looking import FRESH_S, Looker
from gnomon.clock import VirtualClock
from gnomon.config import Config, load_config
from gnomon.model.records import WorkerRecord
from gnomon.store import leases, migrations, open_database

START = 1_767_225_600_000_000


@pytest.fixture
def cfg() -> Iterator[Config]:
    with tempfile.TemporaryDirectory(prefix="gnomon") as home:
        yield load_config({}, Path(home))


def _status(looker: Looker) -> dict[str, Status | None]:
    return {part.name: part.status for part in looker.look().parts}


def test_a_missing_database_is_told_and_found_once_it_is_there(cfg: Config) -> None:
    clock = VirtualClock(START)
    looker = Looker(cfg, clock)
    health = looker.look()
    assert health.counts is None
    assert "gnomon db migrate" in health.failure
    assert _status(looker)["metadatabase"] is Status.UNHEALTHY
    migrations.upgrade(cfg.database_url)
    clock.advance(FRESH_S * 2)
    assert looker.look().failure == ""
    assert _status(looker) == dict.fromkeys(("scheduler", "worker", "triggerer", "dag_processor")) | {"metadatabase": Status.HEALTHY}
    looker.close()


def test_beats_make_health(cfg: Config) -> None:
    migrations.upgrade(cfg.database_url)
    database = open_database(cfg.database_url)
    with database.write() as tx:
        leases.register_scheduler(tx, "s1", "here")
        leases.register_worker(tx, WorkerRecord("w1", "here", "/s", 8, 0, False))
    database.close()
    looker = Looker(cfg, VirtualClock(START))
    parts = {part.name: part for part in looker.look().parts}
    assert parts["scheduler"].status is Status.HEALTHY
    assert parts["worker"].status is Status.HEALTHY
    assert parts["worker"].note == "8 slots on 1 worker"
    looker.close()


def test_requests_that_come_together_share_one_look(cfg: Config) -> None:
    clock = VirtualClock(START)
    looker = Looker(cfg, clock)
    first = looker.look()
    assert looker.look() is first
    clock.advance(FRESH_S * 2)
    assert looker.look() is not first
    assert os.path.isdir(cfg.home)
    looker.close()
