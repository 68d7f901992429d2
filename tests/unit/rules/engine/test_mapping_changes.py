"""Mapped tasks whose length changes: clears, take-overs, new versions of the file."""

from __future__ import annotations

import copy

from msgspec.structs import replace

from gnomon.model.deferral import Deferral
from gnomon.model.hitl import HITLRequest, HITLRespondent
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e

from .mapped_dags import GROUP, IN_GROUP, LENGTH_FROM_U, VALUE, clear, literal, new_version, over
from .world import World, dag_record


def test_a_longer_value_after_a_clear_adds_instances_and_a_shorter_one_removes_them() -> None:
    world = World(dag_record(LENGTH_FROM_U))
    run = world.start()
    for length, states in (
        (2, {0: "queued", 1: "queued"}),
        (3, dict.fromkeys(range(3), "queued")),
        (1, {0: "queued", 1: "removed", 2: "removed"}),
        (2, {0: "queued", 1: "queued", 2: "removed"}),
        (0, {-1: "skipped", 0: "removed", 1: "removed", 2: "removed"}),
        (2, {0: "queued", 1: "queued", 2: "removed"}),
    ):
        world.end("u", return_length=length)
        assert world.states_of(run, "d") == states, length
        world.end_all("d", xcoms=VALUE)
        if world.live("j"):
            world.end("j")
        assert world.state(run) == "success"
        world.step(
            e.RunRead(copy.deepcopy(world.runs[run.run_pk]), tuple(world._rows_of(run.run_pk))),
            e.ClearTasks(run.run_pk, None, "me"),
        )


def test_the_next_run_does_not_wait_for_removed_downstream_instances() -> None:
    tasks = [
        TaskSpec(task_id="a", wait_for_downstream=True),
        TaskSpec(task_id="u"),
        TaskSpec(task_id="d", upstream=("a", "u"), expansion=over("u")),
    ]
    world = World(dag_record(tasks))
    run = world.start()
    for length in (3, 2):
        world.end("a")
        world.end("u", return_length=length)
        world.end_all("d", xcoms=VALUE)
        if length == 3:
            world.step(
                e.RunRead(copy.deepcopy(world.runs[run.run_pk]), tuple(world._rows_of(run.run_pk))),
                e.ClearTasks(run.run_pk, None, "me"),
            )
    assert world.states_of(run, "d") == {0: "success", 1: "success", 2: "removed"}
    assert world.states(world.start())["a"] == "queued"


def test_only_the_source_is_cleared_and_what_has_ended_stays() -> None:
    world = World(dag_record([*LENGTH_FROM_U, TaskSpec(task_id="x")]))
    run = world.start()
    world.end("u", return_length=2)
    world.end_all("d")
    clear(world, run.run_pk, "u")
    world.end("u", return_length=3)
    assert world.states_of(run, "d") == {0: "success", 1: "success"}
    clear(world, run.run_pk, "d[1]")
    assert world.states_of(run, "d") == {0: "success", 1: "queued", 2: "queued"}


def test_a_clear_without_a_map_index_selects_all_instances() -> None:
    world = World(dag_record([*LENGTH_FROM_U, TaskSpec(task_id="x")]))
    run = world.start()
    world.end("u", return_length=2)
    world.end_all("d")
    clear(world, run.run_pk, "d")
    assert world.states_of(run, "d") == {0: "queued", 1: "queued"}
    assert [a.try_number for a in world.live("d")] == [2, 2]


def test_one_index_is_cleared_while_it_runs_and_marked() -> None:
    world = World(dag_record([*LENGTH_FROM_U, TaskSpec(task_id="x")]))
    run = world.start()
    world.end("u", return_length=3)
    clear(world, run.run_pk, "d[1]")
    assert world.states_of(run, "d") == {0: "queued", 1: "restarting", 2: "queued"}
    world.step(e.MarkTasks(run.run_pk, (world.key(run, "d", 2),), "failed", "me"))
    assert world.states_of(run, "d")[2] == "failed" and world.states(run)["j"] == "upstream_failed"


def test_a_take_over_between_the_length_and_the_end_knows_the_lengths_and_instances_without_a_row() -> None:
    world = World(dag_record(IN_GROUP, **GROUP))
    run = world.start()
    world.end("u", return_length=3)
    world.step(world.result(world.live("a")[0]))
    assert set(world.states_of(run, "b")) == {0}
    world.take_over()
    assert world.indices_of(run, "b") == {0: "queued", 1: None, 2: None}
    world.end_all("a")
    world.end_all("b")
    world.end("j")
    assert world.state(run) == "success"


