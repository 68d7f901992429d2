"""Random DAGs with mapped tasks and groups against the reference of `mapping_reference`, with take-overs in the middle."""

from __future__ import annotations

import copy
import random

import pytest
from tests.unit.rules.engine.told import tell_instance

from gnomon.model.attempts import Attempt, AttemptResult, XComItem
from gnomon.model.ids import TaskKey
from gnomon.model.mapping import ConcatLength, Expansion, Length, LiteralLength, XComLength, ZipLength
from gnomon.model.records import DagRecord, GroupState, PoolRecord, RunRecord, TaskRecord
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES, DagRunState, DagRunType
from gnomon.rules.decide.trigger_rules import RULES
from gnomon.rules.engine import events as e
from gnomon.rules.engine.handlers.group_loading import load_groups
from gnomon.rules.engine.state.engine_state import EngineLimits, EngineState
from gnomon.rules.engine.state.task_instance import DagRun
from gnomon.rules.engine.step import step

from .mapping_reference import Fate, Instance, Reference

GROUP = 5
SHORT_SEEDS, LONG_SEEDS, CHUNK = 300, 5100, 150
SIZES = (3, 5, 8, 8, 12)


class RandomDag:
    """A DAG of one seed, and how each of its instances ends."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        rng = random.Random(seed)
        count = 60 if seed % 50 == 0 else rng.choice(SIZES)
        self.ids = [f"t{i}" for i in range(count)]
        self.ranges = self._random_groups(rng, count)
        expansions = {
            group: self._expansion(rng, start) for group, (start, _, _) in self.ranges.items() if rng.random() < 0.85
        }
        tasks = [self._random_task(rng, i, expansions) for i in range(count)]
        self.spec = DagSpec(
            dag_id="dag",
            timetable=TimetableRef(path="none"),
            tasks=tuple(tasks),
            max_active_tasks=1000,
            groups={group: parent for group, (_, _, parent) in self.ranges.items()},
            group_expansions=expansions,
        )
        self.downstream = {
            task_id: [task.task_id for task in tasks if task_id in task.upstream] for task_id in self.ids
        }

    def _random_groups(self, rng: random.Random, count: int) -> dict[str, tuple[int, int, str | None]]:
        """Ranges of tasks, and within some of them another range."""
        groups: dict[str, tuple[int, int, str | None]] = {}
        start = rng.randint(0, 2)
        while start + 2 <= count and len(groups) < 8:
            end = min(count, start + rng.randint(2, 5))
            name = f"g{len(groups)}"
            groups[name] = (start, end, None)
            if rng.random() < 0.3:
                inner = rng.randint(start, end - 1)
                groups[f"g{len(groups)}"] = (inner, end, name)
            start = end + rng.randint(1, 4)
        return groups

    def _length(self, rng: random.Random, before: int, depth: int = 0) -> Length:
        roll = rng.random()
        if roll < 0.35 or not before:
            return LiteralLength(length=rng.choice((0, 1, 2, 2, 3)))
        if roll < 0.85 or depth:
            return XComLength(task_id=f"t{rng.randrange(max(0, before - 6), before)}")
        parts = tuple(self._length(rng, before, 1) for _ in range(2))
        return (
            ZipLength(parts=parts, has_fill_value=rng.random() < 0.5)
            if rng.random() < 0.6
            else ConcatLength(parts=parts)
        )

    def _expansion(self, rng: random.Random, before: int) -> Expansion:
        return Expansion(factors=tuple(self._length(rng, before) for _ in range(1 if rng.random() < 0.85 else 2)))

    def _random_task(self, rng: random.Random, i: int, group_expansions: dict[str, Expansion]) -> TaskSpec:
        inside = [group for group, (start, end, _) in self.ranges.items() if start <= i < end]
        group = inside[-1] if inside else None
        levels = [group_expansions[g] for g in inside if g in group_expansions]
        expansion = self._expansion(rng, i) if rng.random() < (0.3 if not levels else 0.08) else None
        upstream = set(rng.sample(self.ids[max(0, i - 8) : i], rng.randint(0, min(i, 3))))
        start = self.ranges[group][0] if group else 0
        if expansion is not None:
            upstream |= _source_ids(expansion)
        if levels and not any(start <= int(u[1:]) for u in upstream):
            upstream |= {leaf for level in levels for leaf in _source_ids(level)}
        is_teardown = rng.random() < 0.06
        return TaskSpec(
            task_id=f"t{i}",
            upstream=tuple(sorted(upstream)),
            group=group,
            expansion=expansion,
            retries=rng.choice((0, 0, 1)),
            retry_delay_s=0.0,
            trigger_rule="all_done_setup_success"
            if is_teardown
            else rng.choice(sorted(RULES))
            if rng.random() < 0.35
            else "all_success",
            is_setup=rng.random() < 0.08,
            is_teardown=is_teardown,
            runs_code=rng.random() < 0.9,
        )

    def fate(self, task_id: str, map_index: int) -> Fate:
        task = self.spec.tasks[int(task_id[1:])]
        if not task.runs_code:
            return Fate("success", None, ())
        rng = random.Random(f"{self.seed}/{task_id}/{map_index}")
        state = rng.choices(("success", "failed", "skipped"), (8, 1, 1))[0]
        length = rng.choice((0, 1, 2, 2, 3, None)) if rng.random() < 0.3 else rng.randint(1, 3)
        left_out = tuple(d for d in self.downstream[task_id] if rng.random() < 0.5) if rng.random() < 0.1 else ()
        return Fate(state, length, left_out, 1 if task.retries and rng.random() < 0.3 else 0)


def _source_ids(expansion: Expansion) -> set[str]:
    def leaves(length: Length) -> set[str]:
        if isinstance(length, XComLength):
            return {length.task_id}
        return set() if isinstance(length, LiteralLength) else set().union(*map(leaves, length.parts))

    return set().union(*map(leaves, expansion.factors))


class Player:
    """Plays one run of a random DAG to its end; `takes_over` reads the engine's state anew now and then.

    After each step, another step changes nothing, and every instance that waits has a reason.
    """

    def __init__(self, dag: RandomDag, *, takes_over: bool) -> None:
        self.dag, self.takes_over = dag, takes_over
        self.record = DagRecord(
            dag_pk=1,
            dag_id="dag",
            group_no=GROUP,
            paused=False,
            active=True,
            plan_seq=0,
            cursor=None,
            next_run=None,
            fingerprint=None,
            version_pk=1,
            spec=dag.spec,
            task_numbers={task_id: i for i, task_id in enumerate(dag.ids)},
            file="f.py",
            input_hash="h",
        )
        self.run = RunRecord(1, 1, "run", DagRunType.MANUAL, DagRunState.QUEUED, 0, None, None, None, None, {}, 0)
        self.rows: dict[TaskKey, TaskRecord] = {}
        self.live: dict[Instance, Attempt] = {}
        self.rng = random.Random(-dag.seed)
        self.now, self.count = 1, 0
        self.engine_state = self._load()
        self._step(e.WorkerJoined("w", 100_000))

    def _load(self) -> EngineState:
        engine_state = EngineState(EngineLimits(parallelism=None, max_admissions_per_step=100_000))
        rows = [copy.copy(row) for row in self.rows.values()]
        self.loaded = load_groups(engine_state, GroupState([self.record], [copy.copy(self.run)], rows), {GROUP: 1})
        engine_state.update_pools([PoolRecord("default_pool", -1, 0)])
        return engine_state

    def _new_id(self) -> str:
        self.count += 1
        return f"a{self.count}"

    def _step(self, *events: e.EngineEvent) -> bool:
        loaded, self.loaded = self.loaded, []
        result = step(self.engine_state, events, self.now, self._new_id, loaded)
        for key in result.changes.tasks_deleted:
            del self.rows[key]
        self.rows.update((row.key, row) for row in result.changes.tasks)
        self.run = result.changes.runs[-1] if result.changes.runs else self.run
        for attempt in result.submits.get("w", ()):
            self.live[attempt.task_id, attempt.map_index] = attempt
        return bool(result.changes)

    def play(self) -> dict[Instance, str]:
        """The final states."""
        while self.run.state not in FINISHED_RUN_STATES:
            chosen = [key for key in sorted(self.live) if self.rng.random() < 0.6] or sorted(self.live)[:1]
            takes_over = self.rng.random() < 0.25
            if self.takes_over and takes_over:
                self.engine_state = self._load()
                self._step(
                    e.WorkerJoined("w", 100_000),
                    e.InventoryRead("w", {a.attempt_id: True for a in self.live.values()}, groups=(GROUP,)),
                )
            self.now += 1_000_000
            changed = self._step(*(self._result(self.live.pop(key)) for key in chosen))
            self._check_waiting()
            assert not self._step() or self.run.state in FINISHED_RUN_STATES, f"seed {self.dag.seed}: no fixed point"
            assert chosen or changed or self.live, f"seed {self.dag.seed} is stuck: {self._unfinished()}"
        return {(self.dag.ids[key.task_no], key.map_index): str(row.state) for key, row in self.rows.items()}

    def _result(self, attempt: Attempt) -> e.ResultReceived:
        fate = self.dag.fate(attempt.task_id, attempt.map_index)
        fails = attempt.try_number <= fate.failed_tries
        is_success = fate.state == "success" and not fails
        returns = is_success and fate.return_length is not None
        return e.ResultReceived(
            AttemptResult(
                attempt_id=attempt.attempt_id,
                group_no=GROUP,
                run_pk=1,
                task_no=attempt.task_no,
                map_index=attempt.map_index,
                outcome="failed" if fails else fate.state,
                retryable=fails,
                xcoms=(XComItem(key="return_value", value="[]"),) if returns else (),
                return_length=fate.return_length if is_success else None,
                skip_task_ids=fate.left_out if is_success else (),
                ended_at=self.now,
            ),
            "w",
        )

    def _unfinished(self) -> list[str]:
        run: DagRun = self.engine_state.runs[1]
        return [
            f"{ti.name()}: {tell_instance(self.engine_state, ti, self.now)}"
            for instances in run.task_instances
            for ti in instances.values()
            if ti.state not in FINISHED_TASK_STATES
        ]

    def _check_waiting(self) -> None:
        """Every instance that waits has a reason, and none is about to be evaluated."""
        run = self.engine_state.runs.get(1)
        for instances in run.task_instances if run is not None else ():
            for ti in instances.values():
                if ti.state not in FINISHED_TASK_STATES and self.run.state not in FINISHED_RUN_STATES:
                    why = tell_instance(self.engine_state, ti, self.now)
                    assert why, f"seed {self.dag.seed}: {ti.name()} waits without a reason"
                    assert "next step" not in why, f"seed {self.dag.seed}: {ti.name()}: {why}"


@pytest.mark.parametrize("first", range(0, SHORT_SEEDS, CHUNK))
def test_every_instance_ends_as_the_reference_says(first: int) -> None:
    for seed in range(first, first + CHUNK):
        check_seed(seed)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(SHORT_SEEDS, LONG_SEEDS, CHUNK))
def test_every_instance_ends_as_the_reference_says_at_length(first: int) -> None:
    for seed in range(first, first + CHUNK):
        check_seed(seed)


def check_seed(seed: int) -> None:
    dag = RandomDag(seed)
    states = Player(dag, takes_over=False).play()
    faults = Reference(dag.spec, states, dag.fate).find_faults()
    assert not faults, f"seed {seed}: {'; '.join(faults)}"
    if seed % 4 == 0:
        again = Player(dag, takes_over=True).play()
        assert again == states, f"seed {seed}: a take-over changes {set(again.items()) ^ set(states.items())}"
