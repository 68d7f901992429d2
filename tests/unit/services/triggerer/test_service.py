"""The loop around the keeper: what ends its sleep."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import create_schema, new_database
from tests.keys import CIPHER
from tests.patience import PATIENCE_S
from tests.unit.services.triggerer.conftest import Job
from tests.unit.services.triggerer.keeping import Deferred

from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config
from gnomon.ground.metrics import Meter
from gnomon.ground.wakeups import Listener, Notifier, StopFlag
from gnomon.model import serde
from gnomon.services.triggerer.host_pool import HostPool
from gnomon.services.triggerer.host_protocol import TriggerTaskInstance
from gnomon.services.triggerer.service import TriggererService
from gnomon.services.triggerer.settings import build_triggerer_settings
from gnomon.storage.store import Database, open_database


@pytest.fixture
def url() -> Iterator[str]:
    with new_database("postgresql") as address:
        yield address


class Sleeper:
    """A triggerer of another host, without a keeper: it sleeps until somebody rings."""

    def __init__(self, db: Database, cfg: Config, folder: Path) -> None:
        self.ear, self.stop, self.folder = Listener(folder, "triggerer-1"), StopFlag(), folder
        settings, clock = build_triggerer_settings(cfg), SystemClock()
        self.crew = HostPool(settings.environ, clock, silent_s=1e4, ping_s=1e4)
        self.service = TriggererService(
            settings=settings,
            db=db,
            clock=clock,
            listener=self.ear,
            stop=self.stop,
            new_id=lambda: "1",
            host="there",
            wake_owners=lambda: None,
            meter=Meter(),
        )

    def is_rung(self, limit_s: float = PATIENCE_S) -> bool:
        """Whether somebody rang, before or within the limit."""
        return self.service._wait(self.crew, limit_s)

    def close(self) -> None:
        self.ear.close()
        self.stop.close()


@pytest.mark.postgres
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
    Notifier(sleeper.folder).notify()
    assert sleeper.is_rung()
    sleeper.close()
    here.close()
    there.close()


def test_what_a_host_does_not_take_at_once_ends_the_sleep_when_it_takes_more(cfg: Config, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    db = open_database(url, cipher=CIPHER)
    sleeper = Sleeper(db, cfg, tmp_path)
    told = TriggerTaskInstance(dag_id="d", run_id="r", task_id="t")
    sleeper.crew.start([(Job(1, "authored.Nap", serde.dumps({"seconds": 0})), told)])
    ends_at = time.monotonic() + 2 * PATIENCE_S
    while not sleeper.crew.run_once():
        assert time.monotonic() < ends_at, "a host runs triggers"
    [pid] = [host.process.pid for host in sleeper.crew._hosts]
    os.kill(pid, signal.SIGSTOP)
    sleeper.crew.start([(Job(2, "authored.Nap", serde.dumps({"seconds": 0, "payload": "x" * 8_000_000})), told)])
    assert sleeper.crew.write_filenos()
    os.kill(pid, signal.SIGCONT)
    ends_at = time.monotonic() + PATIENCE_S
    while sleeper.crew.write_filenos():
        sleeper.is_rung()  # the end of the trigger ends the sleep too: the host may have taken the rest just before it
        sleeper.crew.run_once()
        assert time.monotonic() < ends_at, "it goes on with nothing but the host that reads"
    sleeper.crew.kill()
    sleeper.close()
    db.close()
