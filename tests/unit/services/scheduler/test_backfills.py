"""Backfills with the real store and scheduler: their runs, their limit, scheduled runs beside them, other DAGs, and crashes."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.databases import create_file, new_database
from tests.unit.rules.engine.told import tell_run
from tests.unit.services.scheduler.between import DAY, HOUR, START, Cut, World, cron

from gnomon.model.accounts import Author
from gnomon.model.backfills import BackfillRecord
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import RunRecord
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunType
from gnomon.model.upstream_edges import DependencySpec
from gnomon.queries.report.explanations.run_explanation import explain_run
from gnomon.queries.report.listings.backfill_list import BackfillRow, build_backfill_rows
from gnomon.rules.engine.conditions.dag_conditions import list_dag_conditions
from gnomon.storage.store import BackfillActive
from gnomon.storage.store.admin import pools
from gnomon.storage.store.dag_records import backfills
from gnomon.storage.store.pages.run_pages import read_run_counts_of_dags
from gnomon.testing import Play
from gnomon.timetables import CronDataIntervalTimetable, EventsTimetable, Timetable

HOURLY = "0 * * * *"


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    create_file(tmp_path / "gnomon.db")
    return f"sqlite:///{tmp_path / 'gnomon.db'}"


@pytest.fixture
def world(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    made = World(sqlite_url, monkeypatch)
    yield made
    made.db.close()


def create(
    world: World,
    dag_id: str,
    first: float,
    last: float,
    *,
    reprocess: str = "none",
    most: int = 10,
    backwards: bool = False,
    conf: dict[str, object] | None = None,
    now: Instant | None = None,
) -> BackfillRecord:
    """A backfill over slots from `first` to `last`, in hours after START."""
    dag = world.record(dag_id)
    wanted = BackfillRecord(
        0,
        dag.dag_pk,
        dag.group_no,
        START + int(first * HOUR),
        START + int(last * HOUR),
        reprocess,
        most,
        backwards,
        conf or {},  # type: ignore[arg-type]
        world.clock.now() if now is None else now,
        "ann",
    )
    with world.writing() as tx:
        return backfills.create_backfill(tx, wanted)


def row(world: World, made: BackfillRecord, dag_id: str = "a") -> BackfillRow:
    with world.db.read() as tx:
        record = backfills.find_backfill(tx, made.backfill_pk)
        assert record is not None
        return build_backfill_rows(tx, [(dag_id, record)])[0]


def dag(world: World, dag_id: str = "a", timetable: Timetable | None = None, **options: object) -> None:
    """A DAG whose own schedule has nothing to do: it begins in a year."""
    world.dag(dag_id, timetable or cron(HOURLY), **{"start_at": START + 365 * DAY, **options})  # type: ignore[arg-type]


def most_at_once(runs: dict[float, RunRecord]) -> int:
    """The largest number of runs that were running at the same time."""
    moments = [(run.started_at, 1) for run in runs.values()] + [(run.ended_at, -1) for run in runs.values()]
    running = most = 0
    for _, change in sorted(moments):
        running += change
        most = max(most, running)
    return most


def test_each_slot_of_the_range_gets_one_run_of_type_backfill_in_order(world: World) -> None:
    dag(world, run_s=60)
    made = create(world, "a", -5, -1, most=1)
    world.until(1)
    runs = world.runs("a")
    assert world.states("a") == dict.fromkeys([-5.0, -4.0, -3.0, -2.0, -1.0], "success")
    assert {run.run_type.value for run in runs.values()} == {"backfill"}
    assert runs[-5].run_id == "backfill__2025-12-31T19:00:00+00:00"
    assert sorted(runs.values(), key=lambda run: run.started_at or 0) == [runs[hour] for hour in sorted(runs)]
    assert (row(world, made).state, row(world, made).success, row(world, made).slots) == ("complete", 5, 5)


def test_the_limit_of_the_backfill_counts_its_runs_alone(world: World) -> None:
    dag(world, run_s=600, max_active_runs=1)
    create(world, "a", -20, -1, most=3)
    world.until(3)
    assert most_at_once(world.runs("a")) == 3
    assert Counter(world.states("a").values()) == {"success": 20}


def test_backwards_the_newest_slot_runs_first(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnomon.services.scheduler.backfill_planner.SLOTS_PER_BATCH", 7)
    dag(world, run_s=60)
    create(world, "a", -40, -1, most=1, backwards=True)
    world.until(1)
    started = sorted((at, hour) for hour, at in world.started("a").items())
    assert [hour for _, hour in started] == [float(-n) for n in range(1, 41)]


def test_slots_are_those_of_data_intervals_events_and_months_too(world: World) -> None:
    dag(world, "a", CronDataIntervalTimetable("0 0 * * *", "UTC"))
    dag(world, "b", EventsTimetable([_moment(-30), _moment(-10), _moment(-2), _moment(5)]))
    create(world, "a", -72, -24)
    create(world, "b", -30, 24)
    world.until(1)
    assert sorted(world.runs("a")) == [-48.0, -24.0, 0.0]
    assert sorted(world.runs("b")) == [-30.0, -10.0, -2.0]


FAULT: list[str] = []
"""While there is something in it, the timetable of the author fails with it."""


class OddHours(Timetable):
    """A timetable as an author writes it: every other hour, one hour after its interval."""

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        return DataInterval.exact(run_after)

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        if FAULT:
            raise ValueError(FAULT[0])
        begin = (
            restriction.earliest
            if last_automated_data_interval is None
            else last_automated_data_interval.start + timedelta(hours=2)
        )
        return (
            None
            if begin is None
            else DagRunInfo(begin + timedelta(hours=3), DataInterval(begin, begin + timedelta(hours=2)))
        )

    def generate_run_id(
        self, *, run_type: DagRunType, run_after: datetime, data_interval: DataInterval | None, **extra: object
    ) -> str:
        return f"{run_type.value}__odd_{run_after:%d_%H}"


def test_the_slots_of_an_authors_timetable_are_found_in_its_host(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnomon.services.scheduler.backfill_planner.SLOTS_PER_BATCH", 3)
    world.dag("a", OddHours(), start_at=START + 365 * DAY, run_s=1)
    made = create(world, "a", -20, -4)
    world.until(1)
    runs = world.runs("a")
    assert sorted(runs) == [float(hour) for hour in range(-17, 1, 2)]
    assert runs[-17.0].run_id == "backfill__odd_31_07"
    assert set(world.states("a").values()) == {"success"}
    assert row(world, made).state == "complete"


def test_a_timetable_that_fails_stops_its_backfill_with_the_reason_until_it_works_again(world: World) -> None:
    world.dag("a", OddHours(), start_at=START + 365 * DAY, run_s=1)
    FAULT.append("the office is closed")
    try:
        made = create(world, "a", -20, -4)
        world.until(0.5)
        assert row(world, made).state == "planning"
        assert "OddHours.next_dagrun_info raised ValueError: the office is closed" in (row(world, made).error or "")
    finally:
        FAULT.clear()
    world.until(1)
    assert (row(world, made).state, row(world, made).success, row(world, made).error) == ("complete", 9, None)


def _moment(hours: float):  # type: ignore[no-untyped-def]
    from gnomon.model.instants import to_datetime

    return to_datetime(START + int(hours * HOUR))


def test_runs_of_a_dag_in_the_range_are_left_or_run_again_as_asked(world: World) -> None:
    fails = {START - 3 * HOUR}
    dag(world)
    world.plays["a"] = lambda attempt: Play(1.0, outcome="failed" if attempt.run.run_after in fails else "success")
    create(world, "a", -4, -2)
    world.until(1)
    assert world.states("a") == {-4.0: "success", -3.0: "failed", -2.0: "success"}
    first = world.runs("a")
    left = create(world, "a", -4, -1)
    world.until(2)
    assert row(world, left).left == 3
    assert row(world, left).success == 1
    assert {hour: run.clear_number for hour, run in world.runs("a").items()} == {-4.0: 0, -3.0: 0, -2.0: 0, -1.0: 0}
    fails.clear()
    again = create(world, "a", -4, -1, reprocess="failed", conf={"k": 1})
    world.until(3)
    assert {hour: run.clear_number for hour, run in world.runs("a").items()} == {-4.0: 0, -3.0: 1, -2.0: 0, -1.0: 0}
    assert world.run("a", -3).conf == {"k": 1}
    assert (row(world, again).success, row(world, again).left, row(world, again).state) == (1, 3, "complete")
    create(world, "a", -4, -1, reprocess="completed", most=1)
    world.until(4)
    assert [run.clear_number for run in world.runs("a").values()] == [1, 2, 1, 1]
    assert {run.run_pk for run in first.values()} < {run.run_pk for run in world.runs("a").values()}


def test_a_scheduled_run_becomes_a_run_of_the_backfill_that_runs_it_again(world: World) -> None:
    world.dag("a", cron(HOURLY), run_s=1)
    world.until(3)
    assert {run.run_type.value for run in world.runs("a").values()} == {"scheduled"}
    create(world, "a", 1, 2, reprocess="completed")
    world.until(3.5)
    assert {hour: (run.run_type.value, run.clear_number) for hour, run in world.runs("a").items()} == {
        0.0: ("scheduled", 0),
        1.0: ("backfill", 1),
        2.0: ("backfill", 1),
        3.0: ("scheduled", 0),
    }


def test_a_slot_that_a_backfill_took_gets_no_second_run_and_planning_goes_on(world: World) -> None:
    world.dag("a", cron(HOURLY), run_s=1, start_at=START - 50 * HOUR, max_active_runs=1)
    world.pause("a")
    create(world, "a", -40, -30)
    world.until(0.1)
    assert len(world.runs("a")) == 11
    world.pause("a", False)
    world.until(2.5)
    assert sorted(world.runs("a")) == [float(hour) for hour in range(-50, 3)]
    assert Counter(run.run_type.value for run in world.runs("a").values()) == {"backfill": 11, "scheduled": 42}
    assert set(world.states("a").values()) == {"success"}


def test_scheduled_runs_keep_their_times_beside_a_long_backfill_on_few_slots(world: World) -> None:
    world.settings = replace(world.settings, limits=replace(world.settings.limits, parallelism=2))
    world.dag("a", cron(HOURLY), run_s=300)
    create(world, "a", -500, -1, most=50)
    world.until(8)
    scheduled = {hour: at for hour, at in world.started("a").items() if hour >= 0}
    assert scheduled == {float(hour): float(hour) for hour in range(9)}
    ended = [run for hour, run in world.runs("a").items() if 0 <= hour < 8]
    assert all(run.ended_at is not None and run.ended_at - run.run_after <= 600 * SECOND for run in ended)
    assert Counter(run.run_type.value for run in world.runs("a").values() if run.ended_at)["backfill"] > 100


def test_scheduled_tasks_come_first_also_from_another_pool_and_with_a_lower_priority(world: World) -> None:
    world.settings = replace(world.settings, limits=replace(world.settings.limits, parallelism=1))
    with world.writing() as tx:
        pools.set_pool(tx, "wide", 100)
    dag(world, "b", tasks=(TaskSpec(task_id="t", pool="wide", effective_priority=99),), run_s=60)
    world.dag(
        "s", cron(HOURLY), tasks=tuple(TaskSpec(task_id=f"t{n}", effective_priority=1) for n in range(4)), run_s=60
    )
    create(world, "b", -1000, -1, most=30)
    world.until(3)
    ended = {hour: (run.ended_at or 0) - run.run_after for hour, run in world.runs("s").items() if hour in (1.0, 2.0)}
    assert all(spent <= 5 * 60 * SECOND for spent in ended.values()), ended
    assert Counter(world.states("b").values())["success"] > 100


def test_a_pause_stops_further_runs_and_unpausing_continues(world: World) -> None:
    dag(world, run_s=600)
    made = create(world, "a", -10, -1, most=2)
    world.until(0.1)
    with world.writing() as tx:
        assert backfills.set_backfill_paused(tx, made, True, Author("ann", world.clock.now()))
        assert not backfills.set_backfill_paused(tx, made, True, Author("ann", world.clock.now()))
    world.until(5)
    assert Counter(world.states("a").values()) == {"success": 2, "queued": 8}
    assert row(world, made).state == "paused"
    with world.writing() as tx:
        backfills.set_backfill_paused(tx, made, False, Author("ann", world.clock.now()))
    world.until(10)
    assert Counter(world.states("a").values()) == {"success": 10}


def test_cancelling_fails_queued_runs_with_the_reason_and_lets_running_ones_end(world: World) -> None:
    dag(world, run_s=600, max_consecutive_failed_dag_runs=2)
    made = create(world, "a", -1000, -1, most=2)
    world.until(0.1)
    with world.writing() as tx:
        assert backfills.cancel_backfill(tx, made, Author("ann", world.clock.now()))
    world.until(0.11)
    assert Counter(world.states("a").values()) == {"running": 2, "failed": 998}
    assert {run.reason for run in world.runs("a").values() if run.state.value == "failed"} == {
        f"backfill {made.backfill_pk} was cancelled by ann"
    }
    assert row(world, made).state == "cancelled"
    assert row(world, made).completed_at is not None
    world.until(1)
    assert Counter(world.states("a").values()) == {"success": 2, "failed": 998}
    assert not world.record("a").paused
    with world.db.read() as tx:
        assert {state.value: n for state, n in read_run_counts_of_dags(tx, [made.dag_pk])[made.dag_pk].items()} == {
            "success": 2,
            "failed": 998,
        }
    create(world, "a", -10, -1, reprocess="failed")
    world.until(2)
    assert Counter(world.states("a").values()) == {"success": 12, "failed": 988}


def test_one_backfill_at_a_time_for_each_dag(world: World) -> None:
    dag(world, run_s=600)
    made = create(world, "a", -2, -1)
    with pytest.raises(
        BackfillActive,
        match=rf"backfill {made.backfill_pk} of this DAG has not ended; .* gnomon backfill cancel {made.backfill_pk}",
    ):
        create(world, "a", -20, -10)
    world.until(1)
    create(world, "a", -20, -10)


def test_a_paused_dag_gets_its_runs_and_starts_none(world: World) -> None:
    dag(world)
    world.pause("a")
    create(world, "a", -5, -1)
    world.until(1)
    assert Counter(world.states("a").values()) == {"queued": 5}
    world.pause("a", False)
    world.until(2)
    assert Counter(world.states("a").values()) == {"success": 5}


def test_depends_on_past_holds_within_the_backfill_and_its_first_run_depends_on_none(world: World) -> None:
    fails = {START - 10 * HOUR, START - 7 * HOUR}
    dag(world, tasks=(TaskSpec(task_id="t", depends_on_past=True),))
    world.plays["a"] = lambda attempt: Play(60.0, outcome="failed" if attempt.run.run_after in fails else "success")
    create(world, "a", -10, -10)
    world.until(1)
    assert world.states("a") == {-10.0: "failed"}
    create(world, "a", -9, -5, most=5)
    world.until(3)
    assert world.states("a") == {
        -10.0: "failed",
        -9.0: "success",
        -8.0: "success",
        -7.0: "failed",
        -6.0: "running",
        -5.0: "running",
    }
    assert most_at_once({hour: run for hour, run in world.runs("a").items() if hour < -6 and run.ended_at}) >= 1


def test_a_run_waits_for_the_backfilled_runs_of_another_dag(world: World) -> None:
    dag(world, "up", run_s=1200)
    world.dag("down", cron(HOURLY), DependencySpec(dag_id="up"), start_at=START + 365 * DAY, run_s=60)
    world.pause("up")
    create(world, "up", -6, -2, most=1)
    create(world, "down", -6, -2)
    world.until(1)
    assert Counter(world.states("down").values()) == {"queued": 5}
    world.pause("up", False)
    world.until(4)
    ups, downs = world.runs("up"), world.runs("down")
    assert {hour: downs[hour].started_at for hour in downs} == {hour: ups[hour].ended_at for hour in ups}


@pytest.mark.parametrize("order", [("up", "down"), ("down", "up")])
def test_where_two_backfills_overlap_runs_wait_also_for_runs_that_are_not_created_yet(
    world: World, monkeypatch: pytest.MonkeyPatch, order: tuple[str, str]
) -> None:
    monkeypatch.setattr("gnomon.services.scheduler.backfill_planner.SLOTS_PER_BATCH", 2)
    world.dag("up", cron("0 12 * * *"), run_s=60, start_at=START - 100 * DAY, catchup=False)
    world.dag(
        "down", cron("0 12 * * *"), DependencySpec(dag_id="up"), run_s=60, start_at=START - 100 * DAY, catchup=False
    )
    world.until(1)
    ranges = {"up": (-12 - 24 * 9, -12 - 24 * 5), "down": (-12 - 24 * 9, -12 - 24 * 2)}
    for dag_id in order:
        create(world, dag_id, *ranges[dag_id], most=1)
    world.until(2)
    ups, downs = world.runs("up"), world.runs("down")
    overlap = [float(-12 - 24 * n) for n in range(5, 10)]
    assert all(downs[hour].state.value == ups[hour].state.value == "success" for hour in overlap)
    assert all((downs[hour].started_at or 0) >= (ups[hour].ended_at or 2**60) for hour in overlap)
    assert all(downs[float(-12 - 24 * n)].state.value == "success" for n in (2, 3, 4))


def test_explain_names_the_backfill_and_its_limit(world: World) -> None:
    dag(world, run_s=600)
    made = create(world, "a", -100, -1, most=2)
    world.until(0.05)
    for hour in (-98.0, -1.0):  # in memory, and in the store until its turn comes
        with world.db.read() as tx:
            sentences = explain_run(
                tx, world.record("a"), world.run("a", hour), world.settings.limits, world.clock.now()
            )
        assert (
            f"queued: max_active_runs=2 of backfill {made.backfill_pk} is reached by 2 running runs" in sentences.texts
        )
    with world.writing() as tx:
        backfills.set_backfill_paused(tx, made, True, Author("ann", world.clock.now()))
    world.until(0.06)
    with world.db.read() as tx:
        sentences = explain_run(tx, world.record("a"), world.run("a", -1.0), world.settings.limits, world.clock.now())
    assert (
        f"queued: backfill {made.backfill_pk} is paused; continue it with: gnomon backfill unpause {made.backfill_pk}"
        in sentences.texts
    )
    service = world.schedulers[0].service
    assert service is not None
    assert any(
        "no run of its backfill starts" in condition.text
        for condition in list_dag_conditions(service.engine_state, made.dag_pk, world.clock.now())
    )


def test_memory_holds_few_of_the_queued_runs_of_a_long_backfill(world: World) -> None:
    dag(world, run_s=600)
    create(world, "a", -8760, -1, most=4)
    world.until(2)
    service = world.schedulers[0].service
    assert service is not None
    assert len(service.engine_state.runs) <= 12
    assert len(world.runs("a")) == 8760


def test_a_cleared_run_of_an_ended_backfill_runs_again(world: World) -> None:
    dag(world)
    create(world, "a", -2, -1)
    world.until(1)
    run = world.run("a", -1)
    world.ask("clear", "a", run, tasks=None, only_failed=False)
    world.until(2)
    assert (world.run("a", -1).state.value, world.run("a", -1).clear_number) == ("success", 1)


def test_a_cleared_run_of_an_ended_backfill_keeps_the_limit_of_its_backfill(world: World) -> None:
    dag(world, run_s=600, max_active_runs=1)
    made = create(world, "a", -4, -1, most=2)
    world.until(1)
    for hour in (-4, -3, -2, -1):
        world.ask("clear", "a", world.run("a", hour), tasks=None, only_failed=False)
    world.until(1.05)
    assert Counter(world.states("a").values()) == {"running": 2, "queued": 2}
    service = world.schedulers[0].service
    assert service is not None
    assert tell_run(service.engine_state, world.run("a", -1).run_pk, world.clock.now()) == [
        f"queued: max_active_runs=2 of backfill {made.backfill_pk} is reached by 2 running runs"
    ]
    world.until(2)
    assert Counter(world.states("a").values()) == {"success": 4}
    assert not service.engine_state.dags[made.dag_pk].backfills


@pytest.mark.parametrize("fault", ["crash_before", "crash_after", "uncertain_lost", "uncertain_done"])
def test_no_run_is_lost_or_doubled_whichever_commit_fails(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """Each commit of the scheduler meets the fault, one after the other: creation in batches, window, reprocessing, the end."""
    monkeypatch.setattr("gnomon.services.scheduler.backfill_planner.SLOTS_PER_BATCH", 3)
    plain = Path(sqlite_url.removeprefix("sqlite:///"))
    for number in range(1, 60):
        path = plain.with_name(f"{number}.db")
        shutil.copy(plain, path)
        world = World(f"sqlite:///{path}", monkeypatch)
        dag(world, run_s=60)
        create(world, "a", -3, -2)
        world.until(1)
        before = world.schedulers[0].crash_count
        cut = world.schedulers[0].db.plan = Cut(number, fault)  # type: ignore[assignment]
        made = create(world, "a", -8, -1, reprocess="completed", most=3)
        world.until(3)
        assert Counter(world.states("a").values()) == {"success": 8}, number
        assert {hour: run.clear_number for hour, run in world.runs("a").items()} == {
            float(hour): int(hour in (-3, -2)) for hour in range(-8, 0)
        }, number
        assert (row(world, made).state, row(world, made).slots, row(world, made).success) == ("complete", 8, 8), number
        assert most_at_once(world.runs("a")) <= 3
        world.db.close()
        path.unlink()
        if cut.left > 0:
            assert number > 5
            return
        assert world.schedulers[0].crash_count > before or "uncertain" in fault
    raise AssertionError("the backfill took more commits than expected")


@pytest.mark.postgres
def test_the_same_on_postgresql(monkeypatch: pytest.MonkeyPatch) -> None:
    checks: list[Callable[[World], None]] = [
        test_runs_of_a_dag_in_the_range_are_left_or_run_again_as_asked,
        test_cancelling_fails_queued_runs_with_the_reason_and_lets_running_ones_end,
        test_a_run_waits_for_the_backfilled_runs_of_another_dag,
    ]
    for check in checks:
        with new_database("postgresql") as url:
            made = World(url, monkeypatch)
            check(made)
            made.db.close()


@pytest.mark.soak
def test_a_year_of_hours_of_ten_dags_beside_scheduled_runs(world: World) -> None:
    """87,600 runs are planned in few rounds, and run under their limits; no scheduled run is late."""
    names = [f"d{n}" for n in range(10)]
    for name in names:
        world.dag(name, cron(HOURLY), run_s=20)
    made = {name: create(world, name, -8760, -1, most=20) for name in names}
    world.until(6)
    for name in names:
        assert row(world, made[name], name).slots == 8760
        assert {hour: at for hour, at in world.started(name).items() if hour >= 0} == {
            float(hour): float(hour) for hour in range(7)
        }
        assert most_at_once({hour: run for hour, run in world.runs(name).items() if hour < 0 and run.ended_at}) <= 20
