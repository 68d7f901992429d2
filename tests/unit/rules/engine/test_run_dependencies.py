"""Runs that wait for runs of another DAG, by one owner of both and by two: CROSS_DAG in docs/contributing/ownership.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from tests.unit.rules.engine.between import DOWN, HOUR, UP, Between, at
from tests.unit.rules.engine.told import tell_run, tell_task
from tests.unit.rules.engine.world import chain

from gnomon.model.run_callbacks import CallbackKind
from gnomon.model.run_waits import NO_SLOT, SlotFact, SlotOutcome, UpstreamUpdate, WaitState
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import DagRunType
from gnomon.model.upstream_edges import DependencySpec
from gnomon.rules.engine import events as e

UPSTREAM = DependencySpec(dag_id="dag1")
Then = Callable[[Between], None]


def nothing(_: Between) -> None:
    pass


def take_over(world: Between) -> None:
    world.take_over()


both = pytest.mark.parametrize("then", [nothing, take_over])
owners = pytest.mark.parametrize("owners", [1, 2])


@both
@owners
def test_a_run_starts_when_the_run_of_its_slot_has_succeeded(owners: int, then: Then) -> None:
    world = Between(UPSTREAM, owners=owners)
    down = world.plan(DOWN, 5)
    then(world)
    assert (world.state(down), world.record(down).reason) == ("queued", "waits for dag1")
    assert world.waits(down) == {5: WaitState.OPEN}
    world.plan(UP, 5)
    then(world)
    assert world.state(down) == "queued"
    world.end(UP, "load")
    then(world)
    assert (world.state(down), world.record(down).reason) == ("running", None)
    assert world.waits(down) == {5: WaitState.MET}
    world.end(DOWN, "use")
    assert world.state(down) == "success"
    assert all(owner.engine_state.subscriptions == {} for owner in world.owners)


@owners
def test_what_has_ended_before_anybody_asks_counts(owners: int) -> None:
    world = Between(UPSTREAM, owners=owners)
    world.plan(UP, 5)
    world.end(UP, "load")
    down = world.plan(DOWN, 5)
    assert world.state(down) == "running"


@both
@owners
def test_all_slots_are_waited_for_and_any_one_is_enough_where_that_is_said(owners: int, then: Then) -> None:
    for take, enough in (("all", 3), ("any", 1)):
        world = Between(DependencySpec(dag_id="dag1", take=take), owners=owners, slots=lambda _: [at(1), at(2), at(3)])
        down = world.plan(DOWN, 3)
        for hour in (1, 2, 3):
            assert world.state(down) == ("queued" if hour <= enough else "running"), (take, hour)
            world.plan(UP, hour)
            world.end(UP, "load")
            then(world)
        assert world.state(down) == "running"
        open_left = [state for state in world.waits(down).values() if state.is_open]
        assert open_left == []


@both
@owners
def test_a_failed_upstream_is_waited_for_until_it_is_cleared_and_succeeds(owners: int, then: Then) -> None:
    world = Between(UPSTREAM, owners=owners)
    down = world.plan(DOWN, 5)
    up = world.plan(UP, 5)
    world.end(UP, "load", "failed")
    then(world)
    assert world.state(down) == "queued"
    assert world.record(down).reason == "waits for dag1 (1 failed)"
    assert world.waits(down) == {5: WaitState.BAD}
    world.clear(up)
    then(world)
    assert (world.waits(down), world.record(down).reason) == ({5: WaitState.OPEN}, "waits for dag1")
    world.end(UP, "load")
    assert world.state(down) == "running"


@both
@owners
@pytest.mark.parametrize(("on_failure", "state"), [("proceed", "running"), ("cancel", "failed")])
def test_a_failed_upstream_is_put_up_with_or_ends_the_run(owners: int, then: Then, on_failure: str, state: str) -> None:
    world = Between(DependencySpec(dag_id="dag1", on_failure=on_failure), owners=owners)
    down = world.plan(DOWN, 5)
    world.plan(UP, 5)
    then(world)
    world.end(UP, "load", "failed")
    assert world.state(down) == state
    if state == "failed":
        assert world.record(down).reason == "cancelled: dag1: run run2 failed"
        assert world.owner(DOWN).states(down) == {"use": "skipped"}
    assert all(owner.engine_state.subscriptions == {} for owner in world.owners)


def test_a_run_that_its_upstream_cancels_owes_its_failure_callback() -> None:
    world = Between(DependencySpec(dag_id="dag1", on_failure="cancel"), run_callbacks=(CallbackKind.RUN_FAILED.value,))
    world.plan(DOWN, 5)
    world.plan(UP, 5)
    world.end(UP, "load", "failed")
    (pending,) = world.owner(DOWN).callbacks.values()
    assert pending.request.reason == "upstream_failed"


def test_one_failure_among_several_cancels_unless_any_success_is_enough() -> None:
    for take, states in (("all", ["failed", "failed", "failed"]), ("any", ["queued", "queued", "failed"])):
        world = Between(
            DependencySpec(dag_id="dag1", take=take, on_failure="cancel"), slots=lambda _: [at(1), at(2), at(3)]
        )
        down = world.plan(DOWN, 3)
        for hour, state in zip((1, 2, 3), states, strict=True):
            world.plan(UP, hour)
            world.end(UP, "load", "failed")
            assert world.state(down) == state, (take, hour)


@both
@owners
@pytest.mark.parametrize(("on_absent", "state"), [("ignore", "running"), ("wait", "queued"), ("fail", "failed")])
def test_a_slot_that_the_cursor_passes_without_a_run_is_absent(
    owners: int, then: Then, on_absent: str, state: str
) -> None:
    world = Between(DependencySpec(dag_id="dag1", on_absent=on_absent), owners=owners)
    down = world.plan(DOWN, 5)
    then(world)
    world.skip_to(6)
    then(world)
    assert world.state(down) == state
    late = world.plan(DOWN, 6)
    then(world)
    assert world.state(late) == state
    if on_absent == "wait":
        world.plan(UP, 5)  # as a backfill would
        world.end(UP, "load")
        assert world.state(down) == "running"


@owners
def test_the_last_of_several_is_chosen_anew_when_it_turns_out_to_be_absent(owners: int) -> None:
    chosen = [[at(3)], [at(2)]]
    world = Between(DependencySpec(dag_id="dag1", take="last"), owners=owners, slots=lambda _: chosen[0])
    down = world.plan(DOWN, 3)
    assert world.waits(down) == {3: WaitState.OPEN}
    world.plan(UP, 2)
    world.end(UP, "load")
    del chosen[0]
    world.skip_to(3)
    assert (world.state(down), world.waits(down)) == ("running", {2: WaitState.MET})


@both
@owners
def test_a_task_waits_while_the_rest_of_its_run_goes_on(owners: int, then: Then) -> None:
    waits = TaskSpec(task_id="use", depends_on=(UPSTREAM,))
    world = Between((), owners=owners, down=[TaskSpec(task_id="free"), waits])
    down = world.plan(DOWN, 5)
    then(world)
    world.end(DOWN, "free")
    assert world.owner(DOWN).states(down) == {"free": "success"}
    owner = world.owner(DOWN)
    assert tell_task(owner.engine_state, down.run_pk, "use", -1, owner.now) == ["it waits for dag1"]
    world.plan(UP, 5)
    world.end(UP, "load")
    then(world)
    world.end(DOWN, "use")
    assert world.state(down) == "success"


def test_a_task_whose_dependency_is_cancelled_is_upstream_failed() -> None:
    waits = TaskSpec(task_id="use", depends_on=(DependencySpec(dag_id="dag1", on_failure="cancel"),))
    world = Between((), down=[TaskSpec(task_id="free"), waits])
    down = world.plan(DOWN, 5)
    world.plan(UP, 5)
    world.end(UP, "load", "failed")
    assert world.owner(DOWN).states(down)["use"] == "upstream_failed"
    world.end(DOWN, "free")
    assert world.state(down) == "failed"


@both
@owners
def test_one_task_of_the_upstream_is_enough_where_it_is_named(owners: int, then: Then) -> None:
    for outcome, state in (("success", "running"), ("skipped", "running"), ("failed", "queued")):
        world = Between(
            DependencySpec(dag_id="dag1", task_id="load"),
            owners=owners,
            up=chain("load", "report", trigger_rule="all_done"),
        )
        down = world.plan(DOWN, 5)
        world.plan(UP, 5)
        then(world)
        world.end(UP, "load", outcome)
        then(world)
        assert world.state(down) == state, outcome
        world.end(UP, "report")
        assert world.state(down) == state, outcome


@owners
def test_a_run_that_ends_without_the_task_is_bad(owners: int) -> None:
    world = Between(DependencySpec(dag_id="dag1", task_id="load_all", on_failure="cancel"), owners=owners)
    down = world.plan(DOWN, 5)
    world.plan(UP, 5)
    world.end(UP, "load")
    assert (world.state(down), world.record(down).reason) == (
        "failed",
        "cancelled: dag1.load_all: run run2 ended without task load_all",
    )


def test_a_run_that_somebody_triggers_starts_at_once() -> None:
    world = Between(UPSTREAM)
    owner = world.owner(DOWN)
    run = owner.new_run(DOWN)
    assert run.run_type is DagRunType.MANUAL
    world.step(owner, e.RunRead(run))
    assert world.state(run) == "running"


@both
@owners
def test_no_slot_upstream_is_nothing_to_wait_for(owners: int, then: Then) -> None:
    world = Between(UPSTREAM, owners=owners, slots=lambda _: ())
    down = world.plan(DOWN, 5)
    then(world)
    assert world.state(down) == "running"
    assert world.waits(down) == {-1: WaitState.MET}


@both
@owners
def test_an_unknown_upstream_is_waited_for_until_it_is_there(owners: int, then: Then) -> None:
    world = Between(UPSTREAM, owners=owners, there=False)
    down = world.plan(DOWN, 5)
    then(world)
    assert (world.state(down), world.record(down).reason) == ("queued", "waits for dag1 (there is no DAG dag1)")
    world.read_dag(world.dags[UP])
    then(world)
    assert (world.record(down).reason, world.waits(down)) == ("waits for dag1", {5: WaitState.OPEN})
    world.plan(UP, 5)
    world.end(UP, "load")
    assert world.state(down) == "running"


@both
@owners
def test_another_schedule_upstream_finds_the_slots_that_are_to_come_again(owners: int, then: Then) -> None:
    slots = [at(5)]
    world = Between(UPSTREAM, owners=owners, slots=lambda _: slots)
    down = world.plan(DOWN, 5)
    then(world)
    slots[:] = [at(4)]
    record = world.dags[UP]
    spec = replace_spec(record.spec, timetable=TimetableRef(path="other"))
    world.read_dag(replace(record, spec=spec, version_pk=2))
    then(world)
    assert world.waits(down) == {4: WaitState.OPEN}
    world.plan(UP, 4)
    world.end(UP, "load")
    assert world.state(down) == "running"


@both
@owners
def test_an_upstream_that_left_its_file_is_bad_and_waited_for_when_it_is_back(owners: int, then: Then) -> None:
    world = Between(UPSTREAM, owners=owners)
    down = world.plan(DOWN, 5)
    then(world)
    world.read_dag(replace(world.dags[UP], active=False))
    then(world)
    assert world.waits(down) == {5: WaitState.BAD}
    world.read_dag(replace(world.dags[UP], active=True))
    then(world)
    assert world.waits(down) == {5: WaitState.OPEN}
    cancelled = Between(DependencySpec(dag_id="dag1", on_failure="cancel"), owners=owners)
    down = cancelled.plan(DOWN, 5)
    cancelled.read_dag(replace(cancelled.dags[UP], active=False))
    assert cancelled.record(down).reason == "cancelled: dag1: no file defines DAG dag1 any more"


@both
@owners
def test_a_run_under_way_of_a_dag_that_left_its_file_is_bad_until_the_dag_is_back_or_the_run_ends(
    owners: int, then: Then
) -> None:
    world = Between(UPSTREAM, owners=owners)
    up, down = world.plan(UP, 5), world.plan(DOWN, 5)
    world.read_dag(replace(world.dags[UP], active=False))
    then(world)
    assert world.waits(down) == {5: WaitState.BAD}
    assert world.record(down).reason == "waits for dag1 (no file defines it any more)"
    world.read_dag(replace(world.dags[UP], active=True))
    then(world)
    assert world.waits(down) == {5: WaitState.OPEN}
    assert world.record(down).reason == "waits for dag1"
    world.read_dag(replace(world.dags[UP], active=False))
    then(world)
    world.end(UP, "load")
    assert world.state(up) == "success" and world.state(down) == "running"


@both
@owners
def test_a_run_by_hand_of_a_passed_slot_is_heard_of_by_those_who_wait(owners: int, then: Then) -> None:
    world = Between(DependencySpec(dag_id="dag1", on_absent="wait"), owners=owners)
    down = world.plan(DOWN, 5)
    world.skip_to(6)
    then(world)
    assert world.waits(down) == {5: WaitState.OPEN} and world.state(down) == "queued"
    up = world.by_hand(5)
    then(world)
    world.end(UP, "load", "failed")
    assert world.waits(down) == {5: WaitState.BAD}
    world.clear(up)
    then(world)
    world.end(UP, "load")
    assert world.state(down) == "running"


@owners
def test_a_run_by_hand_that_comes_when_its_dag_has_left_its_file_is_bad_until_the_dag_is_back(owners: int) -> None:
    world = Between(DependencySpec(dag_id="dag1", on_absent="wait"), owners=owners)
    down = world.plan(DOWN, 5)
    world.skip_to(6)
    world.read_dag(replace(world.dags[UP], active=False))
    world.by_hand(5)
    assert world.waits(down) == {5: WaitState.BAD}
    world.read_dag(replace(world.dags[UP], active=True))
    assert world.waits(down) == {5: WaitState.OPEN}
    world.end(UP, "load")
    assert world.state(down) == "running"


@owners
def test_a_run_that_is_cleared_while_its_dag_is_in_no_file_is_bad_for_those_who_were_told(owners: int) -> None:
    world = Between(
        (UPSTREAM, DependencySpec(dag_id="dag1", previous=1)), owners=owners, slots=lambda planned: (at(5), at(6))
    )
    up, down = world.plan(UP, 5), world.plan(DOWN, 5)
    world.end(UP, "load")
    assert set(world.waits(down).values()) == {WaitState.MET, WaitState.OPEN}
    world.read_dag(replace(world.dags[UP], active=False))
    world.clear(up)
    assert set(world.waits(down).values()) == {WaitState.BAD}


@owners
def test_a_deleted_upstream_is_unknown_and_a_deleted_run_is_absent(owners: int) -> None:
    world = Between(UPSTREAM, owners=owners)
    down = world.plan(DOWN, 5)
    up = world.plan(UP, 5)
    world.step(world.owner(UP), e.DeleteRun(up.run_pk, "ann"))
    assert (world.state(down), world.waits(down)) == ("running", {5: WaitState.ABSENT})
    later = world.plan(DOWN, 6)
    world.there = False
    world.step(world.owner(UP), e.DeleteDag(UP, "ann"))
    assert world.record(later).reason == "waits for dag1 (there is no DAG dag1)"


@both
@owners
def test_met_is_met_until_the_upstream_is_cleared_before_the_start(owners: int, then: Then) -> None:
    world = Between(UPSTREAM, owners=owners, slots=lambda _: [at(1), at(2)])
    down = world.plan(DOWN, 2)
    first = world.plan(UP, 1)
    world.end(UP, "load")
    then(world)
    world.clear(first)
    then(world)
    assert world.waits(down) == {1: WaitState.OPEN, 2: WaitState.OPEN}
    second = world.plan(UP, 2)
    world.end(UP, "load", run=second)
    assert world.state(down) == "queued"
    world.end(UP, "load", run=first)
    assert world.state(down) == "running"
    world.clear(first)
    assert world.state(down) == "running", "after the start nothing is undone by itself"


@both
@owners
def test_a_cleared_run_waits_again(owners: int, then: Then) -> None:
    world = Between(UPSTREAM, owners=owners)
    down = world.plan(DOWN, 5)
    up = world.plan(UP, 5)
    world.end(UP, "load")
    world.end(DOWN, "use")
    assert world.state(down) == "success"
    world.clear(up)
    world.clear(down)
    then(world)
    assert (world.state(down), world.record(down).reason) == ("queued", "waits for dag1")
    world.end(UP, "load")
    then(world)
    assert world.state(down) == "running"
    world.end(DOWN, "use")
    assert world.state(down) == "success"


def test_a_cleared_task_waits_again_by_its_own_edge_only() -> None:
    waits = TaskSpec(task_id="use", depends_on=(UPSTREAM,))
    world = Between((), down=[TaskSpec(task_id="free"), waits])
    down = world.plan(DOWN, 5)
    up = world.plan(UP, 5)
    world.end(UP, "load")
    world.end(DOWN, "use")
    world.clear(up)
    world.clear(down, "use")
    assert world.owner(DOWN).live("use") == []
    world.end(UP, "load")
    assert len(world.owner(DOWN).live("use")) == 1


@both
@owners
def test_a_run_is_released_from_one_upstream_or_from_all(owners: int, then: Then) -> None:
    for up_dag in ("dag1", None):
        world = Between([UPSTREAM, DependencySpec(dag_id="dag1", previous=1)], owners=owners)
        down = world.plan(DOWN, 5)
        then(world)
        world.step(world.owner(DOWN), e.ReleaseRun(down.run_pk, up_dag, "ann", "it is empty today", 7))
        then(world)
        assert world.state(down) == "running"
        assert world.owner(DOWN).answers == [(7, "done", '{"released": ["dag1"]}')]
        assert set(world.waits(down).values()) == {WaitState.RELEASED}


def test_a_release_that_releases_nothing_is_refused_with_the_reason() -> None:
    world = Between(UPSTREAM)
    down = world.plan(DOWN, 5)
    owner = world.owner(DOWN)
    world.step(owner, e.ReleaseRun(down.run_pk, "dag7", "ann", None, 1), e.ReleaseRun(99, None, "ann", None, 2))
    world.step(owner, e.ReleaseRun(down.run_pk, None, "ann", None, 3))
    world.step(owner, e.ReleaseRun(down.run_pk, None, "ann", None, 4))
    said = {pk: (state, answer) for pk, state, answer in owner.answers}
    assert said[1] == ("refused", '{"error": "the run does not wait for dag7: it waits for dag1"}')
    assert said[2][0] == "refused" and said[3][0] == "done" and said[4][0] == "refused"


@both
def test_a_run_that_waits_too_long_fails_and_says_what_for(then: Then) -> None:
    world = Between(DependencySpec(dag_id="dag1", max_wait_s=600))
    down = world.plan(DOWN, 5)
    owner = world.owner(DOWN)
    world.step(owner, seconds=599)
    then(world)
    assert world.state(down) == "queued"
    world.step(owner, seconds=1)
    assert (world.state(down), world.record(down).reason) == ("failed", "max_wait: dag1 was not done after 10 min")


@both
def test_a_task_that_waits_too_long_counts_from_the_start_of_its_run(then: Then) -> None:
    waits = TaskSpec(task_id="use", depends_on=(DependencySpec(dag_id="dag1", max_wait_s=600),))
    world = Between((), down=[TaskSpec(task_id="free"), waits])
    down = world.plan(DOWN, 5)
    owner = world.owner(DOWN)
    world.step(owner, seconds=599)
    then(world)
    assert "use" not in owner.states(down)
    world.step(owner, seconds=1)
    assert owner.states(down)["use"] == "upstream_failed"


def test_a_waiting_run_holds_up_no_other_and_is_overtaken() -> None:
    world = Between(UPSTREAM)
    world.dags[DOWN] = replace(
        world.dags[DOWN], spec=replace_spec(world.dags[DOWN].spec, max_active_runs=1), version_pk=2
    )
    world.read_dag(world.dags[DOWN])
    first, second, third = (world.plan(DOWN, hour) for hour in (5, 6, 7))
    world.plan(UP, 5)
    world.end(UP, "load", run=world.plan(UP, 6))
    assert [world.state(run) for run in (first, second, third)] == ["queued", "running", "queued"]
    assert list(world.owner(DOWN).engine_state.dags[DOWN].runs_waiting_upstream) == [first.run_pk, third.run_pk]
    world.end(UP, "load", run=world.plan(UP, 7))
    assert world.state(third) == "queued", "it waits for its place now"
    assert world.record(third).reason is None
    world.end(DOWN, "use")
    assert world.state(third) == "running"


def test_an_upstream_that_is_cleared_while_the_run_waits_for_its_place_is_waited_for_again() -> None:
    world = Between(UPSTREAM)
    world.dags[DOWN] = replace(
        world.dags[DOWN], spec=replace_spec(world.dags[DOWN].spec, max_active_runs=1), version_pk=2
    )
    world.read_dag(world.dags[DOWN])
    for hour in (5, 6):
        last = world.plan(UP, hour)
        world.end(UP, "load")
        down = world.plan(DOWN, hour)
    assert world.state(down) == "queued"
    world.clear(last)
    world.end(DOWN, "use")
    assert (world.state(down), world.record(down).reason) == ("queued", "waits for dag1")
    world.end(UP, "load")
    assert world.state(down) == "running"


@both
def test_an_edited_dependency_is_found_again_and_one_that_is_gone_forgotten(then: Then) -> None:
    world = Between(UPSTREAM)
    down = world.plan(DOWN, 5)
    then(world)
    record = world.dags[DOWN]
    other = replace_spec(record.spec, depends_on=(DependencySpec(dag_id="dag1", take="any"),))
    world.read_dag(replace(record, spec=other, version_pk=2))
    assert [key[1] for key in world.owners[0].run_waits] == [
        edge.number for edge in world.owner(DOWN).engine_state.dags[DOWN].graph.edges
    ]
    assert world.state(down) == "queued"
    world.read_dag(replace(record, spec=replace_spec(record.spec, depends_on=()), version_pk=3))
    assert world.state(down) == "running"
    assert world.owners[0].run_waits == {}


def test_rows_of_edges_that_went_while_nobody_was_there_are_forgotten() -> None:
    world = Between(UPSTREAM)
    down = world.plan(DOWN, 5)
    record = replace(world.dags[DOWN], spec=replace_spec(world.dags[DOWN].spec, depends_on=()), version_pk=2)
    world.dags[DOWN] = world.owner(DOWN).dags[DOWN] = record
    world.take_over()
    assert (world.state(down), world.owners[0].run_waits) == ("running", {})


def test_slots_that_cannot_be_told_keep_the_run_waiting_with_the_reason() -> None:
    world = Between(UPSTREAM)
    world.resolution_error = "MyTimetable.granularity is 'often'"
    down = world.plan(DOWN, 5)
    assert world.record(down).reason == "waits for dag1 (MyTimetable.granularity is 'often')"
    world.resolution_error = None
    world.take_over()
    assert world.record(down).reason == "waits for dag1"


def test_what_it_waits_for_is_explained() -> None:
    world = Between(UPSTREAM)
    down = world.plan(DOWN, 5)
    owner = world.owner(DOWN)
    assert tell_run(owner.engine_state, down.run_pk, owner.now) == ["queued: it waits for dag1"]


@both
def test_a_dag_that_waits_for_itself(then: Then) -> None:
    world = Between((), slots=lambda planned: [planned - HOUR] if planned > at(1) else ())
    record = world.dags[UP]
    itself = replace_spec(record.spec, depends_on=(DependencySpec(dag_id="dag1", previous=1),))
    world.read_dag(replace(record, spec=itself, version_pk=2))
    world.dags[DOWN] = world.dags[UP]  # where the resolver of these tests looks for edges
    runs = [world.plan(UP, hour) for hour in (1, 2, 3)]
    then(world)
    assert [world.state(run) for run in runs] == ["running", "queued", "queued"]
    world.end(UP, "load")
    then(world)
    assert [world.state(run) for run in runs] == ["success", "running", "queued"]
    world.end(UP, "load")
    assert world.state(runs[2]) == "running"


@owners
def test_news_that_come_late_or_twice_change_nothing(owners: int) -> None:
    world = Between(UPSTREAM, owners=owners, slots=lambda _: [at(1), at(2)])
    down = world.plan(DOWN, 2)
    first = world.plan(UP, 1)
    world.end(UP, "load")
    world.clear(first)
    (edge,) = world.owner(DOWN).engine_state.runs[down.run_pk].edges.values()
    assert edge.waits[at(1)].clear_number == 1
    stale = e.UpstreamUpdatesReceived((heard(down.run_pk, edge.edge.number, at(1), "ok", 0),))
    world.step(world.owner(DOWN), stale, stale)
    assert world.waits(down)[1] is WaitState.OPEN
    world.step(
        world.owner(DOWN),
        e.UpstreamUpdatesReceived((heard(99, 1, NO_SLOT, "ok", 0), heard(down.run_pk, 5, at(1), "ok", 7))),
    )
    assert world.waits(down)[1] is WaitState.OPEN


def heard(run_pk: int, edge_no: int, slot: int, outcome: SlotOutcome, clear_number: int) -> UpstreamUpdate:
    return UpstreamUpdate(run_pk, edge_no, SlotFact(slot, outcome, clear_number))


def replace_spec(spec: DagSpec, **fields: Any) -> DagSpec:
    return msgspec.structs.replace(spec, **fields)


@owners
def test_a_task_that_is_cleared_after_its_max_wait_goes_on_when_its_upstream_is_done_by_then(owners: int) -> None:
    edge = DependencySpec(dag_id="dag1", max_wait_s=60.0)
    world = Between(owners=owners, down=[*chain("use", depends_on=(edge,)), *chain("other")])
    down = world.plan(DOWN, 5)
    world.plan(UP, 5)
    world.step(world.owner(DOWN), seconds=61)
    assert world.owner(DOWN).states(down)["use"] == "upstream_failed"
    world.end(UP, "load")
    world.clear(down, "use")
    assert [attempt.task_id for attempt in world.owner(DOWN).live("use")] == ["use"]


def test_a_task_that_is_cleared_after_its_max_wait_fails_again_while_its_upstream_is_not_done() -> None:
    edge = DependencySpec(dag_id="dag1", max_wait_s=60.0)
    world = Between(down=[*chain("use", depends_on=(edge,)), *chain("other")])
    down = world.plan(DOWN, 5)
    world.step(world.owner(DOWN), seconds=61)
    world.clear(down, "use")
    assert world.owner(DOWN).states(down)["use"] is None
    world.step(world.owner(DOWN), seconds=5)
    assert world.owner(DOWN).states(down)["use"] == "upstream_failed"


@owners
def test_a_slot_that_is_absent_after_its_cleared_run_was_deleted_is_met_by_another_run(owners: int) -> None:
    world = Between(DependencySpec(dag_id="dag1", on_absent="wait"), owners=owners)
    down = world.plan(DOWN, 5)
    up = world.plan(UP, 5)
    world.end(UP, "load", "failed")
    world.clear(up)
    world.end(UP, "load", "failed")
    world.step(world.owner(UP), *world.read_again(up), e.DeleteRun(up.run_pk, "ann"))
    assert world.waits(down) == {5: WaitState.OPEN}
    world.plan(UP, 5)
    world.end(UP, "load")
    assert world.state(down) == "running"


@owners
def test_a_change_that_the_upstreams_owner_loads_before_he_hears_of_it_is_told(owners: int) -> None:
    """The letter about it is still there when he takes the group over."""
    found = [at(5)]
    world = Between(UPSTREAM, owners=owners, slots=lambda _: found)
    down = world.plan(DOWN, 3)
    found[:] = [at(4)]
    changed = replace(world.dags[UP], version_pk=2)
    changed.spec = msgspec.structs.replace(changed.spec, timetable=TimetableRef(path="other"))
    world.dags[UP] = world.owner(UP).dags[UP] = changed
    world.take_over()
    world.read_dag(changed)
    assert world.waits(down) == {4: WaitState.OPEN}


def test_slots_that_were_found_before_the_upstream_was_edited_are_found_again() -> None:
    """The question is on its way while the upstream's owner reads the new version."""
    found = [at(5)]
    world = Between(UPSTREAM, owners=2, slots=lambda _: found)
    world.settle = lambda: None  # type: ignore[method-assign]
    down = world.plan(DOWN, 3)
    world.find()
    assert [letter.kind for letter in world.owners[0].mail] == ["wait_registered"]
    found[:] = [at(4)]
    spec = msgspec.structs.replace(world.dags[UP].spec, timetable=TimetableRef(path="other"))
    world.read_dag(replace(world.dags[UP], version_pk=2, spec=spec))
    del world.settle
    world.settle()
    assert world.waits(down) == {4: WaitState.OPEN}


