"""`gnomon triggerer`: runs the triggers of deferred tasks; `reload` has it read changed triggers."""

from __future__ import annotations

import click

from gnomon.app import services
from gnomon.app.triggering import reload_triggerers
from gnomon.cli.home import Home, pass_home
from gnomon.errors.product import UserMistake


@click.group(invoke_without_command=True)
@click.option("--capacity", type=click.IntRange(min=1), help="The most triggers at a time; default: option triggerer.capacity.")
@click.option("--queues", help="Comma-separated: only triggers of these queues, and of none.")
@pass_home
@click.pass_context
def triggerer(context: click.Context, home: Home, capacity: int | None, queues: str | None) -> int:
    """Run a triggerer until it is stopped; its triggers are handed to others at once."""
    if context.invoked_subcommand is not None:
        return 0
    named = None if queues is None else tuple(name.strip() for name in queues.split(",") if name.strip())
    return services.triggerer(home.cfg, capacity, named)


@triggerer.command()
@pass_home
def reload(home: Home) -> None:
    """Changed triggers take effect: the triggerers of this home and machine begin theirs anew, and lose none."""
    told = reload_triggerers(home.cfg)
    if not told:
        raise UserMistake("no triggerer of this home runs on this machine; one that starts reads triggers as they are now")
    click.echo(f"{told} triggerer{'s' if told != 1 else ''} begin{'' if told != 1 else 's'} all triggers anew")
