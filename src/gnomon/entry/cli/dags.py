"""`gnomon dags`: list, show, pause, unpause and delete DAGs, and list the files that could not be loaded."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict

import click

from gnomon.changes.operations import dag_operations as operations
from gnomon.entry.cli.commands import LazyCommand, LazyGroup
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import (
    escape_controls,
    format_fields,
    format_sentence,
    format_table,
    output_option,
    print_document,
    print_records,
)
from gnomon.entry.cli.pending_requests import print_pending
from gnomon.entry.cli.terminal.reader_language import put_into_words
from gnomon.entry.cli.terminal.screen import read_screen_of
from gnomon.model.ids import quote_argument
from gnomon.queries.report.listings.warning_groups import group_warnings

_LAZY_COMMANDS = {
    "trigger": LazyCommand("gnomon.entry.cli.trigger:trigger", "Create a run of a DAG now."),
    "next-runs": LazyCommand(
        "gnomon.entry.cli.next_runs:next_runs", "Show the coming runs, and what unpausing would start."
    ),
    "versions": LazyCommand(
        "gnomon.entry.cli.dags_versions:versions", "List the versions of a DAG, and what each changed."
    ),
    "warnings": LazyCommand(
        "gnomon.entry.cli.dags_files:warnings_command", "List the warnings about DAGs and their files."
    ),
    "reserialize": LazyCommand("gnomon.entry.cli.dags_files:reserialize", "Have all DAG files read again."),
    "test": LazyCommand("gnomon.entry.cli.dags_test:test", "Run a DAG once in the foreground, to its end."),
}


_FORECAST_RUNS = 6
"""Number of coming runs that are forecast before a DAG is unpaused."""
_WARNINGS_LISTED = 3
"""Warnings of one DAG that the table of `dags list` is followed by; the others are counted."""


@click.group(cls=LazyGroup, lazy=_LAZY_COMMANDS)
def dags() -> None:
    """List, show, test, trigger, pause, unpause and delete DAGs; show coming runs and files that failed."""


@dags.command("list")
@click.option("-a", "--all", "inactive", is_flag=True, help="Also deleted DAGs: those that no file defines any more.")
@output_option
@pass_deployment
def list_(deployment: DeploymentAccess, inactive: bool, output: str) -> None:
    """List all DAGs."""
    listing = deployment.perform(operations.list_dags, inactive=inactive)
    rows = listing.dags
    columns = ("dag_id", "schedule", "paused", "next_run", "last_run_state", "owner", "tags", "file")
    print_records(rows, output, columns, empty=f"no DAGs yet; put DAG files into {listing.dags_folder}")
    if output == "table":
        screen = read_screen_of(sys.stderr)
        problems = [(row.dag_id, problem) for row in rows for problem in (*filter(None, [row.error]), *row.warnings)]
        listed: Counter[str] = Counter()
        for dag_id, problem in group_warnings(problems):
            listed[dag_id] += 1
            if not dag_id or listed[dag_id] <= _WARNINGS_LISTED:
                text = put_into_words(problem)
                click.echo(screen.wrap(f"{dag_id}: {text}" if dag_id else text, "  "), err=True)
        for dag_id, count in listed.items():
            if dag_id and count > _WARNINGS_LISTED:
                more = count - _WARNINGS_LISTED
                click.echo(
                    f"{dag_id}: {more} more warning{'s' if more > 1 else ''}; `gnomon dags show {quote_argument(dag_id)}` shows all",
                    err=True,
                )


@dags.command()
@click.argument("dag_id", metavar="DAG")
@output_option
@pass_deployment
def show(deployment: DeploymentAccess, dag_id: str, output: str) -> None:
    """Show one DAG: schedule, params, tasks, next runs."""
    shown_dag = deployment.perform(operations.show_dag, dag_id)
    detail = shown_dag.detail
    if output != "table":
        print_document(asdict(detail), output)
        return
    shown = asdict(detail)
    for block in ("depends_on", "params", "tasks", "next_runs", "warnings"):
        del shown[block]
    shown["jitter_s"] = detail.jitter_s or None
    shown["needed_by"] = detail.needed_by or None
    click.echo(format_fields([(name.replace("_", " "), value) for name, value in shown.items()]))
    if detail.depends_on:
        click.echo("\ndependencies\n" + escape_controls("\n".join(f"  {sentence}" for sentence in detail.depends_on)))
    if detail.params:
        click.echo("\nparams")
        click.echo(format_fields([(f"  {name}", param) for name, param in detail.params.items()]))
    click.echo("\ntasks")
    click.echo("\n".join(f"  {line}" for line in shown_dag.tree) or "  none")
    click.echo("\nnext runs" + (" (after it is unpaused)" if detail.paused and detail.next_runs else ""))
    has_intervals = any(run["data_interval_start"] != run["data_interval_end"] for run in detail.next_runs)
    columns = ("run_after", "data_interval_start", "data_interval_end") if has_intervals else ("run_after",)
    click.echo(format_table(detail.next_runs, columns) if detail.next_runs else "  none")
    if detail.warnings:
        click.echo(
            "\nwarnings\n" + escape_controls("\n".join(f"  {put_into_words(warning)}" for warning in detail.warnings))
        )


@dags.command("errors")
@click.option("-w", "--warnings", "with_warnings", is_flag=True, help="Also warnings about files that were loaded.")
@output_option
@pass_deployment
def errors_(deployment: DeploymentAccess, with_warnings: bool, output: str) -> None:
    """List the files and DAGs that could not be loaded, and why."""
    rows = deployment.perform(operations.list_errors, with_warnings)
    if output != "table":
        print_records(rows, output, ())
    elif not rows:
        click.echo("no errors")
    else:
        shown = group_warnings((row.kind, row.message) for row in rows)
        width = max(len(row.kind) for row in rows)
        click.echo(escape_controls("\n".join(f"{kind or 'warning':<{width}}  {message}" for kind, message in shown)))


@dags.command()
@click.argument("dag_ids", metavar="DAG...", nargs=-1, required=True)
@pass_deployment
def pause(deployment: DeploymentAccess, dag_ids: tuple[str, ...]) -> None:
    """Pause DAGs: none of their tasks is started any more; running tasks continue."""
    _set_dags_paused(deployment, dag_ids, True)


@dags.command()
@click.argument("dag_ids", metavar="DAG...", nargs=-1, required=True)
@click.option("-n", "--dry-run", is_flag=True, help="Only show what would start at once.")
@pass_deployment
def unpause(deployment: DeploymentAccess, dag_ids: tuple[str, ...], dry_run: bool) -> None:
    """Unpause DAGs, and show which runs start at once and which slots are skipped."""
    from gnomon.entry.cli.next_runs import describe_unpausing  # start-up cost: loads the planner

    are_paused = dict(zip(dag_ids, deployment.perform(operations.find_paused, list(dag_ids)), strict=True))
    forecasts = {
        dag_id: describe_unpausing(deployment.perform(operations.forecast_dag, dag_id, _FORECAST_RUNS))
        for dag_id, is_paused in are_paused.items()
        if is_paused
    }
    if not dry_run:
        _set_dags_paused(deployment, dag_ids, False)
    for dag_id in dag_ids:
        if dry_run:
            click.echo(dag_id + ("" if are_paused[dag_id] else " is not paused"))
        for line in forecasts.get(dag_id, ()):
            click.echo(f"  {format_sentence(line)}")


@dags.command()
@click.argument("dag_id", metavar="DAG")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_deployment
def delete(deployment: DeploymentAccess, dag_id: str, yes: bool) -> None:
    """Delete a DAG and all its runs from the database.

    A DAG whose file still exists is added again as a new DAG, without history.
    """
    deployment.perform(operations.find_paused, [dag_id])  # an unknown DAG is named before the question
    if not yes and sys.stdin.isatty():
        click.confirm(f"Delete DAG {dag_id!r} with all its runs?", abort=True, err=True)
    reply = deployment.perform(operations.delete_dag, dag_id)
    if reply.answer is None:
        print_pending(reply)
    else:
        click.echo(f"deleted DAG {dag_id!r}")


def _set_dags_paused(deployment: DeploymentAccess, dag_ids: tuple[str, ...], paused: bool) -> None:
    deployment.perform(operations.set_paused, list(dag_ids), paused)
    for dag_id in dag_ids:
        click.echo(f"{'paused' if paused else 'unpaused'} {dag_id}")
