"""`gnomon state-store`: what task instances and assets keep, and the deletion of what has expired."""

from __future__ import annotations

import click

from gnomon.changes.operations import asset_state_operations, task_state_operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import output_option, print_records
from gnomon.entry.cli.task_selection import instance_arguments


@click.group("state-store")
def state_store() -> None:
    """Show and change what task instances and assets keep; delete what has expired."""


@state_store.group()
def task() -> None:
    """The values that a task instance keeps between its tries."""


@state_store.group()
def asset() -> None:
    """The values that tasks and watchers keep of an asset."""


@task.command("list")
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@output_option
@pass_deployment
def list_task_values(deployment: DeploymentAccess, dag_id: str, run_id: str, output: str) -> None:
    """List what the task instances of RUN keep."""
    rows = deployment.perform(task_state_operations.list_task_values, dag_id, run_id)
    columns = ("task_id", "map_index", "key", "value", "updated_at", "expires_at")
    print_records(rows, output, columns, empty="no task of this run keeps anything")


@task.command("get")
@instance_arguments
@click.argument("key")
@pass_deployment
def get_task_value(
    deployment: DeploymentAccess, dag_id: str, run_id: str, task_id: str, key: str, map_index: int
) -> None:
    """Print the JSON value that TASK keeps under KEY."""
    click.echo(deployment.perform(task_state_operations.get_task_value, dag_id, run_id, task_id, map_index, key))


@task.command("set")
@instance_arguments
@click.argument("key")
@click.argument("value")
@click.option("--expires-in-days", type=IntegerRange(1), help="Default: [state_store] default_retention_days.")
@pass_deployment
def set_task_value(
    deployment: DeploymentAccess,
    dag_id: str,
    run_id: str,
    task_id: str,
    key: str,
    value: str,
    map_index: int,
    expires_in_days: int | None,
) -> None:
    """Keep VALUE, a JSON text, for TASK under KEY."""
    deployment.perform(
        task_state_operations.set_task_value, dag_id, run_id, task_id, map_index, key, value, expires_in_days
    )
    click.echo(f"set {key}")


@task.command("clear")
@instance_arguments
@click.option("--key", help="Only the value under this key.")
@pass_deployment
def clear_task_values(
    deployment: DeploymentAccess, dag_id: str, run_id: str, task_id: str, map_index: int, key: str | None
) -> None:
    """Delete what TASK keeps."""
    deleted = deployment.perform(task_state_operations.clear_task_values, dag_id, run_id, task_id, map_index, key)
    click.echo(f"deleted {_count(deleted)}")


@asset.command("list")
@click.argument("name", metavar="ASSET", required=False)
@output_option
@pass_deployment
def list_asset_values(deployment: DeploymentAccess, name: str | None, output: str) -> None:
    """List what is kept of ASSET; without it, of all assets."""
    rows = deployment.perform(asset_state_operations.list_asset_values, name)
    empty = "nothing is kept of any asset" if name is None else f"nothing is kept of asset {name!r}"
    print_records(rows, output, ("asset", "key", "value", "updated_at", "writer"), empty=empty)


@asset.command("get")
@click.argument("name", metavar="ASSET")
@click.argument("key")
@pass_deployment
def get_asset_value(deployment: DeploymentAccess, name: str, key: str) -> None:
    """Print the JSON value that is kept of ASSET under KEY."""
    click.echo(deployment.perform(asset_state_operations.get_asset_value, name, key))


@asset.command("set")
@click.argument("name", metavar="ASSET")
@click.argument("key")
@click.argument("value")
@pass_deployment
def set_asset_value(deployment: DeploymentAccess, name: str, key: str, value: str) -> None:
    """Keep VALUE, a JSON text, of ASSET under KEY."""
    deployment.perform(asset_state_operations.set_asset_value, name, key, value)
    click.echo(f"set {key}")


@asset.command("clear")
@click.argument("name", metavar="ASSET")
@click.option("--key", help="Only the value under this key.")
@pass_deployment
def clear_asset_values(deployment: DeploymentAccess, name: str, key: str | None) -> None:
    """Delete what is kept of ASSET."""
    click.echo(f"deleted {_count(deployment.perform(asset_state_operations.clear_asset_values, name, key))}")


@state_store.command()
@click.option("--dry-run", is_flag=True, help="Only show what would be deleted.")
@output_option
@pass_deployment
def clean(deployment: DeploymentAccess, dry_run: bool, output: str) -> None:
    """Delete the values of tasks that have expired. Tasks do not see them any more; they only take space."""
    if dry_run:
        expired = deployment.perform(task_state_operations.list_expired_values)
        print_records(expired, output, ("dag_id", "run_id", "task_id", "map_index", "key"), empty="nothing has expired")
        return
    click.echo(f"deleted {_count(deployment.perform(task_state_operations.clean_expired_values))}")


def _count(rows: int) -> str:
    return "1 value" if rows == 1 else f"{rows} values"
