"""The arguments that select tasks of a run, and the output of commands that change task instances."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import click

from gnomon.changes.operations.changed_instances import InstanceChange, RowToMark
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import print_records
from gnomon.entry.cli.pending_requests import print_pending
from gnomon.model.ids import UNMAPPED
from gnomon.queries.report.listings.run_list import TaskInstanceRow
from gnomon.queries.report.listings.task_selection import split_instance_name

F = TypeVar("F", bound=Callable[..., Any])


MAP_INDEX = IntegerRange(UNMAPPED)
"""The type of --map-index; -1: the one instance of a task that is not mapped."""


class RegexType(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
    """The click type of a regular expression."""

    name = "regex"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> re.Pattern[str]:
        """The compiled expression; fails with a usage error when the text is not one."""
        try:
            return re.compile(value)
        except re.error as error:
            self.fail(f"{value!r} is not a regular expression: {error}", param, ctx)


def split_choice(task: str, map_index: int | None) -> tuple[str, int]:
    """The task id and the map index (-1: unmapped) of a TASK argument and --map-index. Raises UsageError when the two differ."""
    task_id, index = split_instance_name(task)
    if index is not None and map_index not in (None, index):
        raise click.UsageError(f"{task} has map index {index}, and --map-index says {map_index}; give one of them")
    return task_id, next((index_choice for index_choice in (index, map_index) if index_choice is not None), UNMAPPED)


def instance_arguments(command: F) -> F:
    """Add DAG, RUN, TASK and --map-index to a command: its parameters `dag_id`, `run_id`, `task_id` and `map_index`.

    TASK is a task id or the name of a mapped task instance such as `load[1]`; `map_index` is -1 when neither gives an index.
    """

    @functools.wraps(command)
    def run(*args: Any, task_id: str, map_index: int | None, **others: Any) -> Any:
        named, index = split_choice(task_id, map_index)
        return command(*args, task_id=named, map_index=index, **others)

    added: Any = run
    for part in (
        click.option("--map-index", type=MAP_INDEX, help="Map index of a mapped task; TASK[INDEX] says the same."),
        click.argument("task_id", metavar="TASK"),
        click.argument("run_id", metavar="RUN"),
        click.argument("dag_id", metavar="DAG"),
    ):
        added = part(added)
    return cast(F, added)


version_option = click.option(
    "--run-on-latest-version/--run-on-original-version",
    default=None,
    help="Take the newest version of the DAG bundle, or keep the one that the run had; without it the DAG says so, and otherwise it is kept.",
)


def selection_options(command: F) -> F:
    """Add TASK..., --task-regex, --upstream, --downstream and --map-index to a command."""
    options = (
        click.argument("task_ids", metavar="[TASK]...", nargs=-1),
        click.option(
            "-t",
            "--task-regex",
            type=RegexType(),
            help="Also tasks whose id matches this regular expression (anywhere in the id).",
        ),
        click.option("-u", "--upstream", is_flag=True, help="Also all task instances upstream of the selected ones."),
        click.option(
            "-d", "--downstream", is_flag=True, help="Also all task instances downstream of the selected ones."
        ),
        click.option(
            "--map-index",
            type=MAP_INDEX,
            help="Of the named tasks only the instance with this map index; TASK[INDEX] says the same for one task.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


_TO_MARK = ("task_id", "map_index", "state", "becomes", "try_number")
_COLUMNS = ("task_id", "map_index", "state", "try_number")
_CHANGED = ("task_id", "map_index", "previous_state", "state", "try_number")


def emit_task_instances(rows: Sequence[TaskInstanceRow], output: str, done: str) -> None:
    """Write the task instances. A table begins with a line such as `2 task instances cleared`, which ends with `done`."""
    _emit(rows, output, done, _COLUMNS)


def emit_rows_to_mark(rows: Sequence[RowToMark], output: str) -> None:
    """Write the task instances that a mark would change, and what each would become."""
    _emit(rows, output, "would be changed", _TO_MARK)


def emit_answered(change: InstanceChange, output: str, done: str) -> None:
    """Write the task instances that the owner changed, in their state now; those that it will change when it has not answered."""
    if change.reply is None:
        emit_task_instances(change.selected, output, done)
    elif change.reply.answer is None:
        print_pending(change.reply)
        _emit(change.selected, output, f"will be {done}", _COLUMNS)
    else:
        _emit(change.changed, output, done, _CHANGED)


def _emit(rows: Sequence[TaskInstanceRow], output: str, done: str, columns: Sequence[str]) -> None:
    if output == "table":
        click.echo(f"{len(rows)} task instance{'s' if len(rows) != 1 else ''} {done}")
    if len({(row.dag_id, row.run_id) for row in rows}) > 1:
        columns = ("dag_id", "run_id", *columns)
    if rows or output != "table":
        print_records(rows, output, columns)
