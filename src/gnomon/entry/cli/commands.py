"""The table of all top-level commands, and a click group that imports a command's module only when the command is used."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import click

from gnomon.entry.cli.deployment.api_target import api_options, refuse_api

_HELP_WIDTH = 60


class LazyCommand(NamedTuple):
    """Where a command is defined (`module:attribute`), and its line in the help of its group."""

    import_path: str
    help: str


class LazyGroup(click.Group):
    """A group with commands in a table of import paths. Its help lists them without importing any of them.

    `lazy`: command name to its import path and help line.
    """

    def __init__(self, *args: Any, lazy: Mapping[str, LazyCommand], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = dict(lazy)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the imported commands in the order of their definition, then those of the table."""
        return [*self.commands, *self._lazy]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None; the module of a command of the table is imported now."""
        if cmd_name not in self._lazy:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self._lazy[cmd_name].import_path.partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As `click.Group.resolve_command`, but the suggestions for an unknown name include the table's commands.

        Raises NoSuchCommand when the first argument is not a command.
        """
        command_names = self.list_commands(ctx)
        if args and args[0] not in command_names and not args[0].startswith("-"):
            raise click.exceptions.NoSuchCommand(args[0], possibilities=command_names, ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the name and the help line of each command."""
        imported = [(name, command.get_short_help_str(_HELP_WIDTH)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl([*imported, *((name, entry.help) for name, entry in self._lazy.items())])


COMMANDS: dict[str, LazyCommand] = {
    "standalone": LazyCommand(
        "gnomon.entry.cli.services:standalone", "Run all services on this machine, for one home."
    ),
    "dags": LazyCommand("gnomon.entry.cli.dags:dags", "List, show, test, trigger, pause, unpause and delete DAGs."),
    "runs": LazyCommand("gnomon.entry.cli.runs:runs", "List, show, wait for, clear, mark and release runs."),
    "backfill": LazyCommand(
        "gnomon.entry.cli.backfill:backfill", "Run past slots of a DAG; list, show, pause, cancel backfills."
    ),
    "tasks": LazyCommand(
        "gnomon.entry.cli.tasks:tasks", "List tasks; show states and logs, clear, mark and answer tasks of a run."
    ),
    "grid": LazyCommand("gnomon.entry.cli.grid:grid", "Show the last runs of a DAG as a grid."),
    "top": LazyCommand("gnomon.entry.cli.top:top", "Show what runs, what waits and what is late, again and again."),
    "xcom": LazyCommand("gnomon.entry.cli.xcom:xcom", "List, get, set and delete the XComs of a run."),
    "slots": LazyCommand("gnomon.entry.cli.slots:slots", "Find slots that have neither a run nor a reason."),
    "timetables": LazyCommand("gnomon.entry.cli.timetables:timetables", "Preview, compare and check schedules."),
    "dependencies": LazyCommand(
        "gnomon.entry.cli.dependencies:dependencies", "Show which DAGs wait for which; preview the waits of a day."
    ),
    "explain": LazyCommand("gnomon.entry.cli.explain:explain", "Explain why a DAG, a run or a task is not running."),
    "baselines": LazyCommand(
        "gnomon.entry.cli.baselines:baselines", "How promised ends stand: level, probability, key path."
    ),
    "forecast": LazyCommand(
        "gnomon.entry.cli.forecast:forecast",
        "When the coming runs will probably start and end, how full pools will be.",
    ),
    "simulate": LazyCommand(
        "gnomon.entry.cli.simulate:simulate", "Run the DAGs of a folder in memory: when each run would start and end."
    ),
    "failures": LazyCommand("gnomon.entry.cli.failures:failures", "List what failed, why, and what it holds up."),
    "alerts": LazyCommand(
        "gnomon.entry.cli.alerts:alerts", "List alerts, rules, channels and messages; try a channel."
    ),
    "assets": LazyCommand(
        "gnomon.entry.cli.assets:assets", "List and show assets and their events; run the DAG that writes one."
    ),
    "calendars": LazyCommand(
        "gnomon.entry.cli.calendars:calendars", "List and show the business calendars of gnomon.toml."
    ),
    "pools": LazyCommand("gnomon.entry.cli.pools:pools", "List, set, delete, import and export pools."),
    "quarantine": LazyCommand(
        "gnomon.entry.cli.quarantine:quarantine", "List, show, put back, discard what schedulers set aside."
    ),
    "plugins": LazyCommand("gnomon.entry.cli.plugins:plugins", "List plugins and what they provide."),
    "variables": LazyCommand(
        "gnomon.entry.cli.variables:variables", "List, get, set, delete, import and export Variables."
    ),
    "connections": LazyCommand(
        "gnomon.entry.cli.connections:connections", "List, get, add, set, delete, test, import, export connections."
    ),
    "users": LazyCommand("gnomon.entry.cli.users:users", "Accounts of the API: list, create, change, delete."),
    "tokens": LazyCommand("gnomon.entry.cli.tokens:tokens", "API tokens of programs: create, list, revoke."),
    "login": LazyCommand("gnomon.entry.cli.login:login", "Log in at an API; `--api` then needs no token."),
    "logout": LazyCommand("gnomon.entry.cli.login:logout", "Forget the token of a login."),
    "state-store": LazyCommand(
        "gnomon.entry.cli.state_store:state_store",
        "Show and change what tasks and assets keep; delete what has expired.",
    ),
    "audit": LazyCommand("gnomon.entry.cli.audit:audit", "Who changed what, when and from where."),
    "services": LazyCommand(
        "gnomon.entry.cli.registered_services:services", "List the registered processes of the services."
    ),
    "providers": LazyCommand(
        "gnomon.airflow_compat.migration.providers.provider_commands:providers",
        "Install, list and check provider packages of Airflow.",
    ),
    "migrate": LazyCommand(
        "gnomon.airflow_compat.migration.migrate_commands:migrate",
        "Check a repository of Airflow; import its connections, variables, pools.",
    ),
    "config": LazyCommand("gnomon.entry.cli.config:config", "Show every option, its value and its source."),
    "dialect": LazyCommand(
        "gnomon.entry.cli.dialect:dialect", "Let every Python program of this environment import airflow."
    ),
    "db": LazyCommand("gnomon.entry.cli.db:db", "Migrate, check, clean, back up and restore the database."),
    "doctor": LazyCommand("gnomon.entry.cli.doctor:doctor", "Check the installation; each line with its remedy."),
    "scheduler": LazyCommand("gnomon.entry.cli.services:scheduler", "Run the scheduler in the foreground."),
    "worker": LazyCommand("gnomon.entry.cli.services:worker", "Run a worker in the foreground."),
    "celery": LazyCommand(
        "gnomon.entry.cli.celery:celery", "Run workers of the CeleryExecutor, and Flower beside their broker."
    ),
    "kubernetes": LazyCommand("gnomon.entry.cli.kubernetes:kubernetes", "Run what pods of the KubernetesExecutor run."),
    "triggerer": LazyCommand(
        "gnomon.entry.cli.services:triggerer", "Run a triggerer in the foreground; reload changed triggers."
    ),
    "dag-processor": LazyCommand("gnomon.entry.cli.services:dag_processor", "Run the DAG processor in the foreground."),
    "monitor": LazyCommand(
        "gnomon.entry.cli.services:monitor", "Run the monitor in the foreground: alerts, nightly clean."
    ),
    "api-server": LazyCommand("gnomon.entry.cli.services:api_server", "Run the API server in the foreground."),
    "completion": LazyCommand(
        "gnomon.entry.cli.completion.completion_command:completion", "Print or install the completion of a shell."
    ),
    "version": LazyCommand("gnomon.entry.cli.version:version", "Print the version."),
}


def _print_version(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:
    if is_asked and not ctx.resilient_parsing:
        from gnomon.entry.cli.version import print_version  # start-up cost: the metadata of packages

        print_version()
        ctx.exit()


_ABOUT_THE_PROGRAM = frozenset({"completion", "dialect", "logout", "version"})
"""Commands that are about no deployment: neither about a home nor about an API."""


@click.group(cls=LazyGroup, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
@functools.partial(api_options, hidden=False)
@click.pass_context
def root(context: click.Context) -> None:
    """Gnomon, a workflow scheduler: each run is made once, at the time that its timetable says; `gnomon explain` says why a
    run or a task waits.

    All files of an installation are below GNOMON_HOME (default: ~/gnomon). With --api, commands of every day work on a deployment elsewhere.
    """
    if context.invoked_subcommand in _ABOUT_THE_PROGRAM:
        refuse_api(context, context.invoked_subcommand)
