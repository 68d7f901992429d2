"""Laws of waiting tasks over random histories: no wait is left over or forgotten, no slot is kept, no time is missed or hastened."""

from __future__ import annotations

import copy
import random
from collections import Counter
from dataclasses import replace

import msgspec
import pytest

from gnomon.model.deferral import Deferral, DeferralResult
from gnomon.model.ids import TaskKey
from gnomon.model.instants import SECOND
from gnomon.model.records import PoolRecord
from gnomon.model.spec import TaskSpec
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineLimits, EngineState
from gnomon.rules.engine.step_context import StepResult

from .world import GROUP, World, dag_record

SEEDS = [*range(15), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(15, 30))]
STEPS = 100
POOLS = ("default_pool", "small", "counting")
ENDINGS = ("event", "event", "success", "failed", "skipped", "error")
TIMERS_SPARE = 300
"""A heap may hold as many entries that count no longer."""


def some_wait(rng: random.Random, now: int | None) -> Deferral:
    """A trigger or a time, with or without a timeout; `now` None: what a task starts with."""
    by_time = rng.random() < 0.4
    seconds = rng.choice((-3, 0, 5, 20))
    return Deferral(
        classpath="plugin.Trigger",
        next_method=rng.choice(("go_on", "go_on", None)),
        ends_task=by_time and rng.random() < 0.3,
        timeout_s=rng.choice((None, 4.0, 15.0)),
        due_in_s=float(seconds) if by_time and now is None else None,
        due_at=now + seconds * SECOND if by_time and now is not None else None,
    )


def some_tasks(rng: random.Random) -> list[TaskSpec]:
    ids = [f"t{i}" for i in range(rng.randint(2, 6))]
    return [some_task(rng, task_id, ids[:i]) for i, task_id in enumerate(ids)]


def some_task(rng: random.Random, task_id: str, before: list[str]) -> TaskSpec:
    return TaskSpec(
        task_id=task_id,
        upstream=tuple(sorted(rng.sample(before, rng.randint(0, min(len(before), 1))))),
        trigger_rule=rng.choice(("all_success", "all_done")),
        retries=rng.randint(0, 2),
        retry_delay_s=rng.choice((0.0, 30.0)),
        pool=rng.choice(POOLS),
        runs_code=rng.random() < 0.9,
        execution_timeout_s=rng.choice((None, None, 12.0)),
        runs_code_at_deferral_end=rng.random() < 0.3,
        soft_fail=rng.random() < 0.2,
        is_sensor=rng.random() < 0.3,
        start_wait=some_wait(rng, None) if rng.random() < 0.3 else None,
        max_active_tis_per_dag=rng.choice((None, None, 1)),
    )


class Waiting(World):
    """A world whose steps are judged as they are written."""

    said: frozenset[tuple[TaskKey, int]] = frozenset()
    """The deferrals whose triggers have spoken in this step."""

    def step(self, *events: e.EngineEvent, seconds: float = 0) -> StepResult:
        self.said = frozenset((event.key, event.defer_seq) for event in events if isinstance(event, e.DeferralEnded))
        return super().step(*events, seconds=seconds)

    def write(self, decided: StepResult) -> None:
        """A trigger hears on_kill if it waited and said nothing; of what a triggerer has nothing of, none is told."""
        for key, killed in decided.changes.deferrals_deleted:
            wait = self.waits[key]
            if wait.due_at is not None or wait.result is not None:
                assert killed is None, f"{key}: nobody runs its trigger"
            elif (key, wait.defer_seq) not in self.said:
                assert killed is True, f"{key}: its trigger is not told"
        super().write(decided)

    def quietly(self, *events: e.EngineEvent, seconds: float = 0) -> None:
        """A step of what nobody asked for: what is tried again is tried when it is due."""
        before = copy.copy(self.rows)
        self.step(*events, seconds=seconds)
        for key, row in before.items():
            if (
                row.state is S.UP_FOR_RETRY
                and row.resume_at is not None
                and row.resume_at > self.now
                and key in self.rows
            ):
                ended = self.runs[key.run_pk].ended_at is not None or self.rows[key].state in FINISHED_TASK_STATES
                assert ended or self.rows[key].state is S.UP_FOR_RETRY, f"{key} is tried again too early"

    def settle(self) -> None:
        """Steps go on at this instant until nothing more is to be done at it."""
        for _ in range(50):
            decided = self.step()
            if decided.wake_at is None or decided.wake_at > self.now:
                return
        raise AssertionError("it never comes to rest")


