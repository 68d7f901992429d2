"""`gnomon pools`: list, set, delete, import and export pools, which limit how many tasks run at a time."""

from __future__ import annotations

import sys

import click

from gnomon.authoring.sdk.connections.exported_files import ExportedFileError, find_format, format_entries, read_entries
from gnomon.changes.operations import pool_operations as operations
from gnomon.changes.operations.pool_operations import PoolFields
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import output_option, print_records
from gnomon.entry.cli.private_files import write_private_file
from gnomon.model.sentences import say


@click.group()
def pools() -> None:
    """List, set, delete, import and export pools."""


@pools.command("list")
@output_option
@pass_deployment
def list_(deployment: DeploymentAccess, output: str) -> None:
    """List all pools, their slots, and how many slots are used."""
    print_records(
        deployment.perform(operations.list_pools), output, ("pool", "slots", "used", "include_deferred", "description")
    )


@pools.command(
    "set", context_settings={"ignore_unknown_options": True}
)  # so that -1 is read as SLOTS, not as an option
@click.argument("name", metavar="POOL")
@click.argument("slots", type=IntegerRange(-1))
@click.argument("description", default="")
@click.option("--include-deferred", is_flag=True, help="Deferred tasks keep their pool slots.")
@pass_deployment
def set_(deployment: DeploymentAccess, name: str, slots: int, description: str, include_deferred: bool) -> None:
    """Create POOL, or change it. SLOTS -1 means no limit."""
    deployment.perform(operations.set_pools, [PoolFields(name, slots, description, include_deferred)])
    click.echo(f"pool {name} has {'no limit' if slots < 0 else f'{slots} slots'}")


@pools.command()
@click.argument("name", metavar="POOL")
@pass_deployment
def delete(deployment: DeploymentAccess, name: str) -> None:
    """Delete POOL; tasks that name it wait until it exists again."""
    deployment.perform(operations.delete_pool, name)
    click.echo(f"deleted pool {name}")


@pools.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@pass_deployment
def import_(deployment: DeploymentAccess, file: str) -> None:
    """Create or change the pools of FILE: JSON or YAML, as `airflow pools export` and this program write it."""
    _find_file_format(file)
    pools = [_read_pool(file, name, entry) for name, entry in read_entries(file).items()]
    deployment.perform(operations.set_pools, pools)
    click.echo(f"imported {len(pools)} pools from {file}")


@pools.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@pass_deployment
def export(deployment: DeploymentAccess, file: str) -> None:
    """Write all pools to FILE (.json, .yaml or .yml; - for JSON on stdout)."""
    kind = "json" if file == "-" else _find_file_format(file)
    pools = deployment.perform(operations.list_pools)
    entries = {
        p.pool: {"slots": p.slots, "description": p.description, "include_deferred": p.include_deferred} for p in pools
    }
    text = format_entries(entries, kind)
    if file == "-":
        sys.stdout.write(text)
        return
    write_private_file(file, text)
    click.echo(f"exported {len(pools)} pools to {file}")


def _find_file_format(file: str) -> str:
    kind = find_format(file)
    if kind == "env":
        raise ExportedFileError(say("pools_need_fields", file=str(file)))
    return kind


def _read_pool(file: str, name: str, entry: object) -> PoolFields:
    """The pool of an entry. Raises ExportedFileError, which names the field."""
    fields = entry if isinstance(entry, dict) else {}
    slots, description, include = (
        fields.get("slots"),
        fields.get("description") or "",
        fields.get("include_deferred", False),
    )
    if not isinstance(slots, int) or isinstance(slots, bool) or slots < -1:
        raise ExportedFileError(say("exported_pool_needs_slots", file=str(file), name=name))
    if not isinstance(description, str) or not isinstance(include, bool):
        raise ExportedFileError(say("exported_pool_has_wrong_field", file=str(file), name=name))
    unknown = sorted(set(fields) - {"slots", "description", "include_deferred"})
    if unknown:
        raise ExportedFileError(
            say("exported_pool_has_unknown_fields", file=str(file), name=name, names=", ".join(map(str, unknown)))
        )
    return PoolFields(name, slots, description, include)
