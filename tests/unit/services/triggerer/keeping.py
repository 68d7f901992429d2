"""A store with deferred tasks, and keepers on it with a virtual clock for leases."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from tests.conformance.storeworld import AT, World, task
from tests.databases import create_schema
from tests.keys import CIPHER
from tests.patience import PATIENCE_S

from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config
from gnomon.ground.metrics.meter import create_meter
from gnomon.model import serde
from gnomon.model.deferral import Deferral, DeferralResult
from gnomon.model.ids import GROUPS, TaskKey
from gnomon.model.instants import SECOND
from gnomon.model.records import Changes, DeferralRecord, RunRecord
from gnomon.model.states import TaskInstanceState as S
from gnomon.services.triggerer.coordinator import TriggererCoordinator
from gnomon.services.triggerer.host_pool import HostPool
from gnomon.services.triggerer.settings import TriggererSettings, build_triggerer_settings
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.trigger_queue import trigger_claims


@contextmanager
def deferring(url: str, cfg: Config) -> Iterator[Deferred]:
    """A DAG "d" in an empty database, with a clock of leases that stands until the test moves it."""
    create_schema(url)
    worlds: list[Deferred] = []
    db = open_database(
        url, synchronous="OFF", cipher=CIPHER, lease_clock=lambda: worlds[0].lease_now() if worlds else 0
    )
    worlds.append(Deferred(db, cfg))
    worlds[0].dag("d")
    yield worlds[0]
    worlds[0].close()
    db.close()


class Deferred:
    """A database in which tasks wait, and the keepers that look after them."""

    def __init__(self, db: Database, cfg: Config) -> None:
        self.db = db
        self.world = World(db)
        self.cfg = cfg
        self.lease_s = 0.0
        """What is added to the clock of leases."""
        self.keepers: list[tuple[TriggererCoordinator, HostPool]] = []
        self.meter = create_meter(cfg)
        self._runs = 0

    def lease_now(self) -> int:
        """The clock of leases."""
        return AT + int(self.lease_s * SECOND)

    def dag(self, dag_id: str = "d") -> None:
        """A DAG of one task."""
        self.world.dag(dag_id, tasks=("a",))

    def wait(
        self, name: str, *, dag_id: str = "d", queue: str | None = None, priority: int = 1, **kwargs: object
    ) -> DeferralRecord:
        """The one task of a new run of the DAG waits for this trigger."""
        self._runs += 1
        run: RunRecord = self.world.run(dag_id, f"r{self._runs}")
        waiting = DeferralRecord(
            run_pk=run.run_pk,
            task_no=0,
            map_index=-1,
            defer_seq=1,
            dag_pk=run.dag_pk,
            created_at=AT,
            priority=priority,
            request=Deferral(classpath=f"authored.{name}", kwargs=serde.dumps(kwargs), next_method="go", queue=queue),
        )
        row = task(run, state=S.DEFERRED, defer_seq=1)
        self.world.apply(Changes(tasks=[row], deferrals={waiting.key: waiting}))
        return waiting

    def gone(self, waiting: DeferralRecord, *, killed: bool) -> None:
        """The wait is over for its owner."""
        self.world.apply(Changes(deferrals_deleted=[(waiting.key, killed)]))

    def pause(self, dag_id: str, paused: bool) -> None:
        """A person pauses the DAG, or lets it run."""
        with self.db.write() as tx:
            assert dags.set_paused(tx, dag_id, paused, "test", AT)

    def keeper(self, *, unresponsive_s: float = 60.0, **options: Any) -> tuple[TriggererCoordinator, HostPool]:
        """One more triggerer."""
        settings: TriggererSettings = replace(build_triggerer_settings(self.cfg), **{"ping_s": 0.1, **options})
        clock = SystemClock()
        crew = HostPool(
            settings.environ, clock, silent_s=settings.silent_s, ping_s=settings.ping_s, unresponsive_s=unresponsive_s
        )
        name = f"triggerer-{len(self.keepers) + 1}"
        keeper = TriggererCoordinator(
            settings=settings,
            db=self.db,
            clock=clock,
            host_pool=crew,
            triggerer_id=name,
            host="here.test",
            wake_owners=lambda: None,
            meter=self.meter,
        )
        self.keepers.append((keeper, crew))
        return keeper, crew

    def rows(self, table: str) -> int:
        """How many there are."""
        return self.world.count(f"SELECT count(*) FROM {table}")

    def events(self) -> dict[TaskKey, DeferralResult]:
        """What the mail of the owners holds; each task instance once."""
        found: dict[TaskKey, DeferralResult] = {}
        with self.db.read() as tx:
            for letter in mailbox.read_messages(tx, list(range(GROUPS)), 10_000):
                if letter.kind == "trigger":
                    for key, _, fired in trigger_claims.decode_trigger_events(tx, letter.body):
                        assert key not in found
                        found[key] = fired
        return found

    def until(self, happened: Callable[[], object], *keepers: tuple[TriggererCoordinator, HostPool]) -> None:
        """These keepers tick until it has."""
        ends_at = time.monotonic() + PATIENCE_S
        while not happened():
            assert time.monotonic() < ends_at, [len(crew) for _, crew in keepers]
            select.select([one for _, crew in keepers for one in crew.read_filenos()], [], [], 0.02)
            for keeper, _ in keepers:
                keeper.wake()
                keeper.tick()

    def close(self) -> None:
        """No host is left."""
        for _, crew in self.keepers:
            crew.kill()
        self.meter.close()
