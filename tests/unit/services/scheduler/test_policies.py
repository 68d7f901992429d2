"""A scheduler keeps the policies of its DAGs through pauses, absences, edits and clock steps: what runs, what is passed and why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from dateutil.relativedelta import relativedelta
from msgspec.structs import replace
from tests.databases import create_schema

from gnomon.entry.simulate import Deployment
from gnomon.model.attempts import Attempt
from gnomon.model.instants import SECOND, Instant, to_datetime
from gnomon.model.records import EventRecord, RunRecord
from gnomon.model.slots import SkippedSlots
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.dag_records import dag_runs, dags, event_log
from gnomon.storage.store.ownership import group_state
from gnomon.testing import Play
from gnomon.timetables import CronTriggerTimetable, EventsTimetable, Timetable, reference

START: Instant = 1_767_225_600 * SECOND
"""2026-01-01T00:00:00Z"""
MINUTE = 60 * SECOND
DAY = 1440 * MINUTE
UNIT = 3 * MINUTE
"""Time is told in units here: long enough for half of one to be late, short enough for a quick test."""
EACH_UNIT = CronTriggerTimetable("*/3 * * * *", timezone="UTC")
A_THIRD_LATER = CronTriggerTimetable("1-59/3 * * * *", timezone="UTC")


class World:
    """One DAG under one scheduler; its task takes as long as a test says."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.run_s = 1.0
        self.deployment = Deployment(db, seed=1, start=START, script=self._play)

    def _play(self, attempt: Attempt, rng: object) -> Play:
        return Play(self.run_s)

    def define(self, version: int = 1, timetable: Timetable = EACH_UNIT, **fields: object) -> DagSpec:
        spec = DagSpec(
            **{
                "dag_id": "d",
                "timetable": reference(timetable),
                "tasks": (TaskSpec(task_id="t"),),
                "start_at": START,
                "max_active_runs": 1,
                **fields,
            }  # type: ignore[arg-type]
        )
        self.deployment.add_dags([spec], version)
        return spec

    def until(self, units: float) -> None:
        self.deployment.run_until(START + int(units * UNIT))

    def unavailable(self, units: float) -> None:
        """No scheduler until then; the next one comes with a memory of its own."""
        self.deployment.kill_scheduler()
        self.deployment.clock.advance_to(START + int(units * UNIT))

    def pause(self, paused: bool = True) -> None:
        with self.db.write() as tx:
            dags.set_paused(tx, "d", paused, "me", self.deployment.clock.now())

    def runs(self) -> list[RunRecord]:
        with self.db.read() as tx:
            return sorted(dag_runs.list_runs(tx, "d"), key=lambda run: run.run_after)

    def slots(self) -> list[float]:
        return [(run.run_after - START) / UNIT for run in self.runs()]

    def log(self, kind: str) -> list[EventRecord]:
        with self.db.read() as tx:
            (dag,) = dags.list_dags(tx)
            return [event for event in event_log.list_events(tx, dag_pk=dag.dag_pk) if event.kind == kind][::-1]

    def passed(self) -> list[SkippedSlots]:
        return [msgspec.json.decode(event.body, type=SkippedSlots) for event in self.log("slots_passed")]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    url = f"sqlite:///{tmp_path / 'policies.db'}"
    create_schema(url)
    worlds: list[World] = []
    db = open_database(
        url,
        synchronous="OFF",
        lease_clock=lambda: START + int(worlds[0].deployment.clock.monotonic() * SECOND) if worlds else START,
    )
    worlds.append(World(db))
    yield worlds[0]
    db.close()


@pytest.mark.parametrize(
    ("policies", "slots"),
    [
        ({}, [0, 1, 5, 6]),
        ({"catchup": True}, [0, 1, 2, 3, 4, 5, 6]),
        ({"misfire": "skip"}, [0, 1, 5, 6]),
        ({"catchup_window_s": 0.0}, [0, 1, 6]),
        ({"catchup": True, "catchup_window_s": 360.0}, [0, 1, 4, 5, 6]),
    ],
)
def test_a_pause_is_ruled_by_catchup(world: World, policies: dict[str, object], slots: list[int]) -> None:
    world.define(max_active_runs=16, **policies)
    world.until(1.5)
    world.pause()
    world.until(5.5)
    world.pause(False)
    world.until(6.5)
    assert world.slots() == slots
    assert sum(one.count for one in world.passed()) == 7 - len(slots)


