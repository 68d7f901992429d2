"""`gnomon dependencies`: which runs wait for runs of other DAGs. One command a file."""

from __future__ import annotations

import click

from gnomon.cli.commands import LazyCommand, LazyGroup

_COMMANDS = {
    "preview": LazyCommand("gnomon.cli.dependencies.dependency_preview:preview", "Which upstream runs each run of a day waits for, drawn."),
    "graph": LazyCommand("gnomon.cli.dependencies.dependency_graph:graph", "Who waits for whom, over all DAGs, and what is wrong."),
}


@click.group(cls=LazyGroup, lazy=_COMMANDS)
def dependencies() -> None:
    """Waits between DAGs: preview, graph."""