def test_a_take_over_before_the_expansion_knows_the_length() -> None:
    tasks = [
        TaskSpec(task_id="u"),
        TaskSpec(task_id="x"),
        TaskSpec(task_id="d", upstream=("u", "x"), expansion=over("u")),
    ]
    world = World(dag_record(tasks))
    run = world.start()
    world.end("u", return_length=3)
    world.take_over()
    world.end("x")
    assert len(world.live("d")) == 3 and len(world.indices_of(run, "d")) == 3


def test_an_expanded_task_that_is_not_mapped_any_more_runs_once_unless_it_has_ended() -> None:
    for ended, states in ((1, {-1: "queued", 0: "removed", 1: "removed"}), (2, {0: "success", 1: "success"})):
        world = World(dag_record([*LENGTH_FROM_U, TaskSpec(task_id="x")]))
        run = world.start()
        world.end("u", return_length=2)
        world.step(*(world.result(attempt) for attempt in world.live("d")[:ended]))
        tasks = [replace(task, expansion=None) for task in [*LENGTH_FROM_U, TaskSpec(task_id="x")]]
        new_version(world, tasks)
        assert world.states_of(run, "d") == states
        world.take_over()
        assert world.states_of(run, "d") == states
        world.end_all("d")
        world.end("j")
        assert world.states(run)["j"] == "success"


def test_a_task_that_is_mapped_now_is_expanded_instead_of_its_next_try() -> None:
    tasks = [TaskSpec(task_id="u"), TaskSpec(task_id="d", upstream=("u",), retries=1)]
    world = World(dag_record(tasks))
    run = world.start()
    world.end("u", return_length=2)
    world.end("d", "failed")
    assert world.states_of(run, "d") == {-1: "up_for_retry"}
    new_version(world, [tasks[0], replace(tasks[1], expansion=over("u"))])
    world.step(seconds=400)
    assert world.states_of(run, "d") == {0: "queued", 1: "queued"}


def test_another_length_in_the_file_adds_and_removes_instances_of_a_running_run() -> None:
    tasks = [TaskSpec(task_id="d", expansion=literal(2)), TaskSpec(task_id="x")]
    world = World(dag_record(tasks))
    run = world.start()
    world.end_all("d")
    new_version(world, [replace(tasks[0], expansion=literal(3)), tasks[1]])
    assert world.states_of(run, "d") == {0: "success", 1: "success", 2: "queued"}
    new_version(world, [replace(tasks[0], expansion=literal(1)), tasks[1]])
    assert world.states_of(run, "d") == {0: "success", 1: "removed", 2: "removed"}
    world.end("x")
    assert world.state(run) == "success"


def test_a_task_that_becomes_mapped_and_unmapped_again_goes_on_with_its_numbers() -> None:
    """The store refuses an attempt number that it has; map index 0 and the one instance stand for each other, as in Airflow."""
    plain = [TaskSpec(task_id="u"), TaskSpec(task_id="d", upstream=("u",), retries=1), TaskSpec(task_id="x")]
    mapped = [plain[0], replace(plain[1], expansion=over("u")), plain[2]]
    world = World(dag_record(plain))
    run = world.start()
    world.end("u", return_length=2)
    numbers = []
    for version in (mapped, plain, mapped, plain):
        numbers.append(
            next((a.map_index, a.try_number, a.seq, a.max_tries) for a in world.live("d") if a.map_index < 1)
        )
        world.step(*(world.result(attempt, "failed", retryable=True) for attempt in world.live("d")), seconds=1)
        new_version(world, version)
        if len(numbers) % 2:
            world.take_over()
        world.step(seconds=400)
    assert numbers == [(-1, 1, 1, 1), (0, 2, 2, 2), (-1, 3, 3, 3), (0, 4, 4, 4)]
    world.end("d")
    assert world.states_of(run, "d") == {-1: "success", 0: "removed", 1: "removed"}


