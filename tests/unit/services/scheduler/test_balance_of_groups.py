"""Schedulers share the groups evenly: how many each has after one joins or leaves, and that a group with a running task stays."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import BOTH, new_database
from tests.unit.entry.cli.deployment import HOURLY, spec_of

from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.ids import GROUPS, group_of
from gnomon.model.instants import SECOND
from gnomon.model.records import WorkerRecord
from gnomon.model.spec import FileInputs, ParsedDag, ParsedFile
from gnomon.model.states import DagRunState
from gnomon.services.scheduler.lease import Lease
from gnomon.services.scheduler.service import SchedulerService
from gnomon.services.scheduler.settings import REBALANCE_S, build_scheduler_settings
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.parsed_files import dag_files
from gnomon.storage.store.transaction import LEASE_TTL_S
from gnomon.testing import Play, ScriptedExecutor, ScriptedWorker

START = 1_767_225_600 * SECOND


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(START)


@pytest.fixture(params=BOTH)
def db(request: pytest.FixtureRequest, tmp_path: Path, clock: VirtualClock) -> Iterator[Database]:
    with new_database(request.param, tmp_path) as url:
        database = open_database(url, synchronous="OFF", clock=clock, lease_clock=clock.now)
        yield database
        database.close()


class LeaseOnly:
    """A scheduler of which only the lease lives."""

    def __init__(self, db: Database, clock: VirtualClock, name: str, host: str) -> None:
        self.lease = Lease(db, clock, name, host)

    def tick(self) -> None:
        self.lease.renew_and_claim()
        excess = self.lease.count_excess()
        if excess:
            self.lease.give_up(sorted(self.lease.epochs)[-excess:])


def move(clock: VirtualClock, schedulers: list[LeaseOnly], seconds: float) -> None:
    for _ in range(int(seconds)):
        clock.advance(1.0)
        for one in schedulers:
            one.tick()


def count(db: Database, *names: str) -> list[int]:
    with db.read() as tx:
        return [len(leases.list_owned_groups(tx, name)) for name in names]


def test_each_scheduler_has_its_share_after_others_join_and_leave(db: Database, clock: VirtualClock) -> None:
    one, two, three = (LeaseOnly(db, clock, name, f"host-{name}") for name in ("one", "two", "three"))
    move(clock, [one], 2)
    assert count(db, "one") == [GROUPS]
    move(clock, [one, two], REBALANCE_S + 5)
    assert count(db, "one", "two") == [32, 32]
    move(clock, [one, two, three], REBALANCE_S + 5)
    assert sorted(count(db, "one", "two", "three")) == [20, 22, 22]
    two.lease.release_all()
    move(clock, [one, three], 3)
    assert count(db, "one", "two", "three") == [32, 0, 32]
    move(clock, [three], LEASE_TTL_S + 3)  # one is killed
    assert count(db, "one", "three") == [0, GROUPS]
    assert set(three.lease.epochs) == set(range(GROUPS))


def test_no_group_moves_while_the_schedulers_stay(db: Database, clock: VirtualClock) -> None:
    schedulers = [LeaseOnly(db, clock, name, "here") for name in ("one", "two", "three")]
    move(clock, schedulers, 2 * REBALANCE_S)
    before = [dict(one.lease.epochs) for one in schedulers]
    move(clock, schedulers, 6 * REBALANCE_S)
    assert [one.lease.epochs for one in schedulers] == before


def test_a_scheduler_without_a_worker_on_its_host_takes_no_group_from_one_with_a_worker(
    db: Database, clock: VirtualClock
) -> None:
    with db.write() as tx:
        leases.register_worker(tx, WorkerRecord("w", "with", "/run/w", 4, clock.now(), False))
    able, standby = LeaseOnly(db, clock, "able", "with"), LeaseOnly(db, clock, "standby", "without")
    move(clock, [standby, able], 3 * REBALANCE_S)
    assert count(db, "able", "standby") == [GROUPS, 0]
    move(clock, [standby], LEASE_TTL_S + 3)
    assert count(db, "able", "standby") == [0, GROUPS]


def test_a_group_with_a_running_task_stays_with_its_scheduler(
    tmp_path: Path, db: Database, clock: VirtualClock
) -> None:
    """The new owner may be on another host, and cannot reach the worker of the task. Afterwards every run is ended once."""
    names = [f"dag{number}" for number in range(200)]
    busy = next(name for name in names if group_of(name) == GROUPS - 1)
    idle = next(name for name in names if group_of(name) == GROUPS - 2)
    worker = ScriptedWorker(
        "worker-1", clock, lambda attempt: Play(run_s=5 * REBALANCE_S if attempt.run.dag_id == busy else 1)
    )
    with db.write() as tx:
        leases.register_worker(tx, worker.record())
        dags = tuple(ParsedDag(spec=spec_of(name, timetable=HOURLY), spec_hash="1") for name in (busy, idle))
        dag_files.record_parsed(
            tx,
            ParsedFile(path="/dags/a.py", inputs=FileInputs(input_hash="1"), dags=dags),
            at=clock.now(),
            paused_by_default=False,
        )
    ids = (f"00000000-0000-0000-0000-{number:012d}" for number in itertools.count())
    settings = build_scheduler_settings(load_config({}, tmp_path))

    def start(name: str) -> SchedulerService:
        return SchedulerService(
            settings=settings,
            db=db,
            executor=ScriptedExecutor(lambda: [worker]),
            clock=clock,
            listener=None,
            new_id=lambda: next(ids),
            scheduler_id=name,
            host=worker.record().host,
        )

    schedulers = [start("one")]

    def move_services(seconds: float) -> None:
        for _ in range(int(seconds * 2)):
            with db.write() as tx:
                leases.beat_worker(tx, "worker-1")
            for one in schedulers:
                one.tick()
            clock.advance(0.5)

    clock.advance_to(START + 3600 * SECOND - 2 * SECOND)
    move_services(4)
    schedulers.append(start("two"))
    move_services(2 * REBALANCE_S)
    with db.read() as tx:
        owned = leases.list_owned_groups(tx, "one")
    assert (len(owned), group_of(busy) in owned, group_of(idle) in owned) == (32, True, False)
    move_services(6 * REBALANCE_S)
    assert count(db, "one", "two") == [32, 32]
    with db.read() as tx:
        states = {
            name: [(run.state, len(dag_runs.list_attempts(tx, run.run_pk))) for run in dag_runs.list_runs(tx, name)]
            for name in (busy, idle)
        }
    assert states == {busy: [(DagRunState.SUCCESS, 1)], idle: [(DagRunState.SUCCESS, 1)]}
