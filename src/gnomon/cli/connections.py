"""`gnomon connections`: list, get, add, set, delete, test, import and export connections."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gnomon.actions.author_queries import make_question_handler
from gnomon.actions.connection_checks import check_stored_connection
from gnomon.cli.connection_files import export, import_
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import format_fields, output_option, print_document, print_records
from gnomon.cli.secret_input import read_secret
from gnomon.errors.authoring import AirflowException
from gnomon.errors.product import UserError, find_close_matches
from gnomon.report.listings.connection_list import ConnectionRow, make_row, to_connection, to_stored
from gnomon.report.listings.not_found import connection_not_found
from gnomon.sdk.runtime.connection import Connection
from gnomon.store.admin import connections as store
from gnomon.timetable_host import ask_and_wait

if TYPE_CHECKING:
    from gnomon.store import Database

F = TypeVar("F", bound=Callable[..., Any])
_CONN_ID = re.compile(r"[\w#!()\-.:/\\]{1,250}")
"""As in Airflow."""
_FIELDS = ("conn_type", "description", "host", "login", "password", "schema", "port", "extra")
_TYPES = "gnomon.sdk.runtime.connection_check:list_connection_types"


@dataclass(frozen=True, slots=True)
class _GivenFields:
    """What the options of `add` and `set` say."""

    uri: str | None
    json: str | None
    fields: dict[str, Any]


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
        click.option("--conn-uri", metavar="URI", is_flag=False, flag_value="-", help="The whole connection as a URI; - or no URI: read it from the terminal or stdin."),
        click.option("--conn-json", metavar="JSON", is_flag=False, flag_value="-", help="The whole connection as a JSON object; - as for --conn-uri."),
        click.option("--conn-type", help="Type, such as postgres or http."),
        click.option("--conn-description", help="Description."),
        click.option("--conn-host", help="Host name or address."),
        click.option("--conn-login", help="Login."),
        click.option("--conn-password", is_flag=False, flag_value="-", help="Password; - or no password: read it from the terminal or stdin, so that it is not in the list of processes."),
        click.option("--conn-schema", help="Schema, or the name of the database."),
        click.option("--conn-port", type=click.IntRange(0, 65535), help="Port."),
        click.option("--conn-extra", metavar="JSON", help="Further fields, as a JSON object."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@connections.command("list")
@click.option("--conn-id", help="Only this connection.")
@output_option
@pass_home
def list_(home: Home, conn_id: str | None, output: str) -> None:
    """List the stored connections, with masked passwords and extras."""
    with home.store() as db, db.read() as tx:
        stored = store.list_connections(tx)
    if conn_id is not None:
        found = [one for one in stored if one.conn_id == conn_id]
        if not found:
            raise connection_not_found(conn_id, [one.conn_id for one in stored])
        stored = found
    columns = ("conn_id", "conn_type", "host", "port", "schema", "login", "description")
    print_records([make_row(one, shows_secrets=False) for one in stored], output, columns, empty="no connections; `gnomon connections add` adds one")


@connections.command()
@click.argument("conn_id")
@click.option("--show-secrets", is_flag=True, help="Show the password and the secrets in the extra.")
@output_option
@pass_home
def get(home: Home, conn_id: str, show_secrets: bool, output: str) -> None:
    """Show the stored connection CONN_ID. Its secrets are masked without --show-secrets."""
    with home.store() as db:
        row = make_row(_find(db, conn_id), shows_secrets=show_secrets)
    fields = {name: getattr(row, name) for name in ConnectionRow.__dataclass_fields__}
    if output == "table":
        click.echo(format_fields(list(fields.items())))
    else:
        print_document(fields, output)


@connections.command()
@click.argument("conn_id")
@_field_options
@pass_home
def add(home: Home, /, conn_id: str, conn_uri: str | None, conn_json: str | None, **fields: Any) -> None:
    """Add the connection CONN_ID: --conn-uri, --conn-json, or --conn-type and single fields."""
    _check_id(conn_id)
    given = _read_options(conn_uri, conn_json, fields)
    made = _make_connection(conn_id, given, None)
    with home.store() as db:
        db.bind_key()  # raises when this host has another key: with it, no other host could decrypt the secrets
        with db.write() as tx:
            if store.get_connection(tx, conn_id) is not None:
                raise UserError(f"there is a connection {conn_id!r} already; change it with `gnomon connections set`, or delete it first")
            home.changes(tx).set_connection(to_stored(made))
    click.echo(f"added connection {conn_id}")
    _warn_of_unknown_type(home, made)


@connections.command("set")
@click.argument("conn_id")
@_field_options
@pass_home
def set_(home: Home, /, conn_id: str, conn_uri: str | None, conn_json: str | None, **fields: Any) -> None:
    """Change the given fields of CONN_ID, or add it. --conn-uri and --conn-json replace all its fields."""
    _check_id(conn_id)
    given = _read_options(conn_uri, conn_json, fields)
    with home.store() as db:
        db.bind_key()
        with db.write() as tx:
            made = _make_connection(conn_id, given, store.get_connection(tx, conn_id))
            home.changes(tx).set_connection(to_stored(made))
    click.echo(f"set connection {conn_id}")
    _warn_of_unknown_type(home, made)


@connections.command()
@click.argument("conn_id")
@pass_home
def delete(home: Home, conn_id: str) -> None:
    """Delete the connection CONN_ID."""
    with home.store() as db, db.write() as tx:
        if not home.changes(tx).delete_connection(conn_id):
            raise connection_not_found(conn_id, [one.conn_id for one in store.list_connections(tx)])
    click.echo(f"deleted connection {conn_id}")


@connections.command()
@click.argument("conn_id")
@pass_home
def test(home: Home, conn_id: str) -> int:
    """Test the stored connection CONN_ID with the hook of its type. Exit code 0 if the system answers, else 1.

    The hook runs in a process of its own, under a time limit. The option [core] test_connection limits only the API:
    whoever can read the key of the database may use its connections.
    """
    with home.store() as db:
        stored = _find(db, conn_id)
    check = check_stored_connection(home.cfg, stored)
    if not check.is_ok:
        raise UserError(f"connection {conn_id} failed its test: {check.message}")
    click.echo(f"connection {conn_id}: {check.message}")
    return 0


def _find(db: Database, conn_id: str) -> store.StoredConnection:
    with db.read() as tx:
        found = store.get_connection(tx, conn_id)
        if found is None:
            raise connection_not_found(conn_id, [one.conn_id for one in store.list_connections(tx)])
    return found


def _check_id(conn_id: str) -> None:
    if not _CONN_ID.fullmatch(conn_id):
        raise UserError(f"{conn_id!r} cannot be the id of a connection: use letters, digits and # ! ( ) - . : / \\ _, at most 250 of them")


def _read_options(uri: str | None, json: str | None, fields: dict[str, Any]) -> _GivenFields:
    """The options; secrets given as `-` are read from the terminal or stdin. Raises UserError for options that exclude each other."""
    given = {name: fields[f"conn_{name.removeprefix('conn_')}"] for name in _FIELDS if fields[f"conn_{name.removeprefix('conn_')}"] is not None}
    options = [f"--conn-{name.removeprefix('conn_')}" for name in given if name != "description"]
    if uri is not None and json is not None:
        raise UserError("give either --conn-uri or --conn-json, not both")
    whole = "--conn-uri" if uri is not None else "--conn-json" if json is not None else None
    if whole and options:
        raise UserError(f"{whole} is the whole connection: leave {', '.join(options)} out, or leave {whole} out")
    if not whole and not given:
        raise UserError("nothing is given; give --conn-uri, --conn-json, or --conn-type and other fields (`gnomon connections add --help`)")
    if given.get("password") == "-":
        given["password"] = read_secret("Password")
    return _GivenFields(read_secret("URI") if uri == "-" else uri, read_secret("JSON") if json == "-" else json, given)


def _make_connection(conn_id: str, given: _GivenFields, existing: store.StoredConnection | None) -> Connection:
    """The connection that the options describe; single fields change the existing one. Raises UserError."""
    try:
        made = _apply(conn_id, given, existing)
    except AirflowException as error:
        raise UserError(str(error)) from None
    if not made.conn_type:
        raise UserError(f"connection {conn_id!r} has no type; give --conn-type, such as postgres, http or generic, or a URI that begins with one")
    return made


def _apply(conn_id: str, given: _GivenFields, existing: store.StoredConnection | None) -> Connection:
    if given.uri is not None or given.json is not None:
        made = Connection.from_uri(given.uri, conn_id) if given.uri is not None else Connection.from_json(given.json or "", conn_id)
        if "description" in given.fields:
            made.description = given.fields["description"]
    elif existing is not None:
        made = to_connection(replace(existing, **given.fields))
    else:
        made = Connection(conn_id, **given.fields)
    return made


def _warn_of_unknown_type(home: Home, connection: Connection) -> None:
    """Warn when no installed package has a hook for the type. The packages are asked in a process of their own."""
    known: list[str] = ask_and_wait(home.cfg, _TYPES, list[str], imports=True, answers=make_question_handler(home.cfg))
    kind = connection.conn_type or ""
    if kind not in known and kind != "generic":
        near = find_close_matches(kind, known)
        hint = f"Did you mean {near[0]!r}?" if near else "Install the provider package of that system, if a hook shall use the connection."
        click.echo(f"gnomon: warning: no installed package has a hook for connections of type {kind!r}. {hint}", err=True)
