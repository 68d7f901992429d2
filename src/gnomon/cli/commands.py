"""The table of commands: which exist, in which order help shows them, and where each is defined."""

from __future__ import annotations

import click

from gnomon.cli.lazy import Lazy, LazyGroup

COMMANDS: dict[str, Lazy] = {
    "standalone": Lazy("gnomon.cli.services:standalone", "Run everything on this machine, in one home."),
    "dags": Lazy("gnomon.cli.dags:dags", "List, show, test, trigger, pause, unpause and delete DAGs."),
    "runs": Lazy("gnomon.cli.runs:runs", "List, show, clear, mark and release runs."),
    "tasks": Lazy("gnomon.cli.tasks:tasks", "List tasks; states, logs, clear and mark in a run."),
    "timetables": Lazy("gnomon.cli.timetables.group:timetables", "Preview, compare and check schedules."),
    "dependencies": Lazy("gnomon.cli.dependencies.group:dependencies", "Who waits for whom; the waits of a day, drawn before they happen."),
    "explain": Lazy("gnomon.cli.explain:explain", "Why a DAG, a run or a task is not running."),
    "calendars": Lazy("gnomon.cli.calendars:calendars", "List and show the business calendars of gnomon.toml."),
    "pools": Lazy("gnomon.cli.pools:pools", "List, set and delete pools."),
    "plugins": Lazy("gnomon.cli.plugins:plugins", "List plugins, and what they bring."),
    "variables": Lazy("gnomon.cli.variables:variables", "List, get, set and delete Variables."),
    "config": Lazy("gnomon.cli.config:config", "Show every option, its value and where it came from."),
    "db": Lazy("gnomon.cli.db:db", "Migrate and check the database; replace a lost key."),
    "scheduler": Lazy("gnomon.cli.services:scheduler", "Run the scheduler in the foreground."),
    "worker": Lazy("gnomon.cli.services:worker", "Run a worker in the foreground."),
    "triggerer": Lazy("gnomon.cli.triggerer:triggerer", "Run a triggerer in the foreground; reload its hosts."),
    "dag-processor": Lazy("gnomon.cli.services:dag_processor", "Run the DAG processor in the foreground."),
    "api-server": Lazy("gnomon.cli.services:api_server", "Run the API server in the foreground."),
    "version": Lazy("gnomon.cli.version:version", "Print the version."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
def root() -> None:
    """Gnomon: every run exactly when its timetable says, once, and you can ask why.

    Everything lives below GNOMON_HOME (default: ~/gnomon).
    """