@pytest.mark.parametrize(
    ("policies", "slots"),
    [
        ({}, [0, 1, 5, 6]),
        ({"misfire": "all"}, [0, 1, 2, 3, 4, 5, 6]),
        ({"misfire": "skip"}, [0, 1, 6]),
        ({"catchup": True, "misfire": "skip"}, [0, 1, 6]),
        ({"catchup": True, "misfire": "latest"}, [0, 1, 5, 6]),
        ({"catchup": True, "catchup_window_s": 0.0}, [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_an_absence_of_the_scheduler_is_ruled_by_misfire(
    world: World, policies: dict[str, object], slots: list[int]
) -> None:
    world.define(max_active_runs=16, **policies)
    world.until(1.5)
    world.unavailable(5.5)
    world.until(6.5)
    assert world.slots() == slots
    assert sum(one.count for one in world.passed()) == 7 - len(slots)


def test_with_overlap_skip_a_slot_is_passed_while_a_run_is_active_and_the_log_says_so(world: World) -> None:
    world.run_s = 1.5 * 180
    world.define(overlap="skip")
    world.until(5.25)
    assert world.slots() == [0, 2, 4]
    assert [(one.first, one.count, one.reason) for one in world.passed()] == [
        (START + slot * UNIT, 1, 'overlap="skip": a run was active when it was due') for slot in (1, 3, 5)
    ]


def test_with_overlap_cancel_running_the_active_run_ends_failed_and_the_new_one_starts(world: World) -> None:
    world.run_s = 1.5 * 180
    world.define(overlap="cancel_running")
    world.until(3.25)
    assert world.slots() == [0, 1, 2, 3]
    assert [str(run.state) for run in world.runs()] == ["failed", "failed", "failed", "running"]
    assert world.runs()[0].reason == f'overlap="cancel_running": run {world.runs()[1].run_id} was due'


def test_with_overlap_queue_slots_wait_and_with_allow_they_do_not(world: World) -> None:
    world.run_s = 1.75 * 180
    world.define(catchup=True)
    world.until(2.25)
    assert [str(run.state) for run in world.runs()] == ["success", "running"]
    world.define(2, catchup=True, overlap="allow")
    world.until(3.25)
    assert [str(run.state) for run in world.runs()] == ["success", "running", "running", "running"]


def test_jitter_makes_runs_later_and_leaves_their_slots(world: World) -> None:
    world.define(jitter_s=60.0)
    world.until(3.5)
    made = [run.queued_at - run.run_after for run in world.runs()]
    assert world.slots() == [0, 1, 2, 3]
    assert len(set(made[1:])) == 1 and 0 < made[1] <= 60 * SECOND
    assert [run.run_id for run in world.runs()] == [
        f"scheduled__{to_datetime(run.run_after).isoformat()}" for run in world.runs()
    ]


@pytest.mark.parametrize("catchup", [False, True])
def test_another_schedule_is_asked_from_the_last_run_on_and_drops_what_was_not_made(
    world: World, catchup: bool
) -> None:
    world.define(catchup=catchup, max_active_runs=16)
    world.until(2.5)
    world.define(2, A_THIRD_LATER, catchup=catchup, max_active_runs=16)
    world.until(4)
    assert world.slots() == [0, 1, 2, 2 + 1 / 3, 3 + 1 / 3]


def test_a_schedule_that_changes_and_changes_back_doubles_nothing(world: World) -> None:
    world.define()
    for version in range(2, 8):
        world.until(version / 2)
        world.define(version, A_THIRD_LATER if version % 2 else EACH_UNIT)
    world.until(5.25)
    assert world.slots() == sorted(set(world.slots()))
    assert set(world.slots()) == {0, 1, 1 + 1 / 3, 2, 2 + 1 / 3, 3, 3 + 1 / 3, 4 + 1 / 3}


@pytest.mark.parametrize("step_s", [-270.0, -30.0, 30.0, 270.0])
def test_a_clock_that_is_set_around_a_tick_neither_loses_nor_doubles_a_run(world: World, step_s: float) -> None:
    world.define(catchup=True, max_active_runs=16)
    world.until(1.999)
    world.deployment.step_clock(step_s)
    world.until(6.5)
    assert world.slots() == [0, 1, 2, 3, 4, 5, 6]


def test_an_event_is_not_lost_when_its_file_is_edited_as_it_falls_due(world: World) -> None:
    event = to_datetime(START + UNIT)
    world.define(timetable=EventsTimetable([event]))
    world.until(0.5)
    world.unavailable(1.001)
    world.define(2, EventsTimetable([event, to_datetime(START + 9 * UNIT)]))
    world.until(2)
    assert world.slots() == [1]


def test_ticks_whose_months_begin_on_one_day_have_each_its_run(world: World) -> None:
    """On the 28th to 31st of March, the month before began on the last of February."""
    monthly = CronTriggerTimetable("0 0 * * *", timezone="UTC", interval=relativedelta(months=1))
    world.define(timetable=monthly, catchup=True, max_active_runs=50, start_at=START + 57 * DAY)
    world.deployment.clock.advance_to(START + 90 * DAY)
    world.deployment.run_until(START + 90 * DAY + MINUTE)
    made = world.runs()
    assert len({run.run_after for run in made}) == len(made) == (START + 90 * DAY - made[0].run_after) // DAY + 1
    assert world.log("slot_held") == []


def test_policies_are_no_part_of_what_a_plan_rests_on(world: World) -> None:
    spec = world.define()
    world.until(1.5)
    with world.db.read() as tx:
        (before,) = group_state.load_dags(tx, [dag.dag_pk for dag in dags.list_dags(tx)])
    world.deployment.add_dags([replace(spec, misfire="skip", overlap="skip", jitter_s=5.0)], 2)
    world.until(1.6)
    with world.db.read() as tx:
        (after,) = group_state.load_dags(tx, [before.dag_pk])
    assert (after.cursor, after.next_run, after.live_at) == (before.cursor, before.next_run, before.live_at)