def play(world: Waiting, rng: random.Random) -> None:
    """One random thing happens, or two in one step."""
    live, runs, waits = world.live(), sorted(world.engine_state.runs), sorted(world.waits)
    roll = rng.random()
    if roll < 0.12 and len(runs) < 4:
        world.start()
    elif roll < 0.4 and live:
        attempt = rng.choice(live)
        outcome = rng.choices(("success", "failed", "deferred", "lost", "up_for_reschedule"), (2, 1, 5, 1, 1))[0]
        world.quietly(*some_result(world, rng, attempt, outcome), seconds=rng.choice((0, 1)))
    elif roll < 0.62 and waits:
        key = rng.choice(waits)
        events: list[e.EngineEvent] = [some_event(world, rng, key)]
        if rng.random() < 0.3:
            events += rng.choice(
                (lambda: [events[0]], lambda: [some_event(world, rng, key)], lambda: [some_act(world, rng, key)])
            )()
            rng.shuffle(events)
        if rng.random() < 0.1:
            another_version(world, rng)
            events = [e.DagRead(copy.deepcopy(world.dags[1])), *events]
        people = any(not isinstance(event, e.DeferralEnded) for event in events)
        (world.step if people else world.quietly)(*events)
    elif roll < 0.7 and waits:
        world.step(some_act(world, rng, rng.choice(waits)))
    elif roll < 0.74 and runs:
        world.step(
            rng.choice(
                (
                    e.MarkRun(rng.choice(runs), "failed", "me"),
                    e.ClearTasks(rng.choice(runs), None, "me"),
                    e.DeleteRun(rng.choice(runs), "me", 1),
                )
            )
        )
    elif roll < 0.79:
        another_version(world, rng)
        if rng.random() < 0.5:
            world.step(e.DagRead(copy.deepcopy(world.dags[1])))
        else:
            take_over(world, rng)
    elif roll < 0.84:
        world.dags[1] = replace(world.dags[1], paused=not world.dags[1].paused)
        world.step(e.DagRead(copy.deepcopy(world.dags[1])))
    elif roll < 0.88:
        take_over(world, rng)
    else:
        world.quietly(seconds=rng.choice((1, 3, 8)))


def some_result(world: World, rng: random.Random, attempt, outcome: str) -> list[e.EngineEvent]:  # type: ignore[no-untyped-def]
    found: list[e.EngineEvent] = [e.AuthorCodeEntered(attempt.attempt_id, world.now)] if rng.random() < 0.7 else []
    more: dict[str, object] = {"entered": bool(found), "reason": outcome}
    if outcome == "deferred":
        more["wait"] = some_wait(rng, world.now)
    if outcome == "up_for_reschedule":
        more["resume_at"] = world.now + 5 * SECOND
    return [*found, world.result(attempt, outcome, **more)]


def some_event(world: World, rng: random.Random, key: TaskKey) -> e.DeferralEnded:
    """Of its trigger; now and then one of an earlier deferral."""
    late = rng.random() < 0.2
    outcome = rng.choice(ENDINGS)
    return e.DeferralEnded(
        key, world.waits[key].defer_seq - late, DeferralResult(outcome=outcome, payload='"late"' if late else "1")
    )


def some_act(world: World, rng: random.Random, key: TaskKey) -> e.EngineEvent:
    if rng.random() < 0.5:
        return e.ClearTasks(key.run_pk, (key,), "me")
    return e.MarkTasks(key.run_pk, (key,), rng.choice(("success", "failed", "skipped")), "me")


def another_version(world: World, rng: random.Random) -> None:
    """Tasks change their kind and their pools, leave and come back."""
    dag = world.dags[1]
    tasks = [
        msgspec.structs.replace(some_task(rng, task.task_id, []), upstream=task.upstream)
        if rng.random() < 0.4
        else task
        for task in world.all_tasks
        if rng.random() < 0.75
    ]
    ids = {task.task_id for task in tasks}
    tasks = [msgspec.structs.replace(task, upstream=tuple(up for up in task.upstream if up in ids)) for task in tasks]
    spec = msgspec.structs.replace(dag.spec, tasks=tuple(tasks))
    world.dags[1] = replace(dag, spec=spec, version_pk=dag.version_pk + 1)


def take_over(world: World, rng: random.Random) -> None:
    world.engine_state = world.fresh_engine_state()
    world.step(e.WorkerJoined("w", world.slots))
    held = {attempt.attempt_id: rng.random() < 0.5 for attempt in world.live() if rng.random() < 0.8}
    world.step(e.InventoryRead("w", held, groups=(GROUP,)))


