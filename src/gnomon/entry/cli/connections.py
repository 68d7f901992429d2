"""`gnomon connections`: list, get, add, set, delete, test, import and export connections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

import click

from gnomon.changes.actions.connection_checks import check_stored_connection
from gnomon.changes.operations import connection_operations as operations
from gnomon.changes.operations.connection_operations import FIELDS, GivenConnection
from gnomon.entry.cli.connection_files import export, import_
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import format_fields, output_option, print_document, print_records
from gnomon.entry.cli.secret_input import read_secret
from gnomon.model.errors.product import UserError, find_close_matches
from gnomon.model.sentences import Command, say
from gnomon.queries.report.listings.not_found import connection_not_found
from gnomon.storage.store.admin import connections as store

F = TypeVar("F", bound=Callable[..., Any])


@click.group()
def connections() -> None:
    """Connections: addresses and logins of other systems, for hooks. Passwords and extras are encrypted in the database.

    A change is seen by the next task that reads the connection. An environment variable GNOMON_CONN_ID or AIRFLOW_CONN_ID, and
    a secrets backend, take precedence over the stored connection.
    """


connections.add_command(import_)
connections.add_command(export)


def _field_options(command: F) -> F:
    options = (
        click.option(
            "--conn-uri",
            metavar="URI",
            is_flag=False,
            flag_value="-",
            help="The whole connection as a URI; - or no URI: read it from the terminal or stdin.",
        ),
        click.option(
            "--conn-json",
            metavar="JSON",
            is_flag=False,
            flag_value="-",
            help="The whole connection as a JSON object; - as for --conn-uri.",
        ),
        click.option("--conn-type", help="Type, such as postgres or http."),
        click.option("--conn-description", help="Description."),
        click.option("--conn-host", help="Host name or address."),
        click.option("--conn-login", help="Login."),
        click.option(
            "--conn-password",
            is_flag=False,
            flag_value="-",
            help="Password; - or no password: read it from the terminal or stdin, so that it is not in the list of processes.",
        ),
        click.option("--conn-schema", help="Schema, or the name of the database."),
        click.option("--conn-port", type=IntegerRange(0, 65535), help="Port."),
        click.option("--conn-extra", metavar="JSON", help="Further fields, as a JSON object."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@connections.command("list")
@click.option("--conn-id", help="Only this connection.")
@output_option
@pass_deployment
def list_(deployment: DeploymentAccess, conn_id: str | None, output: str) -> None:
    """List the stored connections, with masked passwords and extras."""
    rows = deployment.perform(operations.list_connections, conn_id)
    columns = ("conn_id", "conn_type", "host", "port", "schema", "login", "description")
    print_records(rows, output, columns, empty="no connections; `gnomon connections add` adds one")


@connections.command()
@click.argument("conn_id")
@click.option("--show-secrets", is_flag=True, help="Show the password and the secrets in the extra.")
@output_option
@pass_deployment
def get(deployment: DeploymentAccess, conn_id: str, show_secrets: bool, output: str) -> None:
    """Show the stored connection CONN_ID. Its secrets are masked without --show-secrets."""
    fields = asdict(deployment.perform(operations.get_connection, conn_id, show_secrets))
    if output == "table":
        click.echo(format_fields(list(fields.items())))
    else:
        print_document(fields, output)


@connections.command()
@click.argument("conn_id")
@_field_options
@pass_deployment
def add(
    deployment: DeploymentAccess, /, conn_id: str, conn_uri: str | None, conn_json: str | None, **fields: Any
) -> None:
    """Add the connection CONN_ID: --conn-uri, --conn-json, or --conn-type and single fields."""
    kind = deployment.perform(operations.add_connection, conn_id, _read_options(conn_uri, conn_json, fields))
    click.echo(f"added connection {conn_id}")
    _warn_of_unknown_type(deployment, kind)


@connections.command("set")
@click.argument("conn_id")
@_field_options
@pass_deployment
def set_(
    deployment: DeploymentAccess, /, conn_id: str, conn_uri: str | None, conn_json: str | None, **fields: Any
) -> None:
    """Change the given fields of CONN_ID, or add it. --conn-uri and --conn-json replace all its fields."""
    kind = deployment.perform(operations.set_connection, conn_id, _read_options(conn_uri, conn_json, fields))
    click.echo(f"set connection {conn_id}")
    _warn_of_unknown_type(deployment, kind)


@connections.command()
@click.argument("conn_id")
@pass_deployment
def delete(deployment: DeploymentAccess, conn_id: str) -> None:
    """Delete the connection CONN_ID."""
    deployment.perform(operations.delete_connection, conn_id)
    click.echo(f"deleted connection {conn_id}")


@connections.command()
@click.argument("conn_id")
@pass_home
def test(home: Home, conn_id: str) -> int:
    """Test the stored connection CONN_ID with the hook of its type. Exit code 0 if the system answers, else 1.

    The hook runs in a process of its own, under a time limit. The option [core] test_connection limits only the API:
    whoever can read the key of the database may use its connections.
    """
    with home.store() as db, db.read() as tx:
        connection = store.get_connection(tx, conn_id)
        if connection is None:
            raise connection_not_found(
                conn_id, [known_connection.conn_id for known_connection in store.list_connections(tx)]
            )
    check = check_stored_connection(home.cfg, connection)
    if not check.is_ok:
        raise UserError(say("connection_failed_test", name=conn_id, error=check.message))
    click.echo(f"connection {conn_id}: {check.message}")
    return 0


def _read_options(uri: str | None, json: str | None, fields: dict[str, Any]) -> GivenConnection:
    """The options; secrets given as `-` are read from the terminal or stdin. Raises UserError for options that exclude each other."""
    options_with_values = {
        name: fields[f"conn_{name.removeprefix('conn_')}"]
        for name in FIELDS
        if fields[f"conn_{name.removeprefix('conn_')}"] is not None
    }
    options = [f"--conn-{name.removeprefix('conn_')}" for name in options_with_values if name != "description"]
    if uri is not None and json is not None:
        raise UserError(say("uri_excludes_json"))
    whole = "--conn-uri" if uri is not None else "--conn-json" if json is not None else None
    if whole and options:
        raise UserError(say("option_is_whole_connection", option=whole, options=", ".join(options)))
    if not whole and not options_with_values:
        raise UserError(say("connection_is_not_given", command=Command("connections add", (), ("--help",))))
    if options_with_values.get("password") == "-":
        options_with_values["password"] = read_secret("Password")
    return GivenConnection(
        read_secret("URI") if uri == "-" else uri, read_secret("JSON") if json == "-" else json, options_with_values
    )


def _warn_of_unknown_type(deployment: DeploymentAccess, kind: str) -> None:
    """Warn when no installed package has a hook for the type."""
    known_types = deployment.perform(operations.list_connection_types)
    if kind not in known_types and kind != "generic":
        near = find_close_matches(kind, known_types)
        hint = (
            f"Did you mean {near[0]!r}?"
            if near
            else "Install the provider package of that system, if a hook shall use the connection."
        )
        click.echo(
            f"gnomon: warning: no installed package has a hook for connections of type {kind!r}. {hint}", err=True
        )
