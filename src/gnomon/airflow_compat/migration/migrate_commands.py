"""`gnomon migrate`: checks a repository that was written for Airflow, and imports what an Airflow installation has stored."""

from __future__ import annotations

import click

from gnomon.entry.cli.commands import LazyCommand, LazyGroup

_COMMANDS = {
    "check": LazyCommand(
        "gnomon.airflow_compat.migration.repository.check_command:check",
        "Read a folder of DAG files without running them: what runs, what differs.",
    ),
    "import": LazyCommand(
        "gnomon.airflow_compat.migration.records.import_command:import_",
        "Take connections, variables and pools from Airflow.",
    ),
}


@click.group(cls=LazyGroup, lazy=_COMMANDS)
def migrate() -> None:
    """Move from Airflow: check a repository of DAG files, import connections, variables and pools."""
