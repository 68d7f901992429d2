"""`gnomon tasks`: the tasks of a DAG and their instances in a run."""

from __future__ import annotations

import re
from collections.abc import Mapping

import click

from gnomon.actions.run_changes import clear_instances, mark_instances
from gnomon.cli.commands import LazyCommand, LazyGroup
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_records
from gnomon.cli.task_selection import (
    emit_answered,
    emit_task_instances,
    selection_options,
    split_choice,
)
from gnomon.errors.product import UserError
from gnomon.model.records import DagRecord, RunRecord
from gnomon.report.listings import dag_list as report_dags
from gnomon.report.listings import run_list as report
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.run_list import find_run
from gnomon.report.listings.task_selection import select_instances, select_tasks, split_instance_names
from gnomon.store import Database

_LAZY_COMMANDS = {
    "logs": LazyCommand("gnomon.cli.logs.logs_command:logs", "Print or follow the log of a task, or of all tasks of a run."),
    "render": LazyCommand("gnomon.cli.tasks_render:render", "Print the rendered templates of a task."),
    "links": LazyCommand("gnomon.cli.tasks_links:links", "Print the links of a task into other systems."),
    "test": LazyCommand("gnomon.cli.tasks_test:test", "Run one task once in the foreground, without a run."),
    "run": LazyCommand("gnomon.cli.tasks_run:run", "Run a task of a run again, and follow its log."),
    "waiting": LazyCommand("gnomon.cli.hitl:waiting", "List the tasks that wait for a person."),
    "answer": LazyCommand("gnomon.cli.hitl:answer", "Answer the question of a task."),
}


@click.group(cls=LazyGroup, lazy=_LAZY_COMMANDS)
def tasks() -> None:
    """List tasks; show states and logs, clear, mark and answer tasks of a run."""


@tasks.command("list")
@click.argument("dag_id", metavar="DAG")
@output_option
@pass_home
def list_(home: Home, dag_id: str, output: str) -> None:
    """List the tasks of DAG in topological order."""
    with home.store() as db, db.read() as tx:
        rows = report_dags.build_task_rows(find_dag(tx, dag_id).spec.tasks)
    print_records(rows, output, ("task_id", "operator", "group", "upstream", "trigger_rule", "retries", "pool"), empty="no tasks")


@tasks.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@output_option
@pass_home
def states(home: Home, dag_id: str, run_id: str, output: str) -> None:
    """List all task instances of RUN and their states."""
    with home.store() as db, db.read() as tx:
        dag = find_dag(tx, dag_id)
        rows = report.list_task_instances(tx, dag, find_run(tx, dag, run_id))
    has_names = any(row.rendered_map_index is not None for row in rows)
    columns = ("task_id", "map_index", *(("rendered_map_index",) if has_names else ()), "state", "try_number", "start_date", "end_date", "reason")
    print_records(rows, output, columns, empty="no tasks")


@tasks.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@selection_options
@click.option("-f", "--only-failed", is_flag=True, help="Only task instances in state failed or upstream_failed.")
@click.option("--dry-run", is_flag=True, help="Only show what would be cleared.")
@output_option
@pass_home
def clear(
    home: Home, dag_id: str, run_id: str, task_ids: tuple[str, ...], task_regex: re.Pattern[str] | None, upstream: bool,
    downstream: bool, map_index: int | None, only_failed: bool, dry_run: bool, output: str,
) -> None:  # fmt: skip
    """Run tasks of RUN again: the named tasks, and those that --upstream and --downstream add."""
    _require_choice(task_ids, task_regex)
    with home.store() as db:
        dag, run, rows = _select(db, dag_id, run_id, task_ids, task_regex, upstream, downstream, map_index, only_failed)
        if dry_run or not rows:
            emit_task_instances(rows, output, "would be cleared" if dry_run else "cleared")
            return
        reply = clear_instances(home, db, dag, run, rows, only_failed=only_failed)
        emit_answered(db, dag, run, rows, reply, output, "cleared")


@tasks.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@selection_options
@click.option("--state", required=True, type=click.Choice(["success", "failed", "skipped"]), help="The new state.")
@click.option("--dry-run", is_flag=True, help="Only show what would be marked.")
@output_option
@pass_home
def mark(
    home: Home, dag_id: str, run_id: str, task_ids: tuple[str, ...], task_regex: re.Pattern[str] | None, upstream: bool,
    downstream: bool, map_index: int | None, state: str, dry_run: bool, output: str,
) -> None:  # fmt: skip
    """Set tasks of RUN to a final state; their running attempts are stopped."""
    _require_choice(task_ids, task_regex)
    with home.store() as db:
        dag, run, rows = _select(db, dag_id, run_id, task_ids, task_regex, upstream, downstream, map_index, False)
        if dry_run or not rows:
            emit_task_instances(rows, output, f"would be marked {state}" if dry_run else f"marked {state}")
            return
        reply = mark_instances(home, db, dag, run, rows, state)
        emit_answered(db, dag, run, rows, reply, output, f"marked {state}")


def _require_choice(task_ids: tuple[str, ...], pattern: re.Pattern[str] | None) -> None:
    if not task_ids and pattern is None:
        raise click.UsageError("name at least one task, or give --task-regex (`.` matches all)")


def _select(
    db: Database, dag_id: str, run_id: str, task_ids: tuple[str, ...], pattern: re.Pattern[str] | None, upstream: bool,
    downstream: bool, map_index: int | None, only_failed: bool,
) -> tuple[DagRecord, RunRecord, list[report.TaskInstanceRow]]:  # fmt: skip
    for name in task_ids:
        split_choice(name, map_index)
    with db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        spec = report.find_spec_of_run(tx, dag, run)
        named = split_instance_names(task_ids)
        chosen = select_tasks(spec, named, pattern, upstream=upstream, downstream=downstream)
        rows = select_instances(tx, dag, run, chosen, map_index=map_index, map_indices=named, only_failed=only_failed)
    if not only_failed:
        _require_indices(rows, named, run_id)
    if not rows and map_index is not None and not only_failed:
        raise UserError(f"none of these tasks has map index {map_index} in run {run_id!r}; see `gnomon tasks states`")
    return dag, run, rows


def _require_indices(rows: list[report.TaskInstanceRow], named: Mapping[str, frozenset[int] | None], run_id: str) -> None:
    found = {(row.task_id, row.map_index) for row in rows}
    for task_id, indices in named.items():
        missing = sorted(index for index in indices or () if (task_id, index) not in found)
        if missing:
            raise UserError(f"task {task_id!r} has no map index {missing[0]} in run {run_id!r}; see `gnomon tasks states`")
