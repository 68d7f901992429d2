"""`gnomon version`."""

from __future__ import annotations

from importlib import metadata

import click


@click.command()
def version() -> None:
    """Print the version of the installed package."""
    print_version()


def print_version() -> None:
    """Write the version of the installed package to stdout. Raises ClickException when Gnomon is not installed."""
    try:
        click.echo(metadata.version("gnomon"))
    except metadata.PackageNotFoundError:
        raise click.ClickException("gnomon runs from a source tree that is not installed") from None
