"""`gnomon variables`: list, get, set, delete, import and export the Variables that DAG files and tasks read."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_records
from gnomon.cli.private_files import write_private_file
from gnomon.errors.product import UserError
from gnomon.report.listings.not_found import variable_not_found
from gnomon.sdk.runtime.exported_files import ExportedVariable, find_format, format_variables, read_variables
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
    """List, get, set, delete, import and export Variables."""


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
            home.changes(tx).set_variable(key, value, description)
    click.echo(f"set Variable {key}")


@variables.command()
@click.argument("key")
@pass_home
def delete(home: Home, key: str) -> None:
    """Delete the Variable KEY."""
    with home.store() as db, db.write() as tx:
        if not home.changes(tx).delete_variable(key):
            raise variable_not_found(key, store.list_variable_keys(tx))
    click.echo(f"deleted Variable {key}")


@variables.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("-a", "--action-on-existing-key", "action", type=click.Choice(("overwrite", "fail", "skip")), default="overwrite", show_default=True,
              help="What becomes of Variables that exist.")
@pass_home
def import_(home: Home, file: str, action: str) -> None:
    """Set the Variables of FILE: .json, .yaml, .yml or .env, as `airflow variables export` and this program write it."""
    found = read_variables(file)
    with home.store() as db:
        db.bind_key()
        with db.write() as tx:
            known = sorted(set(found) & set(store.list_variable_keys(tx)))
            if known and action == "fail":
                raise UserError(f"these Variables exist, so nothing was imported: {', '.join(known)}")
            chosen = {key: variable for key, variable in found.items() if action != "skip" or key not in known}
            for key, variable in chosen.items():
                home.changes(tx).set_variable(key, variable.value, variable.description)
    click.echo(f"imported {len(chosen)} of {len(found)} Variables from {file}")
    if len(chosen) < len(found):
        click.echo(f"gnomon: warning: these exist and were left as they are: {', '.join(known)}", err=True)


@variables.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@pass_home
def export(home: Home, file: str) -> None:
    """Write all stored Variables to FILE (.json, .yaml, .yml or .env; - for JSON on stdout). Only its owner can read the file."""
    kind = "json" if file == "-" else find_format(file)
    with home.store() as db, db.read() as tx:
        found = {v.key: ExportedVariable(v.value, v.description) for v in store.list_variables(tx)}
    text = format_variables(found, kind)
    if file == "-":
        sys.stdout.write(text)
        return
    write_private_file(file, text)
    click.echo(f"exported {len(found)} Variables to {file}")


def _row(variable: store.StoredVariable, show_value: bool) -> VariableRow:
    return VariableRow(variable.key, variable.value if show_value else None, variable.description)
