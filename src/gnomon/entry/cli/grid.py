"""`gnomon grid`: the last runs of a DAG as a grid, one column a run and one line a task."""

from __future__ import annotations

from collections.abc import Iterable

import click

from gnomon.changes.operations.work_operations import GridColumn, GridTable, measure_task_ids, read_grid
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import format_cell, output_option, print_document
from gnomon.entry.cli.past_times import SecondsType
from gnomon.entry.cli.terminal.live_view import cut, watch
from gnomon.entry.cli.terminal.local_times import to_shown_zone
from gnomon.entry.cli.terminal.screen import Screen, read_screen
from gnomon.entry.cli.terminal.state_styles import choose_summary, draw_legend, draw_state, find_style
from gnomon.model.ids import quote_argument, quote_arguments
from gnomon.model.instants import Instant, iso, to_datetime
from gnomon.model.sentences import Command, say

RUNS = 30
"""Runs of a grid unless the terminal has room for fewer, or `--limit` says otherwise."""
_NAMES_MAX = 40
"""Columns of the names of tasks at most; a longer name is cut."""
_FAILED_LISTED = 3


@click.command()
@click.argument("dag_id", metavar="DAG")
@click.option("--limit", type=IntegerRange(1, 1000), help=f"Number of runs; default: as many as fit, at most {RUNS}.")
@click.option(
    "-w", "--watch", "is_watched", is_flag=True, help="Draw the grid again every --interval, until q is pressed."
)
@click.option(
    "--interval",
    "interval_s",
    type=SecondsType(),
    default=2.0,
    help="Time between two pictures of --watch; default: 2s.",
)
@output_option
@pass_deployment
def grid(
    deployment: DeploymentAccess, dag_id: str, limit: int | None, is_watched: bool, interval_s: float, output: str
) -> None:
    """Show the last runs of DAG as a grid: one column a run, the newest on the right, and one line a task.

    Of a mapped task, the cell shows the state that needs most attention: failed before running before success.
    """
    if is_watched and output != "table":
        raise click.UsageError(f"--watch draws on a terminal; -o {output} prints one document: leave one of them out")
    if is_watched:
        watch(
            lambda screen: draw_grid(_read(deployment, dag_id, limit, screen), screen, most_lines=screen.height),
            deployment.clock,
            interval_s,
            once=say("command_prints_grid", command=Command("grid", (dag_id,))),
        )
        return
    screen = read_screen()
    table = _read(deployment, dag_id, limit, screen if output == "table" else Screen(is_terminal=False))
    if output == "table":
        click.echo("\n".join(draw_grid(table, screen)))
    else:
        print_document(_build_document(table), output)


def _read(deployment: DeploymentAccess, dag_id: str, limit: int | None, screen: Screen) -> GridTable:
    names = min(_NAMES_MAX, deployment.perform(measure_task_ids, dag_id))
    room = max(1, (screen.width - names - 2) // 2)
    return deployment.perform(read_grid, dag_id, min(room, RUNS if limit is None else limit))


def draw_grid(table: GridTable, screen: Screen, most_lines: int | None = None) -> list[str]:
    """The grid in lines; with `most_lines`, the last tasks are counted instead of drawn when there are too many."""
    if not table.runs:
        return [f"no runs; `gnomon explain {quote_argument(table.dag_id)}` says why"]
    width = min(_NAMES_MAX, max((len(task.task_id) for task in table.tasks), default=3))
    width = max(3, min(width, screen.width // 2))
    head = [_draw_title(table, screen), *_draw_axis(table.runs, width, screen)]
    cells = " ".join(draw_state(screen, run.state) for run in table.runs)
    head.append(f"{screen.paint('run'.ljust(width), 'bold')}  {cells}")
    states: set[str | None] = {run.state for run in table.runs}
    lines = []
    for task in table.tasks:
        shown = [
            choose_summary({state_count.state: state_count.count for state_count in of_run}) for of_run in task.states
        ]
        states.update(shown)
        lines.append(
            f"{format_cell(cut(task.task_id, width)):<{width}}  {' '.join(draw_state(screen, state) for state in shown)}"
        )
    foot = ["", *draw_legend(screen, states), *_draw_failed(table, screen)]
    if most_lines is not None and len(head) + len(lines) + len(foot) > most_lines:
        shown_count = max(1, most_lines - len(head) - len(foot) - 1)
        lines = (
            [*lines[:shown_count], f"and {len(lines) - shown_count} more tasks"] if len(lines) > shown_count else lines
        )
    return [*head, *lines, *foot]


def _draw_title(table: GridTable, screen: Screen) -> str:
    first, last = (_format_minute(run.run_after, screen) for run in (table.runs[0], table.runs[-1]))
    zone = f"{to_shown_zone(to_datetime(table.runs[-1].run_after), screen):%Z}"
    title = (
        f"{screen.paint(table.dag_id, 'bold')}  {len(table.runs)} run{'s' if len(table.runs) != 1 else ''}, due {first}"
    )
    return cut(title + (f" to {last} {zone}" if len(table.runs) > 1 else f" {zone}"), screen.width)


def _draw_axis(runs: list[GridColumn], width: int, screen: Screen) -> list[str]:
    """The due times above the columns: the day where it changes, and the time of every few runs."""
    moments = [to_shown_zone(to_datetime(run.run_after), screen) for run in runs]
    days = _place_labels(
        (f"{moment:%m-%d}" if index == 0 or moment.date() != moments[index - 1].date() else "")
        for index, moment in enumerate(moments)
    )
    times = _place_labels(f"{moment:%H:%M}" for moment in moments)
    return [screen.paint(f"{'':<{width}}  {line}".rstrip(), "bright_black") for line in (days, times)]


def _place_labels(labels: Iterable[str]) -> str:
    """Each label above its column (two characters wide), when the one before leaves room."""
    line = ""
    for index, label in enumerate(labels):
        if label and (len(line) < 2 * index or not line):
            line = f"{line:<{2 * index}}{label}"
    return line


def _draw_failed(table: GridTable, screen: Screen) -> list[str]:
    """The newest failed runs with their reasons, and how to see more of the newest."""
    failed = [run for run in reversed(table.runs) if run.state == "failed"]
    if not failed:
        return []
    style = find_style("failed").style
    lines = [
        f"{screen.paint('failed', style)} {format_cell(run.run_id)}"
        + (f": {format_cell(run.reason)}" if run.reason else "")
        for run in failed[:_FAILED_LISTED]
    ]
    rest = [f"and {len(failed) - _FAILED_LISTED} more failed runs"] if len(failed) > _FAILED_LISTED else []
    return [
        "",
        *(cut(line, screen.width) for line in lines),
        *rest,
        f"gnomon tasks logs {quote_arguments(table.dag_id, failed[0].run_id)}",
    ]


def _format_minute(at: Instant, screen: Screen) -> str:
    return f"{to_shown_zone(to_datetime(at), screen):%Y-%m-%d %H:%M}"


def _build_document(table: GridTable) -> dict[str, object]:
    runs = [
        {
            "run_id": run.run_id,
            "state": run.state,
            "run_after": iso(run.run_after),
            "tasks": {
                task.task_id: {
                    state_count.state or "no status": state_count.count for state_count in task.states[index]
                }
                for task in table.tasks
            },
        }
        for index, run in enumerate(table.runs)
    ]
    return {"dag_id": table.dag_id, "runs": runs}
