"""The API over a database with a scheduler and a scripted worker, on either database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.conformance.storeworld import check_newest_runs
from tests.databases import BOTH, new_database
from tests.unit.api.served import Client, served
from tests.unit.entry.cli.deployment import NOW, Deployment

from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.entry.cli.deployment.home import Home
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config


@contextmanager
def _deployed(kind: str, folder: Path) -> Iterator[Deployment]:
    with new_database(kind, folder, keeps_sessions=True) as url:
        clock = VirtualClock(NOW)
        home = Home(
            load_config(
                {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url, "GNOMON__DATABASE__SYNCHRONOUS": "NORMAL"}, folder / "home"
            ),
            clock,
            clock.advance,
        )
        made = Deployment(home, clock)
        yield made
        check_newest_runs(made.db)
        made.close()


@contextmanager
def _served(deployment: Deployment) -> Iterator[Client]:
    home = deployment.home
    context = ApiContext(
        home.cfg,
        home.clock,
        OpenAccess(),
        lambda: HealthSnapshot(NOW, ()),
        lambda seconds: home.sleep(seconds),
        deployment.db,
    )
    with served(context) as client:
        yield client


@pytest.fixture(params=BOTH)
def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Deployment]:
    """A scheduler and a worker in this process; they move while a request waits, or when they are told to."""
    with _deployed(request.param, tmp_path) as made:
        yield made


@pytest.fixture
def api(deployment: Deployment) -> Iterator[Client]:
    """A client of the API of the deployment."""
    with _served(deployment) as client:
        yield client


@pytest.fixture(scope="module", params=BOTH)
def read_deployment(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """The deployment of all tests of a file that only read: those of a list by its filters, and of requests that are refused."""
    with _deployed(request.param, tmp_path_factory.mktemp("read")) as made:
        yield made


@pytest.fixture(scope="module")
def read_api(read_deployment: Deployment) -> Iterator[Client]:
    """A client of the API of the deployment of a file."""
    with _served(read_deployment) as client:
        yield client
