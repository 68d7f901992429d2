"""Asset events at a rate, 200 consumers with conditions, and a scheduler that is killed: each consumer consumes each event once.

The schedulers are real processes. Their DAGs have one task that needs no process, so no worker is needed. The audit reads rows only.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.chaos.home import Home, home
from tests.chaos.processes import until
from tests.conformance.storeworld import parsed, spec
from tests.databases import BOTH, empty_database
from tests.patience import PATIENCE_S

from gnomon.model.assets import AllOf, AnyOf, AssetCondition, AssetKey, NewAssetEvent
from gnomon.model.ids import GROUPS
from gnomon.model.instants import SECOND
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.assets.conditions import holds, iter_leaves
from gnomon.storage.store import Database, migrations, open_database
from gnomon.storage.store.asset_records import asset_events, asset_queue
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.parsed_files import dag_files

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
SEED = int(os.environ.get("CHAOS_SEED", "20261122"))
ASSETS = [AssetKey(f"asset_{number}", f"s3://bucket/{number}") for number in range(100)]
BATCH = 50
RATE = 1000
"""Events a second in the long form; the short form publishes as fast as the database takes them."""
DRAINED_S = 10 * PATIENCE_S
"""A bound on the time until every event is consumed, not an expectation."""


@pytest.fixture(params=BOTH)
def here(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    """A home without processes, on either database."""
    with empty_database(request.param, tmp_path) as url:
        migrations.upgrade_schema(url)
        with home(url=url) as made:
            yield made


@pytest.mark.parametrize(("events", "consumers"), [(1_500, 40)])
def test_each_consumer_consumes_each_event_once_although_a_scheduler_is_killed(
    here: Home, events: int, consumers: int
) -> None:
    load_and_audit(here, events, consumers, rate=None)


@pytest.mark.soak
def test_a_thousand_events_a_second_into_two_hundred_consumers_for_a_minute(here: Home) -> None:
    load_and_audit(here, 60_000, 200, rate=RATE)


def load_and_audit(here: Home, events: int, consumers: int, rate: int | None) -> None:
    rng = random.Random(SEED)
    specs = {one.dag_id: one for one in (consumer(rng, number) for number in range(consumers))}
    db = open_database(here.url)
    with db.write() as tx:
        dag_files.record_parsed_files(
            tx, [parsed("/dags/consumers.py", *specs.values())], at=now(), paused_by_default=False
        )
    schedulers = Schedulers(here, 1 if here.url.startswith("sqlite") else 2)
    try:
        publish(db, rng, events, rate, schedulers)
        until(
            lambda: schedulers.replace_ended() and not find_unconsumed(db, specs), "every event is consumed", DRAINED_S
        )
    finally:
        schedulers.kill_all()
    runs = audit(db, specs, events)
    db.close()
    print(f"seed {SEED}: {events} events, {runs} runs of {consumers} consumers")


class Schedulers:
    """Scheduler processes. One that ends is replaced, as a supervisor does: a busy machine may let a live one be declared dead."""

    def __init__(self, here: Home, count: int) -> None:
        self._here = here
        self._processes = [self._spawn() for _ in range(count)]

    def _spawn(self) -> subprocess.Popen[str]:
        return self._here.spawn("gnomon", "scheduler")

    def kill_one(self) -> None:
        self._processes[0].send_signal(signal.SIGKILL)
        self._processes[0].communicate(timeout=PATIENCE_S)

    def replace_ended(self) -> bool:
        """True, so that it can be part of a condition."""
        for number, process in enumerate(self._processes):
            if process.poll() is not None:
                process.communicate(timeout=PATIENCE_S)
                self._processes[number] = self._spawn()
        return True

    def kill_all(self) -> None:
        for process in self._processes:
            process.kill()
            process.communicate(timeout=PATIENCE_S)


def consumer(rng: random.Random, number: int) -> DagSpec:
    timetable = TimetableRef(path="NullTimetable", can_be_scheduled=False, periodic=False)
    made = spec(
        f"consumer_{number}",
        [TaskSpec(task_id="t", runs_code=False)],
        asset_condition=condition(rng, 2),
        max_active_runs=rng.choice((1, 16)),
    )
    return DagSpec(**{field: getattr(made, field) for field in made.__struct_fields__} | {"timetable": timetable})


def condition(rng: random.Random, depth: int) -> AssetCondition:
    if depth == 0 or rng.random() < 0.4:
        return rng.choice(ASSETS)
    return rng.choice((AllOf, AnyOf))(tuple(condition(rng, depth - 1) for _ in range(rng.randint(1, 2))))


def now() -> int:
    return int(time.time() * SECOND)


def publish(db: Database, rng: random.Random, events: int, rate: int | None, schedulers: Schedulers) -> None:
    """Publish the events in batches, and kill a scheduler when half of them are stored."""
    begun = time.monotonic()
    for first in range(0, events, BATCH):
        if rate is None and first % (6 * BATCH) == 0:  # so that runs are created while events arrive
            wait_for_more_runs(db, schedulers)
        if first == events // 2 // BATCH * BATCH:
            schedulers.kill_one()
        schedulers.replace_ended()
        with db.write() as tx:
            asset_events.publish_events(
                tx, [NewAssetEvent(uid=f"e{first + n}", asset=rng.choice(ASSETS), at=now()) for n in range(BATCH)]
            )
        if rate is not None:
            ahead_s = (first + BATCH) / rate - (time.monotonic() - begun)
            if ahead_s > 0:
                time.sleep(ahead_s)  # the rate of the load, not a wait for an effect


def wait_for_more_runs(db: Database, schedulers: Schedulers) -> None:
    """A run was created since; at the first call there is no event, and nothing to wait for."""
    before = count_runs(db)
    with db.read() as tx:
        if asset_events.list_newest_events(tx, 1):
            until(
                lambda: schedulers.replace_ended() and (count_runs(db) > before or is_idle(db)),
                "a run of an event",
                DRAINED_S,
            )


def count_runs(db: Database) -> int:
    with db.read() as tx:
        return sum(dag_runs.read_total_run_counts(tx).values())


def is_idle(db: Database) -> bool:
    """No consumer's condition holds: every run that can be created was created."""
    with db.read() as tx:
        records = group_state.load_groups(tx, range(GROUPS)).dags
        satisfied = asset_queue.find_satisfied_leaves(
            tx, [(dag.dag_pk, dag.spec.asset_condition) for dag in records if dag.spec.asset_condition is not None]
        )
        return not any(
            dag.spec.asset_condition is not None and holds(dag.spec.asset_condition, satisfied.get(dag.dag_pk, ()))
            for dag in records
        )


