"""What is wrong with dependencies between DAGs, seen over all of them. Each fault is a sentence about the DAG that has it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from gnomon.dependencies.cycles import circles
from gnomon.dependencies.shape import Shape
from gnomon.errors.nearest import nearest
from gnomon.model.edges import Edge


def errors_of(shapes: Mapping[str, Shape]) -> dict[str, str]:
    """The DAGs that no run may be planned of, and why: a circle within one period, or an upstream without slots.

    `shapes`: all DAGs that are in a file and have dependencies, and those that they wait for. Others than the returned
    ones are well.
    """
    around = circles(shapes)
    found: dict[str, str] = {}
    for dag_id, shape in shapes.items():
        told = _slotless_upstreams(dag_id, shape.edges, shapes)
        if dag_id in around:
            told.append(
                f"DAG {dag_id!r} is in a circle of DAGs that wait for one another within one period: {around[dag_id]} (each waits for "
                "the next); take one of these dependencies away, or let it wait for the period before, with previous=1"
            )
        if told:
            found[dag_id] = "; ".join(told)
    return found


def doubts_of(
    dag_id: str, edges: Iterable[Edge], dag_ids: Collection[str], tasks: Mapping[str, Collection[str]]
) -> list[str]:
    """What of a DAG's dependencies waits for something that is not there: a DAG, or a task.

    `dag_ids`: all DAGs that are in a file. `tasks`: task ids of the upstream DAGs; of a DAG that is not in it nothing is said.
    """
    told: dict[str, None] = {}
    for edge in edges:
        after = edge.after
        if after.dag_id not in dag_ids:
            told[f"{_who(dag_id, edge)} waits for DAG {after.dag_id!r}, which is in no file{_near(after.dag_id, dag_ids)}; "
                 "its runs wait until it is there"] = None
        elif after.task_id is not None and after.task_id not in tasks.get(after.dag_id, (after.task_id,)):
            told[f"{_who(dag_id, edge)} waits for task {after.task_id!r} of DAG {after.dag_id!r}, which has no such task"
                 f"{_near(after.task_id, tasks[after.dag_id])}; a run without that task counts as a bad end"] = None
    return list(told)


def _slotless_upstreams(dag_id: str, edges: Iterable[Edge], shapes: Mapping[str, Shape]) -> list[str]:
    told: dict[str, None] = {}
    for edge in edges:
        upstream = edge.after.dag_id
        why = shapes[upstream].slotless if upstream in shapes else None
        if why is not None:
            told[f"{_who(dag_id, edge)} waits for DAG {upstream!r}, which has no slots to wait for: {why}; give {upstream!r} a "
                 f"schedule with times, or take After({upstream!r}) away"] = None
    return list(told)


def _who(dag_id: str, edge: Edge) -> str:
    return f"DAG {dag_id!r}" if edge.task_id is None else f"task {edge.task_id!r} of DAG {dag_id!r}"


def _near(name: str, there: Collection[str]) -> str:
    found = nearest(name, there, cutoff=0.7)
    return f" (did you mean {found[0]!r}?)" if found else ""
