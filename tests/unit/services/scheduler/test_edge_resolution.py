"""Runs that wait for runs of other DAGs, with the real store: by one scheduler, and by two that own different groups."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import create_file, new_database
from tests.unit.services.scheduler.between import HOUR, MINUTE, START, Cut, World, cron

from gnomon.model.ids import group_of
from gnomon.model.instants import Instant
from gnomon.model.records import RunRecord
from gnomon.model.run_waits import NO_SLOT, WaitState
from gnomon.model.spec import TaskSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.rules.engine import events as e
from gnomon.services.scheduler.edge_resolution import EdgeResolver
from gnomon.services.scheduler.settings import RESOLVED_MAX
from gnomon.storage.store import RunExists, Transaction
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import upstream_dags
from gnomon.storage.store.dag_records.dag_runs import list_task_states
from gnomon.testing import Play
from gnomon.timetables import CronDataIntervalTimetable

TEN_MINUTES = 1 / 6
APART = ("down", "late", "chained")


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    create_file(tmp_path / "gnomon.db")
    return f"sqlite:///{tmp_path / 'gnomon.db'}"


@pytest.fixture(params=[1, 2], ids=["one scheduler", "two schedulers"])
def world(request: pytest.FixtureRequest, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """`up` and `other` are of one scheduler; `down`, `late` and `chained` are of it too, or of the other."""
    made = World(sqlite_url, monkeypatch, *([APART] if request.param == 2 else []))
    yield made
    made.db.close()


@pytest.fixture(
    params=[1, 2, pytest.param(0, marks=pytest.mark.postgres)], ids=["one scheduler", "two schedulers", "postgresql"]
)
def any_world(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The same; and two schedulers on PostgreSQL."""
    if request.param:
        made = World(request.getfixturevalue("sqlite_url"), monkeypatch, *([APART] if request.param == 2 else []))
        yield made
        made.db.close()
        return
    with new_database("postgresql", keeps_sessions=True) as url:
        made = World(url, monkeypatch, APART)
        yield made
        made.db.close()


def test_the_dags_of_these_tests_are_in_different_groups() -> None:
    assert len({group_of(dag_id) for dag_id in ("up", "other", "down", "late", "chained")}) == 5


def test_a_run_starts_when_its_upstream_has_ended_and_not_before(any_world: World) -> None:
    world = any_world
    world.dag("up", cron("0 * * * *"), run_s=600)
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"), run_s=60)
    world.dag("late", cron("30 * * * *"), DependencySpec(dag_id="up"))
    world.dag("chained", cron("0 * * * *"), DependencySpec(dag_id="down"), DependencySpec(dag_id="up"))
    world.until(3.9)
    hours = [0, 1, 2, 3]
    assert world.started("down") == {hour: hour + TEN_MINUTES for hour in hours}
    assert world.started("late") == {hour + 0.5: hour + 0.5 for hour in hours}
    assert world.started("chained") == {hour: pytest.approx(hour + 11 / 60) for hour in hours}
    assert {wait.state for hour in hours for wait in world.waits("down", hour)} == {WaitState.MET}


def test_a_waiting_run_says_what_it_waits_for_and_takes_no_place(world: World) -> None:
    world.dag("up", cron("0 * * * *"), run_s=6000, max_active_runs=1)
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"), max_active_runs=1)
    world.until(1.5)
    assert {hour: run.reason for hour, run in world.runs("down").items()} == {0: "waits for up", 1: "waits for up"}
    world.until(5.5)
    assert world.started("down") == {0: pytest.approx(100 / 60), 1: pytest.approx(200 / 60), 2: pytest.approx(300 / 60)}


def test_a_long_catch_up_waits_for_each_slot_of_its_own(world: World) -> None:
    world.dag("up", cron("0 * * * *"), run_s=30, start_at=START - 150 * HOUR, max_active_runs=4)
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"), start_at=START - 150 * HOUR, max_active_runs=7)
    world.until(2)
    up, down = world.runs("up"), world.runs("down")
    assert len(down) == 153 and set(world.states("down").values()) == {"success", "queued"}
    assert [hour for hour, state in world.states("down").items() if state == "queued"] == [2]
    for hour, run in down.items():
        if hour < 2:
            assert run.started_at == up[hour].ended_at


