"""`gnomon runs`: show, clear and mark runs, and print the logs of their callbacks."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

import click

from gnomon.changes.operations import log_operations, run_operations
from gnomon.entry.cli.clear_downstream import clear_with_downstream
from gnomon.entry.cli.commands import LazyCommand, LazyGroup
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import format_cell, format_fields, output_option, print_document
from gnomon.entry.cli.pending_requests import print_pending
from gnomon.entry.cli.task_selection import emit_answered, emit_rows_to_mark, emit_task_instances, version_option

_LAZY_COMMANDS = {
    "list": LazyCommand("gnomon.entry.cli.runs_list:list_runs_command", "List the runs of a DAG, or of all DAGs."),
    "wait": LazyCommand("gnomon.entry.cli.runs_wait:wait", "Wait until a run has ended; the exit code says how."),
    "release": LazyCommand("gnomon.entry.cli.release:release", "Let a run start without waiting for other DAGs."),
}


@click.group(cls=LazyGroup, lazy=_LAZY_COMMANDS)
def runs() -> None:
    """List, show, wait for, clear, mark and release runs; print the logs of their callbacks."""


@runs.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@output_option
@pass_deployment
def show(deployment: DeploymentAccess, dag_id: str, run_id: str, output: str) -> None:
    """Show one run: the number of its task instances in each state, its callbacks, its deadlines, its notes and its results."""
    shown = deployment.perform(run_operations.show_run, dag_id, run_id)
    callbacks, deadlines, results = shown.callbacks, shown.deadlines, shown.results
    record = asdict(shown.run)
    record["task_states"] = shown.task_states
    record |= {
        "callbacks": [asdict(row) for row in callbacks],
        "deadlines": [asdict(row) for row in deadlines],
        "results": results,
    }
    record["notes"] = [asdict(row) for row in shown.notes]
    if output != "table":
        print_document(record, output)
        return
    states = ", ".join(f"{count} {state}" for state, count in record.pop("task_states").items())
    del record["callbacks"], record["deadlines"], record["results"], record["notes"]
    fields = [
        *((name.replace("_", " "), value) for name, value in record.items()),
        ("tasks", format_cell(states or None)),
    ]
    fields += [
        ("callback", f"{row.callback}: {row.state}" + (f" ({row.reason})" if row.reason else "")) for row in callbacks
    ]
    fields += [("deadline", f"{row.deadline}: {row.state}" + (f" ({row.due})" if row.due else "")) for row in deadlines]
    fields += [(row.title, row.note) for row in shown.notes]
    fields += [(f"result of {task_id}", json.dumps(value, ensure_ascii=False)) for task_id, value in results.items()]
    click.echo(format_fields(fields))


@runs.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@pass_deployment
def logs(deployment: DeploymentAccess, dag_id: str, run_id: str) -> None:
    """Print the logs of the callbacks of RUN: of its end, and of missed deadlines."""
    for log in deployment.perform(log_operations.list_callback_logs, dag_id, run_id):
        click.echo(f"==> {log.title} <==", err=True)
        for line in deployment.open_callback_log(dag_id, run_id, log.file).new_lines(is_over=True):
            sys.stdout.write(f"{line}\n")


@runs.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@click.option("-f", "--only-failed", is_flag=True, help="Only task instances in state failed or upstream_failed.")
@click.option(
    "--downstream-dags",
    "downstream",
    is_flag=True,
    help="Also clear the runs of other DAGs that waited for this run, upstream first.",
)
@version_option
@click.option("--dry-run", is_flag=True, help="Only show what would be cleared.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation before runs of other DAGs are cleared.")
@output_option
@pass_deployment
def clear(
    deployment: DeploymentAccess,
    dag_id: str,
    run_id: str,
    only_failed: bool,
    downstream: bool,
    run_on_latest_version: bool | None,
    dry_run: bool,
    yes: bool,
    output: str,
) -> int | None:
    """Run the tasks of RUN again."""
    if downstream:
        return clear_with_downstream(
            deployment,
            dag_id,
            run_id,
            only_failed=only_failed,
            is_newest_wanted=run_on_latest_version,
            dry_run=dry_run,
            yes=yes,
            output=output,
        )
    if dry_run:
        emit_task_instances(
            deployment.perform(run_operations.select_run, dag_id, run_id, only_failed), output, "would be cleared"
        )
    else:
        emit_answered(
            deployment.perform(run_operations.clear_run, dag_id, run_id, only_failed, run_on_latest_version),
            output,
            "cleared",
        )
    return None


@runs.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@click.option("--state", required=True, type=click.Choice(["success", "failed"]), help="The final state of the run.")
@click.option("--dry-run", is_flag=True, help="Only show which task instances would change, and to which state.")
@output_option
@pass_deployment
def mark(deployment: DeploymentAccess, dag_id: str, run_id: str, state: str, dry_run: bool, output: str) -> None:
    """End RUN as success or failed: what runs ends in that state, and tasks that have not begun are skipped."""
    if dry_run:
        emit_rows_to_mark(deployment.perform(run_operations.select_run_to_mark, dag_id, run_id, state), output)
        return
    change = deployment.perform(run_operations.mark_run, dag_id, run_id, state)
    if output != "table":
        emit_answered(change, output, "changed")
    elif change.reply is not None and change.reply.answer is None:
        print_pending(change.reply)
    else:
        answer = None if change.reply is None else change.reply.answer
        first = ": its teardowns run first" if answer is not None and answer.get("tears_down") else ""
        click.echo(f"marked run {run_id!r} of DAG {dag_id!r} {state}{first}")