def test_an_event_of_a_deferral_from_before_the_task_was_mapped_changes_nothing() -> None:
    plain = [TaskSpec(task_id="u"), TaskSpec(task_id="d", upstream=("u",)), TaskSpec(task_id="x")]
    mapped = [plain[0], replace(plain[1], expansion=over("u")), plain[2]]
    world = World(dag_record(plain))
    run = world.start()
    world.end("u", return_length=2)
    world.end("d", "deferred", wait=Deferral(classpath="x.Y", next_method="go"))
    first = world.waits[world.key(run, "d")].defer_seq
    for version in (mapped, plain):
        new_version(world, version)
    world.end("d", "deferred", wait=Deferral(classpath="x.Y", next_method="go"))
    assert world.waits[world.key(run, "d")].defer_seq > first


def test_a_task_that_waits_for_a_person_and_becomes_mapped_is_expanded_and_asks_again() -> None:
    plain = [TaskSpec(task_id="u"), TaskSpec(task_id="d", upstream=("u",)), TaskSpec(task_id="j", upstream=("d",))]
    world = World(dag_record(plain))
    run = world.start()
    world.end("u", return_length=2)
    question = Deferral(
        classpath="TaskAwaitingInput", next_method="go", hitl=HITLRequest(subject="Go?", options=("yes", "no"))
    )
    world.end("d", "awaiting_input", wait=question)
    new_version(world, [plain[0], replace(plain[1], expansion=over("u")), plain[2]])
    assert world.states_of(run, "d") == {0: "queued", 1: "queued"}
    assert world.waits == {}
    world.step(e.HITLAnswered(world.key(run, "d"), ("yes",), {}, HITLRespondent("ann", "ann"), 7))
    assert [(answer[1], "yes" in answer[2]) for answer in world.answers] == [("refused", False)]
    world.take_over()
    assert [(a.map_index, a.try_number, a.seq, a.resume) for a in world.live("d")] == [(0, 2, 2, None), (1, 1, 1, None)]
    world.step(world.result(world.live("d")[0], "awaiting_input", wait=question), world.result(world.live("d")[1]))
    world.step(e.HITLAnswered(world.key(run, "d", 0), ("yes",), {}, HITLRespondent("ann", "ann"), 8))
    world.end("d")
    world.end("j")
    assert world.state(run) == "success"


def test_a_task_that_ended_while_mapped_is_unmapped_and_mapped_again_with_its_lengths() -> None:
    """A take-over between any two versions changes nothing: the lengths stay with the finished instances."""
    mapped = [*LENGTH_FROM_U, TaskSpec(task_id="x")]
    plain = [replace(task, expansion=None) for task in mapped]
    for takes_over in (False, True):
        world = World(dag_record(mapped))
        run = world.start()
        world.end("u", return_length=3)
        world.end_all("d", xcoms=VALUE)
        for version in (plain, mapped):
            new_version(world, version)
            if takes_over:
                world.take_over()
        assert world.states_of(run, "d") == {0: "success", 1: "success", 2: "success"}
        engine_state = world.engine_state.runs[run.run_pk]
        expansion = engine_state.expansions[engine_state.graph.index_of["d"]]
        assert (expansion.lengths, expansion.own.success, expansion.own.total, expansion.value_count) == (
            ((3,),),
            3,
            3,
            3,
        )
        clear(world, run.run_pk, "d[1]")
        assert world.states_of(run, "d") == {0: "success", 1: "queued", 2: "success"}, (
            "its expansion is known: the others stay"
        )


def test_lengths_of_a_task_that_became_mapped_in_another_way_count_its_instances() -> None:
    tasks = [TaskSpec(task_id="u"), TaskSpec(task_id="d", upstream=("u",), group="g"), TaskSpec(task_id="x")]
    grouped = {"groups": {"g": None}, "group_expansions": {"g": literal(2)}}
    world = World(dag_record([tasks[0], replace(tasks[1], expansion=over("u")), tasks[2]], **grouped))
    run = world.start()
    world.end("u", return_length=3)
    world.end_all("d")
    new_version(world, tasks, groups={"g": None}, group_expansions={})
    engine_state = world.engine_state.runs[run.run_pk]
    assert engine_state.former_lengths == {1: ((2,), (3,))} and not engine_state.expansions
    new_version(
        world, [tasks[0], replace(tasks[1], expansion=over("u")), tasks[2]], groups={"g": None}, group_expansions={}
    )
    assert engine_state.expansions[1].lengths == ((6,),) and not engine_state.former_lengths
    world.take_over()
    assert world.engine_state.runs[run.run_pk].expansions[1].lengths == ((6,),)
