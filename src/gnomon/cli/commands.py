"""A group of commands that imports a command's module only when that command is named."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import click

_HELP_WIDTH = 60


class LazyCommand(NamedTuple):
    """Where a command is defined (`module:attribute`) and the line that help shows for it."""

    import_path: str
    help: str


class LazyGroup(click.Group):
    """A group some of whose commands stand in a table; its help shows them without importing any."""

    def __init__(self, *args: Any, lazy: Mapping[str, LazyCommand], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = dict(lazy)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands that are here, in the order of their definition, then those of the table."""
        return [*self.commands, *self._lazy]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command; the module of one of the table is imported now."""
        if cmd_name not in self._lazy:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self._lazy[cmd_name].import_path.partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's, with nearest names from the table too."""
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            raise click.exceptions.NoSuchCommand(args[0], possibilities=known, ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write names and one line each."""
        here = [(name, command.get_short_help_str(_HELP_WIDTH)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl([*here, *((name, entry.help) for name, entry in self._lazy.items())])


COMMANDS: dict[str, LazyCommand] = {
    "standalone": LazyCommand("gnomon.cli.services:standalone", "Run everything on this machine, in one home."),
    "dags": LazyCommand("gnomon.cli.dags:dags", "List, show, test, trigger, pause, unpause and delete DAGs."),
    "runs": LazyCommand("gnomon.cli.runs:runs", "List, show, clear, mark and release runs."),
    "tasks": LazyCommand("gnomon.cli.tasks:tasks", "List tasks; states, logs, clear and mark in a run."),
    "timetables": LazyCommand("gnomon.cli.timetables:timetables", "Preview, compare and check schedules."),
    "dependencies": LazyCommand("gnomon.cli.dependencies:dependencies", "Who waits for whom; the waits of a day, drawn before they happen."),
    "explain": LazyCommand("gnomon.cli.explain:explain", "Why a DAG, a run or a task is not running."),
    "calendars": LazyCommand("gnomon.cli.calendars:calendars", "List and show the business calendars of gnomon.toml."),
    "pools": LazyCommand("gnomon.cli.pools:pools", "List, set and delete pools."),
    "plugins": LazyCommand("gnomon.cli.plugins:plugins", "List plugins, and what they bring."),
    "variables": LazyCommand("gnomon.cli.variables:variables", "List, get, set and delete Variables."),
    "config": LazyCommand("gnomon.cli.config:config", "Show every option, its value and where it came from."),
    "db": LazyCommand("gnomon.cli.db:db", "Migrate and check the database; replace a lost key."),
    "scheduler": LazyCommand("gnomon.cli.services:scheduler", "Run the scheduler in the foreground."),
    "worker": LazyCommand("gnomon.cli.services:worker", "Run a worker in the foreground."),
    "triggerer": LazyCommand("gnomon.cli.services:triggerer", "Run a triggerer in the foreground; reload its hosts."),
    "dag-processor": LazyCommand("gnomon.cli.services:dag_processor", "Run the DAG processor in the foreground."),
    "api-server": LazyCommand("gnomon.cli.services:api_server", "Run the API server in the foreground."),
    "version": LazyCommand("gnomon.cli.version:version", "Print the version."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
def root() -> None:
    """Gnomon: every run exactly when its timetable says, once, and you can ask why.

    Everything lives below GNOMON_HOME (default: ~/gnomon).
    """
