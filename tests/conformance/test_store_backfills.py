"""Backfills in the store, on both databases: one at a time, batches that count once, the runs of slots that exist."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec.structs import replace as replace_slot
from tests.conformance.storeworld import AT, DAY, World, plan_change, slot
from tests.conformance.test_store_plan import plan

from gnomon.model.accounts import Author
from gnomon.model.backfills import BackfillChange, BackfillOutcome, BackfillRecord
from gnomon.model.records import Changes, RunRecord
from gnomon.model.run_callbacks import DeadlineRecord, DeadlineState
from gnomon.model.run_waits import KEEP_AFTER_BAD, RunWait, WaitState
from gnomon.model.slots import Cursor, PlannedRun
from gnomon.model.states import DagRunState, DagRunType
from gnomon.storage.store import BackfillActive
from gnomon.storage.store.cross_dag import run_waits
from gnomon.storage.store.dag_records import backfills, dag_runs, run_callbacks, upstream_dags
from gnomon.storage.store.ownership import backfill_runs, commit
from gnomon.storage.store.pages.run_pages import read_run_counts_of_dags

pytestmark = pytest.mark.usefixtures("kept_newest_runs")


def create(world: World, dag_id: str = "d", **fields: object) -> BackfillRecord:
    dag = world.read_dag(dag_id)
    with world.db.write() as tx:
        return backfills.create_backfill(
            tx,
            replace(
                BackfillRecord(0, dag.dag_pk, dag.group_no, AT, AT + 100 * DAY, "none", 10, False, {"k": 1}, AT, "me"),
                **fields,  # type: ignore[arg-type]
            ),
        )


def back(day: int, run_id: str | None = None) -> PlannedRun:
    return slot(day, run_id or f"backfill__{day}")


def advance(
    world: World,
    made: BackfillRecord,
    *runs: PlannedRun,
    believed: int = 0,
    done: bool = False,
    reprocess: str = "none",
) -> BackfillOutcome:
    position = Cursor(run_after=runs[-1].run_after, interval_start=None, interval_end=None) if runs else None
    change = BackfillChange(
        made.backfill_pk, made.dag_pk, made.group_no, believed, 1, runs, position, done, True, reprocess, made.conf
    )  # type: ignore[arg-type]
    with world.db.scheduler_write(world.me) as tx:
        return backfill_runs.create_backfill_runs(tx, change, AT)


def runs_of(world: World) -> dict[str, RunRecord]:
    with world.db.read() as tx:
        return {run.run_id: run for run in dag_runs.list_runs(tx, "d")}


def read(world: World, made: BackfillRecord) -> BackfillRecord:
    with world.db.read() as tx:
        found = backfills.find_backfill(tx, made.backfill_pk)
    assert found is not None
    return found


def end(world: World, run: RunRecord, state: DagRunState) -> None:
    ended = replace(run, state=state, started_at=AT, ended_at=AT + 1)
    world.apply(Changes(runs=[ended]))


def test_the_runs_of_partitions_are_stored_with_their_keys(world: World) -> None:
    world.dag()
    made = create(world)
    advance(world, made, replace_slot(back(1), partition_key="monday", partition_date=AT), back(2))
    runs = runs_of(world)
    assert [(runs[run_id].partition_key, runs[run_id].partition_date) for run_id in ("backfill__1", "backfill__2")] == [
        ("monday", AT),
        (None, None),
    ]


def test_a_backfill_reads_back_as_it_was_made_and_a_dag_has_one_at_a_time(world: World) -> None:
    world.dag()
    made = create(world, runs_backwards=True, reprocess="failed")
    assert read(world, made) == made
    assert world.state().backfills == [made]
    with pytest.raises(BackfillActive, match=f"gnomon backfill cancel {made.backfill_pk}"):
        create(world)


def test_batches_create_queued_runs_and_count_once(world: World) -> None:
    world.dag()
    made = create(world)
    assert advance(world, made, back(0), back(1)) == BackfillOutcome(accepted=True, created=2)
    assert advance(world, made, back(0), back(1)) == BackfillOutcome(accepted=False)
    assert advance(world, made, back(2), believed=2, done=True).created == 1
    assert advance(world, made, back(3), believed=3) == BackfillOutcome(accepted=False)
    runs = runs_of(world)
    assert {run.run_type for run in runs.values()} == {DagRunType.BACKFILL}
    assert {(run.conf["k"], run.backfill_pk, run.state) for run in runs.values()} == {
        (1, made.backfill_pk, DagRunState.QUEUED)
    }
    stored = read(world, made)
    assert (stored.slot_count, stored.is_planned, stored.first_run_after) == (3, True, back(0).run_after)
    with world.db.read() as tx:
        assert read_run_counts_of_dags(tx, [made.dag_pk])[made.dag_pk] == {DagRunState.QUEUED: 3}
        assert backfill_runs.list_next_runs(tx, made, 2) == [
            (runs["backfill__0"].run_pk, False),
            (runs["backfill__1"].run_pk, False),
        ]
        assert backfill_runs.list_next_runs(tx, replace(made, runs_backwards=True), 1) == [
            (runs["backfill__2"].run_pk, False)
        ]


def test_queued_runs_of_a_backfill_are_not_loaded_unless_all_are_wanted_in_memory(world: World) -> None:
    world.dag()
    made = create(world)
    advance(world, made, back(0), back(1))
    assert world.state().runs == []
    world.apply(Changes(runs=[replace(runs_of(world)["backfill__0"], state=DagRunState.RUNNING, started_at=AT)]))
    assert [run.run_id for run in world.state().runs] == ["backfill__0"]


def test_a_slot_that_planning_and_a_backfill_want_gets_the_run_of_the_first(world: World) -> None:
    dag = world.dag()
    made = create(world)
    assert plan(world, plan_change(dag, slot(0)))[0].created
    assert advance(world, made, back(0), back(1)) == BackfillOutcome(accepted=True, created=1, left={"unfinished": 1})
    outcome = plan(world, plan_change(world.read_dag("d"), slot(1), slot(2)))[0]
    assert (outcome.accepted, outcome.error) == (True, None)
    assert [run.run_id for run in outcome.created] == ["scheduled__2"]
    assert sorted(runs_of(world)) == ["backfill__1", "scheduled__0", "scheduled__2"]
    assert outcome.standing == {}


def test_two_slots_of_one_logical_date_are_two_runs_for_backfills_and_planning(world: World) -> None:
    dag = world.dag()
    made = create(world)
    first = PlannedRun(run_id="b1", run_after=AT + DAY, interval_start=AT, interval_end=AT + DAY)
    twin = PlannedRun(run_id="b2", run_after=AT + 2 * DAY, interval_start=AT, interval_end=AT + 2 * DAY)
    assert advance(world, made, first, twin).created == 2
    outcome = plan(world, plan_change(dag, replace_id(first, "s1"), replace_id(twin, "s2")))[0]
    assert outcome.created == []
    other = PlannedRun(run_id="s3", run_after=AT + 3 * DAY, interval_start=AT, interval_end=AT + 3 * DAY)
    assert [run.run_id for run in plan(world, plan_change(world.read_dag("d"), other))[0].created] == ["s3"]


def replace_id(run: PlannedRun, run_id: str) -> PlannedRun:
    from msgspec.structs import replace as replace_fields

    return replace_fields(run, run_id=run_id)


@pytest.mark.parametrize(
    ("reprocess", "again"),
    [("none", []), ("failed", ["scheduled__1"]), ("completed", ["scheduled__0", "scheduled__1"])],
)
def test_finished_runs_are_left_or_wait_for_their_turn(world: World, reprocess: str, again: list[str]) -> None:
    dag = world.dag()
    plan(world, plan_change(dag, slot(0), slot(1), slot(2)))
    end(world, runs_of(world)["scheduled__0"], DagRunState.SUCCESS)
    end(world, runs_of(world)["scheduled__1"], DagRunState.FAILED)
    made = create(world, reprocess=reprocess)
    outcome = advance(world, made, back(0), back(1), back(2), back(3), reprocess=reprocess, done=True)
    assert outcome.created == 1
    assert outcome.left == {
        key: n for key, n in {"exists": 2 - len(again), "unfinished": 1, "to_reprocess": len(again)}.items() if n
    }
    pks = {run.run_pk: run.run_id for run in runs_of(world).values()}
    with world.db.read() as tx:
        wanted = backfill_runs.list_next_runs(tx, made, 10)
    assert [pks[run_pk] for run_pk, is_cleared_first in wanted if is_cleared_first] == again
    with world.db.scheduler_write(world.me) as tx:
        assert not backfill_runs.end_backfill(tx, made.backfill_pk, AT)


def test_a_run_id_of_another_slot_stops_the_backfill_with_a_sentence(world: World) -> None:
    world.dag()
    made = create(world)
    outcome = advance(world, made, back(0, "same"), back(1, "same"))
    assert outcome.accepted
    assert outcome.error is not None
    assert "let generate_run_id of its timetable return a different run id" in outcome.error
    assert runs_of(world) == {}
    stopped = read(world, made)
    assert (stopped.error, stopped.position, stopped.first_run_after) == (outcome.error, None, None), (
        "the same slots are tried again, also after a restart"
    )


def test_a_queued_run_that_waits_for_another_dag_is_loaded_with_its_waits(world: World) -> None:
    world.dag()
    made = create(world)
    advance(world, made, back(0), back(1))
    waiting = runs_of(world)["backfill__1"]
    wait = RunWait(waiting.run_pk, 7, "up", AT, made.group_no, 1, None, WaitState.OPEN, KEEP_AFTER_BAD, "whole day", AT)
    world.apply(Changes(run_waits={(wait.down_run, wait.edge_no, wait.up_dag, wait.up_at): wait}))
    assert [run.run_id for run in world.state().runs] == ["backfill__1"]


def test_a_cancelled_backfill_takes_no_batch_fails_its_queued_runs_and_ends(world: World) -> None:
    world.dag()
    made = create(world)
    advance(world, made, *(back(day) for day in range(5)))
    with world.db.write() as tx:
        assert backfills.cancel_backfill(tx, made, Author("ann", AT))
        assert not backfills.cancel_backfill(tx, made, Author("ann", AT))
        assert not backfills.set_backfill_paused(tx, made, True, Author("ann", AT))
    assert not advance(world, made, back(5), believed=5).accepted
    cancelled = read(world, made)
    found = []
    with world.db.scheduler_write(world.me) as tx:
        assert not backfill_runs.end_backfill(tx, made.backfill_pk, AT)
        while slots := backfill_runs.fail_queued_runs(tx, cancelled, "gone", 2, AT):
            found += slots
        assert backfill_runs.end_backfill(tx, made.backfill_pk, AT)
    assert found == [back(day).run_after for day in range(5)]
    assert {(run.state, run.reason) for run in runs_of(world).values()} == {(DagRunState.FAILED, "gone")}
    with world.db.read() as tx:
        assert read_run_counts_of_dags(tx, [made.dag_pk])[made.dag_pk] == {DagRunState.FAILED: 5}
    create(world)


def test_queued_runs_of_a_cancelled_backfill_leave_no_open_wait_and_no_pending_deadline(world: World) -> None:
    world.dag()
    made = create(world)
    advance(world, made, back(0), back(1))
    runs = runs_of(world)
    first, second = runs["backfill__0"].run_pk, runs["backfill__1"].run_pk
    waits = [
        RunWait(first, number, "up", AT, made.group_no, 1, None, state, KEEP_AFTER_BAD, "whole day", AT)
        for number, state in ((7, WaitState.OPEN), (8, WaitState.BAD), (9, WaitState.MET))
    ]
    deadlines = [
        DeadlineRecord(first, 0, DeadlineState.PENDING, AT + DAY),
        DeadlineRecord(second, 0, DeadlineState.PENDING, AT + DAY),
        DeadlineRecord(second, 1, DeadlineState.MISSED, AT, missed_at=AT),
    ]
    world.apply(
        Changes(
            run_waits={(wait.down_run, wait.edge_no, wait.up_dag, wait.up_at): wait for wait in waits},
            deadlines={(deadline.run_pk, deadline.deadline_no): deadline for deadline in deadlines},
        )
    )
    with world.db.write() as tx:
        backfills.cancel_backfill(tx, made, Author("ann", AT))
    with world.db.scheduler_write(world.me) as tx:
        backfill_runs.fail_queued_runs(tx, read(world, made), "gone", 10, AT + 5)
    with world.db.read() as tx:
        left = run_waits.load_run_waits(tx, [first])[first]
        assert [(wait.edge_no, wait.state, wait.since) for wait in left] == [
            (7, WaitState.CLOSED, AT + 5),
            (8, WaitState.CLOSED, AT + 5),
            (9, WaitState.MET, AT),
        ]
        assert run_callbacks.load_deadlines(tx, [first, second]) == {second: [deadlines[2]]}


def test_slots_that_a_backfill_may_still_fill_are_open_and_absent_once_it_is_planned(world: World) -> None:
    dag = world.dag()
    plan(world, plan_change(dag, slot(50)))
    made = create(world, created_at=AT + 200 * DAY)
    slots = [slot(day).run_after for day in (0, 1, 2)]
    outcomes = []
    for believed, done in ((0, False), (1, True)):
        advance(world, made, back(believed), believed=believed, done=done)
        with world.db.read() as tx:
            outcomes.append([fact.outcome for fact in upstream_dags.load_slot_facts(tx, "d", slots)])
    assert outcomes == [["open", "open", "open"], ["open", "open", "absent"]]


def test_deleting_a_dag_deletes_its_backfills(world: World) -> None:
    dag = world.dag()
    plan(world, plan_change(dag, slot(0)))
    made = create(world)
    advance(world, made, back(0), back(1))
    with world.db.scheduler_write(world.me) as tx:
        commit.delete_dags(tx, [dag.dag_pk])
    assert world.count("SELECT count(*) FROM backfill") == world.count("SELECT count(*) FROM backfill_slot") == 0
