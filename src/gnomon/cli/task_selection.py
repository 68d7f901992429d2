"""Arguments that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import click

from gnomon.cli.output import print_records
from gnomon.cli.owner_requests import OwnerAnswer, print_pending
from gnomon.model.records import DagRecord, RunRecord
from gnomon.report.listings.run_list import TaskInstanceRow, list_task_instances
from gnomon.store import Database
from gnomon.store.dag_records import dag_runs

F = TypeVar("F", bound=Callable[..., Any])


class RegexType(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
    """A regular expression."""

    name = "regex"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> re.Pattern[str]:
        """The compiled expression."""
        try:
            return re.compile(value)
        except re.error as error:
            self.fail(f"{value!r} is no regular expression: {error}", param, ctx)


def selection_options(command: F) -> F:
    """Give a command TASK..., --task-regex, --upstream and --downstream."""
    options = (
        click.argument("task_ids", metavar="[TASK]...", nargs=-1),
        click.option("-t", "--task-regex", type=RegexType(), help="Also tasks whose id this expression finds."),
        click.option("-u", "--upstream", is_flag=True, help="Also all tasks before them."),
        click.option("-d", "--downstream", is_flag=True, help="Also all tasks after them."),
        click.option("--map-index", type=int, help="Only the task instance with this map index."),
    )
    for option in reversed(options):
        command = option(command)
    return command


_COLUMNS = ("task_id", "map_index", "state", "try_number")
_CHANGED = ("task_id", "map_index", "previous_state", "state", "try_number")


@dataclass(frozen=True, slots=True)
class ChangedRow(TaskInstanceRow):
    """A task instance after an action: what it is now, and its state before."""

    previous_state: str | None


def emit_task_instances(rows: Sequence[TaskInstanceRow], output: str, done: str) -> None:
    """The task instances as they are; for a person, under how many they are and what became of them, or would (`done`)."""
    _emit(rows, output, done, _COLUMNS)


def emit_answered(
    db: Database, dag: DagRecord, run: RunRecord, rows: Sequence[TaskInstanceRow], asked: OwnerAnswer, output: str, done: str
) -> None:
    """The task instances after the owner was asked: those that it changed, as they are now, or those that it will change."""
    if asked.answer is None:
        print_pending(asked)
        _emit(rows, output, f"will be {done}", _COLUMNS)
        return
    names = next((names for names in asked.answer.values() if isinstance(names, list)), None)
    _emit(_changed(db, dag, run, rows, names), output, done, _CHANGED)


def _changed(
    db: Database, dag: DagRecord, run: RunRecord, rows: Sequence[TaskInstanceRow], names: Collection[object] | None
) -> list[ChangedRow]:
    """`names`: the task instances that the owner named in its answer; None: it named none, all of them are meant."""
    with db.read() as tx:
        now = {row.name: row for row in list_task_instances(tx, dag, dag_runs.find_stored_run(tx, dag.dag_id, run.run_id) or run)}
    return [
        ChangedRow(**{**asdict(now[row.name]), "previous_state": row.state})
        for row in rows
        if row.name in now and (names is None or row.name in names)
    ]


def _emit(rows: Sequence[TaskInstanceRow], output: str, done: str, columns: Sequence[str]) -> None:
    if output == "table":
        click.echo(f"{len(rows)} task instance{'s' if len(rows) != 1 else ''} {done}")
    if rows or output != "table":
        print_records(rows, output, columns)
