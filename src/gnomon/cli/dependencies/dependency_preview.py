"""`gnomon dependencies preview`: the lines between the runs of a day, before anything is deployed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

import click
import msgspec

from gnomon.cli.author_queries import make_question_handler
from gnomon.cli.dependencies.dag_lookup import DagWithUpstreams, LocatedDag, locate_dag
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import format_table, print_document
from gnomon.cli.timetables.time_window import YEARS
from gnomon.dependencies.shape import find_slotless_reason
from gnomon.errors.product import UserError
from gnomon.errors.timetable import PlanningError
from gnomon.model.instants import iso
from gnomon.model.spec import collect_edges
from gnomon.model.upstream_edges import Edge
from gnomon.report.listings.local_time import DayClock, to_local
from gnomon.report.pictures.day_lanes_svg import render_day_lanes_svg
from gnomon.report.waits.day_lanes import LanePanel, build_panel
from gnomon.report.waits.day_preview import (
    COLUMNS,
    MAX_ROWS,
    DayPreview,
    RunUpstreamSlots,
    build_day_preview,
    build_rows,
    build_side,
)
from gnomon.report.waits.edge_wording import describe_edge
from gnomon.timetable_host import ask_and_wait

_LINES = "gnomon.report.waits.day_preview:build_day_preview"


@dataclass(frozen=True, slots=True)
class _EdgePreview:
    """One dependency: what its runs wait for, or why that cannot be known."""

    edge: Edge
    known: LocatedDag | None
    lines: DayPreview
    error: str | None = None


@click.command()
@click.argument("file_or_id", metavar="FILE_OR_ID")
@click.option("--dag-id", help="Which DAG, when the file defines several.")
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), metavar="YYYY-MM-DD", help="Which day of the DAG's zone; default: today.")
@click.option(
    "-o", "--output", type=click.Choice(["table", "json", "yaml", "svg"]), default="table", show_default=True, help="Form of the answer.",
)  # fmt: skip
@pass_home
def preview(home: Home, file_or_id: str, dag_id: str | None, day: datetime | None, output: str) -> None:
    """Which runs of other DAGs each run of a day waits for, as if every slot of all of them were made.

    A DAG file, or the id of a DAG. DAGs that it waits for are looked for in the same file, in the database, and in the
    DAGs folder; neither a database nor a scheduler is needed.
    """
    target = locate_dag(home, file_or_id, dag_id)
    clock = DayClock(target.dag.zone, _choose_day(home, day, target.dag))
    drawn = [_preview_edge(home, target, edge, clock) for edge in collect_edges(target.dag.spec)]
    if output == "svg":
        _draw(target.dag, drawn, clock)
    elif output == "table":
        _print(target.dag, drawn, clock)
    else:
        print_document(_record(target.dag, drawn, clock), output)
    errors = [one.error for one in drawn if one.error]
    if errors:
        raise UserError(f"not all is known: {'; '.join(errors)}")


def _choose_day(home: Home, day: datetime | None, dag: LocatedDag) -> date:
    if day is None:
        return to_local(home.clock.now(), dag.zone).date()
    if not YEARS[0] <= day.year <= YEARS[1]:
        raise UserError(f"{day:%Y-%m-%d} is out of sight; look at the years {YEARS[0]} to {YEARS[1]}")
    return day.date()


def _preview_edge(home: Home, target: DagWithUpstreams, edge: Edge, clock: DayClock) -> _EdgePreview:
    """Built-in timetables are asked here, those of authors beside their code."""
    dag, known = target.dag, target.upstreams[edge.after.dag_id]
    if known is None:
        where = "neither the file nor the database nor the DAGs folder has it"
        return _EdgePreview(edge, None, DayPreview(), f"there is no DAG {edge.after.dag_id!r}: {where}; runs wait until it appears")
    mine, theirs = build_side(dag.spec, dag.file), build_side(known.spec, known.file)
    if (why := find_slotless_reason(theirs.timetable)) is not None:
        return _EdgePreview(edge, known, DayPreview(), f"DAG {edge.after.dag_id!r} has no slots to wait for: {why}")
    if find_slotless_reason(mine.timetable) is not None:
        return _EdgePreview(edge, known, DayPreview())
    try:
        if mine.timetable.builtin and theirs.timetable.builtin:
            found = build_day_preview(after=edge.after, downstream=mine, upstream=theirs, start=clock.start, end=clock.end)
        else:
            found = ask_and_wait(
                home.cfg, _LINES, DayPreview, imports=True, answers=make_question_handler(home.cfg), after=edge.after,
                downstream=mine, upstream=theirs, start=clock.start, end=clock.end,
            )  # fmt: skip
    except PlanningError as error:
        return _EdgePreview(edge, known, DayPreview(), f"{describe_edge(dag.spec.dag_id, edge)}: {error}")
    return _EdgePreview(edge, known, found)


def _print(dag: LocatedDag, drawn: list[_EdgePreview], clock: DayClock) -> None:
    click.echo(f"{dag.spec.dag_id} on {clock.day:%a %Y-%m-%d}, by the clocks of {dag.zone_name}")
    if not drawn:
        click.echo("it waits for no other DAG")
    for one in drawn:
        click.echo(f"\n{describe_edge(dag.spec.dag_id, one.edge)}" + (f" ({_describe_origin(one.known)})" if one.known else ""))
        if one.error is None:
            _print_rows(dag, one, clock)
        else:
            click.echo(one.error)


def _print_rows(dag: LocatedDag, one: _EdgePreview, clock: DayClock) -> None:
    rows = build_rows(one.lines.lines, clock)
    if not rows:
        why = find_slotless_reason(dag.spec.timetable)
        click.echo(f"no runs that wait: {why}" if why else "no run is due on this day")
        return
    click.echo(format_table(rows[:MAX_ROWS], COLUMNS))
    if len(rows) > MAX_ROWS:
        click.echo(f"... and {len(rows) - MAX_ROWS} more rows: -o json has every run")


def _describe_origin(known: LocatedDag) -> str:
    return f"{known.spec.timetable.summary}; {known.origin}"


def _draw(dag: LocatedDag, drawn: list[_EdgePreview], clock: DayClock) -> None:
    panels: list[LanePanel] = [
        build_panel(describe_edge(dag.spec.dag_id, one.edge), dag.spec.dag_id, one.edge, one.lines, clock) for one in drawn if one.lines.lines
    ]
    if not panels:
        errors = [one.error for one in drawn if one.error]
        why = "; ".join(errors) or ("it waits for no other DAG" if not drawn else "it has no run on this day")
        raise UserError(f"there is nothing to draw for {dag.spec.dag_id} on {clock.day}: {why}")
    click.echo(render_day_lanes_svg(dag.spec.dag_id, f"{clock.day:%a %Y-%m-%d}, by the clocks of {dag.zone_name}", panels), nl=False)


def _record(dag: LocatedDag, drawn: list[_EdgePreview], clock: DayClock) -> dict[str, object]:
    return {
        "dag_id": dag.spec.dag_id, "schedule": dag.spec.timetable.summary, "day": clock.day.isoformat(), "timezone": dag.zone_name,
        "from": iso(clock.start), "until": iso(clock.end), "dependencies": [_edge_record(one) for one in drawn],
    }  # fmt: skip


def _edge_record(one: _EdgePreview) -> dict[str, object]:
    return {
        "task_id": one.edge.task_id,
        "after": msgspec.structs.asdict(one.edge.after),
        "upstream_schedule": one.known.spec.timetable.summary if one.known else None,
        "upstream_file": one.known.file if one.known else None,
        "found_in": one.known.origin if one.known else None,
        "error": one.error,
        "runs": [_line_record(line) for line in one.lines.lines],
        "upstream_slots": [iso(slot) for slot in one.lines.upstream],
    }


def _line_record(line: RunUpstreamSlots) -> dict[str, object]:
    return {
        "run_after": iso(line.run_after), "waits_for": [iso(slot) for slot in line.slots], "rule": line.rule,
        "window_start": iso(line.start), "window_end": iso(line.end),
    }  # fmt: skip
