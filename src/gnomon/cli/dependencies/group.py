"""`gnomon dependencies`: who waits for whom."""

from __future__ import annotations

import click

from gnomon.cli.lazy import Lazy, LazyGroup

_COMMANDS = {
    "preview": Lazy("gnomon.cli.dependencies.preview:preview", "Which upstream runs each run of a day waits for, drawn."),
    "graph": Lazy("gnomon.cli.dependencies.graph:graph", "Who waits for whom, over all DAGs, and what is wrong."),
}


@click.group(cls=LazyGroup, lazy=_COMMANDS)
def dependencies() -> None:
    """Waits between DAGs: preview, graph."""
