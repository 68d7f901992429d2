"""The loop around the keeper: what ends its sleep."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.keys import CIPHER
from tests.postgres import own_schema
from tests.unit.triggerer.conftest import PATIENCE_S
from tests.unit.triggerer.keeping import Deferred

from gnomon.clock import SystemClock
from gnomon.config import Config
from gnomon.metrics import Meter
from gnomon.store import Database, migrations, open_database
from gnomon.triggerer.crew import Crew
from gnomon.triggerer.service import TriggererService
from gnomon.triggerer.settings import settings_from
from gnomon.wakeups import Bell, Ear, StopFlag

pytestmark = pytest.mark.postgres


@pytest.fixture
def url() -> Iterator[str]:
    with own_schema() as address:
        migrations.upgrade(address)
        yield address


class Sleeper:
    """A triggerer of another host, without a keeper: it sleeps until somebody rings."""

    def __init__(self, db: Database, cfg: Config, folder: Path) -> None:
        self.ear, self.stop, self.folder = Ear(folder, "triggerer-1"), StopFlag(), folder
        settings, clock = settings_from(cfg), SystemClock()
        self.crew = Crew(settings.environ, clock, silent_s=30.0, ping_s=1.0)
        self.service = TriggererService(
            settings=settings, db=db, clock=clock, ear=self.ear, stop=self.stop, new_id=lambda: "1", host="there",
            wake_owners=lambda: None, meter=Meter(),
        )

    def is_rung(self, limit_s: float = PATIENCE_S) -> bool:
        """Whether somebody rang, before or within the limit."""
        return self.service._sleep(self.crew, limit_s)

    def close(self) -> None:
        self.ear.close()
        self.stop.close()


def test_a_triggerer_of_another_host_is_woken_by_what_waits_for_it(url: str, cfg: Config, tmp_path: Path) -> None:
    here, there = (open_database(url, cipher=CIPHER) for _ in range(2))
    deferred = Deferred(here, cfg)
    deferred.dag()
    sleeper = Sleeper(there, cfg, tmp_path)
    assert not sleeper.is_rung(0.0), "from here on it listens"
    wait = deferred.wait("Nap")
    assert sleeper.is_rung()
    deferred.gone(wait, killed=True)
    assert sleeper.is_rung()
    assert not sleeper.is_rung(0.0)
    Bell(sleeper.folder).ring()
    assert sleeper.is_rung()
    sleeper.close()
    here.close()
    there.close()