def test_an_upstream_that_is_cleared_and_taken_over_before_anybody_hears_of_it_is_waited_for_again() -> None:
    edge = DependencySpec(dag_id="dag1")
    world = Between(owners=2, down=[*chain("first"), TaskSpec(task_id="use", upstream=("first",), depends_on=(edge,))])
    up = world.plan(UP, 5)
    world.end(UP, "load")
    down = world.plan(DOWN, 5)
    assert world.waits(down) == {5: WaitState.MET}
    world.settle = lambda: None  # type: ignore[method-assign]
    world.clear(up)
    world.take_over()
    del world.settle
    world.settle()
    assert world.waits(down) == {5: WaitState.OPEN}
    world.end(UP, "load")
    assert world.waits(down) == {5: WaitState.MET}


@owners
@pytest.mark.parametrize("way", ["released", "deleted", "marked", "too late", "no dependency", "other dependency"])
def test_who_waits_no_longer_is_forgotten(owners: int, way: str) -> None:
    world = Between(
        DependencySpec(dag_id="dag1", max_wait_s=60.0), owners=owners, slots=lambda planned: [planned, planned + HOUR]
    )
    down = world.plan(DOWN, 5)
    world.plan(UP, 5)
    world.end(UP, "load", "failed")
    (asked,) = [owner.engine_state.subscriptions for owner in world.owners if owner.engine_state.subscriptions]
    assert {slot: len(listeners) for slot, listeners in asked["dag1"].items()} == {at(5): 1, at(6): 1}
    owner, dag = world.owner(DOWN), world.dags[DOWN]
    if way == "released":
        world.step(owner, e.ReleaseRun(down.run_pk, None, "ann", None))
    elif way == "deleted":
        world.step(owner, e.DeleteRun(down.run_pk, "ann"))
    elif way == "marked":
        world.step(owner, e.MarkRun(down.run_pk, "failed", "ann"))
    elif way == "too late":
        world.step(owner, seconds=61)
    else:
        given = () if way == "no dependency" else (DependencySpec(dag_id="dag1", on_failure="proceed", take="first"),)
        world.slots = lambda planned: [planned + 2 * HOUR]
        world.read_dag(replace(dag, version_pk=2, spec=msgspec.structs.replace(dag.spec, depends_on=given)))
    left = [slot for owner in world.owners for slot in owner.engine_state.subscriptions.get("dag1", {})]
    assert left == ([at(7)] if way == "other dependency" else [])


@owners
def test_a_dependency_that_is_new_counts_for_no_run_that_has_started(owners: int) -> None:
    world = Between(owners=owners)
    down = world.plan(DOWN, 5)
    dag = world.dags[DOWN]
    world.read_dag(replace(dag, version_pk=2, spec=msgspec.structs.replace(dag.spec, depends_on=(UPSTREAM,))))
    assert (world.state(down), world.waits(down)) == ("running", {})
    world.take_over()
    assert world.waits(down) == {}
