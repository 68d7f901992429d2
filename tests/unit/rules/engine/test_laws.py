"""Laws of the engine over random DAGs and random histories: what a take-over reads equals memory, and nothing is decided twice."""

from __future__ import annotations

import copy
import importlib
import random

import pytest
from msgspec.structs import replace

from gnomon.model.attempts import XComItem
from gnomon.model.errors.product import EngineStepError
from gnomon.model.ids import TaskKey
from gnomon.model.mapping import Expansion, LiteralLength, XComLength
from gnomon.model.records import PoolRecord
from gnomon.model.spec import TaskSpec
from gnomon.rules.decide.expansion import list_sources
from gnomon.rules.decide.trigger_rules import RULES, Tally
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineLimits, EngineState
from gnomon.rules.engine.step import step
from gnomon.rules.engine.step_context import StepContext

from .world import GROUP, World, chain, dag_record

SEEDS = [*range(20), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(20, 40))]


def random_tasks(rng: random.Random) -> list[TaskSpec]:
    ids = [f"t{i}" for i in range(rng.randint(1, 9))]
    return [
        TaskSpec(
            task_id=task_id,
            upstream=tuple(sorted(rng.sample(ids[:i], rng.randint(0, min(i, 3))))),
            trigger_rule=rng.choice(sorted(RULES)) if rng.random() < 0.4 else "all_success",
            retries=rng.randint(0, 2),
            retry_delay_s=rng.choice((0.0, 5.0)),
            pool=rng.choice(("default_pool", "small")),
            runs_code=rng.random() < 0.8,
            effective_priority=rng.randint(1, 5),
            max_active_tis_per_dag=rng.choice((None, None, 1)),
            depends_on_past=rng.random() < 0.15,
            expansion=random_expansion(rng, ids[:i]) if rng.random() < 0.25 else None,
            group=rng.choice(("outer", "inner")) if rng.random() < 0.4 else None,
        )
        for i, task_id in enumerate(ids)
    ]


def random_expansion(rng: random.Random, before: list[str]) -> Expansion:
    if before and rng.random() < 0.6:
        return Expansion(factors=(XComLength(task_id=rng.choice(before)),))
    return Expansion(factors=(LiteralLength(length=rng.choice((0, 1, 2, 3))),))


def random_groups(rng: random.Random) -> dict[str, object]:
    """Two groups, one within the other, of which some are mapped."""
    expansions = {name: random_expansion(rng, []) for name in ("outer", "inner") if rng.random() < 0.5}
    return {"groups": {"outer": None, "inner": "outer"}, "group_expansions": expansions}


def counts(tally: Tally) -> tuple[int, ...]:
    return (tally.success, tally.failed, tally.skipped, tally.upstream_failed, tally.removed, tally.total, tally.setups)


def snapshot(engine_state: EngineState) -> object:
    """What two memories of the same rows must agree on."""
    return (
        {
            run.pk: (
                run.record.state,
                run.unfinished_count,
                list(map(counts, run.tallies)),
                [
                    (
                        i,
                        m,
                        c.state,
                        c.try_number,
                        c.max_tries,
                        c.seq,
                        c.attempt,
                        c.worker,
                        c.resume_at,
                        c.reason,
                        c.overrides,
                    )
                    for i, cells in enumerate(run.task_instances)
                    for m, c in sorted(cells.items())
                ],
                run.active_tasks_limit.used,
                {
                    i: (
                        x.lengths,
                        counts(x.own),
                        x.value_count,
                        {s: list(map(counts, parts)) for s, parts in x.parts.items()},
                    )
                    for i, x in sorted(run.expansions.items())
                },
            )
            for run in engine_state.runs.values()
        },
        engine_state.live_attempt_count,
        {name: pool.used for name, pool in engine_state.pools.items() if pool.slots is not None},
    )


