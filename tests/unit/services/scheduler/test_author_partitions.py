"""Partition mappers of authors under a scheduler: asked in a host, answered later, and every event is consumed once by each of its runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.databases import create_schema
from tests.unit.services.scheduler.between import Cut, World, cron

from gnomon import partitions as p
from gnomon.author_code.timetable_host import PARTITION_ANSWERS, TimetableRequest, TimetableResponse
from gnomon.author_code.timetable_host.in_process import InProcessTimetableHost
from gnomon.authoring.sdk.assets.author_mappers import build_rule
from gnomon.model.assets import AssetKey, NewAssetEvent
from gnomon.model.states import DagRunState
from gnomon.rules.timetables.simple_timetables import NullTimetable
from gnomon.services.scheduler.settings import PLAN_RETRY_S
from gnomon.storage.store.asset_records import asset_events, asset_queue
from gnomon.storage.store.dag_records import dag_runs

ORDERS = AssetKey("orders", "orders")
RETRY_H = PLAN_RETRY_S / 3600
FAULTY_KEYS: set[str] = set()
"""The mapper fails for these."""


class Upper(p.PartitionMapper):
    """Upper case; `a+b` belongs to two runs."""

    def to_downstream(self, key: str) -> Any:
        if key in FAULTY_KEYS:
            raise ValueError(f"{key} is not known")
        return key.upper().split("+")


class UpperTwice(Upper):
    """Another class, for another version."""

    def to_downstream(self, key: str) -> Any:
        return f"{key}{key}".upper()


class HoldingHost(InProcessTimetableHost):
    """Keeps questions to mappers while `holds`, or fails them while `fails`."""

    def __init__(self) -> None:
        super().__init__()
        self.holds = False
        self.fails: str | None = None
        self.kept: list[TimetableRequest] = []
        self.asked = 0

    def ask(self, question: TimetableRequest) -> None:
        if question.function == PARTITION_ANSWERS:
            self.asked += 1
            if self.holds or self.fails:
                self.kept.append(question)
                return
        super().ask(question)

    def collect(self) -> list[TimetableResponse]:
        found = super().collect()
        if self.fails:
            found += [
                TimetableResponse(number=question.number, error=self.fails, is_process_ended=True)
                for question in self.kept
            ]
            self.kept = []
        return found

    def wake_in_s(self) -> float | None:
        return 0.0 if self.fails and self.kept else super().wake_in_s()

    def answer_all(self) -> None:
        kept, self.kept, self.holds = self.kept, [], False
        for question in kept:
            super().ask(question)


@pytest.fixture
def host() -> HoldingHost:
    return HoldingHost()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: HoldingHost) -> Iterator[World]:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    made = World(url, monkeypatch, host=host)
    FAULTY_KEYS.clear()
    yield made
    made.db.close()
    FAULTY_KEYS.clear()


_numbers = count(1)


def consumer(world: World, mapper: p.PartitionMapper, dag_id: str = "c", **options: object) -> None:
    world.dag(
        dag_id,
        NullTimetable(),
        asset_condition=ORDERS,
        partition_rules=(build_rule(ORDERS, mapper),),
        max_active_runs=100,
        **options,
    )


def publish(world: World, *keys: str) -> None:
    with world.writing() as tx:
        asset_events.publish_events(
            tx,
            [
                NewAssetEvent(uid=f"e{next(_numbers)}", asset=ORDERS, at=world.clock.now(), partition_key=key)
                for key in keys
            ],
        )


def keys(world: World, dag_id: str = "c") -> list[str | None]:
    """The keys of the runs, in the order of their creation."""
    with world.db.read() as tx:
        return [run.partition_key for run in sorted(dag_runs.list_runs(tx, dag_id), key=lambda run: run.run_pk)]


def queued(world: World, dag_id: str = "c") -> list[str | None]:
    with world.db.read() as tx:
        return [event.partition_key for event in asset_queue.list_queue(tx, world.record(dag_id).dag_pk)]


def test_the_events_become_the_runs_that_the_mapper_says(world: World) -> None:
    consumer(world, Upper())
    world.until(0)
    publish(world, "eu", "us+eu")
    world.until(0)
    assert keys(world) == ["EU", "US"] and queued(world) == [] and world.record("c").error is None
    with world.db.read() as tx:
        runs = {run.partition_key: run for run in dag_runs.list_runs(tx, "c")}
        assert {run.state for run in runs.values()} == {DagRunState.SUCCESS}
        consumed = {
            key: [event.partition_key for event in asset_events.list_consumed_events(tx, run.run_pk)]
            for key, run in runs.items()
        }
    assert consumed == {"EU": ["eu", "us+eu"], "US": ["us+eu"]}


@pytest.mark.parametrize("fault", ["crash_before", "crash_after", "unavailable", "uncertain_lost", "uncertain_done"])
def test_a_scheduler_that_dies_around_the_commit_of_the_answer_loses_and_doubles_no_event(
    world: World, host: HoldingHost, fault: str
) -> None:
    consumer(world, Upper())
    world.until(0)
    expected: list[str | None] = []
    for number in range(1, 5):
        host.holds = True
        publish(world, f"k{number}", f"l{number}+m{number}")
        world.until(0)
        assert host.kept and len(queued(world)) == 2
        host.answer_all()
        world.schedulers[0].db.plan = Cut(number, fault)  # type: ignore[assignment]
        world.until(number)
        expected += [f"K{number}", f"L{number}", f"M{number}"]
        assert sorted(filter(None, keys(world))) == sorted(filter(None, expected)) and queued(world) == []
    with world.db.read() as tx:
        for run in dag_runs.list_runs(tx, "c"):
            assert run.state is DagRunState.SUCCESS and len(asset_events.list_consumed_events(tx, run.run_pk)) == 1
    if fault.startswith("crash"):
        assert world.schedulers[0].crash_count > 0


def test_a_mapper_without_answer_is_asked_once_and_delays_nobody(world: World, host: HoldingHost) -> None:
    consumer(world, Upper())
    consumer(world, p.IdentityMapper(), "builtin")
    world.dag("timed", cron("0 * * * *"))
    host.holds = True
    publish(world, "a")
    world.until(1)
    publish(world, "b")
    world.until(2)
    assert host.asked == 1 and keys(world) == [] and queued(world) == ["a", "b"]
    assert keys(world, "builtin") == ["a", "b"] and list(world.runs("timed")) == [0, 1, 2]
    host.answer_all()
    world.schedulers[0].bell.rung = True
    world.until(2)
    assert keys(world) == ["A", "B"] and queued(world) == []


def test_a_mapper_that_hangs_or_crashes_is_an_error_of_its_dag_and_asked_again_after_a_while(
    world: World, host: HoldingHost
) -> None:
    consumer(world, Upper())
    host.fails = "Upper.to_downstream did not answer within 5 s; fix the partition mapper"
    publish(world, "a")
    world.until(0)
    assert world.record("c").error == host.fails and queued(world) == ["a"]
    publish(world, "b")
    world.until(0)
    assert host.asked == 1
    host.fails = None
    world.until(RETRY_H)
    assert host.asked == 2 and keys(world) == ["A", "B"] and world.record("c").error is None


def test_a_key_that_fails_waits_and_the_others_run(world: World, host: HoldingHost) -> None:
    FAULTY_KEYS.add("mars")
    consumer(world, Upper())
    publish(world, "eu", "mars")
    world.until(0)
    assert keys(world) == ["EU"] and queued(world) == ["mars"]
    error = world.record("c").error
    assert (
        "the partition mapper Upper of asset orders (to_downstream for the key 'mars') raised ValueError: mars is not known ("
        in error
    )
    publish(world, "us")
    world.until(0)
    assert keys(world) == ["EU", "US"] and world.record("c").error == error
    FAULTY_KEYS.clear()
    world.until(RETRY_H)
    assert keys(world) == ["EU", "US", "MARS"] and queued(world) == [] and world.record("c").error is None


def test_an_edit_is_asked_at_once_and_an_answer_of_the_old_version_does_not_count(
    world: World, host: HoldingHost
) -> None:
    consumer(world, Upper())
    host.holds = True
    publish(world, "a")
    world.until(0)
    consumer(world, UpperTwice())
    world.until(0)
    assert len(host.kept) == 2
    host.answer_all()
    world.schedulers[0].bell.rung = True
    world.until(0)
    assert keys(world) == ["AA"] and queued(world) == []


def test_an_edit_that_removes_the_mapper_or_the_schedule_removes_its_error(world: World, host: HoldingHost) -> None:
    host.fails = "crashed"
    consumer(world, Upper())
    consumer(world, Upper(), "d")
    publish(world, "a")
    world.until(0)
    assert world.record("c").error == world.record("d").error == "crashed"
    consumer(world, p.IdentityMapper())
    world.dag("d", NullTimetable())
    world.until(0)
    assert keys(world) == ["a"] and world.record("c").error is None and world.record("d").error is None


def test_a_dag_that_is_paused_meanwhile_keeps_its_events(world: World, host: HoldingHost) -> None:
    consumer(world, Upper())
    host.holds = True
    publish(world, "a")
    world.until(0)
    world.pause("c")
    world.until(0)
    host.answer_all()
    world.schedulers[0].bell.rung = True
    world.until(0)
    assert keys(world) == [] and queued(world) == ["a"]
    world.pause("c", False)
    world.until(0)
    assert keys(world) == ["A"] and queued(world) == []


def test_more_runs_than_the_dag_may_have_come_later(world: World) -> None:
    world.dag(
        "c",
        NullTimetable(),
        asset_condition=ORDERS,
        partition_rules=(build_rule(ORDERS, Upper()),),
        max_active_runs=1,
        run_s=60.0,
    )
    publish(world, "a", "b", "c+d")
    world.until(0)
    assert keys(world) == ["A"]
    world.until(1)
    assert keys(world) == ["A", "B", "C", "D"] and queued(world) == []