def test_runs_ahead_are_no_more_than_may_wait(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(sqlite_url, monkeypatch, max_waiting_runs=5)
    world.dag("up", cron("0 * * * *"), run_s=60, start_at=START - 20 * HOUR, paused_upon_creation=True)
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"), start_at=START - 20 * HOUR, max_active_runs=2)
    world.until(0.5)
    assert len(world.runs("down")) == 5 and not world.started("down")
    world.pause("up", False)
    world.until(3.5)
    assert set(world.states("down").values()) == {"success"} and len(world.runs("down")) == 24
    world.db.close()


# ---- what becomes of slots -------------------------------------------------------------------------------------------
def test_slots_that_a_pause_leaves_out_are_waited_for_no_longer(any_world: World) -> None:
    world = any_world
    world.dag("up", cron("0 * * * *"), run_s=600, catchup=False)
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"))
    world.until(0.5)
    world.pause("up")
    world.until(3.5)
    assert world.started("down") == {0: TEN_MINUTES}, "whoever pauses a DAG may let it go on"
    world.pause("up", False)
    world.until(3.9)
    there = world.runs("up")
    assert set(there) == {0, 3}
    expected = {0: TEN_MINUTES, 1: 3.5, 2: 3.5, 3: pytest.approx(3.5 + TEN_MINUTES)}
    assert world.started("down") == expected
    (wait,) = world.waits("down", 1)
    assert wait.state is WaitState.ABSENT and wait.note is not None and "catchup=False" in wait.note


@pytest.mark.parametrize("take", ["all", "last"])
def test_slots_before_the_first_run_of_a_dag_that_is_let_run_late_are_waited_for_no_longer(
    world: World, take: str
) -> None:
    world.dag("up", cron("0 3 * * *"), run_s=600, catchup=False, catchup_window_s=0.0, paused_upon_creation=True)
    world.dag("down", cron("0 3 * * *"), DependencySpec(dag_id="up", take=take))
    world.until(4.5)
    assert world.started("down") == {}
    world.pause("up", False)
    world.until(4.9)
    assert world.runs("up") == {} and world.started("down") == {3: 4.5}
    world.until(27.9)
    assert world.started("down") == {3: 4.5, 27: 27 + TEN_MINUTES}


def test_a_dag_that_nobody_knows_is_waited_for_until_it_is_there(world: World) -> None:
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"))
    world.until(1.5)
    assert [wait.up_at for wait in world.waits("down", 0)] == [NO_SLOT]
    assert world.run("down", 0).reason == "waits for up (there is no DAG up)"
    world.dag("up", cron("0 * * * *"), run_s=600)
    world.until(1.9)
    assert world.started("down") == {0: 1.5 + TEN_MINUTES, 1: 1.5 + TEN_MINUTES}


def test_another_schedule_of_the_upstream_gives_other_slots(any_world: World) -> None:
    world = any_world
    world.dag("up", cron("30 * * * *"), run_s=60)
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"))
    world.until(1.25)
    assert [wait.up_at for wait in world.waits("down", 1)] == [START + HOUR + 30 * MINUTE]
    world.dag("up", cron("45 * * * *"))
    world.until(1.7)
    assert [wait.up_at for wait in world.waits("down", 1)] == [START + HOUR + 45 * MINUTE]
    world.until(1.9)
    assert world.started("down") == {0: pytest.approx(31 / 60), 1: pytest.approx(1 + 46 / 60)}


def test_an_upstream_that_is_cleared_before_the_run_has_started_is_waited_for_again(any_world: World) -> None:
    world = any_world
    world.dag("up", cron("0 * * * *"), run_s=600)
    world.dag("other", cron("0 * * * *"), run_s=1800)
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"), DependencySpec(dag_id="other"))
    world.until(0.4)
    request = world.ask("clear", "up", world.run("up", 0), tasks=None)
    world.until(0.5)
    assert world.answer(request)[0] == "done"
    assert not world.started("down"), "met, and open again"
    world.until(0.9)
    assert world.started("down") == {0: 0.4 + TEN_MINUTES}


def test_an_upstream_that_fails_is_waited_for_until_it_is_cleared_and_succeeds(world: World) -> None:
    world.dag("up", cron("0 * * * *"))
    world.plays["up"] = lambda attempt: Play(1.0, outcome="failed", reason="by design")
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"))
    world.until(0.4)
    assert world.run("down", 0).reason == "waits for up (1 failed)"
    world.plays["up"] = lambda attempt: Play(0.0)
    world.ask("clear", "up", world.run("up", 0), tasks=None)
    world.until(0.5)
    assert world.started("down") == {0: 0.4}


def test_an_upstream_that_leaves_its_file_is_bad_and_waited_for_when_it_is_back(world: World) -> None:
    world.dag("up", cron("30 * * * *"), run_s=60)
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"))
    world.until(0.1)
    world.file_gone("up")
    world.until(0.9)
    (wait,) = world.waits("down", 0)
    assert wait.state is WaitState.BAD and wait.note == "no file defines DAG up any more"
    assert world.run("down", 0).reason == "waits for up (no file defines it any more)"
    world.dag("up", cron("30 * * * *"))
    world.until(0.99)
    assert world.states("up") == {0.5: "success"}
    assert world.states("down") == {0: "success"}


def test_a_run_under_way_of_a_dag_that_leaves_its_file_is_bad_until_it_is_back(any_world: World) -> None:
    world = any_world
    chain = (TaskSpec(task_id="first"), TaskSpec(task_id="last", upstream=("first",)))
    world.dag("up", cron("0 * * * *"), run_s=600, tasks=chain)
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"))
    world.dag("late", cron("30 * * * *"), DependencySpec(dag_id="up"))
    world.dag("chained", cron("0 * * * *"), DependencySpec(dag_id="up", on_failure="cancel"))
    world.until(0.1)
    world.file_gone("up")
    world.until(0.6)
    for dag_id, hour in (("down", 0), ("late", 0.5)):
        assert world.run(dag_id, hour).reason == "waits for up (no file defines it any more)"
    assert world.run("chained", 0).reason == "cancelled: up: no file defines DAG up any more"
    world.dag("up", cron("0 * * * *"), tasks=chain)
    world.until(0.9)
    assert world.started("down")[0] == world.started("late")[0.5] == pytest.approx(0.6 + TEN_MINUTES)


def test_a_dag_waits_for_its_own_run_before(world: World) -> None:
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="down", previous=2), run_s=5400, max_active_runs=16)
    world.until(5.9)
    assert world.started("down") == {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5}
    world.dag(
        "late", cron("0 * * * *"), DependencySpec(dag_id="late", previous=1), run_s=5400, start_at=START + 6 * HOUR
    )
    world.until(9.9)
    assert world.started("late") == {6: 6, 7: 7.5, 8: 9}


