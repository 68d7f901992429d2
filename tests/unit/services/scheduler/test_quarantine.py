"""One bad DAG stops only itself: what fails by a fault of ours is set aside, and read again later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import create_schema

from gnomon.entry.simulate import Deployment
from gnomon.ground.clock import VirtualClock
from gnomon.model.ids import group_of
from gnomon.model.instants import SECOND
from gnomon.model.records import NewMail
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.engine import step as engine_step
from gnomon.rules.engine.step_context import StepContext
from gnomon.rules.timetables.registry import reference
from gnomon.services.scheduler.quarantine import MAX_QUARANTINE_S, MAX_REFUSALS, MIN_QUARANTINE_S, GroupQuarantine
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dag_runs
from gnomon.testing import Play
from gnomon.timetables import NullTimetable

START = 1_767_225_600 * SECOND


class World:
    def __init__(self, folder: Path) -> None:
        url = f"sqlite:///{folder / 'gnomon.db'}"
        create_schema(url)
        self.clocks: list[VirtualClock] = []
        self.db: Database = open_database(
            url, synchronous="OFF", lease_clock=lambda: self.clocks[0].now() if self.clocks else START
        )
        self.deployment = Deployment(self.db, seed=1, start=START, script=lambda attempt, rng: Play(run_s=1))
        self.clocks.append(self.deployment.clock)

    def add(self, *dag_ids: str) -> None:
        self.deployment.add_dags(
            DagSpec(
                dag_id=dag_id,
                timetable=reference(NullTimetable()),
                tasks=(TaskSpec(task_id="t"),),
                paused_upon_creation=False,
            )
            for dag_id in dag_ids
        )

    def trigger(self, dag_id: str, run_id: str = "r") -> None:
        with self.db.write() as tx:
            dag_runs.create_manual_run(
                tx,
                dag_id=dag_id,
                run_id=run_id,
                logical_at=None,
                run_after=self.deployment.clock.now(),
                interval=None,
                conf={},
                by="test",
                at=self.deployment.clock.now(),
            )

    def state(self, dag_id: str, run_id: str = "r") -> str:
        with self.db.read() as tx:
            run = dag_runs.find_stored_run(tx, dag_id, run_id)
        assert run is not None
        return str(run.state)

    def wait(self, seconds: int) -> None:
        self.deployment.run_until(self.deployment.clock.now() + seconds * SECOND)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.db.close()


def test_a_dag_that_breaks_the_engine_stops_nobody_else(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert group_of("bad") != group_of("good")
    world.add("bad", "good")
    really, broken = engine_step.start_queued_runs, [True]

    def start_queued(turn: StepContext, dag: object) -> None:
        if broken[0] and dag.record.dag_id == "bad":  # type: ignore[attr-defined]
            raise ZeroDivisionError("a fault of ours")
        really(turn, dag)  # type: ignore[arg-type]

    monkeypatch.setattr(engine_step, "start_queued_runs", start_queued)
    world.trigger("bad")
    world.trigger("good")
    world.wait(20)
    assert (world.state("bad"), world.state("good")) == ("queued", "success")
    world.trigger("good", "r2")
    world.wait(10)
    assert world.state("good", "r2") == "success"
    broken[0] = False
    world.wait(int(MAX_QUARANTINE_S) + 20)
    assert world.state("bad") == "success", "what was set aside comes back"


def test_a_letter_that_nobody_can_read_is_dropped_and_its_request_refused(world: World) -> None:
    world.add("good")
    with world.db.write() as tx:
        request = mailbox.submit_request(
            tx, by="ann", kind="mark", body={"action": "mark", "run_pk": "no number"}, groups=[group_of("good")]
        )
        mailbox.send_messages(
            tx,
            [
                NewMail(group_no=group_of("good"), kind="dag_changed", body="{}"),
                NewMail(group_no=group_of("good"), kind="run_created", body="no json"),
            ],
        )
    world.trigger("good")
    world.wait(10)
    assert world.state("good") == "success"
    with world.db.read() as tx:
        assert mailbox.read_answer(tx, request)[0] == "refused"
        assert not mailbox.read_messages(tx, range(64), 10)


def test_a_group_is_set_aside_longer_each_time_and_forgiven_after_a_while() -> None:
    isolation = GroupQuarantine()
    isolation.quarantine_groups([7], 0.0)
    assert (
        7 in isolation
        and not isolation.release_expired(MIN_QUARANTINE_S / 2)
        and isolation.release_expired(MIN_QUARANTINE_S) == [7]
    )
    isolation.quarantine_groups([7], 10.0)
    assert not isolation.release_expired(10 + MIN_QUARANTINE_S) and isolation.release_expired(
        10 + 2 * MIN_QUARANTINE_S
    ) == [7]
    isolation.quarantine_groups([7], 100 + MAX_QUARANTINE_S)
    assert isolation.release_expired(100 + MAX_QUARANTINE_S + MIN_QUARANTINE_S) == [7]


def test_refused_commits_set_aside_whom_they_touched_one_after_the_other() -> None:
    isolation = GroupQuarantine()
    for _ in range(MAX_REFUSALS - 1):
        assert isolation.record_refusal([1, 2], 0.0) == []
    isolation.record_commit([2])
    assert isolation.record_refusal([1, 2], 0.0) == [1]
    assert isolation.record_refusal([2], 0.0) == [] and isolation.record_refusal([2], 0.0) == [2]
