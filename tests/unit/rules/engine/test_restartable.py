"""A restartable task: an attempt that the installation lost after it had begun runs again, and costs no try."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.unit.rules.engine.mapped_dags import literal
from tests.unit.rules.engine.told import tell_task
from tests.unit.rules.engine.world import GROUP, World, chain, dag_record

from gnomon.model.attempts import Deferral
from gnomon.model.spec import TaskSpec
from gnomon.rules.decide.outcomes import RESTARTS_MAX, format_restart, parse_restarts
from gnomon.rules.engine import events as e
from gnomon.rules.engine.step_context import StepResult

Loss = Callable[[World], StepResult]


def _enter(world: World, task_id: str = "a") -> None:
    world.step(*(e.AuthorCodeEntered(attempt.attempt_id, world.now) for attempt in world.live(task_id)))


def _lose_worker(world: World) -> StepResult:
    decided = world.step(e.WorkerLost("w"))
    world.step(e.WorkerJoined("w", 4))
    return decided


def _stop_worker(world: World) -> StepResult:
    return world.end("a", "lost", reason="lost: the worker was stopped")


def _miss_in_inventory(world: World) -> StepResult:
    world.take_over()
    world.step(e.WorkerJoined("w", 4))
    return world.step(e.InventoryRead("w", {}, groups=(GROUP,)))


def _reasons(decided: StepResult) -> list[str]:
    return [record.reason or "" for record in decided.changes.attempts]


LOSSES = pytest.mark.parametrize("lose", [_lose_worker, _stop_worker, _miss_in_inventory])


@LOSSES
def test_a_lost_attempt_runs_again_in_the_same_try_and_its_reason_says_so(lose: Loss) -> None:
    world = World(dag_record(chain("a", restartable=True)))
    run = world.start()
    _enter(world)
    [reason] = _reasons(lose(world))
    (again,) = world.live()
    assert (again.try_number, again.seq) == (1, 2)
    assert reason.startswith("lost: ") and reason.endswith(
        f"; it runs again without costing a try, because the task is restartable (1 of at most {RESTARTS_MAX})"
    )
    _enter(world)
    world.end("a")
    assert world.state(run) == "success"


@LOSSES
def test_without_it_the_loss_costs_the_try(lose: Loss) -> None:
    world = World(dag_record(chain("a")))
    run = world.start()
    _enter(world)
    [reason] = _reasons(lose(world))
    assert world.state(run) == "failed"
    assert "without costing a try" not in reason


def test_a_failure_a_cancellation_and_an_end_by_its_own_fault_cost_the_try() -> None:
    for outcome, fields in (("failed", {}), ("lost", {"is_own_fault": True})):
        world = World(dag_record(chain("a", restartable=True)))
        run = world.start()
        _enter(world)
        world.end("a", outcome, **fields)
        assert world.state(run) == "failed", outcome


def _nothing(world: World) -> object:
    return None


def _take_over_while_it_runs(world: World) -> object:
    """The next scheduler knows what is stored."""
    return world.take_over()


def _lose_before_it_begins(world: World) -> object:
    return world.end("a", "lost", reason="lost: its pod was deleted before it began", entered=False)


@pytest.mark.parametrize("between", [_nothing, _take_over_while_it_runs, _lose_before_it_begins])
def test_a_try_is_restarted_so_many_times_and_then_the_loss_costs_it(between: Callable[[World], object]) -> None:
    world = World(dag_record(chain("a", restartable=True, retries=1, retry_delay_s=0.0)))
    run = world.start()
    for number in range(RESTARTS_MAX):
        if number:
            between(world)
        _enter(world)
        _stop_worker(world)
    assert world.live()[0].try_number == 1
    _enter(world)
    [reason] = _reasons(_stop_worker(world))
    assert reason.endswith(f"it costs a try: it was restarted {RESTARTS_MAX} times in a row")
    world.step(seconds=1)
    assert world.live()[0].try_number == 2
    _enter(world)
    _stop_worker(world)
    assert world.live()[0].try_number == 2, "the next try has its own restarts"
    _enter(world)
    world.end("a")
    assert world.state(run) == "success"


def test_each_task_instance_has_restarts_of_its_own() -> None:
    world = World(dag_record([TaskSpec(task_id="a", restartable=True), TaskSpec(task_id="b", restartable=True)]))
    world.start()
    _enter(world, "a")
    _enter(world, "b")
    assert ["(1 of at most" in reason for reason in _reasons(world.step(e.WorkerLost("w")))] == [True, True]


def test_an_attempt_that_goes_on_after_a_deferral_goes_on_again() -> None:
    world = World(dag_record(chain("a", restartable=True)))
    run = world.start()
    _enter(world)
    world.end("a", "deferred", wait=Deferral(classpath="T", due_in_s=60, next_method="go_on"))
    world.step(seconds=61)
    (resumed,) = world.live("a")
    assert resumed.resume is not None
    _enter(world)
    _stop_worker(world)
    (again,) = world.live("a")
    assert again.resume is not None and again.try_number == 1
    _enter(world)
    world.end("a")
    assert world.state(run) == "success" and world.waits == {}


def test_one_that_was_cleared_while_it_ran_is_cleared() -> None:
    world = World(dag_record(chain("a", restartable=True)))
    run = world.start()
    _enter(world)
    world.step(e.ClearTasks(run.run_pk, (world.key(run, "a"),), "me"))
    world.end("a", "lost")
    assert world.live()[0].try_number == 2


def test_explain_says_that_it_waits_for_a_worker_again() -> None:
    world = World(dag_record(chain("a", restartable=True)))
    run = world.start()
    _enter(world)
    world.step(e.WorkerLost("w"))
    assert "no worker is alive" in tell_task(world.engine_state, run.run_pk, "a", -1, world.now)[0]


def test_the_restarts_of_an_attempt_that_deferred_meanwhile_are_counted_from_the_deferral_on() -> None:
    world = World(dag_record(chain("a", restartable=True)))
    world.start()
    for _ in range(RESTARTS_MAX + 1):
        _enter(world)
        [reason] = _reasons(_stop_worker(world))
        assert "(1 of at most" in reason
        _enter(world)
        world.end("a", "deferred", wait=Deferral(classpath="T", due_in_s=60, next_method="go_on"))
        world.step(seconds=61)
    assert [attempt.try_number for attempt in world.live("a")] == [1]


def test_the_reason_stays_while_the_next_attempt_is_queued_and_runs_and_goes_with_its_success() -> None:
    world = World(dag_record(chain("a", restartable=True)))
    run = world.start()
    _enter(world)
    [reason] = _reasons(_stop_worker(world))
    assert world.rows[world.key(run, "a")].reason == reason
    _enter(world)
    assert world.rows[world.key(run, "a")].reason == reason
    world.end("a")
    assert world.rows[world.key(run, "a")].reason is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "lost",
        "restartable (3 of at most 10)",
        format_restart("lost", 3) + " ",
        format_restart("lost", 3).replace("3 of", "x of"),
        format_restart("lost", 3).replace("3 of", "333 of"),
    ],
)
def test_no_other_reason_counts_restarts(text: str) -> None:
    assert parse_restarts(text) == 0


@pytest.mark.parametrize("number", range(1, RESTARTS_MAX + 1))
def test_the_number_of_restarts_is_read_from_their_reason(number: int) -> None:
    assert parse_restarts(format_restart(format_restart("the worker was stopped", 7), number)) == number


def test_each_instance_of_a_mapped_task_has_its_own_restarts_which_the_next_scheduler_knows() -> None:
    world = World(dag_record([TaskSpec(task_id="m", restartable=True, expansion=literal(2))]))
    run = world.start()

    def lose(map_index: int) -> StepResult:
        [attempt] = [one for one in world.live("m") if one.map_index == map_index]
        world.step(e.AuthorCodeEntered(attempt.attempt_id, world.now))
        return world.step(world.result(attempt, "lost", reason="lost: its pod was evicted"))

    lose(0)
    lose(0)
    world.take_over()
    [third] = _reasons(lose(0))
    [first] = _reasons(lose(1))
    assert (parse_restarts(third), parse_restarts(first)) == (3, 1)
    world.end_all("m")
    assert world.state(run) == "success"
