"""The part of a DAG that the checks between DAGs need: its edges, its task graph, and whether it has slots."""

from __future__ import annotations

from typing import NamedTuple

from gnomon.model.sentences import render, say
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, collect_edges
from gnomon.model.upstream_edges import Edge

WITHOUT_SLOTS = {
    "NullTimetable": "it_has_no_schedule",
    "OnceTimetable": "it_runs_once",
    "PartitionedAtRuntime": "it_has_no_schedule",
    "ContinuousTimetable": "it_follows_its_runs",
}
"""Built-in timetables without planned times, by class name, with the code of the reason."""


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
    name = timetable.builtin_name
    if not timetable.can_be_scheduled:
        name = "NullTimetable"
    elif timetable.is_continuous:
        name = "ContinuousTimetable"
    code = None if name is None else WITHOUT_SLOTS.get(name)
    return None if code is None else render(say(code))