def another_version(world: World, rng: random.Random) -> None:
    """Tasks change, leave and come back; whether any depends on the past stays as it was."""
    dag = copy.deepcopy(world.dags[1])
    uses_past = any(task.depends_on_past for task in dag.spec.tasks)
    tasks = [task for task in world.all_tasks if rng.random() < 0.8]
    ids = {task.task_id for task in tasks}
    tasks = [
        replace(
            task,
            upstream=tuple(u for u in task.upstream if u in ids),
            retries=rng.randint(0, 2),
            pool=rng.choice(("default_pool", "small")),
            max_active_tis_per_dag=rng.choice((None, 1)),
        )
        for task in tasks
    ]
    tasks = [replace(task, expansion=another_expansion(task, ids, rng)) for task in tasks]
    if tasks and any(task.depends_on_past for task in tasks) == uses_past:
        dag.spec = replace(
            dag.spec,
            tasks=tuple(tasks),
            max_active_tasks=rng.choice((2, 16)),
            **(random_groups(rng) if rng.random() < 0.3 else {}),
        )
        dag.version_pk += 1
        world.dags[1] = dag
        world.step(e.DagRead(copy.deepcopy(dag)))


def another_expansion(task: TaskSpec, ids: set[str], rng: random.Random) -> Expansion | None:
    if rng.random() < 0.2:
        return random_expansion(rng, []) if task.expansion is None else None
    if task.expansion is None or not set(list_sources([task.expansion])) <= ids:
        return None
    return task.expansion


def play(world: World, rng: random.Random) -> None:
    """One random thing happens."""
    live = world.live()
    roll = rng.random()
    if roll < 0.15:
        world.start()
    elif roll < 0.75 and live:
        attempt = rng.choice(live)
        if rng.random() < 0.3:
            world.step(e.AuthorCodeEntered(attempt.attempt_id, world.now))
        outcome = rng.choices(("success", "failed", "skipped", "lost"), (6, 3, 1, 1))[0]
        world.step(
            world.result(attempt, outcome, entered=rng.random() < 0.5, reason=outcome, **random_value(rng)), seconds=1
        )
    elif roll < 0.8 and world.engine_state.runs:
        run_pk = rng.choice(sorted(world.engine_state.runs))
        world.step(e.ClearTasks(run_pk, None, "me", only_failed=rng.random() < 0.5))
    elif roll < 0.82 and world.engine_state.runs:
        run = world.engine_state.runs[rng.choice(sorted(world.engine_state.runs))]
        numbers = rng.sample(run.graph.numbers, rng.randint(0, len(run.graph.numbers)))
        keys = tuple(TaskKey(run.pk, number, rng.choice((-1, -1, 0, 1))) for number in numbers)
        if rng.random() < 0.5:
            world.step(e.MarkTasks(run.pk, keys, rng.choice(("success", "failed", "skipped")), "me"))
        else:
            world.step(e.ClearTasks(run.pk, keys, "me"))
    elif roll < 0.84:
        another_version(world, rng)
    elif roll < 0.86:
        world.pools["small"][0] = max(world.pools["small"][1], rng.randint(0, 3))
        world.step(e.PoolsRead(world.pool_records()))
    elif roll < 0.88:
        dag = copy.deepcopy(world.dags[1])
        dag.paused = not dag.paused
        world.dags[1] = dag
        world.step(e.DagRead(copy.deepcopy(dag)))
    elif roll < 0.9 and world.engine_state.runs:
        world.step(e.MarkRun(rng.choice(sorted(world.engine_state.runs)), rng.choice(("success", "failed")), "me"))
    else:
        world.step(seconds=rng.choice((1, 6)))


def random_value(rng: random.Random) -> dict[str, object]:
    length = rng.choice((None, 0, 1, 2, 3, 3))
    return {} if length is None else {"return_length": length, "xcoms": (XComItem(key="return_value", value="[]"),)}


