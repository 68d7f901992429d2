"""`gnomon variables`: list, get, set, delete, import and export the Variables that DAG files and tasks read."""

from __future__ import annotations

import sys

import click

from gnomon.authoring.sdk.connections.exported_files import (
    ExportedVariable,
    find_format,
    format_variables,
    read_variables,
)
from gnomon.changes.operations import variable_operations as operations
from gnomon.changes.operations.variable_operations import VariableFields
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.output import output_option, print_records
from gnomon.entry.cli.private_files import write_private_file
from gnomon.storage.store.admin import variables as store


@click.group()
def variables() -> None:
    """List, get, set, delete, import and export Variables."""


@variables.command("list")
@click.option("--show-values", is_flag=True, help="Show the values too.")
@output_option
@pass_deployment
def list_(deployment: DeploymentAccess, show_values: bool, output: str) -> None:
    """List the keys of all Variables."""
    rows = deployment.perform(operations.list_variables, show_values)
    print_records(
        rows, output, ("key", "value", "description") if show_values else ("key", "description"), empty="no Variables"
    )


@variables.command()
@click.argument("key")
@click.option("--default", help="Printed when the Variable does not exist.")
@pass_deployment
def get(deployment: DeploymentAccess, key: str, default: str | None) -> None:
    """Print the value of KEY."""
    value = deployment.perform(operations.get_variable, key, default is None)
    click.echo(default if value is None else value)


@variables.command("set")
@click.argument("key")
@click.argument("value")
@click.option("--description", help="Description of the Variable.")
@pass_deployment
def set_(deployment: DeploymentAccess, key: str, value: str, description: str | None) -> None:
    """Set the Variable KEY to the text VALUE."""
    deployment.perform(operations.set_variable, key, value, description)
    click.echo(f"set Variable {key}")


@variables.command()
@click.argument("key")
@pass_deployment
def delete(deployment: DeploymentAccess, key: str) -> None:
    """Delete the Variable KEY."""
    deployment.perform(operations.delete_variable, key)
    click.echo(f"deleted Variable {key}")


@variables.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "-a",
    "--action-on-existing-key",
    "action",
    type=click.Choice(("overwrite", "fail", "skip")),
    default="overwrite",
    show_default=True,
    help="What becomes of Variables that exist.",
)
@pass_deployment
def import_(deployment: DeploymentAccess, file: str, action: str) -> None:
    """Set the Variables of FILE: .json, .yaml, .yml or .env, as `airflow variables export` and this program write it."""
    variables = read_variables(file)
    fields = [VariableFields(key, variable.value, variable.description) for key, variable in variables.items()]
    done = deployment.perform(operations.import_variables, fields, action)
    click.echo(f"imported {len(done.chosen)} of {len(variables)} Variables from {file}")
    if done.left:
        click.echo(f"gnomon: warning: these exist and were left as they are: {', '.join(done.left)}", err=True)


@variables.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@pass_home
def export(home: Home, file: str) -> None:
    """Write all stored Variables to FILE (.json, .yaml, .yml or .env; - for JSON on stdout). Only its owner can read the file."""
    kind = "json" if file == "-" else find_format(file)
    with home.store() as db, db.read() as tx:
        variables = {v.key: ExportedVariable(v.value, v.description) for v in store.list_variables(tx)}
    text = format_variables(variables, kind)
    if file == "-":
        sys.stdout.write(text)
        return
    write_private_file(file, text)
    click.echo(f"exported {len(variables)} Variables to {file}")
