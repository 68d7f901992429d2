"""Several executors: which worker gets an attempt, what waits for which executor, and what `explain` says of it."""

from __future__ import annotations

import pytest
from tests.unit.rules.engine.told import tell_task

from gnomon.model.attempts import AttemptResult, InstanceOverrides
from gnomon.model.executors import EXECUTOR_CLASSES, parse_executors
from gnomon.model.records import RunRecord
from gnomon.model.run_callbacks import DeadlineSpec
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e
from gnomon.rules.engine.handlers.group_loading import drop_groups
from gnomon.rules.engine.state.engine_state import EngineLimits

from .queues import check_queues
from .world import GROUP, World, chain, dag_record

CELERY = "CeleryExecutor"
BOTH = EngineLimits(
    executors=parse_executors("LocalExecutor,big:airflow.providers.celery.executors.celery_executor.CeleryExecutor")
)


def create(*tasks: TaskSpec, local: int = 1, celery: int = 1, limits: EngineLimits = BOTH, **fields: object) -> World:
    """A world with a local worker "w" and the worker of the CeleryExecutor; 0 slots: without it."""
    world = World(dag_record(tasks, **fields), slots=local, limits=limits)
    if not local:
        world.step(e.WorkerLost("w"))
    if celery:
        world.step(e.WorkerJoined(CELERY, celery))
    return world


def workers(world: World) -> dict[str, str | None]:
    """The worker of each live task."""
    return {ti.name(): ti.worker for ti in world.engine_state.attempts.values()}


def why(world: World, run: RunRecord, task_id: str) -> str:
    (sentence,) = tell_task(world.engine_state, run.run_pk, task_id, -1, world.now)
    return sentence


@pytest.mark.parametrize(("named", "worker"), [(None, "w"), ("LocalExecutor", "w"), (CELERY, CELERY), ("big", CELERY)])
def test_a_task_gets_a_worker_of_the_executor_that_it_names_or_of_the_first(named: str | None, worker: str) -> None:
    world = create(TaskSpec(task_id="a", executor=named), local=4, celery=32)
    world.start()
    assert workers(world) == {"a": worker}


def test_a_full_executor_does_not_hold_tasks_of_the_other_behind_it() -> None:
    world = create(
        *(TaskSpec(task_id=name, effective_priority=9) for name in "abc"), TaskSpec(task_id="d", executor=CELERY)
    )
    run = world.start()
    live = workers(world)
    assert live.pop("d") == CELERY and list(live.values()) == ["w"]
    waiting = next(name for name in "abc" if name not in live)
    assert why(world, run, waiting) == "it waits for the LocalExecutor: every slot of every worker of it is taken"
    for _ in range(3):
        world.end(next(name for name in workers(world) if name != "d"))
    assert workers(world) == {"d": CELERY}
    assert {name: state for name, state in world.states(run).items() if state == "success"}.keys() == set("abc")


def test_an_executor_without_a_worker_is_named_and_its_tasks_start_when_one_joins() -> None:
    world = create(TaskSpec(task_id="a"), TaskSpec(task_id="b", executor="big"), local=0, celery=4)
    run = world.start()
    assert workers(world) == {"b": CELERY}
    assert (
        why(world, run, "a")
        == "it waits for the LocalExecutor, of which no worker is alive; start one with: gnomon worker"
    )
    world.step(e.WorkerJoined("w2", 1))
    assert workers(world) == {"a": "w2", "b": CELERY}


def test_a_task_leaves_the_queue_of_its_executor_when_a_worker_answers_again() -> None:
    world = create(TaskSpec(task_id="a"), TaskSpec(task_id="b", executor="big"))
    world.step(e.WorkerDisconnected("w"))
    world.start()
    assert workers(world) == {"b": CELERY}
    world.step(e.WorkerJoined("w", 1))
    assert workers(world) == {"a": "w", "b": CELERY}


def test_parallelism_counts_the_attempts_of_all_executors() -> None:
    world = create(
        TaskSpec(task_id="a"),
        TaskSpec(task_id="b", executor="big"),
        local=4,
        celery=4,
        limits=EngineLimits(parallelism=1, executors=BOTH.executors),
    )
    run = world.start()
    [live] = workers(world)
    waiting = "b" if live == "a" else "a"
    assert why(world, run, waiting) == "[core] parallelism=1 is reached"
    world.end(live)
    assert workers(world).keys() == {waiting}


def test_a_task_of_an_executor_that_is_no_longer_configured_waits_with_a_sentence_and_not_for_ever() -> None:
    world = create(TaskSpec(task_id="a", executor="Gone"), TaskSpec(task_id="b"))
    run = world.start()
    assert workers(world) == {"b": "w"}
    assert why(world, run, "a").startswith(
        "it names the executor 'Gone', which is not configured: the executors are LocalExecutor, big (CeleryExecutor)"
    )
    world.step(e.DagRead(dag_record([TaskSpec(task_id="a", executor="big"), TaskSpec(task_id="b")], version=2)))
    assert workers(world) == {"a": CELERY, "b": "w"}


