"""The creation of planned runs (PLAN and REQUEST in docs/contributing/ownership.md)."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from msgspec import structs
from tests.conformance.storeworld import AT, World, manual, plan_change, slot

from gnomon.model.records import PlanChange, PlanOutcome
from gnomon.model.slots import SkippedSlots
from gnomon.model.states import DagRunState, DagRunType
from gnomon.storage.store import FencedError
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.dag_records import dags, event_log
from gnomon.storage.store.ownership import commit, group_state
from gnomon.storage.store.pages.run_pages import read_run_counts_of_dags

pytestmark = pytest.mark.usefixtures("kept_newest_runs")


def plan(world: World, *changes: PlanChange) -> list[PlanOutcome]:
    with world.db.scheduler_write(world.me) as tx:
        return commit.create_planned_runs(tx, changes, AT)


def test_planned_runs_are_there_with_the_cursor_and_read_back_as_returned(world: World) -> None:
    dag = world.dag()
    change = plan_change(dag, slot(0), slot(1))
    outcome = plan(world, change)[0]
    assert outcome.accepted
    assert [run.run_id for run in outcome.created] == ["scheduled__0", "scheduled__1"]
    assert {run.run_type for run in outcome.created} == {DagRunType.SCHEDULED}
    state = world.state()
    assert state.runs == outcome.created
    assert (state.dags[0].cursor, state.dags[0].next_run, state.dags[0].fingerprint) == (
        change.cursor,
        change.next_run,
        change.fingerprint,
    )
    assert state.dags[0].plan_seq == dag.plan_seq + 1
    with world.db.read() as tx:
        assert read_run_counts_of_dags(tx, [dag.dag_pk])[dag.dag_pk] == {DagRunState.QUEUED: 2}


def test_a_plan_made_on_an_older_belief_is_refused_and_changes_nothing(world: World) -> None:
    dag = world.dag()
    plan(world, plan_change(dag, slot(0)))
    before = world.state()
    assert plan(world, plan_change(dag, slot(1))) == [PlanOutcome(dag.dag_pk, accepted=False)]
    assert world.state() == before


def test_nothing_is_planned_once_the_pause_was_answered(world: World) -> None:
    dag = world.dag()
    with world.db.write() as tx:
        assert dags.set_paused(tx, "d", True, "me", AT)
        assert not dags.set_paused(tx, "d", True, "me", AT)
    for believed in (dag.plan_seq, dag.plan_seq + 1):
        assert not plan(world, plan_change(dag, slot(0), believed=believed))[0].accepted
    assert world.state().runs == []
    with world.db.write() as tx:
        assert dags.set_paused(tx, "d", False, "me", AT)
    assert not plan(world, plan_change(dag, slot(0)))[0].accepted
    assert plan(world, plan_change(world.read_dag("d"), slot(0)))[0].accepted


def test_nothing_is_planned_for_a_dag_that_changed_or_left_its_file(world: World) -> None:
    from tests.conformance.storeworld import parsed, spec

    dag = world.dag()
    world.record(parsed("/dags/d.py", spec("d", ["a", "b", "c"])))
    assert not plan(world, plan_change(dag, slot(0)))[0].accepted
    changed = world.read_dag("d")
    world.record(parsed("/dags/d.py"))
    assert not plan(world, plan_change(changed, slot(0)))[0].accepted


def test_a_slot_that_a_manual_run_holds_is_passed_over_with_the_reason_in_the_log(world: World) -> None:
    dag = world.dag()
    holder = world.run(run_id="by_hand", day=1)
    outcome = plan(world, plan_change(dag, slot(0), slot(1), slot(2)))[0]
    assert outcome.accepted
    assert [run.run_id for run in outcome.created] == ["scheduled__0", "scheduled__2"]
    assert outcome.occupied_slots == [slot(1).slot_key]
    assert world.read_dag("d").cursor == plan_change(dag, slot(2)).cursor
    with world.db.read() as tx:
        line = event_log.list_events(tx, dag_pk=dag.dag_pk, limit=1)[0]
    assert (line.kind, line.run_pk) == ("slot_held", holder.run_pk)
    assert "by_hand" in line.body


def test_a_slot_planned_twice_makes_one_run(world: World) -> None:
    dag = world.dag()
    plan(world, plan_change(dag, slot(0)))
    again = plan(world, plan_change(world.read_dag("d"), slot(0)))[0]
    assert (again.created, again.occupied_slots) == ([], [slot(0).slot_key])
    assert world.count("SELECT count(*) FROM dag_run") == 1


def test_at_a_taken_run_id_a_dag_stops_and_the_runs_before_it_are_made(world: World) -> None:
    first, second = world.dag("first"), world.dag("second")
    world.run("first", run_id="scheduled__1", of_any_type=True)
    wanted = plan_change(first, slot(0), slot(1), slot(2))
    outcomes = plan(world, wanted, plan_change(second, slot(0), slot(1)))
    assert outcomes[0].accepted
    assert [run.run_id for run in outcomes[0].created] == ["scheduled__0"]
    assert (
        outcomes[0].error
        == "run 'scheduled__1' cannot be made: a run of type manual has that run id; delete that run, and the slot gets its run"
    )
    assert outcomes[0].instead == replace(
        wanted, runs=(slot(0),), cursor=plan_change(first, slot(0)).cursor, next_run=None, error=outcomes[0].error
    )
    assert len(outcomes[1].created) == 2
    stopped = world.read_dag("first")
    assert (stopped.cursor, stopped.next_run) == (plan_change(first, slot(0)).cursor, None)
    assert (stopped.error, stopped.plan_seq) == (outcomes[0].error, first.plan_seq + 1)
    with world.db.read() as tx:
        assert read_run_counts_of_dags(tx, [first.dag_pk])[first.dag_pk] == {DagRunState.QUEUED: 2}


def test_a_taken_run_id_of_the_first_run_undoes_that_dag_alone_and_its_promise_is_void(world: World) -> None:
    dag = world.dag()
    plan(world, replace(plan_change(dag, slot(0)), next_run=slot(1)))
    world.run(run_id="scheduled__1", of_any_type=True)
    before = world.read_dag("d")
    assert before.next_run == slot(1)
    outcome = plan(world, plan_change(before, slot(1), slot(2)))[0]
    assert (outcome.accepted, outcome.created, outcome.instead) == (True, [], None)
    undone = world.read_dag("d")
    assert (undone.cursor, undone.next_run, undone.error) == (before.cursor, None, outcome.error)
    assert plan(world, plan_change(undone, slot(2)))[0].accepted
    assert world.read_dag("d").error is None


def test_planned_runs_of_one_logical_date_are_different_slots_unless_they_are_due_at_one_instant(world: World) -> None:
    dag = world.dag()
    one = slot(1)
    later = structs.replace(one, run_id="scheduled__later", run_after=one.run_after + 5)
    again = structs.replace(one, run_id="scheduled__again")
    outcome = plan(world, plan_change(dag, one, later, again))[0]
    assert [run.run_id for run in outcome.created] == ["scheduled__1", "scheduled__later"]
    assert {run.logical_at for run in outcome.created} == {one.interval_start}
    assert outcome.occupied_slots == [again.slot_key]
    twice = structs.replace(later, run_id="scheduled__later_again")
    assert plan(world, plan_change(world.read_dag("d"), twice))[0].occupied_slots == [twice.slot_key]


def test_what_is_passed_stands_in_the_log_and_since_when_the_dag_is_let_run_on_the_dag(world: World) -> None:
    dag = world.dag()
    assert dag.live_at == AT
    note = SkippedSlots(first=1, until=5, count=2, reason="because")
    assert plan(world, replace(plan_change(dag, slot(0)), skipped=(note,), live_at=7))[0].accepted
    assert world.read_dag("d").live_at == 7
    with world.db.write() as tx:
        (line,) = [one for one in event_log.list_events(tx, dag_pk=dag.dag_pk) if one.kind == "slots_passed"]
        assert msgspec.json.decode(line.body, type=SkippedSlots) == note
        dags.set_paused(tx, "d", True, "me", AT + 1)
        dags.set_paused(tx, "d", False, "me", AT + 2)
    assert world.read_dag("d").live_at == AT + 2


def test_a_planning_error_stands_on_the_dag(world: World) -> None:
    dag = world.dag()
    change = replace(plan_change(dag, error="the timetable raised ValueError"), cursor=dag.cursor, next_run=None)
    assert plan(world, change)[0].accepted
    after = world.read_dag("d")
    assert (after.error, after.cursor, after.next_run) == ("the timetable raised ValueError", None, None)


def test_a_fenced_scheduler_plans_nothing(world: World) -> None:
    dag = world.dag()
    with world.db.write() as tx:
        leases.retire_scheduler(tx, world.me)
    with pytest.raises(FencedError):
        plan(world, plan_change(dag, slot(0)))
    assert world.state().runs == []
    assert world.read_dag("d").cursor is None


def test_a_task_that_depends_on_the_past_finds_the_ended_runs_before(world: World) -> None:
    from tests.conformance.storeworld import task

    from gnomon.model.records import Changes
    from gnomon.model.spec import TaskSpec
    from gnomon.model.states import TaskInstanceState

    dag = world.dag(tasks=[TaskSpec(task_id="a", depends_on_past=True)])
    made = plan(world, plan_change(dag, *(slot(n) for n in range(5))))[0].created
    rows = [task(run, 0, TaskInstanceState.SUCCESS) for run in made]
    ended = [replace(run, state=DagRunState.SUCCESS, ended_at=AT) for run in made]
    world.apply(Changes(runs=[ended[0], ended[1], ended[3]], tasks=[rows[0], rows[1], rows[3]]))
    state = world.state()
    assert [run.run_id for run in state.runs] == ["scheduled__2", "scheduled__4"]
    tails = sorted(state.previous_runs[dag.dag_pk], key=lambda tail: tail[0].run_pk)
    assert tails == [(ended[1], [rows[1]]), (ended[3], [rows[3]])]
    with world.db.read() as tx:
        assert group_state.load_run_before(tx, made[2]) == (ended[1], [rows[1]])
        assert group_state.load_run_before(tx, made[0]) is None


def test_a_manual_run_without_logical_date_holds_no_slot(world: World) -> None:
    dag = world.dag()
    with world.db.write() as tx:
        assert manual(tx, "d", "one").logical_at is None
        assert manual(tx, "d", "two").logical_at is None
    assert len(plan(world, plan_change(dag, slot(0)))[0].created) == 1
