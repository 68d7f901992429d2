"""Attempts of executors whose workers claim them are stored by the transaction that queues them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.conformance.storeworld import manual, parsed, raw, spec
from tests.databases import BOTH, new_database
from tests.keys import CIPHER

from gnomon.entry.app.remote_attempt_store import DatabaseRemoteAttemptStore, QueuedAttempts
from gnomon.ground.clock import VirtualClock
from gnomon.model.attempts import Attempt
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.services.executors.remote import RemoteExecutor
from gnomon.services.scheduler.service import SchedulerService
from gnomon.services.scheduler.settings import SchedulerSettings
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.coordination import remote_attempts
from gnomon.storage.store.parsed_files import dag_files

EXECUTOR = "CeleryExecutor"
START = 1_767_225_600_000_000
ROUNDS = 5
LIMITS = EngineLimits(parallelism=4, max_admissions_per_step=4)


class Killed(BaseException):
    """The process ends between the commit and what follows it."""


class ListedMessages:
    """A broker that takes every message."""

    def __init__(self) -> None:
        self.attempt_ids: list[str] = []

    def publish(self, attempt_id: str, queue: str) -> None:
        self.attempt_ids.append(attempt_id)

    def take_published(self) -> list[str]:
        return []

    def close(self) -> None:
        return


class KilledExecutor(RemoteExecutor):
    """Ends the process with the first submission."""

    def submit(self, worker_id: str, attempts: Sequence[Attempt]) -> None:
        raise Killed


class QueuedWorld:
    """A database with one DAG of two tasks and a run, and schedulers one after the other."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.clock = VirtualClock(START)
        with db.write() as tx:
            dag_files.record_parsed(tx, parsed("/d.py", spec("d")), at=START, paused_by_default=False)
            manual(tx, "d", "m")

    def schedule(self, kind: type[RemoteExecutor], name: str) -> ListedMessages:
        """Some rounds of another scheduler; returns the messages that it gave to the broker."""
        queued, broker = QueuedAttempts(), ListedMessages()
        store = DatabaseRemoteAttemptStore(self.db, EXECUTOR, self.clock)
        queued.add(EXECUTOR, store)
        service = SchedulerService(
            settings=SchedulerSettings(LIMITS, 1, True),
            db=self.db,
            executor=kind(EXECUTOR, 4, store, broker, self.clock, 600.0),
            clock=self.clock,
            listener=None,
            new_id=iter(f"{name}-{number}" for number in range(100)).__next__,
            scheduler_id=name,
            host="here",
            is_dead=lambda _: True,
            store_submits=queued.offer_within,
        )
        for _ in range(ROUNDS):
            service.tick()
            self.clock.advance_to(self.clock.now() + 1_000_000)
        return broker

    def list_stored(self) -> list[object]:
        """The attempts that workers can claim."""
        with self.db.read() as tx:
            return [row[0] for row in raw(tx, "SELECT attempt FROM remote_attempt ORDER BY attempt")]

    def list_queued(self) -> list[object]:
        """The attempts that task instances wait for."""
        with self.db.read() as tx:
            return [
                row[0]
                for row in raw(tx, "SELECT attempt FROM task_instance WHERE attempt IS NOT NULL ORDER BY attempt")
            ]


@pytest.fixture(params=BOTH)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[QueuedWorld]:
    with new_database(request.param, tmp_path) as url:
        db = open_database(url, synchronous="OFF", cipher=CIPHER)
        yield QueuedWorld(db)
        db.close()


def test_a_scheduler_that_dies_after_its_commit_has_stored_what_it_queued(world: QueuedWorld) -> None:
    with pytest.raises(Killed):
        world.schedule(KilledExecutor, "first")
    queued = world.list_queued()
    assert queued and world.list_stored() == queued
    assert sorted(world.schedule(RemoteExecutor, "second").attempt_ids) == queued
    assert world.list_stored() == queued


def test_what_the_transaction_has_stored_is_not_stored_again(world: QueuedWorld) -> None:
    world.schedule(RemoteExecutor, "first")
    with world.db.read() as tx:
        first, second = [
            found
            for number in world.list_queued()
            if (found := remote_attempts.find_attempt(tx, str(number))) is not None
        ]
    store = DatabaseRemoteAttemptStore(world.db, EXECUTOR, world.clock)
    with world.db.write() as tx:
        remote_attempts.remove_attempts(tx, [first.attempt_id, second.attempt_id])
        store.offer_within(tx, [first])
        remote_attempts.remove_attempts(tx, [first.attempt_id])
    store.offer([first, second])
    assert world.list_stored() == [second.attempt_id]
