"""Why runs of one simulation end or start late: the waits and durations on the key path, and what is special about the day."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gnomon.entry.projection.day_facts import list_day_facts
from gnomon.entry.projection.end_reasons import open_side
from gnomon.entry.projection.key_paths import PathStep
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.entry.projection.simulation import Scenario, SimulatedRuns
from gnomon.model.instants import SECOND
from gnomon.model.sentences import Sentence, say

REASONS_MAX = 2
"""Most parts of the key path that are named: waits before durations, and of each the costliest, if they cost a good part of what the costliest of all does."""
GOOD_PART = 0.25
_LEAST_S = 1.0


class _Cost(NamedTuple):
    seconds: float
    sentence: Sentence
    is_wait: bool = True


class LateReasons:
    """Reads a simulation that kept its tasks."""

    def __init__(self, scenario: Scenario, simulated: SimulatedRuns) -> None:
        self._scenario, self._simulated, self._future, self._uses = open_side(scenario, simulated)
        self._specs = {spec.dag_id: spec for spec, _ in scenario.dags}

    def explain(
        self, run: RunOutcome, task_id: str | None = None, edge: str = "ends", *, is_late: bool = True
    ) -> list[Sentence]:
        """Why the run, or its task, ends or starts when it does; an empty edge: why it takes so long. Of what is too early, only the day is told."""
        spec = self._specs.get(run.dag_id)
        facts = [] if spec is None else list_day_facts(spec, run.run_after)
        if not is_late or (not edge and task_id is not None):  # how long a task runs has no cause that is known
            return facts
        if (run.started_at if edge == "starts" and task_id is None else run.ended_at) is None:
            return [*facts, *run.waits[:1]]
        costs = list(self._list_costs(run, task_id, edge))
        least = GOOD_PART * max((cost.seconds for cost in costs), default=0.0)
        chosen = sorted(
            (cost for cost in costs if cost.seconds >= least), key=lambda cost: (not cost.is_wait, -cost.seconds)
        )
        return [*facts, *(cost.sentence for cost in chosen[:REASONS_MAX])]

    def _list_costs(self, run: RunOutcome, task_id: str | None, edge: str) -> Iterator[_Cost]:
        steps = self._future.find_path(run, task_id)
        own = self._drop_earlier_runs(steps)
        if edge and len(own) < len(steps):
            yield from self._describe_queue(own[0].run)
        is_start = edge == "starts"
        for place, step in enumerate(own):
            is_last = place == len(own) - 1
            if not edge and step.run.run_pk != run.run_pk:
                continue
            if is_start and task_id is None and step.run.run_pk == run.run_pk:
                continue
            if not (is_start and is_last and task_id is not None):
                yield from self._describe_time(step)
            yield from self._describe_wait(step)

    @staticmethod
    def _drop_earlier_runs(steps: Sequence[PathStep]) -> Sequence[PathStep]:
        """The path from the first step on whose run did not wait for another run of its DAG."""
        for place in range(len(steps) - 1, 0, -1):
            before, after = steps[place - 1].run, steps[place].run
            if before.dag_id == after.dag_id and before.run_pk != after.run_pk:
                return steps[place:]
        return steps

    def _describe_queue(self, run: RunOutcome) -> Iterator[_Cost]:
        """The wait of a run for earlier runs of its DAG."""
        spec = self._specs.get(run.dag_id)
        seconds = 0.0 if run.started_at is None else (run.started_at - run.run_after) / SECOND
        if spec is not None and seconds >= _LEAST_S:
            waits = say(
                "run_waited_for_runs", dag=run.dag_id, duration=round(seconds, 1), runs_limit=spec.max_active_runs
            )
            yield _Cost(seconds, waits)

    def _describe_time(self, step: PathStep) -> Iterator[_Cost]:
        took_s = (step.end - step.start) / SECOND
        if took_s >= _LEAST_S:
            yield _Cost(took_s, say("step_takes", name=_name(step), duration=round(took_s, 1)), is_wait=False)

    def _describe_wait(self, step: PathStep) -> Iterator[_Cost]:
        if step.waited_s >= _LEAST_S:
            yield _Cost(step.waited_s, self._word_wait(step))

    def _word_wait(self, step: PathStep) -> Sentence:
        name, duration = _name(step), round(step.waited_s, 1)
        task = self._uses.tasks.get((step.run.dag_id, step.task.task_id))
        since = step.start - int(step.waited_s * SECOND)
        slots = self._simulated.pool_slots
        obstacle = (
            None
            if task is None
            else self._uses.find_obstacle(task, since, step.start, slots, self._scenario.worker_slots)
        )
        if obstacle is None:
            return say("step_waited", name=name, duration=duration)
        words: dict[str, str | float] = {
            "name": name,
            "duration": duration,
            "count": obstacle.slots,
            "other_value": obstacle.holder or name,
        }
        if obstacle.pool is None:
            return say("step_waited_for_worker", **words)
        return say("step_waited_for_pool", pool=obstacle.pool, **words)


def _name(step: PathStep) -> str:
    return f"{step.run.dag_id}.{step.task.name}"