@pytest.mark.parametrize("seed", SEEDS)
def test_read_again_equals_memory_at_every_step(seed: int) -> None:
    rng = random.Random(seed)
    world = World(
        dag_record(random_tasks(rng), **random_groups(rng), max_active_runs=3, max_active_tasks=rng.choice((2, 16))),
        pools=[PoolRecord("small", 2, 0)],
        limits=EngineLimits(parallelism=6),
    )
    for _ in range(60):
        play(world, rng)
        again = world.fresh_engine_state()
        world.loaded = []
        assert snapshot(again) == snapshot(world.engine_state), f"seed {seed}"


def test_an_admission_after_which_something_is_left_to_evaluate_is_an_internal_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every step asserts it, so every law here tests it: `retract` takes admissions back and leaves the rest of the step as it is."""
    admissions = importlib.import_module("gnomon.rules.engine.step").admit_ready

    def judge_the_admitted(context: StepContext) -> None:
        admissions(context)
        for admitted in context.result.admissions:
            context.enqueue_evaluation(admitted.task_instance.run, admitted.task_instance.index)

    monkeypatch.setattr("gnomon.rules.engine.step.admit_ready", judge_the_admitted)
    world = World(dag_record(chain("a")))
    with pytest.raises(EngineStepError, match="admission left something to evaluate"):
        world.start()


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_new_is_decided_without_anything_new(seed: int) -> None:
    rng = random.Random(seed)
    world = World(
        dag_record(random_tasks(rng), **random_groups(rng), max_active_runs=3),
        pools=[PoolRecord("small", 2, 0)],
        limits=EngineLimits(parallelism=6),
    )
    for _ in range(40):
        play(world, rng)
        world.step()
        decided = world.step()
        assert not decided.changes and not decided.submits, f"seed {seed}"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_take_over_starts_nothing_that_was_forgotten(seed: int) -> None:
    """What a memory read afresh would start at once, the old one has started: no wake-up is lost."""
    rng = random.Random(seed)
    world = World(
        dag_record(random_tasks(rng), **random_groups(rng), max_active_runs=3, max_active_tasks=rng.choice((2, 16))),
        pools=[PoolRecord("small", 2, 0)],
        limits=EngineLimits(parallelism=6),
    )
    for _ in range(60):
        play(world, rng)
        world.step()
        again = world.fresh_engine_state()
        loaded, world.loaded = world.loaded, []
        decided = step(again, [e.WorkerJoined("w", world.slots)], world.now, lambda: str(rng.random()), loaded)
        assert not decided.submits and not decided.changes.tasks and not decided.changes.runs, f"seed {seed}"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_take_over_in_the_middle_reaches_the_same_kind_of_end(seed: int) -> None:
    """After any history and any number of take-overs, answering every attempt brings every run to its end."""
    rng = random.Random(seed)
    world = World(
        dag_record(random_tasks(rng), **random_groups(rng), max_active_runs=3),
        pools=[PoolRecord("small", 2, 0)],
        limits=EngineLimits(parallelism=6),
    )
    for _ in range(30):
        play(world, rng)
        if rng.random() < 0.2:
            world.engine_state = world.fresh_engine_state()
            world.step(e.WorkerJoined("w", world.slots))
            held = {a.attempt_id: rng.random() < 0.5 for a in world.live() if rng.random() < 0.8}
            world.step(e.InventoryRead("w", held, groups=(GROUP,)))
    world.pools["small"][0] = 2
    world.dags[1].paused = False
    world.step(e.PoolsRead(world.pool_records()), e.DagRead(copy.deepcopy(world.dags[1])))
    for _ in range(2000):
        live = world.live()
        if not world.engine_state.runs:
            break
        world.step(*(world.result(attempt) for attempt in live), seconds=6)
        stuck = not world.live() and not world.engine_state.timers
        if stuck and all("depends_on_past" in why for why in unexplained(world)):
            break
    else:
        raise AssertionError(f"seed {seed}: {unexplained(world)}")


def unexplained(world: World) -> list[str]:
    from tests.unit.rules.engine.told import tell_run

    return [
        why
        for run_pk in world.engine_state.runs
        for why in tell_run(world.engine_state, run_pk, world.now)
        if "waits for" not in why and "max_active_runs" not in why
    ]
