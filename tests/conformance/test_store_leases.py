"""Leases and ownership of groups; a fenced scheduler can write nothing (FENCE, TAKE_OVER and SUBMIT in docs/contributing/ownership.md)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from tests.conformance.storeworld import AT, World, raw, task
from tests.keys import CIPHER
from tests.patience import PATIENCE_S

from gnomon.ground.clock import SystemClock, VirtualClock
from gnomon.model.records import REMOTE_ADDRESS, Changes, WorkerRecord
from gnomon.services.scheduler.lease import Lease
from gnomon.storage.store import Database, FencedError, Transaction, open_database
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.ownership import commit
from gnomon.storage.store.transaction import LEASE_TTL_S
from gnomon.storage.store.trigger_queue import triggerer_leases


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(AT)


@pytest.fixture
def timed(url: str, clock: VirtualClock) -> Iterator[Database]:
    """A database whose lease clock is the virtual one."""
    database = open_database(url, synchronous="OFF", lease_clock=clock.now)
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
        assert (
            leases.beat_scheduler(tx, "one")
            and leases.beat_worker(tx, "w")
            and triggerer_leases.beat_triggerer(tx, "t")
        )
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


WORKER_TTL = 20.0


def remote_worker(name: str) -> WorkerRecord:
    return WorkerRecord(name, "host", f"{REMOTE_ADDRESS}:hash", 4, AT, False)


def pass_time(db: Database, clock: VirtualClock, seconds: float, *servers: str) -> list[str]:
    """The workers that are lost in that time, in which these api-servers send their heartbeats."""
    lost: list[str] = []
    for _ in range(round(seconds)):
        clock.advance(1.0)
        with db.write() as tx:
            for server in servers:
                leases.beat_api_server(tx, server, "api-host")
            is_silent = leases.has_silent_worker(tx, WORKER_TTL)
            found = leases.mark_silent_workers_lost(tx, WORKER_TTL)
            assert is_silent == bool(found)
            lost += found
    return lost


def test_the_time_without_an_api_server_does_not_count_against_workers_without_a_database(
    timed: Database, clock: VirtualClock
) -> None:
    with timed.write() as tx:
        leases.beat_api_server(tx, "api-1", "api-host")
    assert pass_time(timed, clock, 60.0, "api-1") == []
    with timed.write() as tx:
        leases.register_worker(tx, remote_worker("w"))
        leases.register_worker(tx, worker("local"))
    assert pass_time(timed, clock, 60.0) == ["local"], "no api-server is up"
    assert pass_time(timed, clock, WORKER_TTL, "api-2") == [], (
        "another api-server begins: the worker has its whole time to live to find it"
    )
    with timed.write() as tx:
        assert leases.beat_worker(tx, "w")
    assert pass_time(timed, clock, WORKER_TTL, "api-2") == []
    assert pass_time(timed, clock, 1.0, "api-2") == ["w"], (
        "a worker that is silent while an api-server is up is lost as before"
    )


def test_an_api_server_that_stood_still_counts_as_one_that_has_just_begun(timed: Database, clock: VirtualClock) -> None:
    with timed.write() as tx:
        leases.beat_api_server(tx, "api", "api-host")
    assert pass_time(timed, clock, 60.0, "api") == []
    with timed.write() as tx:
        leases.register_worker(tx, remote_worker("w"))
    assert pass_time(timed, clock, 60.0) == []
    assert pass_time(timed, clock, WORKER_TTL, "api") == []
    assert pass_time(timed, clock, 2.0, "api") == ["w"]


def test_a_short_gap_of_an_api_server_changes_nothing(timed: Database, clock: VirtualClock) -> None:
    with timed.write() as tx:
        leases.beat_api_server(tx, "api", "api-host")
    since = clock.now()
    clock.advance(leases.API_TTL_S)
    with timed.write() as tx:
        leases.beat_api_server(tx, "api", "api-host")
        assert [(row.up_since, row.beat_at, row.is_alive(clock.now())) for row in leases.list_api_servers(tx)] == [
            (since, clock.now(), True)
        ]
    clock.advance(leases.API_TTL_S + 1)
    with timed.write() as tx:
        assert [row.is_alive(clock.now()) for row in leases.list_api_servers(tx)] == [False]
        leases.beat_api_server(tx, "api", "api-host")
        assert [row.up_since for row in leases.list_api_servers(tx)] == [clock.now()]
        leases.beat_api_server(tx, "other", "api-host")
        leases.retire_api_server(tx, "api")
        assert [row.server_id for row in leases.list_api_servers(tx)] == ["other"]
    clock.advance(leases.RETENTION_S + 1)
    with timed.write() as tx:
        leases.beat_api_server(tx, "last", "api-host")
        assert [row.server_id for row in leases.list_api_servers(tx)] == ["last"]


def test_fencing_waits_for_the_running_transaction_and_then_nothing_more_is_stored(world: World, url: str) -> None:
    """Line 9: what the dead one committed before is there, and after it nothing can be."""
    world.dag()
    run = world.run()
    other = open_database(url, synchronous="OFF", lease_clock=lambda: world.db.now() + 10_000_000)
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


class PausingFigures:
    """Written with a heartbeat: waits until the other scheduler has sent its heartbeat as well, or is blocked."""

    def __init__(self, meeting: threading.Barrier) -> None:
        self._meeting = meeting

    def write_if_due(self, tx: Transaction) -> None:
        tx.flush()
        try:
            self._meeting.wait(MEETING_S)
        except threading.BrokenBarrierError:
            return


MEETING_S = 3.0
"""Longer than PostgreSQL waits before it looks for a deadlock (1 s)."""


def test_two_schedulers_that_were_silent_do_not_wait_for_each_other(url: str) -> None:
    """Both are silent after a time without a database. The first that is back fences the other one; neither transaction fails otherwise."""
    database = open_database(url, synchronous="OFF", cipher=CIPHER)
    meeting = threading.Barrier(2)
    schedulers = [Lease(database, SystemClock(), name, "host", beat_s=0.0) for name in ("one", "two")]
    for scheduler in schedulers:
        scheduler.renew_and_claim()
    with database.write() as tx:
        raw(tx, "UPDATE scheduler SET beat_at = 1 RETURNING id")
    ends: dict[str, str] = {}

    def renew(scheduler: Lease) -> None:
        scheduler._figures = PausingFigures(meeting)  # type: ignore[assignment]
        try:
            scheduler.renew_and_claim()
            ends[scheduler.scheduler_id] = "renewed"
        except Exception as error:
            ends[scheduler.scheduler_id] = type(error).__name__

    threads = [threading.Thread(target=renew, args=(scheduler,)) for scheduler in schedulers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert sorted(ends.values()) == ["FencedError", "renewed"]
    database.close()


def wait_until_blocked(url: str) -> None:
    """Returns once another writer of the database waits: in the queue of the write lock, or for a row lock."""
    watcher = open_database(url)
    ends_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_at:
        if watcher.dialect == "sqlite":
            if any(thread.name == "write-lock" for thread in threading.enumerate()):
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