def test_a_task_waits_while_the_rest_of_its_run_goes_on(world: World) -> None:
    world.dag(
        "up",
        cron("0 * * * *"),
        tasks=(TaskSpec(task_id="load"), TaskSpec(task_id="clean", upstream=("load",))),
        run_s=600,
    )
    tasks = (
        TaskSpec(task_id="first"),
        TaskSpec(task_id="use", depends_on=(DependencySpec(dag_id="up", task_id="load"),)),
    )
    world.dag("down", cron("0 * * * *"), tasks=tasks)
    world.until(0.9)
    run = world.run("down", 0)
    with world.db.read() as tx:
        started = [row.started_at for row in sorted(list_task_states(tx, run.run_pk), key=lambda row: row.task_no)]
    assert run.started_at == START and started == [START, START + 10 * MINUTE]


def test_a_run_by_hand_in_the_place_of_a_planned_one_is_waited_for(world: World) -> None:
    world.dag("up", cron("0 * * * *"), run_s=6000)
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"))
    world.until(0.5)
    world.by_hand("up", START + HOUR)
    world.until(1.9)
    assert set(world.runs("up")) == {0, 0.5} and world.run("up", 0.5).stands_for == START + HOUR
    assert world.states("down") == {0: "success", 1: "queued"}
    world.until(2.9)
    assert world.started("down")[1] == pytest.approx(0.5 + 6000 / 3600)


