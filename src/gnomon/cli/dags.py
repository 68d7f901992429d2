"""`gnomon dags`: list, show, pause, unpause and delete DAGs, and list the files that could not be loaded."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from gnomon.actions.author_queries import forecast_author_runs
from gnomon.actions.dag_changes import set_dags_paused
from gnomon.actions.owner_requests import ask_owner
from gnomon.cli.commands import LazyCommand, LazyGroup
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import format_fields, format_sentence, format_table, output_option, print_document, print_records
from gnomon.cli.pending_requests import print_pending
from gnomon.cli.terminal.screen import read_screen_of
from gnomon.report.listings import dag_list as report
from gnomon.report.listings import import_problems
from gnomon.report.listings.task_tree import format_tree
from gnomon.store.cross_dag import dag_edges

_LAZY_COMMANDS = {
    "trigger": LazyCommand("gnomon.cli.trigger:trigger", "Create a run of a DAG now."),
    "next-runs": LazyCommand("gnomon.cli.next_runs:next_runs", "Show the coming runs, and what unpausing would start."),
    "versions": LazyCommand("gnomon.cli.dags_versions:versions", "List the versions of a DAG, and what each changed."),
    "warnings": LazyCommand("gnomon.cli.dags_files:warnings_command", "List the warnings about DAGs and their files."),
    "reserialize": LazyCommand("gnomon.cli.dags_files:reserialize", "Have all DAG files read again."),
    "test": LazyCommand("gnomon.cli.dags_test:test", "Run a DAG once in the foreground, to its end."),
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
@pass_home
def list_(home: Home, inactive: bool, output: str) -> None:
    """List all DAGs."""
    with home.store() as db, db.read() as tx:
        rows = report.list_dags(tx, home.clock.now(), inactive=inactive)
    columns = ("dag_id", "schedule", "paused", "next_run", "last_run_state", "owner", "tags", "file")
    print_records(rows, output, columns, empty=f"no DAGs yet; put DAG files into {home.cfg.dags_folder}")
    if output == "table":
        screen = read_screen_of(sys.stderr)
        for row in rows:
            for problem in (*filter(None, [row.error]), *row.warnings[:_WARNINGS_LISTED]):
                click.echo(screen.wrap(f"{row.dag_id}: {problem}", "  "), err=True)
            if len(row.warnings) > _WARNINGS_LISTED:
                more = len(row.warnings) - _WARNINGS_LISTED
                click.echo(f"{row.dag_id}: {more} more warning{'s' if more > 1 else ''}; `gnomon dags show {row.dag_id}` shows all", err=True)


@dags.command()
@click.argument("dag_id", metavar="DAG")
@output_option
@pass_home
def show(home: Home, dag_id: str, output: str) -> None:
    """Show one DAG: schedule, params, tasks, next runs."""
    with home.store() as db, db.read() as tx:
        dag = report.find_dag(tx, dag_id)
        warnings = import_problems.list_dag_warnings(tx, dag.dag_id, dag.file)
        needed_by = sorted({edge.dag_id for edge in dag_edges.list_edges_on(tx, dag.dag_id)} - {dag.dag_id})
    detail = report.show_dag(dag, home.clock.now(), warnings, lambda *arguments: forecast_author_runs(home.cfg, *arguments), needed_by)
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
        click.echo("\ndependencies\n" + "\n".join(f"  {sentence}" for sentence in detail.depends_on))
    if detail.params:
        click.echo("\nparams")
        click.echo(format_fields([(f"  {name}", param) for name, param in detail.params.items()]))
    click.echo("\ntasks")
    click.echo("\n".join(f"  {line}" for line in format_tree(dag.spec)) or "  none")
    click.echo("\nnext runs" + (" (after it is unpaused)" if detail.paused and detail.next_runs else ""))
    has_intervals = any(run["data_interval_start"] != run["data_interval_end"] for run in detail.next_runs)
    columns = ("run_after", "data_interval_start", "data_interval_end") if has_intervals else ("run_after",)
    click.echo(format_table(detail.next_runs, columns) if detail.next_runs else "  none")
    if detail.warnings:
        click.echo("\nwarnings\n" + "\n".join(f"  {warning}" for warning in detail.warnings))


@dags.command("errors")
@click.option("-w", "--warnings", "with_warnings", is_flag=True, help="Also warnings about files that were loaded.")
@output_option
@pass_home
def errors_(home: Home, with_warnings: bool, output: str) -> None:
    """List the files and DAGs that could not be loaded, and why."""
    with home.store() as db, db.read() as tx:
        rows = import_problems.list_import_errors(tx)
        rows += import_problems.list_import_warnings(tx) if with_warnings else []
    if output != "table":
        print_records(rows, output, ())
    elif not rows:
        click.echo("no errors")
    else:
        click.echo("\n".join(f"{row.kind:<{max(len(other.kind) for other in rows)}}  {row.message}" for row in rows))


@dags.command()
@click.argument("dag_ids", metavar="DAG...", nargs=-1, required=True)
@pass_home
def pause(home: Home, dag_ids: tuple[str, ...]) -> None:
    """Pause DAGs: none of their tasks is started any more; running tasks continue."""
    _set_dags_paused(home, dag_ids, True)


@dags.command()
@click.argument("dag_ids", metavar="DAG...", nargs=-1, required=True)
@click.option("-n", "--dry-run", is_flag=True, help="Only show what would start at once.")
@pass_home
def unpause(home: Home, dag_ids: tuple[str, ...], dry_run: bool) -> None:
    """Unpause DAGs, and show which runs start at once and which slots are skipped."""
    from gnomon.cli.next_runs import describe_unpausing, forecast_dag  # start-up cost: loads the planner

    with home.store() as db:
        with db.read() as tx:
            known = [report.find_dag(tx, dag_id) for dag_id in dag_ids]
        forecasts = {dag.dag_id: describe_unpausing(forecast_dag(home, db, dag, _FORECAST_RUNS)) for dag in known if dag.paused}
    if not dry_run:
        _set_dags_paused(home, dag_ids, False)
    for dag in known:
        if dry_run:
            click.echo(f"{dag.dag_id}" + ("" if dag.paused else " is not paused"))
        for line in forecasts.get(dag.dag_id, ()):
            click.echo(f"  {format_sentence(line)}")


@dags.command()
@click.argument("dag_id", metavar="DAG")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_home
def delete(home: Home, dag_id: str, yes: bool) -> None:
    """Delete a DAG and all its runs from the database.

    A DAG whose file still exists is added again as a new DAG, without history.
    """
    with home.store() as db:
        with db.read() as tx:
            dag = report.find_dag(tx, dag_id)
        if not yes and sys.stdin.isatty():
            click.confirm(f"Delete DAG {dag_id!r} with all its runs?", abort=True, err=True)
        reply = ask_owner(home, db, dag, "delete", {"dag_pk": dag.dag_pk})
    if reply.answer is None:
        print_pending(reply)
    else:
        click.echo(f"deleted DAG {dag_id!r}")


def _set_dags_paused(home: Home, dag_ids: tuple[str, ...], paused: bool) -> None:
    with home.store() as db:
        set_dags_paused(home, db, dag_ids, paused)
    for dag_id in dag_ids:
        click.echo(f"{'paused' if paused else 'unpaused'} {dag_id}")
