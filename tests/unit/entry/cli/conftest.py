"""A home with a database, a clock that stands still, and DAGs put into the store as the dag-processor would."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from tests.databases import create_file
from tests.unit.entry.cli.deployment import NOW, Deployment, Ended

from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.main import main
from gnomon.entry.projection import idle_process
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config


class Gnomon(Protocol):
    """Runs a command line."""

    def __call__(self, *args: str) -> Ended: ...


@pytest.fixture(autouse=True)
def _without_api(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands work on the home of the test, whatever the environment of its user names."""
    monkeypatch.delenv("GNOMON_API", raising=False)
    monkeypatch.delenv("GNOMON_API_TOKEN", raising=False)


@pytest.fixture(autouse=True)
def _without_standing_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Projections compute at once: beside other processes of tests, which leave no moment idle, they would wait for minutes (`test_idle_process.py`)."""
    monkeypatch.setattr(idle_process, "become_idle", lambda: None)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(NOW)


@pytest.fixture
def empty_home(tmp_path: Path, clock: VirtualClock) -> Home:
    """A home without a database."""
    return Home(load_config({}, tmp_path / "home"), clock, clock.advance)


@pytest.fixture
def home(empty_home: Home) -> Home:
    """A home with a database and nothing in it."""
    create_file(empty_home.cfg.home / "gnomon.db")
    return empty_home


@pytest.fixture
def gnomon(empty_home: Home, capsys: pytest.CaptureFixture[str]) -> Gnomon:
    """Runs a command line on the home."""

    def run(*args: str) -> Ended:
        capsys.readouterr()
        code = main(args, obj=empty_home)
        return Ended(code, *capsys.readouterr())

    return run


@pytest.fixture
def deployment(home: Home, clock: VirtualClock) -> Iterator[Deployment]:
    """A scheduler and a worker in this process; they move while a command waits, or when they are told to."""
    made = Deployment(home, clock)
    yield made
    made.close()