def find_unconsumed(db: Database, specs: dict[str, DagSpec]) -> list[str]:
    """The consumers whose queue satisfies their condition."""
    found = []
    with db.read() as tx:
        for dag_id, one in specs.items():
            dag = dags.find_dag_row(tx, dag_id)
            assert dag is not None and one.asset_condition is not None
            if holds(one.asset_condition, asset_queue.count_queue(tx, dag.dag_pk).keys()):
                found.append(dag_id)
    return found


def audit(db: Database, specs: dict[str, DagSpec], events: int) -> int:
    """Each event of its condition was consumed once by each consumer, or still waits in its queue. Returns the number of runs."""
    with db.read() as tx:
        stored = asset_events.list_newest_events(tx, events + 1)
        assert len(stored) == events
        consumed: Counter[tuple[str, int]] = Counter()
        runs = set()
        for first in range(0, events, 1000):
            of_events = asset_events.list_consuming_runs(tx, [event.event_pk for event in stored[first : first + 1000]])
            for event_pk, by in of_events.items():
                consumed.update((dag_id, event_pk) for dag_id, _ in by)
                runs.update(by)
        for dag_id, one in specs.items():
            dag = dags.find_dag_row(tx, dag_id)
            assert dag is not None and one.asset_condition is not None
            consumed.update((dag_id, event.event_pk) for event in asset_queue.list_queue(tx, dag.dag_pk))
    wanted = Counter(
        (dag_id, event.event_pk)
        for dag_id, one in specs.items()
        if one.asset_condition is not None
        for leaves in [set(iter_leaves(one.asset_condition))]
        for event in stored
        if event.asset in leaves
    )
    assert consumed == wanted, f"seed {SEED}: lost {(wanted - consumed).total()}, twice {(consumed - wanted).total()}"
    return len(runs)
