"""The laws of the engine with `task_instance_mutation_hook`: random histories in which answers come, fail, come late and come twice."""

from __future__ import annotations

import copy
import random

import pytest
from tests.unit.rules.engine.told import tell_run

from gnomon.model.attempts import InstanceOverrides
from gnomon.model.instance_mutation import MutationAnswer, MutationQuestion
from gnomon.model.records import PoolRecord
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineLimits

from .test_laws import play, random_groups, random_tasks, snapshot
from .world import GROUP, World, dag_record

SEEDS = [*range(20), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(20, 40))]


def hooked(rng: random.Random) -> World:
    return World(
        dag_record(
            random_tasks(rng),
            mutates_instances=True,
            **random_groups(rng),
            max_active_runs=3,
            max_active_tasks=rng.choice((2, 16)),
        ),
        pools=[PoolRecord("small", 2, 0)],
        limits=EngineLimits(parallelism=6),
    )


def random_answer(rng: random.Random, try_number: int) -> MutationAnswer:
    if rng.random() < 0.2:
        return "it raised ValueError"
    return InstanceOverrides(
        try_number=try_number,
        pool=rng.choice((None, "small", "default_pool")),
        pool_slots=rng.choice((None, 1, 2)),
        priority_weight=rng.choice((None, -1, 9)),
    )


def answer_some(world: World, rng: random.Random, old: list[MutationQuestion]) -> None:
    """Answers of the hook arrive: to open questions, to a part of one, and to questions that were answered before."""
    for question in list(world.questions):
        if rng.random() < 0.5:
            continue
        world.questions.remove(question)
        count = rng.randint(1, len(question.instances))
        answers = tuple(random_answer(rng, one.try_number) for one in question.instances[:count])
        world.step(e.InstancesMutated(question, answers))
        old.append(question)
        if question.instances[count:]:
            world.questions.append(
                MutationQuestion(
                    number=question.number, run=question.run, tasks=question.tasks, instances=question.instances[count:]
                )
            )
    if old and rng.random() < 0.2:
        question = rng.choice(old)
        if not any(other.number == question.number for other in world.questions):
            world.step(
                e.InstancesMutated(question, tuple(InstanceOverrides(try_number=99) for _ in question.instances))
            )


def list_answers(world: World) -> list[InstanceOverrides]:
    return [row.overrides for row in world.rows.values() if row.overrides is not None]


@pytest.mark.parametrize("seed", SEEDS)
def test_read_again_equals_memory_and_no_old_answer_counts(seed: int) -> None:
    rng = random.Random(seed)
    world, old = hooked(rng), []
    for _ in range(60):
        play(world, rng)
        answer_some(world, rng, old)
        again = world.fresh_engine_state()
        world.loaded = []
        assert snapshot(again) == snapshot(world.engine_state), f"seed {seed}"
        assert all(one.try_number != 99 for one in list_answers(world)), f"seed {seed}: an answer counted twice"
        for attempt in world.live():
            assert attempt.overrides is not None, f"seed {seed}: {attempt.task_id} started without an answer"


@pytest.mark.parametrize("seed", SEEDS)
def test_every_run_ends_once_every_question_has_an_answer(seed: int) -> None:
    rng = random.Random(seed)
    world, old = hooked(rng), []
    for _ in range(30):
        play(world, rng)
        answer_some(world, rng, old)
        if rng.random() < 0.1:
            world.questions, old = [], []  # the answers went to a process that has ended
            world.engine_state = world.fresh_engine_state()
            world.step(e.WorkerJoined("w", world.slots))
            world.step(
                e.InventoryRead("w", dict.fromkeys((a.attempt_id for a in world.live()), False), groups=(GROUP,))
            )
    world.pools["small"][0] = 2
    world.dags[1].paused = False
    world.step(e.PoolsRead(world.pool_records()), e.DagRead(copy.deepcopy(world.dags[1])))
    for _ in range(2000):
        if not world.engine_state.runs:
            return
        questions, world.questions = world.questions, []
        answers = [
            e.InstancesMutated(one, tuple(InstanceOverrides(try_number=asked.try_number) for asked in one.instances))
            for one in questions
        ]
        world.step(*answers, *(world.result(attempt) for attempt in world.live()), seconds=6)
        if not world.live() and not world.questions and not world.engine_state.timers:
            break
    reasons = [why for run_pk in world.engine_state.runs for why in tell_run(world.engine_state, run_pk, world.now)]
    assert all("depends_on_past" in why or "waits for" in why or "max_active_runs" in why for why in reasons), (
        f"seed {seed}: {reasons}"
    )
