"""The services in the foreground: each blocks until SIGTERM or Ctrl-C and decides the exit code."""

from __future__ import annotations

import click

from gnomon.app import services
from gnomon.app.standalone import run_standalone
from gnomon.app.triggerer_wiring import reload_triggerers
from gnomon.cli.home import Home, pass_home
from gnomon.errors.product import UserError

_PORT = click.option("-p", "--port", type=click.IntRange(0, 65535), help="Port of the page; default: option api.port.")


@click.command()
@_PORT
@pass_home
def standalone(home: Home, port: int | None) -> int:
    """Run everything on this machine: scheduler, worker, DAG processor, API server."""
    return run_standalone(home.cfg, port)


@click.command()
@pass_home
def scheduler(home: Home) -> int:
    """Run the scheduler until it is stopped."""
    return services.serve_scheduler(home.cfg)


@click.command()
@pass_home
def worker(home: Home) -> int:
    """Run a worker until it is stopped; its tasks are stopped with it."""
    return services.serve_worker(home.cfg)


@click.command("dag-processor")
@pass_home
def dag_processor(home: Home) -> int:
    """Read DAG files into the database until it is stopped."""
    return services.serve_dag_processor(home.cfg)


@click.command("api-server")
@_PORT
@pass_home
def api_server(home: Home, port: int | None) -> int:
    """Serve the page and the API until it is stopped."""
    return services.serve_api_server(home.cfg, port)


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
    return services.serve_triggerer(home.cfg, capacity, named)


@triggerer.command()
@pass_home
def reload(home: Home) -> None:
    """Changed triggers take effect: the triggerers of this home and machine begin theirs anew, and lose none."""
    told = reload_triggerers(home.cfg)
    if not told:
        raise UserError("no triggerer of this home runs on this machine; one that starts reads triggers as they are now")
    click.echo(f"{told} triggerer{'s' if told != 1 else ''} begin{'' if told != 1 else 's'} all triggers anew")