@pytest.fixture
def passed(any_world: World) -> World:
    """It is 3:54; the slots of 1:00 and 2:00 of `up` were passed, and `down` waits for them."""
    return _with_passed(any_world, DependencySpec(dag_id="up", on_absent="wait"))


def _with_passed(world: World, *after: DependencySpec) -> World:
    world.dag("up", cron("0 * * * *"), run_s=600, catchup=False)
    world.dag("down", cron("0 * * * *"), *after)
    world.until(0.5)
    world.pause("up")
    world.until(3.5)
    world.pause("up", False)
    world.until(3.9)
    return world


def test_a_run_by_hand_of_a_slot_that_was_passed_is_what_its_waits_hoped_for(passed: World) -> None:
    (wait,) = passed.waits("down", 2)
    assert wait.state is WaitState.OPEN and wait.note is not None and "catchup=False" in wait.note
    passed.by_hand("up", START + 2 * HOUR)
    passed.until(4.05)
    assert passed.run("up", 3.9).stands_for == START + 2 * HOUR and 2 not in passed.started("down")
    passed.until(4.5)
    assert passed.started("down")[2] == pytest.approx(3.9 + TEN_MINUTES)
    assert passed.states("down") == {0: "success", 1: "queued", 2: "success", 3: "success", 4: "success"}


def test_a_run_by_hand_at_no_slot_stands_for_nothing(passed: World) -> None:
    passed.by_hand("up", START + 2 * HOUR + 30 * MINUTE)
    passed.until(5.5)
    assert passed.states("up")[3.9] == "success" and passed.run("up", 3.9).stands_for is None
    assert {hour for hour, state in passed.states("down").items() if state == "queued"} == {1, 2}


@pytest.mark.parametrize("ends_at", [5.5, 7.5], ids=["before", "after"])
@pytest.mark.parametrize("on_absent", ["ignore", "wait", "fail"])
def test_a_run_that_is_planned_later_finds_the_run_by_hand_of_a_passed_slot(
    world: World, on_absent: str, ends_at: float
) -> None:
    _with_passed(world)
    world.plays["up"] = lambda attempt: Play((ends_at - 5) * 3600 if attempt.run.run_id == "by_hand" else 60)
    world.dag(
        "late",
        cron("0 * * * *"),
        DependencySpec(dag_id="up", previous=5, on_absent=on_absent),
        start_at=START + 6 * HOUR,
    )
    world.until(5)
    world.by_hand("up", START + 2 * HOUR)
    world.until(8)
    assert world.started("late") == {
        hour: pytest.approx(at)
        for hour, at in {
            "ignore": {6: 6, 7: max(7, ends_at), 8: 8},
            "wait": {7: max(7, ends_at), 8: 8},
            "fail": {7: max(7, ends_at), 8: 8},
        }[on_absent].items()
    }
    assert world.states("late")[6] == {"ignore": "success", "wait": "queued", "fail": "failed"}[on_absent]


@pytest.mark.parametrize(("on_failure", "state"), [("wait", "queued"), ("proceed", "success"), ("cancel", "failed")])
def test_a_run_by_hand_that_fails_counts_as_a_planned_one_does(world: World, on_failure: str, state: str) -> None:
    _with_passed(world, DependencySpec(dag_id="up", on_absent="wait", on_failure=on_failure))
    fails = [True]
    world.plays["up"] = lambda attempt: Play(60.0, outcome="failed" if fails else "success")
    run = world.by_hand("up", START + 2 * HOUR)
    world.until(3.99)
    assert world.states("down")[2] == state
    if on_failure == "wait":
        assert world.run("down", 2).reason == "waits for up (1 failed)"
        fails.clear()
        world.ask("clear", "up", run, tasks=None)
        world.until(4.5)
        assert world.states("down")[2] == "success"


def test_a_run_by_hand_that_is_deleted_leaves_its_slot_as_it_was_and_another_may_take_it(passed: World) -> None:
    first = passed.by_hand("up", START + 2 * HOUR)
    with pytest.raises(RunExists, match="'by_hand'"):
        passed.by_hand("up", START + 2 * HOUR, "again")
    with pytest.raises(RunExists, match="scheduled__"):
        passed.by_hand("up", START + 3 * HOUR, "again")
    passed.until(3.95)
    passed.ask("delete", "up", first)
    passed.until(4.2)
    (wait,) = passed.waits("down", 2)
    assert (wait.state, wait.note) == (WaitState.OPEN, "run by_hand was deleted")
    passed.by_hand("up", START + 2 * HOUR, "again")
    passed.until(4.9)
    assert passed.started("down")[2] == pytest.approx(4.2 + TEN_MINUTES)


