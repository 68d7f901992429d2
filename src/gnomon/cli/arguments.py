"""Arguments that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


class Pattern(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
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
        click.option("-t", "--task-regex", type=Pattern(), help="Also tasks whose id this expression finds."),
        click.option("-u", "--upstream", is_flag=True, help="Also all tasks before them."),
        click.option("-d", "--downstream", is_flag=True, help="Also all tasks after them."),
        click.option("--map-index", type=int, help="Only the task instance with this map index."),
    )
    for option in reversed(options):
        command = option(command)
    return command
