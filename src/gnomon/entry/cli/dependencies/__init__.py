"""`gnomon dependencies`: which DAGs and runs wait for others. One file a command; `dag_lookup.py` finds the DAGs."""

from __future__ import annotations

import click

from gnomon.entry.cli.commands import LazyCommand, LazyGroup

_COMMANDS = {
    "preview": LazyCommand(
        "gnomon.entry.cli.dependencies.dependency_preview:preview",
        "Show which upstream slots each run of a day waits for.",
    ),
    "graph": LazyCommand(
        "gnomon.entry.cli.dependencies.dependency_graph:graph",
        "Show which DAGs wait for which, and errors in their dependencies.",
    ),
}


@click.group(cls=LazyGroup, lazy=_COMMANDS)
def dependencies() -> None:
    """Show the dependencies between DAGs, and preview their waits."""
