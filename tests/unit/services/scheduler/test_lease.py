"""A scheduler that takes long to load what it has claimed keeps its lease meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.databases import create_schema

from gnomon.entry.simulate import Deployment
from gnomon.ground.clock import VirtualClock
from gnomon.model.ids import GROUPS
from gnomon.model.instants import SECOND
from gnomon.services.scheduler import service
from gnomon.services.scheduler.lease import Lease
from gnomon.services.scheduler.settings import BEAT_S
from gnomon.storage.store import CommitUncertain, Database, FencedError, Transaction, open_database
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.transaction import LEASE_TTL_S
from gnomon.testing import Play

START = 1_767_225_600 * SECOND


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(START)


@pytest.fixture
def db(tmp_path: Path, clock: VirtualClock) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    database = open_database(url, synchronous="OFF", lease_clock=clock.now)
    yield database
    database.close()


def test_staying_beats_when_it_is_time_and_claims_nothing(db: Database, clock: VirtualClock) -> None:
    mine = Lease(db, clock, "mine", "here")
    assert len(mine.renew_and_claim()) == GROUPS
    with db.write() as tx:
        leases.register_scheduler(tx, "other", "there")
        assert leases.transfer_group(tx, "mine", 0, "other")
        leases.retire_scheduler(tx, "other")
    for _ in range(3):
        clock.advance(LEASE_TTL_S * 0.7)
        mine.renew()
    with db.read() as tx:
        assert [row.beat_at for row in leases.list_schedulers(tx) if row.scheduler_id == "mine"] == [clock.now()]
        assert len(leases.list_owned_groups(tx, "mine")) == GROUPS - 1
    clock.advance(BEAT_S)
    assert len(mine.renew_and_claim()) == 1


def test_who_was_fenced_hears_it_when_it_stays(db: Database, clock: VirtualClock) -> None:
    mine = Lease(db, clock, "mine", "here")
    mine.renew_and_claim()
    clock.advance(LEASE_TTL_S + 1)
    Lease(db, clock, "other", "there").renew_and_claim()
    with pytest.raises(FencedError):
        mine.renew()


def test_long_loading_does_not_cost_the_lease(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    clocks: list[VirtualClock] = []
    own = open_database(db.url, lease_clock=lambda: clocks[0].now() if clocks else START)
    world = Deployment(own, seed=1, start=START, script=lambda attempt, rng: Play(run_s=1))
    clocks.append(world.clock)
    fenced: list[str] = []

    def slow(real: Callable[..., object]) -> Callable[..., object]:
        def loaded(*given: object) -> object:
            found = real(*given)
            world.clock.advance(LEASE_TTL_S * 0.7)
            with own.write() as tx:
                fenced.extend(leases.fence_silent_schedulers(tx, "rival", LEASE_TTL_S))
            return found

        return loaded

    monkeypatch.setattr(service.store_load, "load_groups", slow(service.store_load.load_groups))
    monkeypatch.setattr(service, "load_groups", slow(service.load_groups))
    world.run_until(START + 20 * SECOND)
    assert fenced == []
    own.close()


class Uncertain:
    """A database of which nobody knows whether the first transaction was stored; it was."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._is_first = True

    def __getattr__(self, name: str) -> object:
        return getattr(self._db, name)

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        with self._db.write() as tx:
            yield tx
        if self._is_first:
            self._is_first = False
            raise CommitUncertain("the connection ended inside COMMIT")


def test_a_scheduler_that_does_not_know_whether_it_is_registered_begins_all_the_same(
    db: Database, clock: VirtualClock
) -> None:
    lease = Lease(Uncertain(db), clock, "mine", "here")  # type: ignore[arg-type]
    with pytest.raises(CommitUncertain):
        lease.renew_and_claim()
    assert len(lease.renew_and_claim()) == GROUPS
