"""Leases and ownership of groups, and that a fenced scheduler cannot write (FENCE, TAKE_OVER, SUBMIT in docs/discussions/ownership.md)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from tests.conformance.storeworld import AT, World, raw, task
from tests.patience import PATIENCE_S

from gnomon.clock import VirtualClock
from gnomon.model.records import Changes, WorkerRecord
from gnomon.store import Database, FencedError, open_database
from gnomon.store.ownership import commit, leases
from gnomon.store.transaction import LEASE_TTL_S
from gnomon.store.trigger_queue import triggerer_leases


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(AT)


@pytest.fixture
def timed(url: str, clock: VirtualClock) -> Iterator[Database]:
    """A database whose lease clock is the virtual one."""
    database = open_database(url, lease_clock=clock.now)
    yield database
    database.close()


def register(db: Database, *names: str) -> None:
    with db.write() as tx:
        for name in names:
            leases.register_scheduler(tx, name, "host")


def test_the_first_scheduler_gains_every_group_and_the_second_none(timed: Database) -> None:
    register(timed, "one", "two")
    with timed.write() as tx:
        gained = leases.claim_groups(tx, "one")
        assert gained == dict.fromkeys(range(64), 1)
        assert leases.claim_groups(tx, "one") == {}
        assert leases.claim_groups(tx, "two") == {}
        assert leases.list_owned_groups(tx, "one") == gained


def test_who_does_not_know_whether_it_is_registered_registers_again(timed: Database, clock: VirtualClock) -> None:
    worker = WorkerRecord("w", "host", "/run/w.sock", 4, AT, False)
    for _ in range(2):
        with timed.write() as tx:
            leases.register_scheduler(tx, "one", "host")
            leases.register_worker(tx, worker)
            triggerer_leases.register_triggerer(tx, "t", "host", 10)
    with timed.write() as tx:
        assert leases.beat_scheduler(tx, "one") and leases.beat_worker(tx, "w") and triggerer_leases.beat_triggerer(tx, "t")
        leases.retire_scheduler(tx, "one")
        leases.register_scheduler(tx, "one", "host")
        assert not leases.beat_scheduler(tx, "one"), "who was fenced stays so"


def test_a_silent_scheduler_is_fenced_once_and_its_groups_go_to_the_next_at_a_higher_epoch(
    timed: Database, clock: VirtualClock
) -> None:
    register(timed, "one", "two")
    with timed.write() as tx:
        leases.claim_groups(tx, "one")
    clock.advance(LEASE_TTL_S)
    with timed.write() as tx:
        assert leases.beat_scheduler(tx, "two")
        assert leases.fence_silent_schedulers(tx, "two", LEASE_TTL_S) == []
    clock.advance(0.001)
    with timed.write() as tx:
        assert leases.fence_silent_schedulers(tx, "two", LEASE_TTL_S) == ["one"]
        assert leases.fence_silent_schedulers(tx, "two", LEASE_TTL_S) == []
        assert leases.claim_groups(tx, "two", range(32)) == dict.fromkeys(range(32), 2)
        assert not leases.beat_scheduler(tx, "one")
        assert [(row.scheduler_id, row.fenced) for row in leases.list_schedulers(tx)] == [("one", True), ("two", False)]


def test_nobody_fences_itself(timed: Database, clock: VirtualClock) -> None:
    register(timed, "one")
    clock.advance(100)
    with timed.write() as tx:
        assert leases.fence_silent_schedulers(tx, "one", LEASE_TTL_S) == []


def test_nothing_of_a_fenced_scheduler_is_stored(world: World) -> None:
    world.dag()
    run = world.run()
    with world.db.write() as tx:
        leases.retire_scheduler(tx, world.me)
    with pytest.raises(FencedError, match="declared dead"):
        world.apply(Changes(tasks=[task(run)]))
    assert world.state().tasks == []


def test_an_unknown_scheduler_is_fenced(db: Database) -> None:
    with pytest.raises(FencedError), db.scheduler_write("never registered"):
        pass


def test_a_retired_scheduler_leaves_its_groups_at_once(timed: Database) -> None:
    register(timed, "one", "two")
    with timed.write() as tx:
        leases.claim_groups(tx, "one")
        leases.retire_scheduler(tx, "one")
        assert len(leases.claim_groups(tx, "two")) == 64


def test_a_live_owner_gives_one_group_away(timed: Database) -> None:
    register(timed, "one", "two")
    with timed.write() as tx:
        leases.claim_groups(tx, "one")
        assert leases.transfer_group(tx, "one", 7, "two")
        assert not leases.transfer_group(tx, "one", 7, "two")
        assert leases.list_owned_groups(tx, "two") == {7: 2}


def test_schedulers_and_workers_gone_for_long_are_forgotten(timed: Database, clock: VirtualClock) -> None:
    register(timed, "one")
    with timed.write() as tx:
        leases.register_worker(tx, worker("w"))
        leases.retire_worker(tx, "w")
        leases.retire_scheduler(tx, "one")
    clock.advance(leases.RETENTION_S + 1)
    register(timed, "two")
    with timed.write() as tx:
        leases.register_worker(tx, worker("w2"))
        assert [row.scheduler_id for row in leases.list_schedulers(tx)] == ["two"]
        assert [row.worker_id for row in leases.list_workers(tx, live_only=False)] == ["w2"]


def test_a_silent_worker_is_lost_once_and_cannot_come_back(timed: Database, clock: VirtualClock) -> None:
    with timed.write() as tx:
        leases.register_worker(tx, worker("w"))
        assert leases.list_workers(tx) == [worker("w")]
    clock.advance(LEASE_TTL_S + 1)
    with timed.write() as tx:
        assert leases.mark_silent_workers_lost(tx, LEASE_TTL_S) == ["w"]
        assert leases.mark_silent_workers_lost(tx, LEASE_TTL_S) == []
        assert not leases.beat_worker(tx, "w")
        assert leases.list_workers(tx) == []


def test_a_beat_keeps_a_worker(timed: Database, clock: VirtualClock) -> None:
    with timed.write() as tx:
        leases.register_worker(tx, worker("w"))
    clock.advance(LEASE_TTL_S)
    with timed.write() as tx:
        assert leases.beat_worker(tx, "w")
        assert leases.mark_silent_workers_lost(tx, LEASE_TTL_S) == []


def test_fencing_waits_for_the_running_transaction_and_then_nothing_more_is_stored(world: World, url: str) -> None:
    """Line 9: what the dead one committed before is there, and after it nothing can be."""
    world.dag()
    run = world.run()
    other = open_database(url, lease_clock=lambda: world.db.now() + 10_000_000)
    register(world.db, "two")
    fenced: list[str] = []

    def fence() -> None:
        with other.write() as tx:
            fenced.extend(leases.fence_silent_schedulers(tx, "two", LEASE_TTL_S))

    thread = threading.Thread(target=fence)
    with world.db.scheduler_write(world.me) as tx:
        tx.flush()
        thread.start()
        wait_until_blocked(url)
        assert fenced == []
        commit.apply_changes(tx, Changes(tasks=[task(run)]))
    thread.join(timeout=PATIENCE_S)
    assert fenced == [world.me]
    assert len(world.state().tasks) == 1
    with pytest.raises(FencedError):
        world.apply(Changes(tasks=[task(run, 1)]))
    other.close()


def wait_until_blocked(url: str) -> None:
    """Returns once another writer of the database waits: in the ticket's queue, or for a row lock."""
    watcher = open_database(url)
    ends_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_at:
        if watcher.dialect == "sqlite":
            if any(thread.name == "ticket" for thread in threading.enumerate()):
                break
        else:
            with watcher.read() as tx:
                query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%fenced = TRUE%'"
                if raw(tx, query.replace("%", "%%"))[0][0]:
                    break
    else:
        pytest.fail("nobody waits")
    watcher.close()


def worker(name: str) -> WorkerRecord:
    return WorkerRecord(name, "host", "/run/w.sock", 4, AT, False)
