"""Run-level dependencies between DAGs: their waits, the graph of all DAGs, and what is known of upstream slots."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from msgspec import structs
from tests.conformance.storeworld import AT, DAY, World, parsed, plan_change, raw, slot, spec, task

from gnomon.model.ids import group_of
from gnomon.model.records import Changes, DagRecord, PlanOutcome, RunRecord
from gnomon.model.run_waits import KEEP_AFTER_BAD, NO_SLOT, RunWait, SlotFact, SubscriptionMessage, WaitState
from gnomon.model.slots import SkippedSlots
from gnomon.model.spec import TaskSpec, collect_edges
from gnomon.model.states import DagRunState, DagRunType, TaskInstanceState
from gnomon.model.upstream_edges import DependencySpec
from gnomon.queries.report.listings.import_problems import list_upstream_warnings
from gnomon.storage.store import RowsMissing, Transaction
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.cross_dag import dag_edges, run_waits
from gnomon.storage.store.dag_records import dag_runs, upstream_dags
from gnomon.storage.store.ownership import commit
from gnomon.storage.store.parsed_files import dag_files

DAY_0, DAY_1, DAY_2 = (slot(day).run_after for day in range(3))


@pytest.fixture
def up(world: World) -> DagRecord:
    return world.dag("up")


@pytest.fixture
def down(world: World) -> DagRecord:
    return world.dag(
        "down",
        tasks=["x", TaskSpec(task_id="y", depends_on=(DependencySpec(dag_id="up"),))],
        depends_on=(DependencySpec(dag_id="up"),),
    )


def plan(world: World, dag_id: str, *days: int, skipped: tuple[SkippedSlots, ...] = ()) -> PlanOutcome:
    """What planning these days of a DAG, one after the other, came to."""
    change = replace(plan_change(world.read_dag(dag_id), *(slot(day) for day in days)), skipped=skipped)
    with world.db.scheduler_write(world.me) as tx:
        return commit.create_planned_runs(tx, [change], AT)[0]


def end(world: World, run: RunRecord, state: DagRunState = DagRunState.SUCCESS, clear_number: int = 0) -> None:
    ended = None if state in {DagRunState.QUEUED, DagRunState.RUNNING} else AT
    world.apply(Changes(runs=[replace(run, state=state, ended_at=ended, clear_number=clear_number)]))


def wait(
    run: RunRecord, at: int = DAY_0, edge_no: int = 7, up_dag: str = "up", state: WaitState = WaitState.OPEN
) -> RunWait:
    return RunWait(
        run.run_pk,
        edge_no,
        up_dag,
        at,
        group_of("down"),
        group_of(up_dag),
        None,
        state,
        KEEP_AFTER_BAD,
        "whole day",
        AT,
    )


def waiting(*waits: RunWait) -> Changes:
    return Changes(run_waits={(one.down_run, one.edge_no, one.up_dag, one.up_at): one for one in waits})


def facts(world: World, *slots: int, task_id: str | None = None, up_dag: str = "up") -> list[SlotFact]:
    with world.db.read() as tx:
        return list(upstream_dags.load_slot_facts(tx, up_dag, slots, task_id))


def outcomes(world: World, *slots: int, task_id: str | None = None) -> list[str]:
    return [fact.outcome for fact in facts(world, *slots, task_id=task_id)]


def asked(world: World, slot_at: int) -> list[SubscriptionMessage]:
    with world.db.read() as tx:
        return list(run_waits.list_subscriptions_on_slot(tx, "up", slot_at))


# -- the waits of a run


def test_waits_are_written_read_back_and_replaced(world: World, down: DagRecord) -> None:
    run, other = world.run("down", "r1"), world.run("down", "r2")
    first, second = wait(run), replace(wait(run, DAY_1), task_id="t", note="run r ended", clear_number=3)
    world.apply(waiting(first, second, wait(other, NO_SLOT, up_dag="unknown")))
    assert world.state().run_waits == {
        run.run_pk: [first, second],
        other.run_pk: [wait(other, NO_SLOT, up_dag="unknown")],
    }
    later = replace(first, state=WaitState.MET, clear_number=1, note="ok", since=AT + 5, rule="nearest", keeps=0)
    world.apply(waiting(later))
    with world.db.read() as tx:
        assert run_waits.load_run_waits(tx, [run.run_pk]) == {run.run_pk: [later, second]}
        assert run_waits.load_run_waits(tx, []) == {}


def test_an_edge_is_found_again_in_one_transaction(world: World, down: DagRecord) -> None:
    run = world.run("down", "r1")
    world.apply(waiting(wait(run), wait(run, DAY_1), wait(run, edge_no=8)))
    world.apply(structs.replace(waiting(wait(run, DAY_2)), edge_waits_deleted=[(run.run_pk, 7), (run.run_pk, 99)]))
    assert world.state().run_waits == {run.run_pk: [wait(run, DAY_2), wait(run, edge_no=8)]}


def test_a_wait_of_a_run_that_is_gone_is_refused_with_the_whole_batch(world: World, down: DagRecord) -> None:
    run = world.run("down", "r1")
    with pytest.raises(RowsMissing, match="1 of 2 waits between DAGs"):
        world.apply(waiting(wait(run), replace(wait(run), down_run=run.run_pk + 1000)))
    assert world.state().run_waits == {}


@pytest.mark.parametrize("whole_dag", [False, True])
def test_the_waits_of_a_deleted_run_go_with_it(world: World, up: DagRecord, down: DagRecord, whole_dag: bool) -> None:
    run = world.run("down", "r1")
    world.apply(waiting(wait(run)))
    with world.db.scheduler_write(world.me) as tx:
        if whole_dag:
            commit.delete_dags(tx, [down.dag_pk])
        else:
            commit.delete_runs(tx, [run.run_pk])
    assert world.count("SELECT count(*) FROM run_wait") == 0
    assert world.count("SELECT count(*) FROM dag_edge") == (0 if whole_dag else 2)


@pytest.mark.parametrize("column", ["down_group", "up_group"])
def test_the_groups_of_a_wait_are_checked(world: World, down: DagRecord, column: str) -> None:
    run = world.run("down", "r1")
    with pytest.raises(Exception, match=r"(?i)check constraint"):
        world.apply(waiting(replace(wait(run), **{column: 64})))  # type: ignore[arg-type]


# -- who waits for whom


def test_an_owner_loads_who_waits_for_its_dags_with_what_is_known_of_the_slots(
    world: World, up: DagRecord, down: DagRecord
) -> None:
    made = plan(world, "up", 0, 1).created
    end(world, made[0])
    run, other = world.run("down", "r1"), world.run("down", "r2")
    world.apply(
        waiting(
            wait(run),
            wait(run, DAY_1),
            wait(run, DAY_2, state=WaitState.MET),
            wait(other, DAY_2, state=WaitState.BAD),
            replace(wait(run, edge_no=8), task_id="a", keeps=0),
            wait(run, edge_no=9, up_dag="elsewhere"),
        )
    )
    group = group_of("down")
    with world.db.read() as tx:
        found = upstream_dags.attach_slot_facts(tx, run_waits.list_open_subscriptions(tx, [group_of("up")]))
    assert found == [
        (
            SubscriptionMessage("up", (DAY_0, DAY_1), run.run_pk, group, 7, None, KEEP_AFTER_BAD),
            (SlotFact(DAY_0, "ok", 0), SlotFact(DAY_1, "open", 0)),
        ),
        (
            SubscriptionMessage("up", (DAY_0,), run.run_pk, group, 8, "a"),
            (SlotFact(DAY_0, "bad", 0, "run scheduled__0 ended without task a"),),
        ),
        (SubscriptionMessage("up", (DAY_2,), other.run_pk, group, 7, None, KEEP_AFTER_BAD), (SlotFact(DAY_2, "open"),)),
    ]
    assert group_of("elsewhere") != group_of("up")
    everything = world.state().subscriptions
    assert [one for one in everything if one[0].up_dag == "up"] == found
    assert [one for one in everything if one[0].up_dag != "up"] == [
        (
            SubscriptionMessage("elsewhere", (DAY_0,), run.run_pk, group, 9, None, KEEP_AFTER_BAD),
            (SlotFact(DAY_0, "open"),),
        )
    ]


def test_the_runs_that_have_not_begun_hear_that_an_upstream_run_was_cleared_whatever_they_heard_before(
    world: World, up: DagRecord, down: DagRecord
) -> None:
    run = world.run("down", "r1")
    numbers = {state: n for n, state in enumerate(WaitState)}
    world.apply(
        waiting(*(wait(run, edge_no=n, state=state) for state, n in numbers.items()), wait(run, DAY_1, edge_no=50))
    )
    hearing = {one.edge_no for one in asked(world, DAY_0)}
    assert hearing == set(numbers.values()) - {numbers[WaitState.RELEASED], numbers[WaitState.CLOSED]}
    assert asked(world, DAY_1) == [
        SubscriptionMessage("up", (DAY_1,), run.run_pk, group_of("down"), 50, None, KEEP_AFTER_BAD)
    ]
    end(world, run, DagRunState.RUNNING)
    assert asked(world, DAY_0) == []


def test_of_a_running_run_only_its_tasks_hear_that_an_upstream_run_was_cleared(
    world: World, up: DagRecord, down: DagRecord
) -> None:
    whole, of_task = collect_edges(down.spec)
    run = world.run("down", "r1")
    world.apply(
        waiting(
            wait(run, edge_no=whole.number, state=WaitState.MET), wait(run, edge_no=of_task.number, state=WaitState.MET)
        )
    )
    assert len(asked(world, DAY_0)) == 2
    end(world, run, DagRunState.RUNNING)
    assert [one.edge_no for one in asked(world, DAY_0)] == [of_task.number]
    end(world, run)
    assert asked(world, DAY_0) == []


def test_what_came_after_some_slots_are_the_runs_of_other_dags_that_waited_for_them_and_have_begun(
    world: World, up: DagRecord, down: DagRecord
) -> None:
    whole, of_task = collect_edges(down.spec)
    made = plan(world, "down", 0, 1, 2).created
    by_hand, own = world.run("down", "by_hand"), world.run("up", "own")
    world.apply(
        waiting(
            wait(made[0], edge_no=whole.number),
            wait(made[0], DAY_1, edge_no=whole.number),
            wait(made[0], edge_no=of_task.number),
            wait(made[1], edge_no=of_task.number),
            wait(made[2], DAY_2),
            wait(by_hand, DAY_1, edge_no=-1),
            wait(own),
        )
    )
    for run in (made[0], made[2], own):
        end(world, run)
    end(world, by_hand, DagRunState.RUNNING)
    with world.db.read() as tx:
        found = run_waits.list_downstream_runs(tx, "up", [DAY_0, DAY_1])
        assert run_waits.list_downstream_runs(tx, "up", []) == []
    group = group_of("down")
    assert found == [
        run_waits.DownstreamRun(made[0].run_pk, down.dag_pk, "down", "scheduled__0", group, None, DAY_0),
        run_waits.DownstreamRun(made[0].run_pk, down.dag_pk, "down", "scheduled__0", group, "y", DAY_0),
        run_waits.DownstreamRun(by_hand.run_pk, down.dag_pk, "down", "by_hand", group, None, None),
    ]


# -- a run by hand in the place of a planned one


def test_a_run_by_hand_that_holds_a_planned_slot_stands_for_it(world: World, up: DagRecord) -> None:
    holder = world.run("up", "by_hand", day=1)
    assert holder.slot_at is None
    outcome = plan(world, "up", 0, 1)
    assert (outcome.occupied_slots, outcome.standing) == ([slot(1).slot_key], {holder.run_pk: DAY_1})
    with world.db.read() as tx:
        found = dag_runs.find_stored_run(tx, "up", "by_hand")
        assert found is not None
        assert (found.stands_for, found.slot_at) == (DAY_1, DAY_1)
        assert upstream_dags.list_slots_with_runs(tx, up.dag_pk, DAY_0, DAY_2) == [DAY_0, DAY_1]
    assert next(run for run in world.state().runs if run.run_id == "by_hand") == found
    end(world, found)
    assert outcomes(world, DAY_0, DAY_1) == ["open", "ok"]


def test_a_run_stands_for_the_first_slot_that_it_was_found_in(world: World, up: DagRecord) -> None:
    holder = world.run("up", "by_hand", day=1)
    later = structs.replace(slot(1), run_id="scheduled__later", run_after=DAY_1 + 5)
    with world.db.scheduler_write(world.me) as tx:
        outcome = commit.create_planned_runs(tx, [plan_change(up, slot(1), later)], AT)[0]
    assert outcome.occupied_slots == [slot(1).slot_key] * 2
    assert outcome.standing == {holder.run_pk: DAY_1}


def test_a_planned_run_that_holds_a_slot_stands_for_no_other(world: World, up: DagRecord) -> None:
    plan(world, "up", 0)
    again = plan(world, "up", 0)
    assert (again.occupied_slots, again.standing) == ([slot(0).slot_key], {})
    assert world.state().runs[0].stands_for is None


def by_hand(world: World, stands_for: int | None, day: int = 9) -> RunRecord:
    with world.db.write() as tx:
        return dag_runs.create_manual_run(
            tx,
            dag_id="up",
            run_id=f"by_hand_{day}",
            logical_at=AT + day * DAY,
            run_after=AT + 50 * DAY,
            interval=None,
            conf={},
            by="me",
            at=AT,
            stands_for=stands_for,
        )


def test_a_run_by_hand_of_a_slot_that_was_passed_stands_for_it(world: World, up: DagRecord) -> None:
    plan(world, "up", 0, 2)
    assert outcomes(world, DAY_0, DAY_1, DAY_2) == ["open", "absent", "open"]
    run = by_hand(world, DAY_1)
    assert outcomes(world, DAY_0, DAY_1, DAY_2) == ["open"] * 3
    with world.db.read() as tx:
        assert dag_runs.find_stored_run(tx, "up", run.run_id) == run
        assert upstream_dags.list_slots_with_runs(tx, up.dag_pk, DAY_0, DAY_2 + 1) == [DAY_0, DAY_1, DAY_2]
        assert upstream_dags.list_slots_before(tx, up.dag_pk, DAY_2, 1) == [DAY_1]
    end(world, run, DagRunState.FAILED)
    assert outcomes(world, DAY_1) == ["bad"]
    with world.db.scheduler_write(world.me) as tx:
        commit.delete_runs(tx, [run.run_pk])
    assert outcomes(world, DAY_1) == ["absent"]


def test_no_second_run_by_hand_stands_for_a_slot(world: World, up: DagRecord) -> None:
    """Under another logical date: the schedule may have been another when the first was made."""
    planned = plan(world, "up", 0).created[0]
    assert by_hand(world, planned.run_after).stands_for is None
    assert (by_hand(world, DAY_1, 10).stands_for, by_hand(world, DAY_1, 11).stands_for) == (DAY_1, None)


def test_planning_that_comes_to_the_slot_of_a_run_by_hand_finds_it_there(world: World, up: DagRecord) -> None:
    run = by_hand(world, DAY_1, 1)
    outcome = plan(world, "up", 0, 1)
    assert (outcome.occupied_slots, outcome.standing, [made.run_after for made in outcome.created]) == (
        [slot(1).slot_key],
        {},
        [DAY_0],
    )
    with world.db.read() as tx:
        assert dag_runs.find_stored_run(tx, "up", run.run_id) == run


# -- the slots of a DAG


def test_an_upstream_is_found_by_its_id_without_its_tasks(world: World) -> None:
    world.dag("up", tasks=["a", "b"], catchup=True, timezone="Europe/Paris")
    plan(world, "up", 0)
    record = world.read_dag("up")
    with world.db.read() as tx:
        found = upstream_dags.find_upstream_dag(tx, "up")
        assert upstream_dags.find_upstream_dag(tx, "unknown") is None
    assert found == upstream_dags.UpstreamDag(
        record.dag_pk,
        "up",
        group_of("up"),
        True,
        False,
        record.cursor,
        record.next_run,
        structs.replace(record.spec, tasks=()),
        "/dags/up.py",
        "1",
        AT,
        record.fingerprint,
        record.version_pk,
    )
    world.record(parsed("/dags/up.py"))
    with world.db.read() as tx:
        gone = upstream_dags.find_upstream_dag(tx, "up")
    assert gone is not None
    assert not gone.active


def test_slots_are_those_of_planned_runs_each_once_and_never_those_of_runs_by_hand(world: World, up: DagRecord) -> None:
    made = plan(world, "up", 0, 1, 2, 3).created
    twin = structs.replace(slot(5), run_id="scheduled__twin", run_after=DAY_2)
    world.run("up", "by_hand", day=77)
    with world.db.scheduler_write(world.me) as tx:
        commit.create_planned_runs(tx, [plan_change(world.read_dag("up"), twin)], AT)
        dag_runs.create_manual_run(
            tx,
            dag_id="up",
            run_id="backfill__9",
            logical_at=AT + 9 * DAY,
            run_after=AT + 10 * DAY,
            interval=None,
            conf={},
            by="me",
            at=AT,
            run_type=DagRunType.BACKFILL,
        )
    slots = [run.run_after for run in made]
    with world.db.read() as tx:
        assert upstream_dags.list_slots_with_runs(tx, up.dag_pk, slots[1], slots[3]) == slots[1:3]
        assert upstream_dags.list_slots_with_runs(tx, up.dag_pk, 0, AT + 100 * DAY) == [*slots, AT + 10 * DAY]
        assert upstream_dags.list_slots_before(tx, up.dag_pk, slots[3], 2) == slots[1:3]
        assert upstream_dags.list_slots_before(tx, up.dag_pk, slots[0], 2) == []
        assert upstream_dags.list_slots_before(tx, up.dag_pk, AT + 100 * DAY, 2) == [slots[3], AT + 10 * DAY]


def test_slots_before_an_instant_count_runs_by_hand_that_stand_for_one(world: World, up: DagRecord) -> None:
    world.run("up", "by_hand", day=1)
    plan(world, "up", 0, 1, 2)
    with world.db.read() as tx:
        assert upstream_dags.list_slots_before(tx, up.dag_pk, DAY_2, 5) == [DAY_0, DAY_1]
        assert upstream_dags.list_slots_before(tx, up.dag_pk, DAY_2, 1) == [DAY_1]


# -- what is known of a slot


def test_a_slot_has_its_outcome_from_its_run_and_the_number_of_its_clearings(world: World, up: DagRecord) -> None:
    made = plan(world, "up", 0, 1, 2).created
    end(world, made[0], DagRunState.SUCCESS, clear_number=2)
    end(world, made[1], DagRunState.FAILED)
    end(world, made[2], DagRunState.RUNNING, clear_number=1)
    assert facts(world, DAY_2, DAY_0, DAY_1) == [
        SlotFact(DAY_2, "open", 1),
        SlotFact(DAY_0, "ok", 2),
        SlotFact(DAY_1, "bad", 0, "run scheduled__1 failed"),
    ]


def test_a_slot_without_a_run_is_absent_once_planning_has_passed_it(world: World, up: DagRecord) -> None:
    assert outcomes(world, DAY_0) == ["open"]
    note = SkippedSlots(first=DAY_0, until=DAY_1, count=1, reason="catchup is off")
    plan(world, "up", 1, skipped=(note,))
    assert facts(world, DAY_0 - DAY, DAY_0, DAY_1, DAY_2) == [
        SlotFact(DAY_0 - DAY, "absent"),
        SlotFact(DAY_0, "absent", note="no run was made: catchup is off"),
        SlotFact(DAY_1, "open", 0),
        SlotFact(DAY_2, "open"),
    ]


def test_a_deleted_run_leaves_an_absent_slot(world: World, up: DagRecord) -> None:
    made = plan(world, "up", 0).created
    end(world, made[0])
    with world.db.scheduler_write(world.me) as tx:
        commit.delete_runs(tx, [made[0].run_pk])
    assert outcomes(world, DAY_0) == ["absent"]


def test_what_has_not_ended_of_a_dag_that_left_its_file_is_bad_and_what_was_stays(world: World, up: DagRecord) -> None:
    made = plan(world, "up", 0, 1).created
    end(world, made[0])
    world.record(parsed("/dags/up.py"))
    note = "no file defines DAG up any more"
    assert facts(world, DAY_0, DAY_1, DAY_2, NO_SLOT, DAY_0 - DAY) == [
        SlotFact(DAY_0, "ok", 0),
        SlotFact(DAY_1, "bad", 0, note),
        SlotFact(DAY_2, "bad", note=note),
        SlotFact(NO_SLOT, "open"),
        SlotFact(DAY_0 - DAY, "absent"),
    ]


def test_a_dag_that_is_not_known_leaves_its_slots_open_and_is_news_once_it_appears(world: World) -> None:
    assert facts(world, DAY_0, NO_SLOT) == [SlotFact(DAY_0, "open"), SlotFact(NO_SLOT, "open")]
    assert facts(world) == []
    world.dag("up")
    assert facts(world, NO_SLOT) == [SlotFact(NO_SLOT, "changed")]


def test_of_two_runs_for_one_instant_the_one_that_holds_others_up_counts(world: World, up: DagRecord) -> None:
    twin = structs.replace(slot(5), run_id="scheduled__twin", run_after=DAY_0)
    with world.db.scheduler_write(world.me) as tx:
        one, two = commit.create_planned_runs(tx, [plan_change(up, slot(0), twin)], AT)[0].created
    end(world, one)
    assert outcomes(world, DAY_0) == ["open"]
    end(world, two, DagRunState.FAILED)
    assert outcomes(world, DAY_0) == ["bad"]
    end(world, two)
    assert outcomes(world, DAY_0) == ["ok"]


S = TaskInstanceState


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([S.SUCCESS], "ok"),
        ([S.SKIPPED], "ok"),
        ([S.FAILED], "bad"),
        ([S.UPSTREAM_FAILED], "bad"),
        ([S.REMOVED], "bad"),
        ([S.SUCCESS, S.SKIPPED], "ok"),
        ([S.SUCCESS, S.FAILED, S.SKIPPED], "bad"),
    ],
)
def test_a_task_counts_by_the_states_of_all_its_indices(
    world: World, up: DagRecord, states: list[S], expected: str
) -> None:
    run = plan(world, "up", 0).created[0]
    rows = [task(run, 1, state, map_index=n, ended_at=AT) for n, state in enumerate(states)]
    world.apply(Changes(tasks=[*rows, task(run, 0, S.FAILED, ended_at=AT)]))
    assert outcomes(world, DAY_0, task_id="b") == [expected]
    end(world, run, DagRunState.FAILED, clear_number=1)
    (fact,) = facts(world, DAY_0, task_id="b")
    assert (fact.outcome, fact.clear_number) == (expected, 1)
    if expected == "bad":
        worst = max((state for state in states if state not in {S.SUCCESS, S.SKIPPED}), key=str)
        assert fact.note == f"task b of run scheduled__0: {worst}"


@pytest.mark.parametrize("state", [None, S.QUEUED, S.UP_FOR_RETRY])
def test_a_task_that_has_not_ended_is_open_while_its_run_goes_on_and_bad_after(
    world: World, up: DagRecord, state: S | None
) -> None:
    run = plan(world, "up", 0).created[0]
    assert outcomes(world, DAY_0, task_id="b") == ["open"]
    world.apply(Changes(tasks=[task(run, 1, S.SUCCESS, map_index=0), task(run, 1, state, map_index=1)]))
    assert outcomes(world, DAY_0, task_id="b") == ["open"]
    end(world, run)
    assert facts(world, DAY_0, task_id="b") == [SlotFact(DAY_0, "bad", 0, "run scheduled__0 ended without task b")]
    assert outcomes(world, DAY_0, task_id="no_such_task") == ["bad"]


# -- the graph of all DAGs


def test_the_dependencies_of_a_dag_are_those_of_its_newest_version(
    world: World, up: DagRecord, down: DagRecord
) -> None:
    with world.db.read() as tx:
        found = dag_edges.list_edges(tx)
        assert dag_edges.list_edges_on(tx, "up") == found
        assert dag_edges.list_edges_on(tx, "down") == []
        assert dag_edges.list_edges_of(tx, "down") == found
        assert dag_edges.list_edges_of(tx, "up") == []
        assert dag_edges.list_active_versions(tx, ["up", "down", "elsewhere"]) == {
            "up": up.version_pk,
            "down": down.version_pk,
        }
        among = dag_edges.list_connected_dags(tx)
    assert among == {"up": (up.dag_pk, up.version_pk), "down": (down.dag_pk, down.version_pk)}
    assert sorted(one.edge for one in found) == sorted(collect_edges(down.spec))
    assert {(one.dag_pk, one.dag_id, one.group_no, one.paused, one.error, one.is_known) for one in found} == {
        (down.dag_pk, "down", group_of("down"), False, None, True)
    }
    after = DependencySpec(dag_id="elsewhere", task_id="t", take="last", max_wait_s=60.5, zone="Asia/Shanghai")
    world.record(parsed("/dags/down.py", spec("down", depends_on=(after,))))
    with world.db.read() as tx:
        (only,) = dag_edges.list_edges(tx)
    assert (only.edge.dependency, only.edge.task_id, only.is_known) == (after, None, False)
    world.record(parsed("/dags/down.py", spec("down")))
    assert world.count("SELECT count(*) FROM dag_edge") == 0


def test_the_dependencies_of_a_dag_that_is_in_no_file_are_not_listed_until_it_comes_back(
    world: World, up: DagRecord, down: DagRecord
) -> None:
    with world.db.write() as tx:
        dag_files.record_deleted_files(tx, ["/dags/down.py"], AT)
        assert dag_edges.list_edges(tx) == []
        assert dag_edges.list_connected_dags(tx) == {}
        assert dag_edges.list_edges_on(tx, "up") == []
        assert dag_edges.list_edges_of(tx, "down") == []
        assert dag_edges.list_active_versions(tx, ["up", "down"]) == {"up": up.version_pk}
    world.record(parsed("/dags/down.py", down.spec))
    world.record(parsed("/dags/up.py"))
    with world.db.read() as tx:
        assert [one.is_known for one in dag_edges.list_edges(tx)] == [False, False]


def test_an_error_of_dependencies_stands_on_the_dag_and_only_news_are_told(
    world: World, up: DagRecord, down: DagRecord
) -> None:
    with letters(world, "dag_changed") as told, world.db.write() as tx:
        assert dag_edges.set_dependency_errors(tx, {up.dag_pk: None, down.dag_pk: "a cycle", 4711: "gone"}, AT) == [
            down.dag_pk
        ]
    assert told == [(group_of("down"), down.dag_pk)]
    stopped = world.read_dag("down")
    assert (stopped.dependency_error, stopped.plan_seq) == ("a cycle", down.plan_seq + 1)
    with letters(world, "dag_changed") as told, world.db.write() as tx:
        assert dag_edges.list_dependency_errors(tx) == {down.dag_pk: "a cycle"}
        assert {one.error for one in dag_edges.list_edges(tx)} == {"a cycle"}
        assert dag_edges.set_dependency_errors(tx, {down.dag_pk: "a cycle"}) == []
        assert dag_edges.set_dependency_errors(tx, {}) == []
    assert told == []
    with world.db.write() as tx:
        assert dag_edges.set_dependency_errors(tx, {down.dag_pk: None}) == [down.dag_pk]
    assert world.read_dag("down").dependency_error is None


@contextmanager
def letters(world: World, kind: str) -> Iterator[list[tuple[int, int]]]:
    """(group, dag_pk) of the letters that were sent meanwhile."""
    with world.db.read() as tx:
        before = {one.mail_pk for one in mailbox.read_messages(tx, range(64), 1000)}
    found: list[tuple[int, int]] = []
    yield found
    with world.db.read() as tx:
        new = [one for one in mailbox.read_messages(tx, range(64), 1000) if one.mail_pk not in before]
    found += [(one.group_no, json.loads(one.body)["dag_pk"]) for one in new if one.kind == kind]


# -- how much is read


def test_a_day_of_minutes_is_known_by_three_questions(
    world: World, up: DagRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    minute = 60_000_000
    planned = [
        structs.replace(slot(0), run_id=f"r{n}", run_after=AT + n * minute, interval_start=AT + n * minute)
        for n in range(1440)
    ]
    with world.db.scheduler_write(world.me) as tx:
        commit.create_planned_runs(tx, [plan_change(up, *planned)], AT)
    questions: list[str] = []
    ask = Transaction.all
    monkeypatch.setattr(Transaction, "all", lambda tx, name, **given: questions.append(name) or ask(tx, name, **given))
    assert set(outcomes(world, *(one.run_after for one in planned), task_id="a")) == {"open"}
    assert questions == ["upstream_dags.planning_progress", "upstream_dags.runs_of_slots", "upstream_dags.task_states"]


def test_history_is_read_by_index(world: World, up: DagRecord) -> None:
    """PostgreSQL chooses by statistics: with many runs it reads those of the slots alone."""
    with world.db.write() as tx:
        if world.db.dialect == "sqlite":
            pytest.skip("test_store_statements.py reads SQLite's plans")
        raw_run(
            tx,
            f"""
            INSERT INTO dag_run (dag_pk, group_no, run_id, slot_key, run_type, run_after, state, queued_at, ended_at)
            SELECT {up.dag_pk}, {up.group_no}, 'r' || n, n, 'scheduled', {AT} + n::bigint * 60000000, 100, 0, 1 FROM generate_series(1, 20000) AS n""",
        )
        raw_run(
            tx,
            f"""
            INSERT INTO run_wait (down_run, edge_no, up_dag, up_at, down_group, up_group, state, keeps, rule, since, clear_number)
            SELECT n, 7, 'up', {AT} + n, 0, {up.group_no}, 100, 0, 'r', 0, 0 FROM generate_series(1, 20000) AS n""",
        )
        raw_run(tx, "ANALYZE dag_run")
        raw_run(tx, "ANALYZE run_wait")
    slots = f"'{json.dumps([[up.dag_pk, AT + n * 60_000_000] for n in range(1440)])}'"
    for name, given in {
        "upstream_dags.runs_of_slots": {"keys": slots},
        "upstream_dags.slots": {"dag_pk": up.dag_pk, "start": AT, "end": AT + 10 * 60_000_000},
        "upstream_dags.slots_before": {"dag_pk": up.dag_pk, "before": AT + DAY, "limit": 3},
        "run_waits.open_of_groups": {"groups": f"'{{{up.group_no}}}'"},
        "run_waits.open_on_slot": {"dag_id": "'up'", "slot": AT + 5},
        "run_waits.waiting_runs": {"dag_ids": "'{up}'", "slots": f"'{{{AT + 5}}}'", "most": 5},
        "run_waits.downstream_runs": {"dag_id": "'up'", "slots": f"'{{{AT + 5}}}'"},
        "run_waits.of_runs": {"run_pks": "'{5}'"},
    }.items():
        with world.db.read() as tx:
            plan_lines = [str(row[0]) for row in raw(tx, f"EXPLAIN {bound(name, given)}")]
        assert [line for line in plan_lines if "Seq Scan on dag_run" in line or "Seq Scan on run_wait" in line] == [], (
            name,
            plan_lines,
        )


def raw_run(tx: Transaction, text: str) -> None:
    tx._connection.execute_raw(text)
    tx.flush()


def bound(name: str, given: dict[str, object]) -> str:
    """The statement with values written into it."""
    from gnomon.storage.store.statements import load_statements

    text = load_statements("postgresql")[name].text
    for parameter, value in given.items():
        text = text.replace(f"%({parameter})s", str(value))
    return text


def test_the_warnings_of_one_dag_are_its_part_of_the_warnings_of_all(world: World, up: DagRecord) -> None:
    task_id = up.spec.tasks[0].task_id
    afters = {
        "good": (DependencySpec(dag_id="up"),),
        "good_task": (DependencySpec(dag_id="up", task_id=task_id),),
        "bad_task": (DependencySpec(dag_id="up", task_id="gone"),),
        "bad_dag": (DependencySpec(dag_id="upp"), DependencySpec(dag_id="up", task_id="gone")),
        "alone": (),
    }
    for dag_id, depends_on in afters.items():
        world.record(parsed(f"/dags/{dag_id}.py", spec(dag_id, depends_on=depends_on)))
    with world.db.read() as tx:
        warnings = list_upstream_warnings(tx)
        assert set(warnings) == {"bad_task", "bad_dag"}
        assert "did you mean 'up'?" in warnings["bad_dag"][0]
        for dag_id in (*afters, "up", "unknown"):
            assert list_upstream_warnings(tx, dag_id) == {
                one: found for one, found in warnings.items() if one == dag_id
            }
