"""`gnomon runs`: show, clear and mark runs, and print the logs of their callbacks."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import asdict

import click

from gnomon.actions.run_changes import clear_instances, mark_instances
from gnomon.cli.clear_downstream import clear_with_downstream
from gnomon.cli.commands import LazyCommand, LazyGroup
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import format_cell, format_fields, output_option, print_document
from gnomon.cli.pending_requests import print_pending
from gnomon.cli.task_selection import emit_answered, emit_task_instances
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.report.listings import run_list as report
from gnomon.report.listings import run_list as report_tasks
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.note_list import list_note_rows
from gnomon.report.listings.run_callback_list import find_callback_logs, list_callback_rows, list_deadline_rows
from gnomon.report.listings.run_results import find_results
from gnomon.report.listings.task_selection import select_instances

_UNCHANGED_STATES = {"success": {"success"}, "failed": {state.value for state in FINISHED_TASK_STATES}}
"""For each state that a run can be marked with: the states of task instances that the mark does not change."""


_LAZY_COMMANDS = {
    "list": LazyCommand("gnomon.cli.runs_list:list_runs_command", "List the runs of a DAG, or of all DAGs."),
    "wait": LazyCommand("gnomon.cli.runs_wait:wait", "Wait until a run has ended; the exit code says how."),
    "release": LazyCommand("gnomon.cli.release:release", "Let a run start without waiting for other DAGs."),
}


@click.group(cls=LazyGroup, lazy=_LAZY_COMMANDS)
def runs() -> None:
    """List, show, wait for, clear, mark and release runs; print the logs of their callbacks."""


@runs.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@output_option
@pass_home
def show(home: Home, dag_id: str, run_id: str, output: str) -> None:
    """Show one run: the number of its task instances in each state, its callbacks, its deadlines, its notes and its results."""
    with home.store() as db, db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = report.find_run(tx, dag, run_id)
        rows = report_tasks.list_task_instances(tx, dag, run)
        callbacks, deadlines = list_callback_rows(tx, run), list_deadline_rows(tx, run)
        results = find_results(tx, dag, run)
        found = list_note_rows(tx, dag, run)
    record = asdict(report.build_run_row(dag_id, run))
    record["task_states"] = report_tasks.count_states(rows)
    record |= {"callbacks": [asdict(row) for row in callbacks], "deadlines": [asdict(row) for row in deadlines], "results": results, "notes": [asdict(row) for row in found]}
    if output != "table":
        print_document(record, output)
        return
    states = ", ".join(f"{count} {state}" for state, count in record.pop("task_states").items())
    del record["callbacks"], record["deadlines"], record["results"], record["notes"]
    fields = [*((name.replace("_", " "), value) for name, value in record.items()), ("tasks", format_cell(states or None))]
    fields += [("callback", f"{row.callback}: {row.state}" + (f" ({row.reason})" if row.reason else "")) for row in callbacks]
    fields += [("deadline", f"{row.deadline}: {row.state}" + (f" ({row.due})" if row.due else "")) for row in deadlines]
    fields += [(row.title, row.note) for row in found]
    fields += [(f"result of {task_id}", json.dumps(value, ensure_ascii=False)) for task_id, value in results.items()]
    click.echo(format_fields(fields))


@runs.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@pass_home
def logs(home: Home, dag_id: str, run_id: str) -> None:
    """Print the logs of the callbacks of RUN: of its end, and of missed deadlines."""
    with home.store() as db, db.read() as tx:
        dag = find_dag(tx, dag_id)
        found = find_callback_logs(tx, dag, report.find_run(tx, dag, run_id), home.cfg.logs_folder)
    for title, path in found:
        click.echo(f"==> {title} <==", err=True)
        with path.open(errors="replace") as log:
            shutil.copyfileobj(log, sys.stdout)


@runs.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@click.option("-f", "--only-failed", is_flag=True, help="Only task instances in state failed or upstream_failed.")
@click.option("--downstream-dags", "downstream", is_flag=True, help="Also clear the runs of other DAGs that waited for this run, upstream first.")
@click.option("--dry-run", is_flag=True, help="Only show what would be cleared.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation before runs of other DAGs are cleared.")
@output_option
@pass_home
def clear(
    home: Home, dag_id: str, run_id: str, only_failed: bool, downstream: bool, dry_run: bool, yes: bool, output: str
) -> int | None:
    """Run the tasks of RUN again."""
    with home.store() as db:
        with db.read() as tx:
            dag = find_dag(tx, dag_id)
            run = report.find_run(tx, dag, run_id)
            rows = select_instances(tx, dag, run, only_failed=only_failed)
        if downstream:
            return clear_with_downstream(
                home, db, dag, run, only_failed=only_failed, dry_run=dry_run, yes=yes, output=output
            )
        if dry_run or not rows:
            emit_task_instances(rows, output, "would be cleared" if dry_run else "cleared")
            return None
        reply = clear_instances(home, db, dag, run, None, only_failed=only_failed)
        emit_answered(db, dag, run, rows, reply, output, "cleared")
    return None


@runs.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@click.option("--state", required=True, type=click.Choice(["success", "failed"]), help="The final state of the run.")
@click.option("--dry-run", is_flag=True, help="Only show which task instances would change.")
@output_option
@pass_home
def mark(home: Home, dag_id: str, run_id: str, state: str, dry_run: bool, output: str) -> None:
    """End RUN as success or failed; its running attempts are stopped."""
    with home.store() as db:
        with db.read() as tx:
            dag = find_dag(tx, dag_id)
            run = report.find_run(tx, dag, run_id)
            rows = [row for row in select_instances(tx, dag, run) if row.state not in _UNCHANGED_STATES[state]]
        if dry_run:
            emit_task_instances(rows, output, "would be changed")
            return
        reply = mark_instances(home, db, dag, run, None, state)
        if output != "table":
            emit_answered(db, dag, run, rows, reply, output, "changed")
        elif reply.answer is None:
            print_pending(reply)
        else:
            click.echo(f"marked run {run_id!r} of DAG {dag_id!r} {state}")
