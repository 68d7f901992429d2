"""Which tasks go first because a baseline is at risk, and by how much: those of its key path that are still to start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.baselines import OPEN_LEVELS, BaselineForecast, BaselineLevel, RaisedTask
from gnomon.model.records import RaisedPriority

RAISED_MAX = 200
"""Most tasks of one due time whose priority is raised; the earliest of the key path come first."""
_STEPS = 10
"""The weight follows the probability of a breach in so many steps, so that it does not change with each prediction."""


def choose_raised(
    spec: BaselineSpec, forecast: BaselineForecast, level: BaselineLevel, before: Sequence[RaisedTask]
) -> tuple[RaisedTask, ...]:
    """The tasks of this due time. `before`: those of the prediction before, which keep their priority until the due time is over.

    They keep it when the baseline is safe again, because it may be safe for that reason alone.
    """
    is_over = level is BaselineLevel.MET or forecast.ended_at is not None
    if spec.priority is None or is_over:
        return ()
    tasks = {(task.dag_id, task.run_id, task.task_id): task for task in before}
    if level in OPEN_LEVELS:
        weight = compute_weight(spec.priority, forecast.breach)
        for step in forecast.key_path:
            if step.start > forecast.at:
                task_id = step.task.partition("[")[0]
                tasks[step.dag_id, step.run_id, task_id] = RaisedTask(step.dag_id, step.run_id, task_id, weight)
    return tuple(tasks.values())[:RAISED_MAX]


def compute_weight(bounds: tuple[int, int], breach: float) -> int:
    """Between the lower bound, where a breach is improbable, and the upper one, where it is certain."""
    least, most = bounds
    return least + round((most - least) * round(breach * _STEPS) / _STEPS)


def collect_raised(
    raised: Iterable[tuple[str, Iterable[RaisedTask]]],
) -> dict[str, dict[tuple[str, str], RaisedPriority]]:
    """By DAG id, then by run id and task id: the tasks of all due times, given with the names of their baselines; of several weights the greatest."""
    by_dag: dict[str, dict[tuple[str, str], RaisedPriority]] = {}
    for baseline, tasks in raised:
        for task in tasks:
            of_dag, key = by_dag.setdefault(task.dag_id, {}), (task.run_id, task.task_id)
            if key not in of_dag or of_dag[key].weight < task.weight:
                of_dag[key] = RaisedPriority(task.weight, baseline)
    return by_dag
