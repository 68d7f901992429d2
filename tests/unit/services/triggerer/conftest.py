"""A home with triggers in its plugins folder, and a crew that runs them in real host processes."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S
from tests.unit.services.triggerer.authored import TRIGGERS

from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config, load_config
from gnomon.model import serde
from gnomon.model.deferral import DeferralResult
from gnomon.services.triggerer.host_pool import HostPool
from gnomon.services.triggerer.host_protocol import TriggerTaskInstance
from gnomon.services.triggerer.settings import TriggerLimits, host_environment


@dataclass(frozen=True)
class Job:
    """A trigger to be run."""

    trigger_pk: int
    classpath: str
    kwargs: str = "{}"


class Running:
    """A crew, and what it told so far."""

    def __init__(
        self, cfg: Config, *, silent_s: float = 30.0, late_s: float = 0.05, unresponsive_s: float = 60.0
    ) -> None:
        environ = host_environment(cfg, TriggerLimits(late_s, 5.0))
        self.crew = HostPool(environ, SystemClock(), silent_s=silent_s, ping_s=0.1, unresponsive_s=unresponsive_s)
        self.ends: dict[int, DeferralResult] = {}
        self.folder = cfg.home
        self._pk = 0

    def start(self, name: str, count: int = 1, **kwargs: object) -> int:
        """The number of the last of so many triggers of the class."""
        jobs = []
        for _ in range(count):
            self._pk += 1
            told = TriggerTaskInstance(
                dag_id="d", run_id="r", task_id=f"t{self._pk}", log=f"dag_id=d/run_id=r/task_id=t{self._pk}.trigger.log"
            )
            jobs.append((Job(self._pk, f"authored.{name}", serde.dumps(kwargs)), told))
        self.crew.start(jobs)
        return self._pk

    def until(self, happened: Callable[[], object]) -> None:
        """Turns go on until it has."""
        ends_at = time.monotonic() + PATIENCE_S
        while not happened():
            assert time.monotonic() < ends_at, (self.ends, len(self.crew))
            select.select(self.crew.read_filenos(), [], [], 0.05)
            for job, fired in self.crew.run_once():
                assert job.trigger_pk not in self.ends, "each ends once"
                self.ends[job.trigger_pk] = fired

    def end_of(self, pk: int) -> DeferralResult:
        """How that trigger ended."""
        self.until(lambda: pk in self.ends)
        return self.ends[pk]


@pytest.fixture
def cfg(tmp_path: Path) -> Config:
    """A home with triggers."""
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "authored.py").write_text(TRIGGERS)
    return load_config({"GNOMON__CORE__FERNET_KEY": "secret"}, tmp_path)


@pytest.fixture
def running(cfg: Config) -> Iterator[Running]:
    """A crew with this home's triggers."""
    one = Running(cfg)
    yield one
    one.crew.kill()


@pytest.fixture
def impatient(cfg: Config) -> Iterator[Running]:
    """A crew that kills a host which is silent for a second."""
    one = Running(cfg, silent_s=1.0)
    yield one
    one.crew.kill()