def test_a_run_by_hand_that_is_cleared_before_those_who_wait_have_started_is_waited_for_again(any_world: World) -> None:
    any_world.dag("other", cron("0 * * * *"), run_s=5 * 3600, max_active_runs=9)
    world = _with_passed(any_world, DependencySpec(dag_id="up", on_absent="wait"), DependencySpec(dag_id="other"))
    run = world.by_hand("up", START + 2 * HOUR)
    world.until(6.9)
    assert {wait.up_dag: wait.state for wait in world.waits("down", 2)} == {
        "up": WaitState.MET,
        "other": WaitState.OPEN,
    }
    world.ask("clear", "up", run, tasks=None)
    world.until(6.95)
    assert {wait.up_dag: wait.state for wait in world.waits("down", 2)} == {
        "up": WaitState.OPEN,
        "other": WaitState.OPEN,
    }
    world.until(7.5)
    assert world.started("down")[2] == pytest.approx(6.9 + TEN_MINUTES)


def test_of_data_intervals_the_logical_date_is_the_start_and_the_slot_the_end(world: World) -> None:
    world.dag("up", CronDataIntervalTimetable("0 * * * *", "UTC"), run_s=600, catchup=False, start_at=START - 2 * HOUR)
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up", on_absent="wait"))
    world.until(0.5)
    world.pause("up")
    world.until(3.5)
    world.pause("up", False)
    world.until(3.9)
    run = world.by_hand("up", START + HOUR)
    world.until(4.9)
    assert run.stands_for == START + 2 * HOUR
    assert world.started("down")[2] == pytest.approx(3.9 + TEN_MINUTES) and 1 not in world.started("down")


def test_a_fault_at_one_edge_stands_on_its_runs_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    really = upstream_dags.list_slots_with_runs

    def slots_with_runs(tx: Transaction, dag_pk: int, start: Instant, end: Instant) -> list[Instant]:
        if broken and world.record("other").dag_pk == dag_pk:
            raise ZeroDivisionError("a fault of ours")
        return really(tx, dag_pk, start, end)

    broken = [True]
    monkeypatch.setattr(upstream_dags, "list_slots_with_runs", slots_with_runs)
    for dag_id in ("up", "other"):
        world.dag(dag_id, cron("0 * * * *"))
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"))
    world.dag("late", cron("0 * * * *"), DependencySpec(dag_id="other"))
    world.until(0.5)
    assert world.states("down") == {0: "success"} and "ZeroDivisionError: a fault of ours" in (
        world.run("late", 0).reason or ""
    )
    broken.clear()
    world.until(0.6)
    assert world.states("late") == {0: "success"}