def a_world(rng: random.Random) -> Waiting:
    tasks = some_tasks(rng)
    dag = dag_record(
        tasks, max_active_runs=3, fail_fast=rng.random() < 0.2, dagrun_timeout_s=rng.choice((None, None, 60.0))
    )
    pools = [PoolRecord("small", 2, 0), PoolRecord("counting", 2, 0, include_deferred=True)]
    return Waiting(dag, pools=pools, limits=EngineLimits(parallelism=6), slots=8)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_waits_is_stored_and_what_is_stored_waits(seed: int) -> None:
    rng = random.Random(seed)
    world = a_world(rng)
    for _ in range(STEPS):
        play(world, rng)
        for key, wait in world.waits.items():
            row = world.rows[key]
            assert row.defer_seq == wait.defer_seq, f"seed {seed}: {key}"
            assert row.state not in FINISHED_TASK_STATES and row.state is not None, (
                f"seed {seed}: {key} waits and is {row.state}"
            )
            assert (row.state is S.DEFERRED) == (wait.result is None), f"seed {seed}: {key} is {row.state}, {wait}"
        deferred = {key for key, row in world.rows.items() if row.state is S.DEFERRED}
        assert deferred <= world.waits.keys(), f"seed {seed}: waits for nothing"


@pytest.mark.parametrize("seed", SEEDS)
def test_slots_are_those_of_live_attempts_and_of_waits_that_count(seed: int) -> None:
    rng = random.Random(seed)
    world = a_world(rng)
    for _ in range(STEPS):
        play(world, rng)
        used: Counter[str] = Counter()
        for row in world.rows.values():
            if row.attempt is not None and row.pool is not None:
                used[row.pool] += row.pool_slots
        for key, wait in world.waits.items():
            if wait.held_slots:
                used[str(world.rows[key].pool)] += wait.held_slots
        found = {name: pool[1] for name, pool in world.pools.items()}
        assert found == {name: used[name] for name in world.pools}, f"seed {seed}"


@pytest.mark.parametrize("seed", SEEDS)
def test_no_time_of_a_wait_is_missed_and_none_is_remembered_for_nothing(seed: int) -> None:
    rng = random.Random(seed)
    world = a_world(rng)
    for _ in range(STEPS):
        play(world, rng)
        world.settle()
        for key, wait in world.waits.items():
            if wait.result is None:
                row, task = world.rows[key], task_of(world, key)
                limit_s = None if task is None else task.execution_timeout_s
                deadline = None if limit_s is None or row.started_at is None else row.started_at + int(limit_s * SECOND)
                due_at = None if world.dags[1].paused else wait.due_at
                assert all(at is None or at > world.now for at in (due_at, wait.timeout_at, deadline)), (
                    f"seed {seed}: {key}"
                )
        assert len(world.engine_state.timers) < TIMERS_SPARE, f"seed {seed}"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_take_over_reads_the_waits_that_memory_had(seed: int) -> None:
    rng = random.Random(seed)
    world = a_world(rng)
    for _ in range(STEPS):
        play(world, rng)
        again = world.fresh_engine_state()
        world.loaded = []
        assert waits_in(again) == waits_in(world.engine_state), f"seed {seed}"


@pytest.mark.parametrize("seed", SEEDS)
def test_after_any_history_every_task_ends(seed: int) -> None:
    """Once every attempt and every trigger is answered, nothing is left that waits, and no slot is taken."""
    rng = random.Random(seed)
    world = a_world(rng)
    for _ in range(STEPS // 2):
        play(world, rng)
    world.dags[1] = replace(world.dags[1], paused=False)
    world.step(e.DagRead(copy.deepcopy(world.dags[1])))
    for _ in range(1000):
        if not world.engine_state.runs:
            break
        events: list[e.EngineEvent] = [
            e.DeferralEnded(key, wait.defer_seq, DeferralResult(outcome="event")) for key, wait in world.waits.items()
        ]
        world.step(*events, *(world.result(attempt) for attempt in world.live()), seconds=10)
    assert not world.engine_state.runs and not world.waits, f"seed {seed}"
    assert all(used == 0 for _, used in world.pools.values()), f"seed {seed}"


def task_of(world: World, key: TaskKey) -> TaskSpec | None:
    names = {number: task_id for task_id, number in world.dags[1].task_numbers.items()}
    return next((task for task in world.dags[1].spec.tasks if task.task_id == names[key.task_no]), None)


def waits_in(engine_state: EngineState) -> object:
    """What two memories of the same rows must agree on."""
    return {
        cell.key(): (cell.state, cell.defer_seq, cell.is_resumption, cell.deferral, cell.started_at)
        for run in engine_state.runs.values()
        for cells in run.task_instances
        for cell in cells.values()
        if cell.defer_seq or cell.deferral
    }, {name: pool.used for name, pool in engine_state.pools.items() if pool.slots is not None}
