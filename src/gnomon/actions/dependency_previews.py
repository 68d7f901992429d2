"""Which upstream slots the runs of a day wait for, one dependency at a time; timetables of authors are asked in a process of their own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo

import msgspec

from gnomon.actions.author_queries import make_question_handler
from gnomon.config import Config
from gnomon.dependencies.shape import find_slotless_reason
from gnomon.errors.timetable import PlanningError
from gnomon.model.instants import iso
from gnomon.model.spec import DagSpec
from gnomon.model.upstream_edges import Edge
from gnomon.report.listings.local_time import DayClock
from gnomon.report.waits.day_preview import DayPreview, RunUpstreamSlots, build_day_preview, build_side
from gnomon.report.waits.edge_wording import describe_edge
from gnomon.sdk.schedules.timezone import find_zone
from gnomon.timetable_host import ask_and_wait

_LINES = "gnomon.report.waits.day_preview:build_day_preview"


@dataclass(frozen=True, slots=True)
class LocatedDag:
    """A DAG, its file, and where it was found."""

    spec: DagSpec
    file: str
    origin: str
    """Where the DAG was found, for people: "the database"."""

    @property
    def zone_name(self) -> str:
        """The zone whose days count for the DAG: that of its timetable, else its own."""
        timetable = self.spec.timetable
        own = timetable.data.get("timezone") if timetable.builtin else timetable.timezone
        name = own if isinstance(own, str) else self.spec.timezone
        return "UTC" if name.lower() == "utc" else name

    @property
    def zone(self) -> tzinfo:
        """That zone."""
        return find_zone(self.zone_name)


@dataclass(frozen=True, slots=True)
class EdgePreview:
    """One dependency: the slots that its runs wait for, or why they cannot be computed."""

    edge: Edge
    upstream: LocatedDag | None
    lines: DayPreview
    error: str | None = None

    def as_record(self) -> dict[str, object]:
        """The preview in JSON and YAML."""
        upstream = self.upstream
        return {
            "task_id": self.edge.task_id,
            "after": msgspec.structs.asdict(self.edge.after),
            "upstream_schedule": upstream.spec.timetable.summary if upstream else None,
            "upstream_file": upstream.file if upstream else None,
            "found_in": upstream.origin if upstream else None,
            "error": self.error,
            "runs": [_build_line_record(line) for line in self.lines.lines],
            "upstream_slots": [iso(slot) for slot in self.lines.upstream],
        }


def preview_edge(cfg: Config, dag: LocatedDag, upstream: LocatedDag | None, edge: Edge, clock: DayClock) -> EdgePreview:
    """The preview of one dependency. Built-in timetables are called in this process, those of authors in a timetable host."""
    if upstream is None:
        where = "neither the file nor the database nor the DAGs folder has it"
        return EdgePreview(edge, None, DayPreview(), f"there is no DAG {edge.after.dag_id!r}: {where}; runs wait until a file defines it")
    down_side, up_side = build_side(dag.spec, dag.file), build_side(upstream.spec, upstream.file)
    if (why := find_slotless_reason(up_side.timetable)) is not None:
        return EdgePreview(edge, upstream, DayPreview(), f"DAG {edge.after.dag_id!r} has no slots to wait for: {why}")
    if find_slotless_reason(down_side.timetable) is not None:
        return EdgePreview(edge, upstream, DayPreview())
    try:
        if down_side.timetable.builtin and up_side.timetable.builtin:
            lines = build_day_preview(after=edge.after, downstream=down_side, upstream=up_side, start=clock.start, end=clock.end)
        else:
            lines = ask_and_wait(
                cfg, _LINES, DayPreview, imports=True, answers=make_question_handler(cfg), after=edge.after,
                downstream=down_side, upstream=up_side, start=clock.start, end=clock.end,
            )  # fmt: skip
    except PlanningError as error:
        return EdgePreview(edge, upstream, DayPreview(), f"{describe_edge(dag.spec.dag_id, edge)}: {error}")
    return EdgePreview(edge, upstream, lines)


def _build_line_record(line: RunUpstreamSlots) -> dict[str, object]:
    return {
        "run_after": iso(line.run_after), "waits_for": [iso(slot) for slot in line.slots], "rule": line.rule,
        "window_start": iso(line.start), "window_end": iso(line.end),
    }  # fmt: skip
