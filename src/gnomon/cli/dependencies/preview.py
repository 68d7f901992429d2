"""`gnomon dependencies preview`: the lines between the runs of a day, before anything is deployed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

import click
import msgspec

from gnomon.cli.answers import stored_answers
from gnomon.cli.dependencies.target import Known, Target, target_of
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import document, table
from gnomon.cli.timetables.window import YEARS
from gnomon.dependencies.shape import slotless
from gnomon.errors.product import UserMistake
from gnomon.errors.timetable import PlanningError
from gnomon.model.edges import Edge, edges_of
from gnomon.model.instants import iso
from gnomon.report.dayclock import DayClock
from gnomon.report.daylines import DayLines, Line, lines_of_day, side_of
from gnomon.report.edgewords import edge_words
from gnomon.report.lanes import Panel, panel_of
from gnomon.report.linepicture import picture
from gnomon.report.linerows import COLUMNS, ROWS_MOST, rows_of
from gnomon.report.slots import local
from gnomon.userhost import ask_now

_LINES = "gnomon.report.daylines:lines_of_day"


@dataclass(frozen=True, slots=True)
class _Drawn:
    """One dependency: what its runs wait for, or why that cannot be known."""

    edge: Edge
    known: Known | None
    lines: DayLines
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
    target = target_of(home, file_or_id, dag_id)
    clock = DayClock(target.dag.zone, _day(home, day, target.dag))
    drawn = [_drawn(home, target, edge, clock) for edge in edges_of(target.dag.spec)]
    if output == "svg":
        _draw(target.dag, drawn, clock)
    elif output == "table":
        _print(target.dag, drawn, clock)
    else:
        document(_record(target.dag, drawn, clock), output)
    errors = [one.error for one in drawn if one.error]
    if errors:
        raise UserMistake(f"not all is known: {'; '.join(errors)}")


def _day(home: Home, day: datetime | None, dag: Known) -> date:
    if day is None:
        return local(home.clock.now(), dag.zone).date()
    if not YEARS[0] <= day.year <= YEARS[1]:
        raise UserMistake(f"{day:%Y-%m-%d} is out of sight; look at the years {YEARS[0]} to {YEARS[1]}")
    return day.date()


def _drawn(home: Home, target: Target, edge: Edge, clock: DayClock) -> _Drawn:
    """Built-in timetables are asked here, those of authors beside their code."""
    dag, known = target.dag, target.upstreams[edge.after.dag_id]
    if known is None:
        where = "neither the file nor the database nor the DAGs folder has it"
        return _Drawn(edge, None, DayLines(), f"there is no DAG {edge.after.dag_id!r}: {where}; runs wait until it appears")
    mine, theirs = side_of(dag.spec, dag.file), side_of(known.spec, known.file)
    if (why := slotless(theirs.timetable)) is not None:
        return _Drawn(edge, known, DayLines(), f"DAG {edge.after.dag_id!r} has no slots to wait for: {why}")
    if slotless(mine.timetable) is not None:
        return _Drawn(edge, known, DayLines())
    try:
        if mine.timetable.builtin and theirs.timetable.builtin:
            found = lines_of_day(after=edge.after, downstream=mine, upstream=theirs, start=clock.start, end=clock.end)
        else:
            found = ask_now(
                home.cfg, _LINES, DayLines, imports=True, answers=stored_answers(home.cfg), after=edge.after,
                downstream=mine, upstream=theirs, start=clock.start, end=clock.end,
            )  # fmt: skip
    except PlanningError as error:
        return _Drawn(edge, known, DayLines(), f"{edge_words(dag.spec.dag_id, edge)}: {error}")
    return _Drawn(edge, known, found)


def _print(dag: Known, drawn: list[_Drawn], clock: DayClock) -> None:
    click.echo(f"{dag.spec.dag_id} on {clock.day:%a %Y-%m-%d}, by the clocks of {dag.zone_name}")
    if not drawn:
        click.echo("it waits for no other DAG")
    for one in drawn:
        click.echo(f"\n{edge_words(dag.spec.dag_id, one.edge)}" + (f" ({_origin(one.known)})" if one.known else ""))
        if one.error is None:
            _print_rows(dag, one, clock)
        else:
            click.echo(one.error)


def _print_rows(dag: Known, one: _Drawn, clock: DayClock) -> None:
    rows = rows_of(one.lines.lines, clock)
    if not rows:
        why = slotless(dag.spec.timetable)
        click.echo(f"no runs that wait: {why}" if why else "no run is due on this day")
        return
    click.echo(table(rows[:ROWS_MOST], COLUMNS))
    if len(rows) > ROWS_MOST:
        click.echo(f"... and {len(rows) - ROWS_MOST} more rows: -o json has every run")


def _origin(known: Known) -> str:
    return f"{known.spec.timetable.summary}; {known.place}"


def _draw(dag: Known, drawn: list[_Drawn], clock: DayClock) -> None:
    panels: list[Panel] = [
        panel_of(edge_words(dag.spec.dag_id, one.edge), dag.spec.dag_id, one.edge, one.lines, clock) for one in drawn if one.lines.lines
    ]
    if not panels:
        errors = [one.error for one in drawn if one.error]
        why = "; ".join(errors) or ("it waits for no other DAG" if not drawn else "it has no run on this day")
        raise UserMistake(f"there is nothing to draw for {dag.spec.dag_id} on {clock.day}: {why}")
    click.echo(picture(dag.spec.dag_id, f"{clock.day:%a %Y-%m-%d}, by the clocks of {dag.zone_name}", panels), nl=False)


def _record(dag: Known, drawn: list[_Drawn], clock: DayClock) -> dict[str, object]:
    return {
        "dag_id": dag.spec.dag_id, "schedule": dag.spec.timetable.summary, "day": clock.day.isoformat(), "timezone": dag.zone_name,
        "from": iso(clock.start), "until": iso(clock.end), "dependencies": [_edge_record(one) for one in drawn],
    }  # fmt: skip


def _edge_record(one: _Drawn) -> dict[str, object]:
    return {
        "task_id": one.edge.task_id,
        "after": msgspec.structs.asdict(one.edge.after),
        "upstream_schedule": one.known.spec.timetable.summary if one.known else None,
        "upstream_file": one.known.file if one.known else None,
        "found_in": one.known.place if one.known else None,
        "error": one.error,
        "runs": [_line_record(line) for line in one.lines.lines],
        "upstream_slots": [iso(slot) for slot in one.lines.upstream],
    }


def _line_record(line: Line) -> dict[str, object]:
    return {
        "run_after": iso(line.run_after), "waits_for": [iso(slot) for slot in line.slots], "rule": line.rule,
        "window_start": iso(line.start), "window_end": iso(line.end),
    }  # fmt: skip
