"""What of a DAG the rules between DAGs look at, whatever else stands in its spec."""

from __future__ import annotations

from typing import NamedTuple

from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, collect_edges
from gnomon.model.upstream_edges import Edge

WITHOUT_SLOTS = {
    "NullTimetable": "it has no schedule",
    "OnceTimetable": "it runs once, at no time of the clock",
    "ContinuousTimetable": "it runs again whenever its last run has ended",
}
"""Built-in timetables that plan nothing by the clock, by class name, and why."""


class Shape(NamedTuple):
    """One DAG among others."""

    edges: tuple[Edge, ...]
    """What its scheduled runs wait for; nothing where it has no schedule."""
    upstream: dict[str, tuple[str, ...]]
    """Task to the tasks directly before it."""
    slotless: str | None
    """Why no other run can wait for a slot of it; None: it has slots."""


def shape_of(spec: DagSpec) -> Shape:
    """The shape of a DAG."""
    edges = collect_edges(spec) if spec.timetable.can_be_scheduled else ()
    return Shape(edges, {task.task_id: task.upstream for task in spec.tasks}, find_slotless_reason(spec.timetable))


def find_slotless_reason(timetable: TimetableRef) -> str | None:
    """Why the times of this timetable cannot be found before it runs; None when they can."""
    if not timetable.can_be_scheduled:
        return WITHOUT_SLOTS["NullTimetable"]
    if timetable.follows_runs:
        return WITHOUT_SLOTS["ContinuousTimetable"]
    return WITHOUT_SLOTS.get(timetable.path.rpartition(".")[2]) if timetable.builtin else None
