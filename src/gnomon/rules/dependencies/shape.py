"""The part of a DAG that the checks between DAGs need: its edges, its task graph, and whether it has slots."""

from __future__ import annotations

from typing import NamedTuple

from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, collect_edges
from gnomon.model.upstream_edges import Edge

WITHOUT_SLOTS = {
    "NullTimetable": "it has no schedule",
    "OnceTimetable": "it runs once, at no time of the clock",
    "PartitionedAtRuntime": "it has no schedule",
    "ContinuousTimetable": "it runs again whenever its last run has ended",
}
"""Built-in timetables without planned times, by class name, with the reason."""


class Shape(NamedTuple):
    """One DAG in the graph of all DAGs."""

    edges: tuple[Edge, ...]
    """The edges of its scheduled runs; empty if it has no schedule."""
    upstream: dict[str, tuple[str, ...]]
    """Task ids with the ids of their direct upstream tasks."""
    slotless: str | None
    """Why no run can wait for a slot of this DAG; None if it has slots."""


def shape_of(spec: DagSpec) -> Shape:
    """The shape of a DAG."""
    edges = collect_edges(spec) if spec.timetable.can_be_scheduled else ()
    return Shape(edges, {task.task_id: task.upstream for task in spec.tasks}, find_slotless_reason(spec.timetable))


def find_slotless_reason(timetable: TimetableRef) -> str | None:
    """Why the slots of this timetable are not known before its runs; None if they are known."""
    if not timetable.can_be_scheduled:
        return WITHOUT_SLOTS["NullTimetable"]
    if timetable.is_continuous:
        return WITHOUT_SLOTS["ContinuousTimetable"]
    return None if timetable.builtin_name is None else WITHOUT_SLOTS.get(timetable.builtin_name)
