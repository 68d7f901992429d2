"""Clear, mark, delete, and what people do in the wrong moment."""

from __future__ import annotations

import copy

import pytest

from gnomon.model.attempts import XCOM_MAX_BYTES, XComItem
from gnomon.model.records import PoolRecord, RunRecord
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e

from .world import World, chain, dag_record

BRANCH = [
    TaskSpec(task_id="branch"),
    TaskSpec(task_id="left", upstream=("branch",)),
    TaskSpec(task_id="right", upstream=("branch",)),
]


def read_again(world: World, run: RunRecord) -> e.RunRead:
    return e.RunRead(world.runs[run.run_pk], tuple(row for key, row in world.rows.items() if key.run_pk == run.run_pk))


def test_a_reason_that_no_database_holds_is_stored_as_what_it_is() -> None:
    world = World(dag_record(chain("a")))
    run = world.start()
    world.end("a", "failed", reason="ValueError: \0")
    assert world.rows[world.key(run, "a")].reason == "ValueError: \\x00"


@pytest.mark.parametrize("kind", ["clear", "delete"])
def test_a_run_that_was_deleted_does_not_come_back_by_what_was_asked_in_the_same_round(kind: str) -> None:
    world = World(dag_record(chain("a")))
    run = world.start()
    world.end("a")
    read = read_again(world, run)
    asked = (
        e.ClearTasks(run.run_pk, None, "ann", request_pk=2) if kind == "clear" else e.DeleteRun(run.run_pk, "ann", 2)
    )
    decided = world.step(copy.deepcopy(read), e.DeleteRun(run.run_pk, "bob", 1), copy.deepcopy(read), asked)
    assert decided.deleted_runs == [run.run_pk] and not decided.changes.tasks and not world.live()
    assert [(request_pk, state) for request_pk, state, _ in world.answers] == [(1, "done"), (2, "refused")]


def test_what_is_cleared_together_runs_in_order_whatever_the_order_of_the_request() -> None:
    world = World(dag_record([*chain("a", "b"), TaskSpec(task_id="z")]))
    run = world.start()
    world.end("a")
    world.end("b")
    world.step(e.ClearTasks(run.run_pk, (world.key(run, "b"), world.key(run, "a")), "ann"))
    assert sorted(a.task_id for a in world.live()) == ["a", "z"]


@pytest.mark.parametrize("reload", [False, True])
def test_a_task_that_a_branch_skipped_is_skipped_again_while_the_branch_stands(reload: bool) -> None:
    world = World(dag_record(BRANCH))
    run = world.start()
    world.end("branch", skip_task_ids=("right",))
    world.step(e.ClearTasks(run.run_pk, (world.key(run, "right"),), "ann"))
    assert world.states(run)["right"] == "skipped"
    world.end("left")
    world.step(
        read_again(world, run), e.DeleteDag(77, "x"), e.ClearTasks(run.run_pk, (world.key(run, "right"),), "ann")
    )
    if reload:
        world.engine_state = world.fresh_engine_state()
        world.step(e.WorkerJoined("w", 32))
    assert not world.live() and world.states(run)["right"] == "skipped" and world.state(run) == "success"


def test_a_branch_that_is_cleared_too_decides_anew() -> None:
    world = World(dag_record(BRANCH))
    run = world.start()
    world.end("branch", skip_task_ids=("right",))
    keys = (world.key(run, "right"), world.key(run, "branch"))
    world.step(e.ClearTasks(run.run_pk, keys, "ann"))
    world.end("branch", skip_task_ids=())
    assert sorted(a.task_id for a in world.live()) == ["left", "right"]


def test_an_xcom_that_no_store_takes_fails_its_task_and_nothing_else() -> None:
    world = World(dag_record([TaskSpec(task_id="a"), TaskSpec(task_id="b")]))
    run = world.start()
    decided = world.end("a", xcoms=(XComItem(key="return_value", value="x" * (XCOM_MAX_BYTES + 1)),))
    assert not decided.changes.results
    assert world.states(run)["a"] == "failed"
    assert "return_value" in (world.rows[world.key(run, "a")].reason or "")
    assert world.states(run)["b"] == "queued"


def test_a_try_with_an_xcom_that_no_store_takes_is_retried_as_the_task_says() -> None:
    world = World(dag_record([TaskSpec(task_id="a", retries=3)]))
    run = world.start()
    world.end("a", xcoms=(XComItem(key="return_value", value="x" * (XCOM_MAX_BYTES + 1)),))
    assert world.states(run)["a"] == "up_for_retry"


def test_a_result_with_a_key_of_more_than_512_characters_is_a_failure() -> None:
    world = World(dag_record([TaskSpec(task_id="a")]))
    run = world.start()
    assert not world.end("a", xcoms=(XComItem(key="k" * 513, value="1"),)).changes.results
    assert (world.rows[world.key(run, "a")].reason or "").startswith(
        "the key of an XCom has at most 512 characters, and this one has 513; it begins with 'kkk"
    )


def test_the_limit_of_an_xcom_counts_bytes_of_text_that_is_not_ascii() -> None:
    world = World(dag_record([TaskSpec(task_id="a"), TaskSpec(task_id="b")]))
    run = world.start()
    half = XCOM_MAX_BYTES // 2
    assert world.end("a", xcoms=(XComItem(key="k", value="é" * half),)).changes.results
    assert not world.end("b", xcoms=(XComItem(key="k", value="é" * half + "x"),)).changes.results
    reason = world.rows[world.key(run, "b")].reason or ""
    assert (
        reason.startswith(f"XCom 'k' takes {XCOM_MAX_BYTES + 1} bytes, the limit is {XCOM_MAX_BYTES} bytes")
        and len(reason) < 400
    )


