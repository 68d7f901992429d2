"""Which upstream slots the runs of a day wait for, one dependency at a time; timetables of authors are asked in a process of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

import msgspec

from gnomon.author_code.timetable_host import ask_and_wait
from gnomon.authoring.sdk.arguments.timezone import find_zone
from gnomon.changes.actions.author_queries import make_question_handler
from gnomon.ground.config import Config
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import iso
from gnomon.model.sentences import render
from gnomon.model.spec import DagSpec
from gnomon.model.upstream_edges import DependencySpec, Edge
from gnomon.queries.report.local_time import DayClock
from gnomon.queries.report.waits.day_preview import (
    DayPreview,
    RunUpstreamSlots,
    build_day_preview,
    build_sensor_preview,
    build_side,
)
from gnomon.queries.report.waits.edge_wording import describe_edge, describe_options
from gnomon.queries.report.waits.sensor_waits import AFTER, SensorEdge
from gnomon.rules.assets.schedule_words import summarize_schedule
from gnomon.rules.dependencies.shape import find_slotless_reason
from gnomon.rules.dependencies.upstream_query import DagSide

_LINES = "gnomon.queries.report.waits.day_preview:build_day_preview"
_SENSOR_LINES = "gnomon.queries.report.waits.day_preview:build_sensor_preview"


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
        name = self.spec.local_timezone
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
    sensor: SensorEdge | None = None
    """The sensor or marker that the edge stands for; None: the author wrote `After`."""
    note: str | None = None
    """Why the slots are known only when the task runs."""

    @property
    def options(self) -> list[str]:
        """Phrases for what the author chose, and for a sensor what could take its place."""
        if self.sensor is None:
            return describe_options(self.edge.dependency)
        return list_sensor_options(self.sensor)

    def describe(self, dag_id: str) -> str:
        """A phrase such as `report waits for loads`, followed by what the author chose."""
        if self.sensor is None:
            return render(describe_edge(dag_id, self.edge))
        return ", ".join([f"{self.sensor.waiting} waits for {self.sensor.label}", *self.sensor.phrases])

    def as_record(self) -> dict[str, object]:
        """The preview in JSON and YAML."""
        upstream = self.upstream
        return {
            "task_id": self.edge.task_id,
            "after": msgspec.structs.asdict(self.edge.dependency),
            "upstream_schedule": render(summarize_schedule(upstream.spec)) if upstream else None,
            "upstream_file": upstream.file if upstream else None,
            "found_in": upstream.origin if upstream else None,
            "kind": AFTER if self.sensor is None else self.sensor.kind,
            "could_be": None if self.sensor is None else self.sensor.could_be,
            "error": self.error or self.note,
            "runs": [_build_line_record(line) for line in self.lines.lines],
            "upstream_slots": [iso(slot) for slot in self.lines.upstream],
        }


def preview_edge(cfg: Config, dag: LocatedDag, upstream: LocatedDag | None, edge: Edge, clock: DayClock) -> EdgePreview:
    """The preview of one dependency. Built-in timetables are called in this process, those of authors in a timetable host."""
    if upstream is None:
        return EdgePreview(edge, None, DayPreview(), f"{_describe_missing(edge)}; runs wait until a file defines it")
    why, down_side, up_side = _check_sides(dag, upstream)
    if why is not None:
        return EdgePreview(edge, upstream, DayPreview(), why or None)
    try:
        lines = _compute_lines(cfg, down_side, up_side, clock, after=edge.dependency)
    except PlanningError as error:
        return EdgePreview(edge, upstream, DayPreview(), f"{render(describe_edge(dag.spec.dag_id, edge))}: {error}")
    return EdgePreview(edge, upstream, lines)


def preview_sensor(
    cfg: Config, dag: LocatedDag, upstream: LocatedDag | None, sensor: SensorEdge, clock: DayClock
) -> EdgePreview:
    """The preview of a wait of a sensor, or of the task that a marker names."""
    edge = Edge(
        0,
        DependencySpec(dag_id=sensor.upstream_dag_id or sensor.template, task_id=sensor.upstream_task_id),
        sensor.task_id,
    )
    if sensor.upstream_dag_id is None or sensor.delta_s is None:
        return EdgePreview(
            edge,
            upstream,
            DayPreview(),
            sensor=sensor,
            note=f"{', '.join(sensor.phrases)}: its slots are known only when the task runs",
        )
    if upstream is None:
        return EdgePreview(
            edge, None, DayPreview(), f"{_describe_missing(edge)}; the sensor waits until its timeout", sensor
        )
    why, down_side, up_side = _check_sides(dag, upstream)
    if why is not None:
        return EdgePreview(edge, upstream, DayPreview(), sensor=sensor, note=why or None)
    try:
        lines = _compute_lines(cfg, down_side, up_side, clock, delta_s=sensor.delta_s)
    except PlanningError as error:
        return EdgePreview(edge, upstream, DayPreview(), f"{sensor.waiting}: {error}", sensor)
    return EdgePreview(edge, upstream, lines, sensor=sensor)


def list_sensor_options(sensor: SensorEdge) -> list[str]:
    """Phrases for how a sensor or marker works, and for what could take its place."""
    return [*sensor.phrases, *([f"could be {sensor.could_be}"] if sensor.could_be else [])]


def _describe_missing(edge: Edge) -> str:
    return f"there is no DAG {edge.dependency.dag_id!r}: neither the file nor the database nor the DAGs folder has it"


def _check_sides(dag: LocatedDag, upstream: LocatedDag) -> tuple[str | None, DagSide, DagSide]:
    """Both sides, and why no slots can be computed: empty, because the DAG that waits has none; None if they can."""
    down_side, up_side = build_side(dag.spec, dag.file), build_side(upstream.spec, upstream.file)
    if (why := find_slotless_reason(up_side.timetable)) is not None:
        return f"DAG {upstream.spec.dag_id!r} has no slots to wait for: {why}", down_side, up_side
    return "" if find_slotless_reason(down_side.timetable) is not None else None, down_side, up_side


def _compute_lines(cfg: Config, downstream: DagSide, upstream: DagSide, clock: DayClock, **rule: Any) -> DayPreview:
    """The lines of a dependency (`after`) or of a sensor (`delta_s`). Raises PlanningError."""
    if downstream.timetable.builtin and upstream.timetable.builtin:
        build: Callable[..., DayPreview] = build_day_preview if "after" in rule else build_sensor_preview
        return build(downstream=downstream, upstream=upstream, start=clock.start, end=clock.end, **rule)
    lines: DayPreview = ask_and_wait(
        cfg,
        _LINES if "after" in rule else _SENSOR_LINES,
        DayPreview,
        imports=True,
        answers=make_question_handler(cfg),
        downstream=downstream,
        upstream=upstream,
        start=clock.start,
        end=clock.end,
        **rule,
    )
    return lines


def _build_line_record(line: RunUpstreamSlots) -> dict[str, object]:
    return {
        "run_after": iso(line.run_after),
        "waits_for": [iso(slot) for slot in line.slots],
        "rule": line.rule,
        "window_start": iso(line.start),
        "window_end": iso(line.end),
    }
