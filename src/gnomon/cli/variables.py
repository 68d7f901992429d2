"""`gnomon variables`: list, get, set and delete the Variables that DAG files and tasks read."""

from __future__ import annotations

from dataclasses import dataclass

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_records
from gnomon.report.listings.not_found import variable_not_found
from gnomon.store.admin import variables as store


@dataclass(frozen=True, slots=True)
class VariableRow:
    """A Variable as listings print it."""

    key: str
    value: str | None
    """None without --show-values."""
    description: str | None


@click.group()
def variables() -> None:
    """List, get, set and delete Variables."""


@variables.command("list")
@click.option("--show-values", is_flag=True, help="Show the values too.")
@output_option
@pass_home
def list_(home: Home, show_values: bool, output: str) -> None:
    """List the keys of all Variables."""
    with home.store() as db, db.read() as tx:
        rows = [_row(v, show_values) for v in store.list_variables(tx)]
    print_records(rows, output, ("key", "value", "description") if show_values else ("key", "description"), empty="no Variables")


@variables.command()
@click.argument("key")
@click.option("--default", help="Printed when the Variable does not exist.")
@pass_home
def get(home: Home, key: str, default: str | None) -> None:
    """Print the value of KEY."""
    with home.store() as db, db.read() as tx:
        value = store.get_variable(tx, key)
        if value is None and default is None:
            raise variable_not_found(key, store.list_variable_keys(tx))
    click.echo(default if value is None else value)


@variables.command("set")
@click.argument("key")
@click.argument("value")
@click.option("--description", help="Description of the Variable.")
@pass_home
def set_(home: Home, key: str, value: str, description: str | None) -> None:
    """Set the Variable KEY to the text VALUE."""
    with home.store() as db:
        db.bind_key()  # raises when this host has another key: with it, no other host could decrypt the value
        with db.write() as tx:
            store.set_variable(tx, key, value, description)
    click.echo(f"set Variable {key}")


@variables.command()
@click.argument("key")
@pass_home
def delete(home: Home, key: str) -> None:
    """Delete the Variable KEY."""
    with home.store() as db, db.write() as tx:
        if not store.delete_variable(tx, key):
            raise variable_not_found(key, store.list_variable_keys(tx))
    click.echo(f"deleted Variable {key}")


def _row(variable: store.StoredVariable, show_value: bool) -> VariableRow:
    return VariableRow(variable.key, variable.value if show_value else None, variable.description)
