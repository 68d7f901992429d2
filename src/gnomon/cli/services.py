"""The services in the foreground: each blocks until SIGTERM or Ctrl-C and decides the exit code."""

from __future__ import annotations

import click

from gnomon.app import services
from gnomon.app.standalone import run as run_standalone
from gnomon.cli.home import Home, pass_home

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
    return services.scheduler(home.cfg)


@click.command()
@pass_home
def worker(home: Home) -> int:
    """Run a worker until it is stopped; its tasks are stopped with it."""
    return services.worker(home.cfg)


@click.command("dag-processor")
@pass_home
def dag_processor(home: Home) -> int:
    """Read DAG files into the database until it is stopped."""
    return services.dag_processor(home.cfg)


@click.command("api-server")
@_PORT
@pass_home
def api_server(home: Home, port: int | None) -> int:
    """Serve the page and the API until it is stopped."""
    return services.api_server(home.cfg, port)
