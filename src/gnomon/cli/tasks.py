"""`gnomon tasks`: the tasks of a DAG and their instances in a run."""

from __future__ import annotations

import re

import click

from gnomon.cli.acting import Asked, ask_owner
from gnomon.cli.arguments import selection_options
from gnomon.cli.home import Home, pass_home
from gnomon.cli.lazy import Lazy, LazyGroup
from gnomon.cli.output import emit, output_option
from gnomon.cli.touched import emit_answered, emit_touched
from gnomon.errors.product import UserMistake
from gnomon.model.records import DagRecord, RunRecord
from gnomon.report import dags as report_dags
from gnomon.report import tasks as report
from gnomon.report.dags import find_dag
from gnomon.report.runs import find_run
from gnomon.report.selection import chosen_tasks, instances
from gnomon.store import Database

_ELSEWHERE = {"logs": Lazy("gnomon.cli.logs:logs", "Print the log of a task instance.")}


@click.group(cls=LazyGroup, lazy=_ELSEWHERE)
def tasks() -> None:
    """Tasks: list; states, logs, clear and mark in a run."""


@tasks.command("list")
@click.argument("dag_id", metavar="DAG")
@output_option
@pass_home
def list_(home: Home, dag_id: str, output: str) -> None:
    """The tasks of DAG, in topological order."""
    with home.store() as db, db.read() as tx:
        rows = report_dags.task_rows(find_dag(tx, dag_id).spec.tasks)
    emit(rows, output, ("task_id", "operator", "group", "upstream", "trigger_rule", "retries", "pool"), empty="no tasks")


@tasks.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@output_option
@pass_home
def states(home: Home, dag_id: str, run_id: str, output: str) -> None:
    """Every task instance of RUN and its state."""
    with home.store() as db, db.read() as tx:
        dag = find_dag(tx, dag_id)
        rows = report.task_instances(tx, dag, find_run(tx, dag, run_id))
    columns = ("task_id", "map_index", "state", "try_number", "start_date", "end_date", "reason")
    emit(rows, output, columns, empty="no tasks")


@tasks.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@selection_options
@click.option("-f", "--only-failed", is_flag=True, help="Only those that failed or could not run.")
@click.option("--dry-run", is_flag=True, help="Only show what would be cleared.")
@output_option
@pass_home
def clear(
    home: Home, dag_id: str, run_id: str, task_ids: tuple[str, ...], task_regex: re.Pattern[str] | None, upstream: bool,
    downstream: bool, map_index: int | None, only_failed: bool, dry_run: bool, output: str,
) -> None:  # fmt: skip
    """Run tasks of RUN again: the named ones, and what --upstream and --downstream add."""
    _require_choice(task_ids, task_regex)
    with home.store() as db:
        dag, run, rows = _select(db, dag_id, run_id, task_ids, task_regex, upstream, downstream, map_index, only_failed)
        if dry_run or not rows:
            emit_touched(rows, output, "would be cleared" if dry_run else "cleared")
            return
        asked = _ask(home, db, dag, run, rows, "clear", {"only_failed": only_failed})
        emit_answered(db, dag, run, rows, asked, output, "cleared")


@tasks.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@selection_options
@click.option("--state", required=True, type=click.Choice(["success", "failed", "skipped"]), help="Their new state.")
@click.option("--dry-run", is_flag=True, help="Only show what would be marked.")
@output_option
@pass_home
def mark(
    home: Home, dag_id: str, run_id: str, task_ids: tuple[str, ...], task_regex: re.Pattern[str] | None, upstream: bool,
    downstream: bool, map_index: int | None, state: str, dry_run: bool, output: str,
) -> None:  # fmt: skip
    """Set tasks of RUN to a final state; what still runs of them is stopped."""
    _require_choice(task_ids, task_regex)
    with home.store() as db:
        dag, run, rows = _select(db, dag_id, run_id, task_ids, task_regex, upstream, downstream, map_index, False)
        if dry_run or not rows:
            emit_touched(rows, output, f"would be marked {state}" if dry_run else f"marked {state}")
            return
        asked = _ask(home, db, dag, run, rows, "mark", {"state": state})
        emit_answered(db, dag, run, rows, asked, output, f"marked {state}")


def _require_choice(task_ids: tuple[str, ...], pattern: re.Pattern[str] | None) -> None:
    if not task_ids and pattern is None:
        raise click.UsageError("name tasks, or give --task-regex (`.` finds all)")


def _select(
    db: Database, dag_id: str, run_id: str, task_ids: tuple[str, ...], pattern: re.Pattern[str] | None, upstream: bool,
    downstream: bool, map_index: int | None, only_failed: bool,
) -> tuple[DagRecord, RunRecord, list[report.TaskInstanceRow]]:  # fmt: skip
    with db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        spec = report.spec_of_run(tx, dag, run)
        chosen = chosen_tasks(spec, task_ids, pattern, upstream=upstream, downstream=downstream)
        rows = instances(tx, dag, run, chosen, map_index=map_index, only_failed=only_failed)
    if not rows and map_index is not None and not only_failed:
        raise UserMistake(f"none of these tasks has map index {map_index} in run {run_id!r}; see `gnomon tasks states`")
    return dag, run, rows


def _ask(
    home: Home, db: Database, dag: DagRecord, run: RunRecord, rows: list[report.TaskInstanceRow], kind: str,
    what: dict[str, object],
) -> Asked:  # fmt: skip
    keys = [[dag.task_numbers[row.task_id], row.map_index] for row in rows]
    return ask_owner(home, db, dag, kind, {"dag_pk": dag.dag_pk, "run_pk": run.run_pk, "tasks": keys, **what})