@pytest.mark.parametrize("outcome", ["failed", "up_for_reschedule"])
def test_what_a_try_pushed_stays_until_the_task_begins_anew(outcome: str) -> None:
    world = World(dag_record([TaskSpec(task_id="a", retries=1, retry_delay_s=5)]))
    run = world.start()
    later = {"resume_at": world.now + 6_000_000} if outcome == "up_for_reschedule" else {}
    decided = world.end("a", outcome, xcoms=(XComItem(key="k", value="1"),), **later)
    assert [one.xcoms[0].key for one in decided.changes.results] == ["k"] and not decided.changes.xcom_clears
    assert world.step(seconds=10).changes.xcom_clears == [world.key(run, "a")]


def test_what_a_try_pushed_is_gone_when_the_next_one_begins_in_the_same_step() -> None:
    world = World(dag_record([TaskSpec(task_id="a", retries=1, retry_delay_s=0), TaskSpec(task_id="b")]))
    run = world.start()
    (a,), (b,) = world.live("a"), world.live("b")
    pushed = (XComItem(key="k", value="1"),)
    decided = world.step(world.result(a, "failed", xcoms=pushed), world.result(b, xcoms=pushed))
    assert [one.try_number for one in world.live("a")] == [2]
    assert decided.changes.xcom_clears == [world.key(run, "a")]
    assert [one.task_no for one in decided.changes.results] == [world.key(run, "b").task_no]


def test_an_outcome_that_the_engine_does_not_know_fails_the_task() -> None:
    world = World(dag_record(chain("a")))
    run = world.start()
    world.end("a", "deferred")
    assert world.state(run) == "failed" and "deferred" in (world.rows[world.key(run, "a")].reason or "")


def test_skipping_a_task_that_does_not_exist_skips_nothing() -> None:
    world = World(dag_record(chain("a", "b")))
    run = world.start()
    world.end("a", skip_task_ids=("nobody",))
    world.end("b")
    assert world.state(run) == "success"


def test_fail_fast_keeps_teardowns() -> None:
    tasks = [
        TaskSpec(task_id="up", is_setup=True),
        TaskSpec(task_id="work", upstream=("up",)),
        TaskSpec(task_id="other", upstream=("up",)),
        TaskSpec(
            task_id="down", upstream=("up", "work", "other"), is_teardown=True, trigger_rule="all_done_setup_success"
        ),
    ]
    world = World(dag_record(tasks, fail_fast=True))
    run = world.start()
    world.end("up")
    world.end("work", "failed")
    assert [a.task_id for a in world.live()] == ["down"]
    world.end("down")
    assert world.states(run) == {"up": "success", "work": "failed", "other": "failed", "down": "success"}
    assert world.state(run) == "failed"


def test_tasks_of_a_queued_run_may_be_marked_and_count_when_it_starts() -> None:
    world = World(dag_record(chain("a", "b"), max_active_runs=1))
    first, second = world.start(), world.start()
    world.step(e.MarkTasks(second.run_pk, (world.key(second, "a"),), "success", "ann"))
    world.end("a")
    world.end("b")
    assert world.state(first) == "success" and [a.task_id for a in world.live()] == ["b"]


def test_a_lower_max_active_runs_stops_nobody_and_starts_nobody() -> None:
    world = World(dag_record(chain("a"), max_active_runs=3))
    for _ in range(4):
        world.start()
    world.dags[1] = dag_record(chain("a"), version=2, max_active_runs=1)
    world.step(e.DagRead(world.dags[1]))
    assert len(world.live()) == 3
    for left in (2, 1, 1):
        world.step(world.result(world.live()[0]), seconds=1)
        assert len(world.live()) == left


def test_a_cleared_task_that_entered_meanwhile_still_restarts() -> None:
    world = World(dag_record(chain("a")))
    world.start()
    (attempt,) = world.live()
    world.step(e.ClearTasks(attempt.run.run_pk, None, "ann"))
    world.step(e.AuthorCodeEntered(attempt.attempt_id, world.now))
    world.step(world.result(attempt, "failed"))
    (again,) = world.live()
    assert again.seq == 2


def test_a_dag_deleted_from_the_store_gives_back_all_that_it_held() -> None:
    world = World(dag_record(chain("a")), dag_record(chain("b"), dag_pk=2), pools=[PoolRecord("p", 1, 0)])
    world.start(1)
    world.start(2)
    world.step(e.DagDeleted(1))
    engine_state = world.engine_state
    assert (
        engine_state.live_attempt_count == 1
        and engine_state.workers["w"].used_slots == 1
        and engine_state.pools["default_pool"].used == 1
    )
    assert [a.task_id for a in world.live()] == ["b"]


def test_a_deleted_run_is_no_past() -> None:
    world = World(dag_record(chain("a", depends_on_past=True)))
    first = world.start()
    world.end("a")
    second, third = world.start(), world.start()
    world.end("a", "failed")
    assert not world.live() and world.state(first) == "success"
    before = (world.runs[first.run_pk], tuple(r for k, r in world.rows.items() if k.run_pk == first.run_pk))
    again = read_again(world, second)
    world.step(e.RunRead(again.run, again.tasks, before), e.DeleteRun(second.run_pk, "ann", 1))
    assert [a.run.run_id for a in world.live()] == [third.run_id]
