"""`gnomon connections import` and `export`: files in Airflow's formats."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from gnomon.authoring.sdk.connections.exported_files import FORMATS, find_format, format_connections, read_connections
from gnomon.changes.operations.connection_operations import import_connections
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.private_files import write_private_file
from gnomon.queries.report.listings.connection_list import to_connection, to_stored
from gnomon.storage.store.admin import connections as store

if TYPE_CHECKING:
    from gnomon.authoring.sdk.connections.connection import Connection


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--overwrite", is_flag=True, help="Replace connections that exist; without it they are left as they are.")
@pass_deployment
def import_(deployment: DeploymentAccess, file: str, overwrite: bool) -> None:
    """Add the connections of FILE: .json, .yaml, .yml or .env, as `airflow connections export` and this program write it."""
    connections = read_connections(file)
    for conn_id, connection in connections.items():
        _check(file, conn_id, connection)
    existing_ids = deployment.perform(
        import_connections, [to_stored(connection) for connection in connections.values()], overwrite
    )
    click.echo(f"imported {len(connections) - len(existing_ids)} of {len(connections)} connections from {file}")
    if existing_ids:
        click.echo(
            f"gnomon: warning: these exist and were left as they are (--overwrite replaces them): {', '.join(sorted(existing_ids))}",
            err=True,
        )


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option(
    "--file-format",
    "--format",
    "file_format",
    type=click.Choice(FORMATS),
    help="Format of the file. Default: by the end of its name; json for -.",
)
@click.option(
    "--serialization-format",
    type=click.Choice(("uri", "json")),
    help="In an env file: each connection as a URI (default) or as JSON.",
)
@pass_home
def export(home: Home, file: str, file_format: str | None, serialization_format: str | None) -> None:
    """Write all stored connections to FILE (- for stdout), with their secrets in clear text. Only its owner can read the file."""
    kind = file_format or ("json" if file == "-" else find_format(file))
    if serialization_format is not None and kind != "env":
        raise click.UsageError(
            f"--serialization-format is for --file-format env; a {kind} file has the fields of each connection"
        )
    with home.store() as db, db.read() as tx:
        connections = {connection.conn_id: to_connection(connection) for connection in store.list_connections(tx)}
    text = format_connections(connections, kind, as_json=serialization_format == "json")
    if file == "-":
        sys.stdout.write(text)
        return
    write_private_file(file, text)
    click.echo(f"exported {len(connections)} connections to {file}, with their secrets in clear text")


def _check(file: str, conn_id: str, connection: Connection) -> None:
    if not connection.conn_type:
        raise click.ClickException(
            f"{file}: connection {conn_id!r} has no type; nothing was imported. Give it conn_type, or a URI that begins with it"
        )
