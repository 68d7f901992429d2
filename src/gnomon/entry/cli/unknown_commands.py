"""What a command is called that Gnomon does not have under the name that a user has typed."""

from __future__ import annotations

import click

from gnomon.entry.cli.completion.command_table import ARGUMENTS

OF_AIRFLOW = {
    "assets details": "assets show",
    "dags backfill": "backfill create",
    "dags clear": "runs clear",
    "dags details": "dags show",
    "dags list-import-errors": "dags errors",
    "dags list-jobs": "services",
    "dags list-runs": "runs list",
    "dags next-execution": "dags next-runs",
    "dags show-dependencies": "dependencies graph",
    "dags state": "runs show",
    "datasets": "assets list",
    "db check-migrations": "db check",
    "db init": "db migrate",
    "db upgrade": "db migrate",
    "info": "doctor",
    "jobs": "services",
    "partitions": "runs clear",
    "pools get": "pools list",
    "providers get": "providers list",
    "roles": "users list",
    "tasks failed-deps": "explain",
    "tasks state": "tasks states",
    "tasks states-for-dag-run": "tasks states",
    "webserver": "api-server",
}
"""Commands of Airflow 2 and 3 (airflow-surface.md F) whose names differ, to ours."""
_SYNONYMS = (
    ("add", "create", "set", "new"),
    ("delete", "remove", "rm"),
    ("show", "get", "details", "describe", "info"),
    ("list", "ls"),
)
_SUGGESTED_MAX = 3


def find_commands(group: str, name: str) -> list[str]:
    """The commands that may be meant, as `dags trigger`: that of Airflow's name, one of the group with a like meaning, or those of other groups with that name.

    `group`: the words before the name, "" for none. [] when there is none, or more than three.
    """
    typed = f"{group} {name}".strip()
    if typed in OF_AIRFLOW:
        return [OF_AIRFLOW[typed]]
    alike = {word for words in _SYNONYMS if name in words for word in words}
    of_group = [
        command
        for command in ARGUMENTS
        if group and command.rpartition(" ")[0] == group and command.rpartition(" ")[2] in alike
    ]
    commands = of_group or [command for command in ARGUMENTS if command.rpartition(" ")[2] == name]
    return commands if len(commands) <= _SUGGESTED_MAX else []


def add_suggestion(error: click.exceptions.NoSuchCommand) -> click.exceptions.NoSuchCommand:
    """The error with the commands that may be meant, if there are any; else it names similar commands of the group."""
    group = "" if error.ctx is None else " ".join(error.ctx.command_path.split()[1:])
    commands = find_commands(group, error.command_name)
    if not commands:
        return error
    names = " or ".join(f"'gnomon {command}'" for command in commands)
    return click.exceptions.NoSuchCommand(error.command_name, f"{error.message} Did you mean {names}?", ctx=error.ctx)
