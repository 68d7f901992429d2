"""What users of Airflow complain about, each as a test that its behaviour would fail: assets, mapped tasks, past runs, queues.

The numbers are issues of apache/airflow; the list is docs/contributing/airflow-surface.md, section I, and what Gnomon does about each is in
docs/contributing/complaints.md. Further ones: `test_complaints_schedules.py`, `test_complaints_triggers.py`.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.databases import create_file
from tests.simulation.asset_flows import simulate_assets
from tests.unit.rules.engine.mapped_dags import literal, over
from tests.unit.rules.engine.world import World as Engine
from tests.unit.rules.engine.world import dag_record
from tests.unit.services.scheduler.between import HOUR, START, cron
from tests.unit.services.scheduler.between import World as Schedulers

from gnomon.entry.simulate import FaultPlan
from gnomon.model.assets import AllOf, AssetKey, NewAssetEvent
from gnomon.model.attempts import XComItem
from gnomon.model.ids import group_of
from gnomon.model.records import PoolRecord, RunRecord
from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunState, DagRunType
from gnomon.rules.engine import events as e
from gnomon.storage.store.asset_records import asset_events, asset_queue
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.pages.run_pages import read_run_counts_of_dags
from gnomon.testing import Play
from gnomon.timetables import NullTimetable

ORDERS, STOCK = AssetKey("orders", "s3://b/orders"), AssetKey("stock", "s3://b/stock")
VALUE = (XComItem(key="return_value", value="[]"),)


@pytest.fixture
def schedulers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Schedulers]:
    """Two schedulers; the second owns the DAG `consumer`, the first all others."""
    create_file(tmp_path / "gnomon.db")
    made = Schedulers(f"sqlite:///{tmp_path / 'gnomon.db'}", monkeypatch, ["consumer"])
    yield made
    made.db.close()


# ---- 7: asset events are stranded, collapsed, or consumed twice ------------------------------------------------------
def publish(world: Schedulers, *events: tuple[str, AssetKey]) -> None:
    with world.writing() as tx:
        asset_events.publish_events(
            tx, [NewAssetEvent(uid=uid, asset=asset, at=world.clock.now()) for uid, asset in events]
        )


def consumed(world: Schedulers) -> list[int]:
    """How many events each run of the consumer has consumed, in the order of the runs."""
    with world.db.read() as tx:
        runs = sorted(dag_runs.list_runs(tx, "consumer"), key=lambda run: run.run_pk)
        return [len(asset_events.list_consumed_events(tx, run.run_pk)) for run in runs]


def test_56050_no_asset_event_is_stranded_collapsed_or_lost_in_a_pause(schedulers: Schedulers) -> None:
    """Airflow's run consumes events up to the first queued one, keeps one queue row for several events, and queues none for a paused consumer.

    Every event must be consumed once: those that came before the run was created with it, those of a pause when the pause ends.
    """
    world = schedulers
    assert group_of("consumer") != group_of("other")
    world.dag("consumer", NullTimetable(), asset_condition=AllOf((ORDERS, STOCK)), run_s=60)
    world.until(0)
    publish(world, ("o1", ORDERS))
    world.until(0.5)
    publish(world, ("o2", ORDERS), ("o3", ORDERS))
    world.until(0.6)
    assert consumed(world) == []
    publish(world, ("s1", STOCK))
    world.until(1)
    assert consumed(world) == [4]
    world.pause("consumer")
    world.until(1.1)
    publish(world, ("o4", ORDERS), ("s2", STOCK), ("s3", STOCK))
    world.until(1.2)
    world.pause("consumer", False)
    world.until(2)
    assert consumed(world) == [4, 3]
    with world.db.read() as tx:
        assert asset_queue.list_queue(tx, world.record("consumer").dag_pk) == []


def test_63507_two_schedulers_and_their_deaths_consume_each_asset_event_once(tmp_path: Path) -> None:
    """Two schedulers of Airflow make two runs for one event, or lose it. The audit of the simulation counts each event for each consumer."""
    outcome = simulate_assets(
        tmp_path,
        56050,
        FaultPlan(uncertain_lost=0.02, uncertain_done=0.02),
        minutes=4,
        schedulers=2,
        kills=0.02,
        people=0.1,
    )
    assert outcome.found == []
    assert outcome.asset_runs > 3 and outcome.crashes > 0


# ---- 13: trigger rules and mapped task groups ------------------------------------------------------------------------
GROUP: dict[str, Any] = {"groups": {"g": None}, "group_expansions": {"g": over("u")}}


def in_group(rule: str, joined: str = "all_success") -> list[TaskSpec]:
    """u gives the length of the group; in it, b depends on a; j is after the group."""
    return [
        TaskSpec(task_id="u"),
        TaskSpec(task_id="a", upstream=("u",), group="g"),
        TaskSpec(task_id="b", upstream=("a",), group="g", trigger_rule=rule),
        TaskSpec(task_id="j", upstream=("b",), trigger_rule=joined),
    ]


def end_index(world: Engine, task_id: str, index: int, outcome: str) -> None:
    (attempt,) = [attempt for attempt in world.live(task_id) if attempt.map_index == index]
    world.step(world.result(attempt, outcome))


@pytest.mark.pure
@pytest.mark.parametrize(
    "rule", ["none_failed_min_one_success", "one_success", "all_done_min_one_success", "all_success"]
)
def test_39801_a_task_in_a_mapped_group_is_not_skipped_before_its_own_upstream_has_ended(rule: str) -> None:
    """Airflow evaluates the rule on the task that is not expanded yet, or over all indices: b is skipped while a[1] still runs."""
    world = Engine(dag_record(in_group(rule), **GROUP))
    run = world.start()
    world.end("u", return_length=2)
    end_index(world, "a", 0, "skipped")
    assert world.states_of(run, "b") == {0: "skipped"}
    end_index(world, "a", 1, "success")
    assert world.states_of(run, "b") == {0: "skipped", 1: "queued"}


@pytest.mark.pure
def test_34023_all_done_fires_when_the_mapped_task_before_it_was_skipped_or_failed() -> None:
    """In Airflow `all_done` after a mapped task that was never expanded (length 0, upstream_failed) waits for ever, or is skipped."""
    for outcome, before in (("success", "skipped"), ("failed", "upstream_failed")):
        tasks = [
            TaskSpec(task_id="u"),
            TaskSpec(task_id="m", upstream=("u",), expansion=over("u")),
            TaskSpec(task_id="j", upstream=("m",), trigger_rule="all_done"),
        ]
        world = Engine(dag_record(tasks))
        run = world.start()
        world.end("u", outcome, return_length=0 if outcome == "success" else None)
        assert world.states_of(run, "m") == {-1: before}
        world.end("j")
        assert world.state(run) == "success"


@pytest.mark.pure
def test_37091_a_failure_at_one_index_of_a_mapped_group_does_not_fail_the_other_indices() -> None:
    """Airflow marks tasks of a mapped group upstream_failed although their own index succeeded, or was skipped."""
    world = Engine(dag_record(in_group("all_success", "none_failed"), **GROUP))
    run = world.start()
    world.end("u", return_length=3)
    for index, outcome in enumerate(("failed", "success", "skipped")):
        end_index(world, "a", index, outcome)
    assert world.states_of(run, "b") == {0: "upstream_failed", 1: "queued", 2: "skipped"}
    world.end("b")
    assert world.states(run)["j"] == "upstream_failed"


@pytest.mark.pure
def test_59925_all_done_min_one_success_runs_with_a_skipped_upstream() -> None:
    """Airflow 3.3.2 skips on any skip, although its release notes say that the task runs with at least one success."""
    tasks = [
        TaskSpec(task_id="a"),
        TaskSpec(task_id="b"),
        TaskSpec(task_id="c", upstream=("a", "b"), trigger_rule="all_done_min_one_success"),
    ]
    for outcomes, expected in (
        (("success", "skipped"), "queued"),
        (("success", "failed"), "queued"),
        (("skipped", "skipped"), "skipped"),
    ):
        world = Engine(dag_record(tasks))
        run = world.start()
        for task_id, outcome in zip("ab", outcomes, strict=True):
            world.end(task_id, outcome)
        assert world.states(run)["c"] == expected, outcomes


# ---- 14: depends_on_past ---------------------------------------------------------------------------------------------
PAST = TaskSpec(task_id="a", depends_on_past=True)


def clear(world: Engine, run: RunRecord) -> None:
    rows = tuple(world._rows_of(run.run_pk))
    world.step(e.RunRead(copy.deepcopy(world.runs[run.run_pk]), rows), e.ClearTasks(run.run_pk, None, "me"), seconds=1)


@pytest.mark.pure
def test_29524_a_cleared_run_and_the_run_that_waits_for_it_do_not_lock_each_other() -> None:
    """In Airflow with max_active_runs=1, run 2 waits for the failed run 1, and run 1 waits for the place of run 2 for ever.

    Run 1 must start when it is cleared, no two runs may be active at once, and both must end.
    """
    world = Engine(dag_record([PAST], max_active_runs=1))
    first, second = world.start(), world.start(run_after=world.now + 1)
    world.end("a", "failed")
    assert (world.state(first), world.state(second)) == ("failed", "running")
    clear(world, first)
    assert (world.state(first), world.state(second)) == ("running", "queued")
    for _ in range(2):
        world.end("a")
    assert (world.state(first), world.state(second)) == ("success", "success")


def test_29524_neither_do_they_in_the_store_and_when_the_scheduler_dies(schedulers: Schedulers) -> None:
    """The same with the scheduler and its store: catchup creates the runs, the first fails, and the scheduler dies after the clear."""
    world = schedulers
    fails = {START}
    world.plays["d"] = lambda attempt: Play(600.0, outcome="failed" if attempt.run.run_after in fails else "success")
    world.dag("d", cron("0 * * * *"), tasks=(PAST,), max_active_runs=1, end_at=START + 2 * HOUR)
    world.until(2.5)
    assert world.states("d") == {0.0: "failed", 1.0: "running"}
    fails.clear()
    world.ask("clear", "d", world.run("d", 0), tasks=None, only_failed=False)
    world.until(2.55)
    assert world.states("d") == {0.0: "running", 1.0: "queued"}
    assert world.run("d", 1).started_at is None
    world.schedulers[0].kill()
    world.until(4)
    assert world.states("d") == {0.0: "success", 1.0: "success", 2.0: "success"}
    ends = sorted((run.started_at or 0, run.ended_at or 0) for run in world.runs("d").values())
    assert all(end <= start for (_, end), (start, _) in zip(ends, ends[1:], strict=False)), (
        "no two runs were active at once"
    )
    with world.db.read() as tx:
        assert read_run_counts_of_dags(tx, [world.record("d").dag_pk])[world.record("d").dag_pk] == {
            DagRunState.SUCCESS: 3
        }


@pytest.mark.pure
def test_65578_runs_without_a_logical_date_depend_on_the_run_before() -> None:
    """In Airflow a run without a logical date has no previous run: `depends_on_past` lets it run beside the one before, or after its failure.

    Runs are ordered by `run_after`, whatever their type.
    """
    world = Engine(dag_record([PAST]))
    first = world.start()
    later = world.new_run()
    for record in (later, world.runs[later.run_pk]):
        record.run_type = DagRunType.ASSET_TRIGGERED
    assert (first.logical_at, later.logical_at) == (None, None)
    world.step(e.RunRead(later))
    assert "a" not in world.states(later)
    world.end("a", "failed")
    assert "a" not in world.states(later)
    clear(world, first)
    world.end("a")
    assert world.states(later)["a"] == "queued"


# ---- 15: tasks are stuck in scheduled or queued; a busy pool starves others ------------------------------------------
@pytest.mark.pure
def test_45636_a_busy_pool_with_thousands_of_waiting_tasks_starves_no_other_pool() -> None:
    """Airflow reads the first tasks by priority; if they all wait for one full pool, tasks of other pools wait although slots are free."""
    tasks = [
        TaskSpec(task_id="busy", pool="narrow", expansion=literal(3000), effective_priority=100),
        TaskSpec(task_id="free", effective_priority=1),
    ]
    world = Engine(dag_record(tasks, max_active_tasks=10_000), pools=[PoolRecord("narrow", 1, 0)])
    run = world.start()
    assert Counter(world.states_of(run, "busy").values()) == {"queued": 1, "scheduled": 2999}
    assert world.states_of(run, "free") == {-1: "queued"}
    assert len(world.live("busy")) == 1


@pytest.mark.pure
def test_39717_a_late_or_doubled_message_about_an_attempt_changes_no_task() -> None:
    """In Airflow an executor's event about an attempt that was replaced fails the task: "reports that the task finished although it is queued".

    Only the attempt that the row names counts, once.
    """
    world = Engine(dag_record([TaskSpec(task_id="a", retries=2, retry_delay_s=0.0)]))
    run = world.start()
    (first,) = world.live("a")
    world.step(world.result(first, "failed", retryable=True))
    world.step(seconds=1)
    (second,) = world.live("a")
    assert (second.try_number, second.attempt_id != first.attempt_id) == (2, True)
    for outcome in ("failed", "success", "lost"):
        decided = world.step(world.result(first, outcome))
        assert not decided.changes.tasks and world.states(run) == {"a": "queued"}
    world.step(world.result(second), world.result(second))
    assert (world.states(run), world.state(run)) == ({"a": "success"}, "success")


@pytest.mark.pure
def test_13542_no_task_stays_scheduled_or_queued_when_the_scheduler_is_replaced() -> None:
    """Airflow finds tasks of a dead scheduler after minutes, or never: they stay in scheduled or queued although there is room."""
    tasks = [TaskSpec(task_id="m", pool="narrow", expansion=literal(5))]
    world = Engine(dag_record(tasks), pools=[PoolRecord("narrow", 2, 0)])
    run = world.start()
    for _ in range(3):
        world.take_over()
        assert len(world.live("m")) == min(2, sum(state != "success" for state in world.states_of(run, "m").values()))
        world.end_all("m")
    assert world.state(run) == "success"
