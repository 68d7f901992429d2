"""The scopes of setups in the engine: who waits for a setup, what a teardown waits for, what a mark leaves to run."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence

import pytest
from tests.unit.rules.engine.told import tell_task

from gnomon.model.backfills import BackfillRecord
from gnomon.model.deferral import Deferral
from gnomon.model.mapping import Expansion, LiteralLength, XComLength
from gnomon.model.records import RunRecord
from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunType
from gnomon.rules.engine import events as e
from gnomon.rules.engine.conditions.run_conditions import list_task_conditions

from .world import GROUP, World, chain, dag_record


def setup(task_id: str, *upstream: str, **fields: object) -> TaskSpec:
    return TaskSpec(task_id=task_id, upstream=upstream, is_setup=True, **fields)  # type: ignore[arg-type]


def teardown(task_id: str, *upstream: str, **fields: object) -> TaskSpec:
    return TaskSpec(
        task_id=task_id, upstream=upstream, is_teardown=True, trigger_rule="all_done_setup_success", **fields
    )  # type: ignore[arg-type]


def task(task_id: str, *upstream: str, **fields: object) -> TaskSpec:
    return TaskSpec(task_id=task_id, upstream=upstream, **fields)  # type: ignore[arg-type]


LINE = [setup("s"), task("w1", "s"), task("w2", "w1"), task("w3", "w2"), teardown("t", "s", "w3")]


def clear(world: World, run: RunRecord, *task_ids: str) -> None:
    """Clear tasks of a run, which has ended or not."""
    rows = tuple(copy.copy(row) for key, row in world.rows.items() if key.run_pk == run.run_pk)
    known = () if run.run_pk in world.engine_state.runs else (e.RunRead(copy.deepcopy(world.runs[run.run_pk]), rows),)
    world.step(*known, e.ClearTasks(run.run_pk, tuple(world.key(run, task_id) for task_id in task_ids), "ann"))


def live(world: World) -> list[str]:
    return [attempt.task_id for attempt in world.live()]


def test_a_cleared_task_waits_for_the_second_run_of_its_setup_though_its_parent_has_ended() -> None:
    world = World(dag_record(LINE))
    run = world.start()
    for task_id in ("s", "w1", "w2", "w3", "t"):
        world.end(task_id)
    assert world.state(run) == "success"
    clear(world, run, "s", "w2", "t")
    assert live(world) == ["s"]
    assert tell_task(world.engine_state, run.run_pk, "w2", -1, world.now) == [
        "it waits for its setup s: of 1, 1 not done; open: s (queued)"
    ]
    (rule,) = list_task_conditions(world.engine_state, run.run_pk, "w2", -1, world.now)
    assert [(one.is_met, one.text) for one in rule.children] == [(False, "s (queued)"), (True, "w1 (success)")]
    world.take_over()
    world.end("s")
    assert live(world) == ["w2"]
    world.end("w2")
    world.end("t")
    assert world.state(run) == "success"


@pytest.mark.parametrize(("outcome", "state"), [("failed", "upstream_failed"), ("skipped", "skipped")])
def test_a_setup_that_is_cleared_and_does_not_succeed_again_takes_the_cleared_task_with_it(
    outcome: str, state: str
) -> None:
    world = World(dag_record(LINE))
    run = world.start()
    for task_id in ("s", "w1", "w2", "w3", "t"):
        world.end(task_id)
    clear(world, run, "s", "w2", "t")
    world.end("s", outcome)
    assert (
        world.states(run)["w2"] == state
        and world.rows[world.key(run, "w2")].reason == f"its setup s did not succeed: 1 {outcome}"
    )


def test_a_setup_that_is_tried_again_is_waited_for() -> None:
    world = World(
        dag_record(
            [
                setup("s", retries=1, retry_delay_s=0.0),
                task("other"),
                task("w1", "s"),
                task("w2", "w1", "other", trigger_rule="one_success"),
                teardown("t", "s", "w2"),
            ]
        )
    )
    run = world.start()
    world.end("other")
    world.end("s", "failed")
    assert (
        "w2" not in live(world) and "its setup s" in tell_task(world.engine_state, run.run_pk, "w2", -1, world.now)[0]
    )
    world.step(seconds=1)
    world.end("s")
    assert sorted(live(world)) == ["w1", "w2"]


@pytest.mark.parametrize("has_teardown", [True, False])
def test_after_its_teardown_a_setup_is_waited_for_no_more(has_teardown: bool) -> None:
    """The scope ends with the teardown; a setup without one has a scope that never ends."""
    tasks = [
        setup("s"),
        task("w", "s"),
        *([teardown("t", "s", "w")] if has_teardown else []),
        task("after", "w", trigger_rule="all_done"),
    ]
    world = World(dag_record(tasks))
    run = world.start()
    world.end("s", "failed")
    assert world.states(run)["w"] == "upstream_failed"
    assert live(world) == (["after"] if has_teardown else [])
    assert world.states(run).get("after") == ("queued" if has_teardown else "upstream_failed")


def test_always_waits_for_no_setup() -> None:
    world = World(
        dag_record([setup("s"), task("w1", "s"), task("w2", "w1", trigger_rule="always"), teardown("t", "s", "w2")])
    )
    world.start()
    assert sorted(live(world)) == ["s", "w2"]


def test_a_teardown_waits_for_all_tasks_of_its_scope_not_only_for_its_parents() -> None:
    """Airflow before 3.3 tore down while a task of the scope still ran: its sibling had failed, so the parent of the teardown ended early."""
    world = World(
        dag_record(
            [setup("s"), task("slow", "s"), task("bad", "s"), task("join", "slow", "bad"), teardown("t", "s", "join")]
        )
    )
    run = world.start()
    world.end("s")
    world.end("bad", "failed")
    assert world.states(run)["join"] == "upstream_failed" and live(world) == ["slow"]
    assert tell_task(world.engine_state, run.run_pk, "t", -1, world.now) == [
        "it waits for the tasks between its setup and itself: of 2, 1 failed, 1 not done; open: slow (queued)",
    ]
    world.take_over()
    world.end("slow")
    assert live(world) == ["t"]


MAPPED = {"groups": {"g": None}, "group_expansions": {"g": Expansion(factors=(LiteralLength(length=3),))}}
IN_GROUP = [
    setup("s", group="g"),
    task("w1", "s", group="g"),
    task("w2", "w1", group="g", trigger_rule="all_done"),
    teardown("t", "s", "w2", group="g"),
]


def test_in_a_mapped_group_each_instance_waits_for_the_setup_of_its_index() -> None:
    world = World(dag_record(IN_GROUP, **MAPPED))
    run = world.start()
    by_index = {attempt.map_index: attempt for attempt in world.live("s")}
    world.step(world.result(by_index[1], "skipped"), world.result(by_index[2], "failed"))
    assert world.states_of(run, "w2") == {1: "skipped", 2: "upstream_failed"}
    assert world.states_of(run, "t") == {1: "skipped", 2: "upstream_failed"}
    world.take_over()
    world.step(world.result(by_index[0]))
    for task_id in ("w1", "w2", "t"):
        world.end(task_id)
    assert world.state(run) == "failed" and world.states_of(run, "t") == {
        0: "success",
        1: "skipped",
        2: "upstream_failed",
    }


def test_a_setup_outside_a_mapped_group_counts_for_all_its_instances() -> None:
    tasks = [
        setup("s"),
        task("a", "s", group="g"),
        task("b", "a", group="g", trigger_rule="all_done"),
        teardown("t", "s", "b"),
    ]
    world = World(dag_record(tasks, **MAPPED))
    run = world.start()
    world.end("s", "failed")
    assert set(world.states_of(run, "b").values()) == {"upstream_failed"} and world.states_of(run, "t") == {
        -1: "upstream_failed"
    }


def test_a_task_after_a_mapped_setup_waits_for_all_its_instances() -> None:
    tasks = [
        setup("s", expansion=Expansion(factors=(LiteralLength(length=3),))),
        task("w1", "s"),
        task("w2", "w1", trigger_rule="all_done"),
        teardown("t", "s", "w2"),
    ]
    world = World(dag_record(tasks))
    run = world.start()
    first, second, third = world.live("s")
    world.step(world.result(first), world.result(second))
    assert (
        "its setup s: of 3, 2 succeeded, 1 not done"
        in tell_task(world.engine_state, run.run_pk, "w2", -1, world.now)[0]
    )
    world.step(world.result(third, "failed"))
    assert world.states_of(run, "w2") == {-1: "upstream_failed"}


def test_a_setup_that_a_branch_skips_skips_the_tasks_in_its_scope() -> None:
    tasks = [
        task("br"),
        setup("heavy", "br"),
        task("wait", "heavy"),
        task("light", "br", "wait", trigger_rule="one_success"),
        teardown("stop", "heavy", "light"),
    ]
    world = World(dag_record(tasks))
    run = world.start()
    world.end("br", skip_task_ids=("heavy",))
    assert world.states(run) == {
        "br": "success",
        "heavy": "skipped",
        "wait": "skipped",
        "light": "skipped",
        "stop": "skipped",
    }


def test_a_new_version_without_the_teardown_moves_the_scope() -> None:
    """With the teardown the task after it did not wait for the setup; without one it does."""
    tasks = [setup("s", retries=0), task("w", "s", trigger_rule="always"), teardown("t", "s"), task("after", "w")]
    world = World(dag_record(tasks))
    run = world.start()
    world.dags[1] = dag_record(
        [setup("s"), task("w", "s", trigger_rule="always"), task("after", "w")],
        version=2,
        numbers=world.dags[1].task_numbers,
    )
    world.step(e.DagRead(world.dags[1]))
    world.end("w")
    assert (
        live(world) == ["s"] and "its setup s" in tell_task(world.engine_state, run.run_pk, "after", -1, world.now)[0]
    )


def test_in_a_mapped_group_a_mark_clears_the_failed_setup_of_its_index_also_for_a_task_that_waits_for_nothing() -> None:
    """`always` waits for no setup, but it is in its scope: a mark that lets it continue takes the failed setup and teardown of its index with it."""
    tasks = [
        setup("s", group="g"),
        task("w1", "s", group="g"),
        task("w2", "w1", group="g", trigger_rule="always"),
        teardown("t", "s", "w2", group="g"),
    ]
    world = World(dag_record([*tasks, task("x")], **MAPPED))
    run = world.start()
    world.end_all("s", "failed")
    world.end_all("w2", "failed")
    assert world.states_of(run, "t") == dict.fromkeys(range(3), "upstream_failed")
    world.step(e.MarkTasks(run.run_pk, (world.key(run, "w1", 1),), "success", "ann", 3))
    assert (3, "done", '{"marked": ["w1[1]"], "cleared": ["s[1]", "w2[1]", "t[1]"]}') in world.answers


def mark(world: World, run: RunRecord, state: str) -> None:
    world.step(e.MarkRun(run.run_pk, state, "ann", 3))


@pytest.mark.parametrize("state", ["failed", "success"])
@pytest.mark.parametrize("takes_over", [False, True])
def test_a_marked_run_ends_in_that_state_when_its_teardown_has_run(state: str, takes_over: bool) -> None:
    world = World(dag_record(LINE))
    run = world.start()
    world.end("s")
    mark(world, run, state)
    assert (
        live(world) == ["t"]
        and world.state(run) == "running"
        and world.runs[run.run_pk].reason == f"marked {state} by ann"
    )
    assert world.states(run) == {"s": "success", "w1": state, "w2": "skipped", "w3": "skipped", "t": "queued"}
    if takes_over:
        world.take_over()
    world.end("t", "failed" if state == "success" else "success")
    assert world.state(run) == state and world.runs[run.run_pk].reason == f"marked {state} by ann"


def test_a_second_mark_decides_and_no_teardown_runs_twice() -> None:
    world = World(dag_record(LINE))
    run = world.start()
    world.end("s")
    mark(world, run, "failed")
    mark(world, run, "success")
    assert live(world) == ["t"]
    world.end("t")
    assert world.state(run) == "success" and sum(attempt.task_id == "t" for attempt in world.sent.values()) == 1


@pytest.mark.parametrize("state", ["failed", "success"])
def test_nothing_is_torn_down_for_a_setup_that_did_not_begin(state: str) -> None:
    world = World(dag_record([task("first"), setup("s", "first"), task("w", "s"), teardown("t", "s", "w")]))
    run = world.start()
    mark(world, run, state)
    assert world.state(run) == state and world.states(run) == {
        "first": state,
        "s": "skipped",
        "w": "skipped",
        "t": "skipped",
    }


def test_a_setup_that_runs_is_ended_as_success_with_the_run_and_torn_down() -> None:
    world = World(dag_record(LINE))
    run = world.start()
    mark(world, run, "success")
    assert live(world) == ["t"] and world.states(run)["s"] == "success"


def test_a_setup_that_runs_fails_with_the_run_and_is_not_torn_down() -> None:
    world = World(dag_record(LINE))
    run = world.start()
    mark(world, run, "failed")
    assert (
        world.state(run) == "failed"
        and world.states(run)["s"] == "failed"
        and world.states(run)["t"] == "upstream_failed"
    )


def test_a_teardown_without_setups_runs_when_its_run_is_marked() -> None:
    world = World(dag_record([task("w"), teardown("t", "w"), teardown("last", "t")]))
    run = world.start()
    mark(world, run, "failed")
    world.end("t")
    world.end("last")
    assert world.state(run) == "failed"


def test_a_teardown_that_runs_or_waits_for_its_retry_goes_on_when_its_run_is_marked() -> None:
    world = World(dag_record([setup("s"), teardown("t", "s", retries=1, retry_delay_s=60.0), task("other")]))
    run = world.start()
    world.end("s")
    mark(world, run, "failed")
    assert live(world) == ["t"] and world.states(run)["other"] == "failed"
    world.end("t", "failed")
    assert world.state(run) == "running"
    world.step(seconds=60)
    world.end("t")
    assert world.state(run) == "failed"


def test_a_teardown_that_waits_for_a_trigger_goes_on_when_its_run_is_marked() -> None:
    world = World(dag_record([setup("s"), teardown("t", "s"), task("other")]))
    run = world.start()
    world.end("s")
    world.end("t", "deferred", wait=Deferral(classpath="plugin.Trigger", next_method="go_on"))
    mark(world, run, "failed")
    assert world.state(run) == "running" and world.states(run) == {"s": "success", "t": "deferred", "other": "failed"}


def test_clearing_a_task_of_a_run_that_only_tears_down_lets_it_go_on() -> None:
    world = World(dag_record(LINE))
    run = world.start()
    world.end("s")
    mark(world, run, "failed")
    clear(world, run, "w1", "w2", "w3")
    assert world.runs[run.run_pk].reason is None and sorted(live(world)) == ["t", "w1"]
    for task_id in ("t", "w1", "w2", "w3"):
        world.end(task_id)
    assert world.state(run) == "success"


def test_a_queued_run_in_which_something_is_to_be_torn_down_starts_for_its_teardown() -> None:
    world = World(dag_record(LINE, max_active_runs=1))
    run = world.start()
    for task_id in ("s", "w1", "w2", "w3"):
        world.end(task_id)
    world.end("t", "failed")
    assert world.state(run) == "success"
    other = world.start()
    clear(world, run, "w3", "t")
    assert world.state(run) == "queued"
    mark(world, run, "failed")
    assert world.state(run) == "queued" and world.states(run)["w3"] == "skipped"
    world.take_over()
    world.step(e.MarkRun(other.run_pk, "failed", "ann"))
    assert world.state(other) == "failed" and live(world) == ["t"] and world.state(run) == "running"
    world.end("t")
    assert world.state(run) == "failed" and world.runs[run.run_pk].reason == "marked failed by ann"


def test_dagrun_timeout_ends_teardowns_too_as_in_airflow() -> None:
    world = World(dag_record(LINE, dagrun_timeout_s=60.0))
    run = world.start()
    world.end("s")
    mark(world, run, "failed")
    world.step(seconds=60)
    assert world.state(run) == "failed" and world.states(run)["t"] == "skipped" and not live(world)


@pytest.mark.parametrize(
    ("ended", "teardown_state"), [(("s1", "s2"), ("queued", "queued")), (("s1",), ("queued", "upstream_failed"))]
)
def test_fail_fast_tears_down_what_was_set_up(ended: Sequence[str], teardown_state: tuple[str, str]) -> None:
    tasks = [
        setup("s1"),
        setup("s2"),
        task("a", "s1"),
        task("b", "s2"),
        teardown("t1", "s1", "a"),
        teardown("t2", "s2", "b"),
    ]
    world = World(dag_record(tasks, fail_fast=True))
    run = world.start()
    for task_id in ended:
        world.end(task_id)
    world.end("a", "failed")
    assert (world.states(run)["t1"], world.states(run)["t2"]) == teardown_state
    assert world.states(run)["b"] == ("failed" if "s2" in ended else "skipped")


def test_marking_a_task_failed_lets_its_teardown_run() -> None:
    world = World(dag_record(chain_with_teardown()))
    run = world.start()
    world.end("s")
    world.step(e.MarkTasks(run.run_pk, (world.key(run, "w"),), "failed", "ann"))
    assert live(world) == ["t"]
    world.end("t")
    assert world.state(run) == "failed"


def chain_with_teardown() -> list[TaskSpec]:
    return [setup("s"), task("w", "s"), teardown("t", "s", "w")]


def test_a_run_that_gives_way_is_torn_down_before_the_next_one_begins() -> None:
    world = World(dag_record(LINE, overlap="cancel_running", max_active_runs=1))
    first, second = world.new_run(), world.new_run(run_after=world.now + 1)
    for run in (first, second):
        run.run_type = world.runs[run.run_pk].run_type = DagRunType.SCHEDULED
    world.step(e.RunRead(first))
    world.end("s")
    world.step(e.RunRead(second), seconds=1)
    assert live(world) == ["t"] and (world.state(first), world.state(second)) == ("running", "queued")
    world.take_over()
    world.end("t")
    assert (world.state(first), world.state(second)) == ("failed", "running") and live(world) == ["s"]
    assert world.runs[first.run_pk].reason == f'overlap="cancel_running": run {second.run_id} was due'


def test_a_backfill_that_runs_a_run_again_sets_up_and_tears_down_once_more() -> None:
    world = World(dag_record(LINE))
    backfill = BackfillRecord(9, 1, GROUP, 0, 10**9, "completed", 5, False, {}, 10**9, "ann", is_planned=True)
    run = world.start()
    for task_id in ("s", "w1", "w2", "w3", "t"):
        world.end(task_id)
    rows = tuple(copy.copy(row) for row in world.rows.values())
    world.step(
        e.BackfillRead(backfill),
        e.RunRead(copy.deepcopy(world.runs[run.run_pk]), rows),
        e.ReprocessRun(run.run_pk, 9, ()),
    )
    for task_id in ("s", "w1", "w2", "w3", "t"):
        assert live(world) == [task_id]
        world.end(task_id)
    assert world.state(run) == "success" and Counter(
        attempt.task_id for attempt in world.sent.values()
    ) == dict.fromkeys(("s", "w1", "w2", "w3", "t"), 2)


def test_a_worker_that_is_lost_during_the_teardown_costs_a_try_and_the_mark_still_decides() -> None:
    world = World(dag_record([setup("s"), task("w", "s"), teardown("t", "s", "w", retries=1, retry_delay_s=0.0)]))
    run = world.start()
    world.end("s")
    mark(world, run, "failed")
    (attempt,) = world.live("t")
    world.step(e.AuthorCodeEntered(attempt.attempt_id, world.now))
    world.step(e.WorkerLost("w"))
    assert world.state(run) == "running"
    world.step(e.WorkerJoined("w", 32), seconds=1)
    world.end("t")
    assert world.state(run) == "failed" and world.runs[run.run_pk].reason == "marked failed by ann"


def test_a_dag_without_setups_has_no_scopes() -> None:
    world = World(dag_record(chain("a", "b", "c")))
    world.start()
    graph = world.engine_state.runs[1].graph
    assert (graph.scopes, graph.scope_upstream, graph.scope_dependents) == (None, {}, {})
    assert all(tally.scope is None for tally in world.engine_state.runs[1].tallies)


def test_a_queued_run_in_which_nothing_began_ends_with_its_mark() -> None:
    world = World(dag_record(LINE, max_active_runs=1))
    world.start()
    second = world.start()
    mark(world, second, "failed")
    assert world.state(second) == "failed" and world.states(second) == dict.fromkeys(
        ("s", "w1", "w2", "w3", "t"), "skipped"
    )


def test_the_scope_follows_a_length_that_changes() -> None:
    """The setups of a mapped task are counted anew when it gets more or fewer instances."""
    over_u = Expansion(factors=(XComLength(task_id="u"),))
    tasks = [
        task("u"),
        setup("s", "u", expansion=over_u),
        task("w1", "s"),
        task("w2", "w1", trigger_rule="all_done"),
        teardown("t", "s", "w2"),
        task("x"),
    ]
    world = World(dag_record(tasks))
    run = world.start()
    world.end("u", return_length=1)
    world.end_all("s")
    for task_id in ("w1", "w2", "t"):
        world.end(task_id)
    for length in (3, 2):
        clear(world, run, "u", "s", "w2", "t")
        world.end("u", return_length=length)
        while len(world.live("s")) > 1:
            world.step(world.result(world.live("s")[0]))
            assert not world.live("w2")
        world.end("s")
        assert len(world.live("w2")) == 1, length
        world.end("w2")
        world.end("t")
    world.end("x")
    assert world.state(run) == "success"
