"""`gnomon tasks`: the tasks of a DAG and their instances in a run."""

from __future__ import annotations

import re

import click

from gnomon.changes.operations import task_operations as operations
from gnomon.entry.cli.commands import LazyCommand, LazyGroup
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import output_option, print_records
from gnomon.entry.cli.task_selection import (
    emit_answered,
    emit_rows_to_mark,
    emit_task_instances,
    selection_options,
    split_choice,
    version_option,
)
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Command, say

_LAZY_COMMANDS = {
    "logs": LazyCommand(
        "gnomon.entry.cli.logs.logs_command:logs", "Print or follow the log of a task, or of all tasks of a run."
    ),
    "render": LazyCommand("gnomon.entry.cli.tasks_render:render", "Print the rendered templates of a task."),
    "links": LazyCommand("gnomon.entry.cli.tasks_links:links", "Print the links of a task into other systems."),
    "test": LazyCommand("gnomon.entry.cli.tasks_test:test", "Run one task once in the foreground, without a run."),
    "run": LazyCommand("gnomon.entry.cli.tasks_run:run", "Run a task of a run again, and follow its log."),
    "waiting": LazyCommand("gnomon.entry.cli.hitl:waiting", "List the tasks that wait for a person."),
    "answer": LazyCommand("gnomon.entry.cli.hitl:answer", "Answer the question of a task."),
}


@click.group(cls=LazyGroup, lazy=_LAZY_COMMANDS)
def tasks() -> None:
    """List tasks; show states and logs, clear, mark and answer tasks of a run."""


@tasks.command("list")
@click.argument("dag_id", metavar="DAG")
@output_option
@pass_deployment
def list_(deployment: DeploymentAccess, dag_id: str, output: str) -> None:
    """List the tasks of DAG in topological order."""
    rows = deployment.perform(operations.list_tasks, dag_id)
    print_records(
        rows, output, ("task_id", "operator", "group", "upstream", "trigger_rule", "retries", "pool"), empty="no tasks"
    )


@tasks.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@output_option
@pass_deployment
def states(deployment: DeploymentAccess, dag_id: str, run_id: str, output: str) -> None:
    """List all task instances of RUN and their states."""
    rows = deployment.perform(operations.list_states, dag_id, run_id)
    has_names = any(row.rendered_map_index is not None for row in rows)
    has_executors = any(row.executor is not None for row in rows)
    columns = (
        "task_id",
        "map_index",
        *(("rendered_map_index",) if has_names else ()),
        "state",
        *(("executor",) if has_executors else ()),
        "try_number",
        "start_date",
        "end_date",
        "reason",
    )
    print_records(rows, output, columns, empty="no tasks")


@tasks.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@selection_options
@click.option("-f", "--only-failed", is_flag=True, help="Only task instances in state failed or upstream_failed.")
@version_option
@click.option("--dry-run", is_flag=True, help="Only show what would be cleared.")
@output_option
@pass_deployment
def clear(
    deployment: DeploymentAccess,
    dag_id: str,
    run_id: str,
    task_ids: tuple[str, ...],
    task_regex: re.Pattern[str] | None,
    upstream: bool,
    downstream: bool,
    map_index: int | None,
    only_failed: bool,
    run_on_latest_version: bool | None,
    dry_run: bool,
    output: str,
) -> None:
    """Run tasks of RUN again: the named tasks, and those that --upstream and --downstream add."""
    _check_choice(dag_id, run_id, task_ids, task_regex, map_index)
    chosen = (list(task_ids), _match(deployment, dag_id, run_id, task_regex), upstream, downstream, map_index)
    if dry_run:
        emit_task_instances(
            deployment.perform(operations.select_task_instances, dag_id, run_id, *chosen, only_failed),
            output,
            "would be cleared",
        )
    else:
        emit_answered(
            deployment.perform(operations.clear_tasks, dag_id, run_id, *chosen, only_failed, run_on_latest_version),
            output,
            "cleared",
        )


@tasks.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@selection_options
@click.option("--past", is_flag=True, help="Also the same tasks in the runs before RUN.")
@click.option("--future", is_flag=True, help="Also the same tasks in the runs after RUN.")
@click.option("--state", required=True, type=click.Choice(["success", "failed", "skipped"]), help="The new state.")
@click.option("--dry-run", is_flag=True, help="Only show what would be changed, and to which state.")
@output_option
@pass_deployment
def mark(
    deployment: DeploymentAccess,
    dag_id: str,
    run_id: str,
    task_ids: tuple[str, ...],
    task_regex: re.Pattern[str] | None,
    upstream: bool,
    downstream: bool,
    map_index: int | None,
    past: bool,
    future: bool,
    state: str,
    dry_run: bool,
    output: str,
) -> None:
    """Set tasks of RUN to a final state; their running attempts are stopped. What failed below them runs again."""
    _check_choice(dag_id, run_id, task_ids, task_regex, map_index)
    chosen = (
        list(task_ids),
        _match(deployment, dag_id, run_id, task_regex),
        upstream,
        downstream,
        map_index,
        past,
        future,
    )
    if dry_run:
        emit_rows_to_mark(deployment.perform(operations.select_to_mark, dag_id, run_id, state, *chosen), output)
    else:
        emit_answered(deployment.perform(operations.mark_tasks, dag_id, run_id, state, *chosen), output, "changed")


def _check_choice(
    dag_id: str, run_id: str, task_ids: tuple[str, ...], pattern: re.Pattern[str] | None, map_index: int | None
) -> None:
    if not task_ids and pattern is None:
        raise click.UsageError(
            f"{dag_id} is read as DAG and {run_id} as RUN, and no TASK is named: write DAG RUN TASK..., or give --task-regex (`.` matches all tasks of the run)"
        )
    for name in task_ids:
        split_choice(name, map_index)


def _match(deployment: DeploymentAccess, dag_id: str, run_id: str, pattern: re.Pattern[str] | None) -> list[str]:
    """The ids of the tasks of the run that the pattern matches. Raises UserError when it matches none.

    The pattern is tried here: one that takes for ever shall not be tried on the machine of the deployment.
    """
    if pattern is None:
        return []
    matching = [
        task_id for task_id in deployment.perform(operations.list_task_ids, dag_id, run_id) if pattern.search(task_id)
    ]
    if not matching:
        raise UserError(
            say("no_task_matches", dag=dag_id, pattern=pattern.pattern, command=Command("tasks list", (dag_id,)))
        )
    return matching