def test_one_round_finds_so_many_edges_and_all_dags_get_their_turn(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(sqlite_url, monkeypatch)
    world.dag("up", cron("0 * * * *"), start_at=START - 400 * HOUR, paused_upon_creation=True)
    for dag_id in ("down", "late"):
        world.dag(
            dag_id, cron("0 * * * *"), DependencySpec(dag_id="up"), start_at=START - 400 * HOUR, max_active_runs=1000
        )
    found: list[Counter[int]] = []
    really = EdgeResolver.resolve_batch

    def find(self: EdgeResolver, now: Instant) -> list[e.EngineEvent]:
        events = really(self, now)
        found.append(Counter(world.schedulers[0].service.engine_state.runs[one.run_pk].record.dag_pk for one in events))  # type: ignore
        return events

    monkeypatch.setattr(EdgeResolver, "resolve_batch", find)
    world.until(0.5)
    rounds = [one for one in found if one]
    assert sum(rounds, Counter()).total() == 802 and max(one.total() for one in rounds) == RESOLVED_MAX
    ends = {dag_pk: max(i for i, one in enumerate(rounds) if dag_pk in one) for dag_pk in sum(rounds, Counter())}
    assert max(ends.values()) - min(ends.values()) <= 3, "they take turns"
    world.db.close()


# ---- what people ask for ---------------------------------------------------------------------------------------------
def test_a_run_that_is_released_waits_no_longer(world: World) -> None:
    world.dag("up", cron("0 * * * *"), run_s=6000)
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"))
    world.until(0.25)
    request = world.ask("release", "down", world.run("down", 0), up_dag="up", reason="it is known to be good")
    world.until(0.3)
    assert world.answer(request) == ("done", '{"released": ["up"]}')
    assert world.started("down") == {0: 0.25}
    (wait,) = world.waits("down", 0)
    assert wait.state is WaitState.RELEASED and "it is known to be good" in (wait.note or "")
    assert world.answer(world.ask("release", "down", world.run("down", 0), up_dag=None))[0] == "pending"
    world.until(0.31)


def test_several_dags_are_cleared_upstream_first_from_owner_to_owner(world: World) -> None:
    world.dag("up", cron("0 0 * * *"), run_s=600)
    world.dag("down", cron("0 0 * * *"), DependencySpec(dag_id="up"), run_s=600)
    world.dag("other", cron("0 0 * * *"), DependencySpec(dag_id="down"), run_s=600)
    world.until(1)
    assert world.started("other") == {0: pytest.approx(2 * TEN_MINUTES)}
    parts = [_part(dag_id, world.run(dag_id, 0)) for dag_id in ("up", "down", "other")]
    gone = {**parts[0], "run_id": "gone", "run_pk": 99_999}
    with world.writing() as tx:
        request = mailbox.submit_ordered_request(tx, by="ann", kind="clear", parts=[*parts, gone], at=world.clock.now())
    world.until(2)
    state, answer = world.answer(request)
    told = json.loads(answer or "")
    assert state == "done" and [(one["dag_id"], one.get("cleared"), one.get("error")) for one in told] == [
        ("up", ["t"], None),
        ("down", ["t"], None),
        ("other", ["t"], None),
        ("up", None, "the run no longer exists"),
    ]
    for place, dag_id in enumerate(("up", "down", "other")):
        assert world.started(dag_id) == {0: pytest.approx(1 + place * TEN_MINUTES)}, dag_id
    with world.db.read() as tx:
        assert not mailbox.read_messages(tx, range(64), 1)


@pytest.mark.parametrize("fault", ["crash_before", "crash_after", "uncertain_done"])
@pytest.mark.parametrize("whose", [0, 1])
def test_a_request_on_its_way_from_owner_to_owner_survives_any_fault(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, whose: int, fault: str
) -> None:
    world = World(sqlite_url, monkeypatch, APART)
    world.dag("up", cron("0 0 1 1 *"), run_s=60)
    world.dag("down", cron("0 0 1 1 *"), DependencySpec(dag_id="up"), run_s=60)
    world.dag("other", cron("0 0 1 1 *"), DependencySpec(dag_id="down"), run_s=60)
    world.until(0.5)
    met = 0
    while True:
        world.schedulers[whose].db.plan = cut = Cut(met + 1, fault)  # type: ignore[assignment]
        parts = [_part(dag_id, world.run(dag_id, 0)) for dag_id in ("up", "down", "other")]
        with world.writing() as tx:
            request = mailbox.submit_ordered_request(tx, by="ann", kind="clear", parts=parts, at=world.clock.now())
        before = (world.clock.now() - START) / HOUR
        world.until(before + 0.5)
        state, answer = world.answer(request)
        assert (state, [one.get("cleared") for one in json.loads(answer or "")]) == ("done", [["t"]] * 3), met
        starts = [world.started(dag_id)[0] for dag_id in ("up", "down", "other")]
        for start, following in zip([before, *starts], starts, strict=False):
            assert start <= following <= start + 64 / 3600, met
        assert [run.clear_number for dag_id in ("up", "down", "other") for run in world.runs(dag_id).values()] == [
            met + 1
        ] * 3
        if cut.left > 0:
            break
        met += 1
    assert met > 3
    world.db.close()


def _part(dag_id: str, run: RunRecord) -> dict[str, object]:
    return {
        "group_no": group_of(dag_id),
        "dag_id": dag_id,
        "run_id": run.run_id,
        "run_pk": run.run_pk,
        "tasks": None,
        "only_failed": False,
    }


# ---- lost wake-ups ---------------------------------------------------------------------------------------------------
FAULTS = ("crash_before", "crash_after", "uncertain_lost", "uncertain_done")


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_around_any_commit_of_one_owner_loses_a_wake_up(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    world = World(sqlite_url, monkeypatch)
    _meet_each(world, 0, fault)
    world.db.close()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("whose", [0, 1], ids=["the upstream's owner", "the downstream's owner"])
def test_no_fault_around_any_commit_of_either_owner_loses_a_wake_up(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, whose: int, fault: str
) -> None:
    world = World(sqlite_url, monkeypatch, APART)
    _meet_each(world, whose, fault)
    world.db.close()


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("whose", "fault"), [(0, "crash_after"), (0, "crash_before"), (1, "uncertain_done"), (1, "crash_after")]
)
def test_nor_on_postgresql(monkeypatch: pytest.MonkeyPatch, whose: int, fault: str) -> None:
    with new_database("postgresql", keeps_sessions=True) as url:
        world = World(url, monkeypatch, APART)
        _meet_each(world, whose, fault)
        world.db.close()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("whose", [0, 1], ids=["the upstream's owner", "the downstream's owner"])
def test_no_fault_around_any_commit_loses_the_end_of_a_run_by_hand(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, whose: int, fault: str
) -> None:
    """Each hour a slot is passed, and made by hand; the fault meets the next owner transaction of that hour."""
    world = World(sqlite_url, monkeypatch, APART)
    world.dag("up", cron("0 * * * *"), overlap="skip")
    world.plays["up"] = lambda attempt: Play(600.0 if attempt.run.run_type == "manual" else 1e6)
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up", on_absent="wait"), max_active_runs=99)
    met = 0
    while True:
        hour = met + 1
        world.until(hour - 0.05)
        world.schedulers[whose].db.plan = cut = Cut(met + 1, fault)  # type: ignore[assignment]
        world.until(hour + 0.5)
        world.by_hand("up", START + hour * HOUR, f"by_hand_{hour}")
        world.until(hour + 0.9)
        started = world.started("down").get(hour)
        slack = 0.0 if fault.startswith("crash") else 2 / 3600
        assert started is not None and -1e-6 < started - (hour + 0.5 + TEN_MINUTES) <= slack + 1e-6, (
            met,
            world.runs("down")[hour],
        )
        if cut.left > 0:
            break
        met += 1
    assert met > 3, "the hour has some transactions"
    world.db.close()


def _meet_each(world: World, whose: int, fault: str) -> None:
    """Each hour the fault meets the next owner transaction of that hour, until the hour has no more of them."""
    world.dag("up", cron("0 * * * *"), run_s=600)
    world.dag("other", cron("0 * * * *"), DependencySpec(dag_id="down"), run_s=60)
    world.dag(
        "down", cron("0 * * * *"), DependencySpec(dag_id="up"), DependencySpec(dag_id="other", previous=1), run_s=300
    )
    world.dag("late", cron("30 * * * *"), DependencySpec(dag_id="up"), DependencySpec(dag_id="other"))
    world.until(0.9)
    scheduler, met = world.schedulers[whose], 0
    while True:
        hour = met + 1
        world.until(hour - 0.05)
        scheduler.db.plan = cut = Cut(met + 1, fault)  # type: ignore[assignment]
        world.until(hour + 0.9)
        slack = 0.0 if fault.startswith("crash") else 2 / 3600
        for dag_id, at in (("up", hour), ("down", hour + TEN_MINUTES), ("other", hour + 0.25), ("late", hour + 0.5)):
            planned = hour + 0.5 if dag_id == "late" else hour
            started = world.started(dag_id).get(planned)
            assert started is not None and -1e-6 < started - at <= slack + 1e-6, (
                dag_id,
                met,
                world.runs(dag_id)[planned],
            )
        if cut.left > 0:
            break
        met += 1
    assert met > 8, "the hour has some transactions"
    assert all(set(world.states(dag_id).values()) == {"success"} for dag_id in ("up", "down", "other", "late"))
