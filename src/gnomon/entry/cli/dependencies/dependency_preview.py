"""`gnomon dependencies preview`: which upstream slots each run of a day waits for, from the timetables alone."""

from __future__ import annotations

from datetime import date, datetime

import click

from gnomon.changes.actions.dependency_previews import EdgePreview, LocatedDag, preview_edge, preview_sensor
from gnomon.entry.cli.dependencies.dag_lookup import locate_dag
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.output import format_option, format_table, print_document
from gnomon.entry.cli.timetables.time_window import YEARS
from gnomon.model.errors.product import UserError
from gnomon.model.instants import iso
from gnomon.model.sentences import quote, render, say
from gnomon.model.spec import collect_edges
from gnomon.queries.report.local_time import DayClock, to_local
from gnomon.queries.report.pictures.day_lanes_svg import render_day_lanes_svg
from gnomon.queries.report.waits.day_lanes import LanePanel, build_panel
from gnomon.queries.report.waits.day_preview import (
    COLUMNS,
    MAX_ROWS,
    build_rows,
)
from gnomon.rules.assets.schedule_words import summarize_schedule
from gnomon.rules.dependencies.shape import find_slotless_reason


@click.command()
@click.argument("file_or_id", metavar="FILE_OR_ID")
@click.option("--dag-id", help="Id of the DAG, when the file defines several.")
@click.option(
    "--day",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="A day in the DAG's time zone; default: today.",
)
@format_option("svg")
@pass_home
def preview(home: Home, file_or_id: str, dag_id: str | None, day: datetime | None, output: str) -> None:
    """Show which slots of other DAGs each run of a day waits for, as if every slot of all of them had a run.

    FILE_OR_ID is a DAG file or a DAG id. The upstream DAGs are searched in the same file, in the database and in the DAGs
    folder; neither a database nor a scheduler is needed.
    """
    target = locate_dag(home, file_or_id, dag_id)
    clock = DayClock(target.dag.zone, _choose_day(home, day, target.dag))
    previews = [
        preview_edge(home.cfg, target.dag, target.upstreams[edge.dependency.dag_id], edge, clock)
        for edge in collect_edges(target.dag.spec)
    ]
    previews += [
        preview_sensor(home.cfg, target.dag, target.upstreams.get(edge.upstream_dag_id or ""), edge, clock)
        for edge in target.sensors
    ]
    if output == "svg":
        _draw(target.dag, previews, clock)
    elif output == "table":
        _print(target.dag, previews, clock)
    else:
        print_document(_record(target.dag, previews, clock), output)
    errors = [preview.error for preview in previews if preview.error]
    if errors:
        raise UserError(say("some_waits_cannot_be_shown", error="; ".join(errors)))


def _choose_day(home: Home, day: datetime | None, dag: LocatedDag) -> date:
    if day is None:
        return to_local(home.clock.now(), dag.zone).date()
    if not YEARS[0] <= day.year <= YEARS[1]:
        raise UserError(say("day_is_out_of_range", text=f"{day:%Y-%m-%d}", least=YEARS[0], most=YEARS[1]))
    return day.date()


def _print(dag: LocatedDag, previews: list[EdgePreview], clock: DayClock) -> None:
    click.echo(f"{dag.spec.dag_id} on {clock.day:%a %Y-%m-%d}, in the time zone {dag.zone_name}")
    if not previews:
        click.echo("this DAG waits for no other DAG")
    for preview in previews:
        origin = f" ({_describe_origin(preview.upstream)})" if preview.upstream else ""
        click.echo(f"\n{preview.describe(dag.spec.dag_id)}{origin}")
        if preview.error is None and preview.note is None:
            _print_rows(dag, preview, clock)
        else:
            click.echo(preview.error or preview.note)
        if preview.sensor is not None and preview.sensor.could_be:
            click.echo(f"could wait without a task: {preview.sensor.could_be}")


def _print_rows(dag: LocatedDag, preview: EdgePreview, clock: DayClock) -> None:
    rows = build_rows(preview.lines.lines, clock)
    if not rows:
        why = find_slotless_reason(dag.spec.timetable)
        click.echo(f"no runs that wait: {why}" if why else "no run is due on this day")
        return
    click.echo(format_table(rows[:MAX_ROWS], COLUMNS))
    if len(rows) > MAX_ROWS:
        click.echo(f"... and {len(rows) - MAX_ROWS} more rows: use -o json to list every run")


def _describe_origin(upstream: LocatedDag) -> str:
    return f"{render(summarize_schedule(upstream.spec))}; {upstream.origin}"


def _draw(dag: LocatedDag, previews: list[EdgePreview], clock: DayClock) -> None:
    dag_id = dag.spec.dag_id
    panels: list[LanePanel] = [
        build_panel(preview.describe(dag_id), dag_id, preview.edge, preview.lines, clock)
        for preview in previews
        if preview.lines.lines
    ]
    if not panels:
        errors = [preview.error for preview in previews if preview.error]
        none = say("it_waits_for_no_dag") if not previews else say("it_has_no_run_on_this_day")
        why = quote("; ".join(errors)) if errors else none
        raise UserError(say("nothing_to_draw", dag=dag_id, text=str(clock.day), why=why))
    click.echo(
        render_day_lanes_svg(dag_id, f"{clock.day:%a %Y-%m-%d}, in the time zone {dag.zone_name}", panels), nl=False
    )


def _record(dag: LocatedDag, previews: list[EdgePreview], clock: DayClock) -> dict[str, object]:
    return {
        "dag_id": dag.spec.dag_id,
        "schedule": render(summarize_schedule(dag.spec)),
        "day": clock.day.isoformat(),
        "timezone": dag.zone_name,
        "from": iso(clock.start),
        "until": iso(clock.end),
        "dependencies": [preview.as_record() for preview in previews],
    }
