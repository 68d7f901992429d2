"""Random DAGs with setups, teardowns and mapped groups against a reference by brute force, step by step, with retries, clears, marks and take-overs."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Collection

import pytest

from gnomon.model.ids import TaskKey
from gnomon.model.mapping import Expansion, LiteralLength, XComLength
from gnomon.model.spec import TaskSpec
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.instance_relations import Selection
from gnomon.rules.decide.trigger_rules import RULES
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.rules.engine.state.run_relations import build_relations
from gnomon.rules.engine.state.task_instance import DagRun

from .scoped_run import ENDED, Instance, ScopedRun, States
from .world import World, dag_record

SEEDS = 300
SOAK_SEEDS = 20_000
CHUNK = 50
ACTS_MAX = 4


class RandomScopes:
    """The DAG of one seed: chains through setups and teardowns, mapped groups, and tasks beside them with any trigger rule."""

    def __init__(self, seed: int) -> None:
        rng = self.rng = random.Random(seed)
        self.fails_fast = rng.random() < 0.15
        count = rng.choice((4, 5, 6, 7, 8, 10, 14))
        self.groups: dict[str, str | None] = {}
        self.expansions: dict[str, Expansion] = {}
        self.lengths: dict[str, int] = {}
        self._ranges = self._random_groups(count)
        kinds = [self._random_kind() for _ in range(count)]
        self.tasks: list[TaskSpec] = []
        for at in range(count):
            self.tasks.append(self._random_task(at, kinds))
        self.record = dag_record(
            self.tasks,
            groups=self.groups,
            group_expansions=self.expansions,
            fail_fast=self.fails_fast,
            max_active_tasks=1000,
        )

    def _random_kind(self) -> str:
        return self.rng.choices(("task", "setup", "teardown"), (5, 2, 2))[0]

    def _random_groups(self, count: int) -> dict[str, range]:
        ranges: dict[str, range] = {}
        if count < 5 or self.rng.random() < 0.4:
            return ranges
        start = self.rng.randint(0, count - 4)
        ranges["g"] = range(start, self.rng.randint(start + 3, count))
        self.groups["g"] = None
        if self.rng.random() < 0.25:
            ranges["h"] = range(ranges["g"].start + 1, ranges["g"].stop)
            self.groups["h"] = "g"
        for group in ranges:
            length = self.lengths[group] = self.rng.randint(1, 3)
            is_returned = group == "g" and start > 0 and self.rng.random() < 0.4
            self.expansions[group] = Expansion(
                factors=(XComLength(task_id="t0") if is_returned else LiteralLength(length=length),)
            )
        return ranges

    def _random_task(self, at: int, kinds: list[str]) -> TaskSpec:
        rng, kind = self.rng, kinds[at]
        group = next((group for group in ("h", "g") if group in self._ranges and at in self._ranges[group]), None)
        before = list(range(at))
        upstream = set(rng.sample(before[-5:], min(len(before), rng.randint(1, 3)) if rng.random() < 0.85 else 0))
        if kind == "teardown":
            upstream |= {u for u in before if kinds[u] == "setup" and rng.random() < 0.5}
        if group is not None and isinstance(self.expansions["g"].factors[0], XComLength):
            upstream.add(0)
        has_setup = any(kinds[u] == "setup" for u in upstream)
        rule = "all_success" if has_setup or self.fails_fast or rng.random() < 0.4 else rng.choice(sorted(RULES))
        return TaskSpec(
            task_id=f"t{at}",
            upstream=tuple(sorted(f"t{u}" for u in upstream)),
            group=group,
            is_setup=kind == "setup",
            is_teardown=kind == "teardown",
            trigger_rule="all_done_setup_success" if kind == "teardown" else rule,
            on_failure_fail_dagrun=kind == "teardown" and rng.random() < 0.2,
            retries=rng.choice((0, 0, 1)),
            retry_delay_s=0.0,
            runs_code=at == 0 or rng.random() < 0.9,
        )


class ScopePlayer:
    """Plays one run, and compares every step with the reference."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.dag = RandomScopes(seed)
        self.rng = random.Random(-seed - 1)
        self.world = World(self.dag.record, slots=1000, limits=EngineLimits(parallelism=None))
        self.reference = ScopedRun(self.dag.record.spec, self.dag.lengths)
        self.run = self.world.new_run()
        self.marked: str | None = None
        self.cleared: Counter[Instance] = Counter()
        self.failed_tries: Counter[Instance] = Counter()
        self.acts = ACTS_MAX
        self.clear_number = 0

    def play(self) -> None:
        self._step(e.RunRead(self.run))
        for _ in range(200):
            if self.world.runs[self.run.run_pk].state in FINISHED_RUN_STATES:
                self._check_end()
                if not self.acts or self.rng.random() < 0.5:
                    break
                self._clear()
            elif self.acts and self.rng.random() < 0.15:
                self.rng.choice((self._clear, self._mark_tasks, self._mark_run))()
            else:
                self._end_some()
            if self.rng.random() < 0.15:
                self.world.take_over()
        else:
            raise AssertionError(f"seed {self.seed}: the run does not end: {self.states()}")
        self._check_attempts()

    def states(self) -> States:
        """The states of all instances in memory; of an ended run, those of the rows."""
        run = self.world.engine_state.runs.get(self.run.run_pk)
        if run is not None:
            return {
                (ti.task.task_id, ti.map_index): _name_state(ti.state, is_queued=ti.is_queued)
                for instances in run.task_instances
                for ti in instances.values()
            }
        ids = [task.task_id for task in self.dag.tasks]
        return {(ids[key.task_no], key.map_index): _name_state(row.state) for key, row in self.world.rows.items()}

    def _step(self, *events: e.EngineEvent, is_act: bool = False, reset: Collection[Instance] = ()) -> None:
        before = self.states()
        self.world.step(*events, seconds=1)
        after = self.states()
        run = self.world.runs[self.run.run_pk]
        faults = self.reference.find_faults(
            before, after, reset, is_running=run.state.value == "running", checks_decisions=not is_act
        )
        assert not faults, f"seed {self.seed}: {'; '.join(faults)}"

    def _end_some(self) -> None:
        live = self.world.live()
        chosen = [attempt for attempt in live if self.rng.random() < 0.6] or live[:1]
        results = []
        for attempt in chosen:
            outcome = self.rng.choices(("success", "failed", "skipped"), (8, 2, 1))[0]
            self.failed_tries[attempt.task_id, attempt.map_index] += outcome == "failed"
            length = self.dag.lengths.get("g", 2) if attempt.task_id == "t0" and outcome == "success" else None
            results.append(self.world.result(attempt, outcome, return_length=length))
        is_fatal = self.dag.fails_fast and any(result.result.outcome == "failed" for result in results)
        self._step(*results, is_act=is_fatal)

    def _clear(self) -> None:
        self.acts -= 1
        run = self.world.engine_state.runs.get(self.run.run_pk)
        upstream, downstream = self.rng.random() < 0.3, self.rng.random() < 0.5
        instances = set(self.states())
        named = {key for key in sorted(instances) if self.rng.random() < 0.2}
        taken = self.reference.cleared(named, instances, upstream=upstream, downstream=downstream)
        if run is not None:
            assert taken == self._collect_cleared(run, named, upstream=upstream, downstream=downstream), (
                f"seed {self.seed}: a clear of {named}"
            )
        self.cleared.update(taken)
        event = e.ClearTasks(self.run.run_pk, tuple(self._key(key) for key in sorted(taken)), "ann")
        if run is not None:
            self._step(event, reset=taken)
            if any(not self.reference.tasks[task_id].is_teardown for task_id, _ in taken):
                self.marked = None
            return
        rows = tuple(copy.copy(row) for row in self.world.rows.values())
        self._step(e.RunRead(copy.deepcopy(self.world.runs[self.run.run_pk]), rows), event, is_act=True)
        if self.world.runs[self.run.run_pk].clear_number > self.clear_number:
            self.clear_number = self.world.runs[self.run.run_pk].clear_number
            self.marked = None

    def _collect_cleared(self, run: DagRun, named: set[Instance], *, upstream: bool, downstream: bool) -> set[Instance]:
        """What the rules of the product take, as a selection of instances for a clear does."""
        relations, scopes, index_of = build_relations(run), run.graph.scopes, run.graph.index_of
        chosen: Selection = {}
        for task_id, map_index in named:
            chosen.setdefault(index_of[task_id], set()).add(map_index)
        above, below = (
            relations.collect_above(chosen) if upstream else {},
            relations.collect_below(chosen) if downstream else {},
        )
        selections = [chosen, above, below]
        if scopes is not None:
            selections += [
                scopes.collect_cleared(relations, one, {}) for one in ([below] if upstream else [chosen, below])
            ]
            selections += [
                scopes.collect_cleared(relations, {}, one) for one in ([above] if downstream else [chosen, above])
            ]
        return {
            (run.graph.tasks[index].task_id, map_index)
            for selection in selections
            for index, indices in selection.items()
            for map_index in indices
        }

    def _mark_tasks(self) -> None:
        """Mark tasks; what failed below them, and its setups and teardowns that failed, run again."""
        self.acts -= 1
        before = self.states()
        named = sorted(key for key in before if self.rng.random() < 0.2)
        state = self.rng.choice(("success", "failed", "skipped"))
        self._step(e.MarkTasks(self.run.run_pk, tuple(map(self._key, named)), state, "ann", 7), is_act=True)
        changed = {key for key in named if before[key] != state}
        below = self.reference.cleared(changed, before, upstream=False, downstream=True) - set(named)
        expected = {key for key in below if before[key] in ("failed", "upstream_failed")}
        cleared = json.loads(self.world.answers[-1][2])["cleared"]
        assert sorted(cleared) == sorted(map(_name, expected)), f"seed {self.seed}: {named} marked {state}"
        self.cleared.update(expected)
        if any(not self.reference.tasks[task_id].is_teardown for task_id, _ in expected):
            self.marked = None

    def _mark_run(self) -> None:
        self.acts -= 1
        before = self.states()
        self.marked = self.rng.choice(("success", "failed"))
        self.world.step(e.MarkRun(self.run.run_pk, self.marked, "ann"), seconds=1)
        after = self.states()
        for (task_id, map_index), state in after.items():
            was = before.get((task_id, map_index))
            if not self.reference.tasks[task_id].is_teardown:
                assert state in ENDED, f"seed {self.seed}: {task_id}[{map_index}] is {state} after the mark"
                assert was not in ENDED or state == was, (
                    f"seed {self.seed}: the mark changed {task_id}[{map_index}], which had ended"
                )
        self._check_teardowns(before, after)
        run = self.world.engine_state.runs.get(self.run.run_pk)
        if run is not None and run.is_running:
            assert not (
                faults := self.reference.find_faults(after, after, (), is_running=True, checks_decisions=False)
            ), f"seed {self.seed}: {faults}"
            assert any(state not in ENDED for state in after.values()), (
                f"seed {self.seed}: the run goes on without a teardown"
            )

    def _check_teardowns(self, before: States, after: States) -> None:
        """A mark leaves teardowns to their rules; those that have begun go on."""
        for instance, state in before.items():
            if self.reference.tasks[instance[0]].is_teardown and state != "none":
                assert after[instance] == state, f"seed {self.seed}: the mark changed {instance}, which was {state}"
        own = {key: state for key, state in after.items() if self.reference.tasks[key[0]].is_teardown}
        faults = self.reference.find_faults(before, after, (), is_running=False, checks_decisions=True, only=own)
        assert not faults, f"seed {self.seed}: {faults}"

    def _key(self, instance: Instance) -> TaskKey:
        return self.world.key(self.run, *instance)

    def _check_end(self) -> None:
        states, state = self.states(), str(self.world.runs[self.run.run_pk].state)
        assert all(one in ENDED for one in states.values()), f"seed {self.seed}: the run ended before {states}"
        expected = self.marked or self.reference.run_outcome(states)
        assert state == expected, f"seed {self.seed}: the run is {state}, not {expected}: {states}"

    def _check_attempts(self) -> None:
        """No task runs again that was neither cleared nor retried: no teardown runs twice."""
        attempts = Counter((attempt.task_id, attempt.map_index) for attempt in self.world.sent.values())
        for instance, count in attempts.items():
            assert count <= 1 + self.cleared[instance] + self.failed_tries[instance], (
                f"seed {self.seed}: {instance} ran {count} times"
            )


def _name(instance: Instance) -> str:
    return instance[0] if instance[1] < 0 else f"{instance[0]}[{instance[1]}]"


def _name_state(state: S | None, *, is_queued: bool = False) -> str:
    return "none" if state is None and not is_queued else "scheduled" if state is None else str(state)


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_every_step_is_as_the_reference_says(first: int) -> None:
    for seed in range(first, first + CHUNK):
        ScopePlayer(seed).play()


@pytest.mark.soak
@pytest.mark.parametrize("first", range(SEEDS, SOAK_SEEDS, 20 * CHUNK))
def test_every_step_of_many_dags_is_as_the_reference_says(first: int) -> None:
    for seed in range(first, min(first + 20 * CHUNK, SOAK_SEEDS)):
        ScopePlayer(seed).play()
