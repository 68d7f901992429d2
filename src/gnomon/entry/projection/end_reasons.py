"""Why a run ends at another time in one simulation than in another: what changed on its key path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from gnomon.entry.projection.key_paths import FutureRuns, PathStep
from gnomon.entry.projection.run_outcomes import RunOutcome, TaskOutcome
from gnomon.entry.projection.run_pairs import RunPair
from gnomon.entry.projection.simulation import Scenario, SimulatedRuns
from gnomon.entry.projection.slot_use import SlotUses
from gnomon.model.instants import SECOND
from gnomon.model.sentences import Sentence, say
from gnomon.model.states import TaskInstanceState

REASONS_MAX = 2
"""Most reasons for one run: the change that makes most of the difference, and the next one if it makes a good part of it."""
GOOD_PART = 0.25
_WAITS = {
    True: ("step_waits_longer", "step_waits_longer_for_pool", "step_waits_longer_for_worker"),
    False: ("step_waits_less", "step_waits_less_for_pool", "step_waits_less_for_worker"),
}
"""The sentences of a wait that became longer or shorter: without a cause, for a pool, for a slot of a worker."""
_LEAST_S = 1.0
"""A shorter difference of a step is none: tasks that start together are admitted one after the other."""


class SimulatedSide(NamedTuple):
    """One of the two simulations, with what its runs are asked for."""

    scenario: Scenario
    simulated: SimulatedRuns
    future: FutureRuns
    uses: SlotUses


def open_side(scenario: Scenario, simulated: SimulatedRuns) -> SimulatedSide:
    """The side of a simulation that kept its tasks."""
    specs = {spec.dag_id: spec for spec, _ in scenario.dags}
    return SimulatedSide(scenario, simulated, FutureRuns(simulated.runs, specs), SlotUses(simulated.runs, specs))


class _Cause(NamedTuple):
    seconds: float
    """How much later the run ends for it; negative: earlier."""
    sentence: Sentence


class EndReasons:
    """Compares the key paths of pairs of runs."""

    def __init__(self, before: SimulatedSide, after: SimulatedSide, pairs: Mapping[str, Iterable[RunPair]]) -> None:
        self._sides = (before, after)
        self._other: tuple[dict[int, RunOutcome], dict[int, RunOutcome]] = ({}, {})
        """By side: the counterpart of a run of that side in the other one, by run_pk."""
        for of_dag in pairs.values():
            for first, second in of_dag:
                if first is not None and second is not None:
                    self._other[0][first.run_pk] = second
                    self._other[1][second.run_pk] = first

    def explain_shift(self, first: RunOutcome, second: RunOutcome) -> list[Sentence]:
        """Why the second run ends later or earlier than the first: of a later end the path to it says why, of an earlier one the path to the end that it had."""
        assert first.ended_at is not None and second.ended_at is not None
        is_later = second.ended_at > first.ended_at
        side, run = (1, second) if is_later else (0, first)
        sign = 1 if is_later else -1
        path = self._sides[side].future.find_path(run, None)
        causes = sorted(
            (cause for cause in self._list_causes(side, path) if cause.seconds * sign >= _LEAST_S),
            key=lambda cause: -abs(cause.seconds),
        )
        if not causes:
            names = dict.fromkeys(_name(step.run, step.task) for step in path)
            return [say("other_path_decides", names=" > ".join(list(names)[-4:]))] if names else []
        least = abs(causes[0].seconds) * GOOD_PART
        return [cause.sentence for cause in causes[:REASONS_MAX] if abs(cause.seconds) >= least]

    def explain_state(self, first: RunOutcome, second: RunOutcome) -> list[Sentence]:
        """Why the second run has another state: its first task that fails and did not, or what it waits for."""
        if second.ended_at is None:
            return list(second.waits[:1])
        states = {task.name: task.state for task in first.tasks}
        failed = [
            task
            for task in second.tasks
            if task.state is TaskInstanceState.FAILED and states.get(task.name) is not TaskInstanceState.FAILED
        ]
        first_failed = min(failed, key=lambda task: (task.ended_at or 0, task.name), default=None)
        return [] if first_failed is None else [say("task_fails_here", name=_name(second, first_failed))]

    def _list_causes(self, side: int, path: list[PathStep]) -> Iterator[_Cause]:
        """What is different at each step, as seconds by which the second simulation is later."""
        sign = 1 if side == 1 else -1
        for place, step in enumerate(path):
            other_run = self._other[side].get(step.run.run_pk)
            if place == 0 and other_run is not None:
                yield from self._compare_begins(side, step, other_run)
            other = None if other_run is None else _find_task(other_run, step.task.name)
            name, took_s = _name(step.run, step.task), (step.end - step.start) / SECOND
            if other_run is None or other is None or other.ended_at is None or other.started_at is None:
                # no such step on the other side: all of it is the difference
                code = "step_is_new" if side == 1 else "step_is_gone"
                yield _Cause(sign * (took_s + step.waited_s), say(code, name=name, duration=round(took_s, 1)))
                continue
            other_s = (other.ended_at - other.started_at) / SECOND
            before_s, after_s = (other_s, took_s) if side == 1 else (took_s, other_s)
            if abs(after_s - before_s) >= _LEAST_S:
                code = "step_takes_longer" if after_s > before_s else "step_takes_less"
                yield _Cause(
                    after_s - before_s,
                    say(code, name=name, duration=round(after_s, 1), usual=round(before_s, 1)),
                )
            waited = step.waited_s, self._sides[1 - side].future.measure_wait(other_run, other)
            shift_s = sign * (waited[0] - waited[1])
            if abs(shift_s) >= _LEAST_S:
                yield _Cause(shift_s, self._explain_wait(side, step, abs(shift_s), is_longer=shift_s > 0))

    def _compare_begins(self, side: int, step: PathStep, other: RunOutcome) -> Iterator[_Cause]:
        """What the run of the first step did before that step: when it is due, and how long it waited to begin."""
        run = step.run
        first, second = (other, run) if side == 1 else (run, other)
        due_s = (second.run_after - first.run_after) / SECOND
        if due_s and run.run_type != "asset_triggered":
            yield _Cause(due_s, say("run_is_due_at", dag=run.dag_id, at=second.run_after, since=first.run_after))
        if first.started_at is None or second.started_at is None:
            return
        wait_s = [
            (each.started_at - each.run_after) / SECOND for each in (first, second) if each.started_at is not None
        ]
        shift_s = wait_s[1] - wait_s[0]
        if abs(shift_s) >= _LEAST_S:
            code = "run_waits_longer" if shift_s > 0 else "run_waits_less"
            yield _Cause(shift_s, say(code, dag=run.dag_id, duration=round(abs(shift_s), 1)))

    def _explain_wait(self, side: int, step: PathStep, seconds: float, *, is_longer: bool) -> Sentence:
        """The wait of a step, with what it waited for on the side on which it waited longer."""
        scenario, simulated, _, uses = self._sides[side]
        name, duration = _name(step.run, step.task), round(seconds, 1)
        task = uses.tasks.get((step.run.dag_id, step.task.task_id))
        since, until = step.start - int(step.waited_s * SECOND), step.start
        plain, for_pool, for_worker = _WAITS[is_longer]
        obstacle = (
            None
            if task is None
            else uses.find_obstacle(task, since, until, simulated.pool_slots, scenario.worker_slots)
        )
        if obstacle is None:
            return say(plain, name=name, duration=duration)
        holder = obstacle.holder or name
        if obstacle.pool is None:
            return say(for_worker, name=name, duration=duration, count=obstacle.slots, other_value=holder)
        return say(for_pool, name=name, duration=duration, pool=obstacle.pool, count=obstacle.slots, other_value=holder)


def _name(run: RunOutcome, task: TaskOutcome) -> str:
    return f"{run.dag_id}.{task.name}"


def _find_task(run: RunOutcome, name: str) -> TaskOutcome | None:
    return next((task for task in run.tasks if task.name == name), None)
