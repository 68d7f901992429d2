"""The API over a database with a scheduler and a scripted worker, on either database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import BOTH, empty_database
from tests.unit.api.served import Client, served
from tests.unit.cli.deployment import NOW, Deployment

from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.cli.home import Home
from gnomon.clock import VirtualClock
from gnomon.config import load_config
from gnomon.store import migrations


@pytest.fixture(params=BOTH)
def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Deployment]:
    """A scheduler and a worker in this process; they move while a request waits, or when they are told to."""
    with empty_database(request.param, tmp_path) as url:
        clock = VirtualClock(NOW)
        home = Home(load_config({"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url}, tmp_path / "home"), clock, clock.advance)
        migrations.upgrade_schema(home.cfg.database_url)
        made = Deployment(home, clock)
        yield made
        made.close()


@pytest.fixture
def api(deployment: Deployment) -> Iterator[Client]:
    """A client of the API of the deployment."""
    home = deployment.home
    context = ApiContext(home.cfg, home.clock, OpenAccess(), lambda: HealthSnapshot(NOW, ()), lambda seconds: home.sleep(seconds), deployment.db)
    with served(context) as client:
        yield client
