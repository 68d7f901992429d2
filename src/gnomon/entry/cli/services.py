"""The commands that run services in the foreground: each blocks until SIGTERM or Ctrl-C and returns the exit code."""

from __future__ import annotations

import click

from gnomon.entry.app import services
from gnomon.entry.app.standalone import run_standalone
from gnomon.entry.app.triggerer_wiring import reload_triggerers
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say

_PORT = click.option(
    "-p", "--port", type=IntegerRange(0, 65535), help="Port of the API server; default: option api.port."
)


@click.command()
@_PORT
@pass_home
def standalone(home: Home, port: int | None) -> int:
    """Run all services on this machine: scheduler, worker, triggerer, DAG processor, API server."""
    return run_standalone(home.cfg, port)


@click.command()
@pass_home
def scheduler(home: Home) -> int:
    """Run the scheduler until it is stopped."""
    return services.serve_scheduler(home.cfg)


@click.command()
@pass_home
def worker(home: Home) -> int:
    """Run a worker until it is stopped; its running tasks are stopped with it."""
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
    """Serve the web page and the API until it is stopped."""
    return services.serve_api_server(home.cfg, port)


@click.command()
@pass_home
def monitor(home: Home) -> int:
    """Evaluate rules of alerts and send messages until it is stopped. Further monitors stand by."""
    return services.serve_monitor(home.cfg)


@click.group(invoke_without_command=True)
@click.option(
    "--capacity", type=IntegerRange(1), help="Maximum number of triggers at a time; default: option triggerer.capacity."
)
@click.option(
    "--queues", help="Comma-separated queue names: take only triggers of these queues and triggers without a queue."
)
@pass_home
@click.pass_context
def triggerer(context: click.Context, home: Home, capacity: int | None, queues: str | None) -> int:
    """Run a triggerer until it is stopped; other triggerers then take over its triggers at once."""
    if context.invoked_subcommand is not None:
        return 0
    names = None if queues is None else tuple(name.strip() for name in queues.split(",") if name.strip())
    return services.serve_triggerer(home.cfg, capacity, names)


@triggerer.command()
@pass_home
def reload(home: Home) -> None:
    """Make the triggerers of this home on this machine import the code of triggers again.

    All their triggers are started again with the new code; no event is lost.
    """
    count = reload_triggerers(home.cfg)
    if not count:
        raise UserError(say("no_triggerer_on_machine"))
    click.echo(f"{count} triggerer{'s restart' if count != 1 else ' restarts'} all triggers with the current code")