def test_instances_of_a_group_that_is_dropped_leave_the_queue_of_their_executor() -> None:
    world = create(TaskSpec(task_id="a"), TaskSpec(task_id="b"))
    world.start()
    drop_groups(world.engine_state, [GROUP])
    check_queues(world.engine_state)
    world.step(e.WorkerJoined("w2", 4))
    assert workers(world) == {}


def test_without_a_configuration_every_worker_runs_every_task() -> None:
    world = World(dag_record([TaskSpec(task_id="a", executor="Anything")]))
    world.start()
    assert workers(world) == {"a": "w"}


def test_an_attempt_that_waits_for_a_worker_of_its_queue_is_explained_by_the_queue() -> None:
    world = create(TaskSpec(task_id="a", executor="big", queue="gpu"))
    run = world.start()
    assert why(world, run, "a") == (
        "try 1 was submitted to the CeleryExecutor and waits for a worker of queue gpu; start one with: gnomon celery worker -q gpu"
    )
    world.engine_state.message_waits[world.live("a")[0].attempt_id] = "2 live workers take this queue"
    assert (
        why(world, run, "a")
        == "try 1 was submitted to the CeleryExecutor and waits for a worker of queue gpu; 2 live workers take this queue"
    )
    world.engine_state.claims[world.live("a")[0].attempt_id] = "w7"
    assert why(world, run, "a") == "try 1 was submitted to worker w7 and has not begun"
    world.engine_state.claims.clear()
    world.step(e.AuthorCodeEntered(world.live("a")[0].attempt_id, world.now))
    assert why(world, run, "a") == "try 1 is running on a worker of the CeleryExecutor"


def test_the_hook_chooses_the_executor() -> None:
    world = create(TaskSpec(task_id="a"), mutates_instances=True)
    world.start()
    [question] = world.questions
    world.step(e.InstancesMutated(question, (InstanceOverrides(try_number=0, executor="big"),)))
    assert workers(world) == {"a": CELERY}


def test_an_unknown_executor_of_the_hook_is_a_fault_of_the_hook() -> None:
    world = create(TaskSpec(task_id="a"), mutates_instances=True)
    run = world.start()
    [question] = world.questions
    world.step(e.InstancesMutated(question, (InstanceOverrides(try_number=0, executor="K"),)))
    assert workers(world) == {}
    assert (
        "because task_instance_mutation_hook names the executor 'K', which is not configured: the executors are"
        in why(world, run, "a")
    )


def test_the_worker_that_ran_an_attempt_is_in_its_record() -> None:
    world = create(*chain("a", executor="big"))
    run = world.start()
    [attempt] = world.live("a")
    result = AttemptResult(
        attempt_id=attempt.attempt_id, group_no=GROUP, run_pk=run.run_pk, task_no=0, outcome="success"
    )
    ended = world.step(e.ResultReceived(result, sender="w7"))
    assert [record.worker for record in ended.changes.attempts] == ["w7"]


@pytest.mark.parametrize(("named", "worker"), [(None, "w"), ("big", CELERY), ("Gone", "w")])
def test_a_callback_goes_to_the_executor_that_it_names_or_to_the_first(named: str | None, worker: str) -> None:
    deadline = DeadlineSpec(reference="queued_at", interval_s=5.0, callback="m.call", executor=named)
    world = create(TaskSpec(task_id="a", executor="big"), local=4, celery=4, deadlines=(deadline,))
    world.start()
    world.step(seconds=6)
    [callback] = world.callbacks.values()
    assert callback.worker == worker


def test_a_callback_of_a_full_executor_does_not_hold_those_of_the_other() -> None:
    deadlines = tuple(
        DeadlineSpec(reference="queued_at", interval_s=float(5 + i), callback="m.call", executor=named)
        for i, named in enumerate([None, "big"])
    )
    world = create(TaskSpec(task_id="a"), local=1, celery=4, deadlines=deadlines)
    world.start()
    world.step(seconds=10)
    assert sorted((one.worker or "") for one in world.callbacks.values()) == ["", CELERY]


def test_an_attempt_of_an_executor_of_another_kind_waits_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXECUTOR_CLASSES, "QueueExecutor", "queues.QueueExecutor")
    limits = EngineLimits(executors=parse_executors("LocalExecutor,queues.QueueExecutor"))
    world = World(dag_record([TaskSpec(task_id="a", executor="QueueExecutor")]), limits=limits)
    world.step(e.WorkerJoined("QueueExecutor", 1))
    run = world.start()
    assert why(world, run, "a") == "try 1 was submitted to the QueueExecutor and waits there"
