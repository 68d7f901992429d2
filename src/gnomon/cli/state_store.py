"""`gnomon state-store`: what task instances and assets keep, and the deletion of what has expired."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_records
from gnomon.cli.task_selection import instance_arguments
from gnomon.errors.product import UserError
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant, iso
from gnomon.model.state_values import InvalidStateValue, StateWriter, check_state_key, encode_state_value
from gnomon.report.listings.asset_list import find_stored_asset
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.not_found import task_not_found
from gnomon.report.listings.run_list import find_run, list_task_instances
from gnomon.store import Transaction
from gnomon.store.asset_records import asset_declarations
from gnomon.store.state_stores import asset_state_store, task_state_store

CLEAN_BATCH = 1_000_000
"""Most rows that one transaction deletes when `[state_store] state_cleanup_batch_size` is 0."""
_EXPIRED_SHOWN = 1000


@dataclass(frozen=True, slots=True)
class TaskStateRow:
    """A value of a task instance as listings print it."""

    task_id: str
    map_index: int
    key: str
    value: str
    updated_at: str | None
    expires_at: str | None


@dataclass(frozen=True, slots=True)
class AssetStateRow:
    """A value of an asset as listings print it."""

    asset: str
    key: str
    value: str
    updated_at: str | None
    writer: str


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
@pass_home
def list_task_values(home: Home, dag_id: str, run_id: str, output: str) -> None:
    """List what the task instances of RUN keep."""
    with home.store() as db, db.read() as tx:
        dag = find_dag(tx, dag_id)
        names = {number: name for name, number in dag.task_numbers.items()}
        found = task_state_store.list_task_state(tx, find_run(tx, dag, run_id).run_pk, home.clock.now())
    rows = [
        TaskStateRow(names.get(one.task_no, f"task {one.task_no}"), one.map_index, one.key, one.value, iso(one.updated_at),
                     None if one.expires_at is None else iso(one.expires_at))
        for one in found
    ]  # fmt: skip
    columns = ("task_id", "map_index", "key", "value", "updated_at", "expires_at")
    print_records(rows, output, columns, empty="no task of this run keeps anything")


@task.command("get")
@instance_arguments
@click.argument("key")
@pass_home
def get_task_value(home: Home, dag_id: str, run_id: str, task_id: str, key: str, map_index: int) -> None:
    """Print the JSON value that TASK keeps under KEY."""
    with home.store() as db, db.read() as tx:
        scope = _find_scope(tx, dag_id, run_id, task_id, map_index, home.clock.now())
        value = task_state_store.get_task_state(tx, scope, key, home.clock.now())
    click.echo(_require(value, f"task {task_id!r} keeps nothing under {key!r} in run {run_id!r}; `gnomon state-store task list` lists all keys"))


@task.command("set")
@instance_arguments
@click.argument("key")
@click.argument("value")
@click.option("--expires-in-days", type=click.IntRange(min=1), help="Default: [state_store] default_retention_days.")
@pass_home
def set_task_value(home: Home, dag_id: str, run_id: str, task_id: str, key: str, value: str, map_index: int, expires_in_days: int | None) -> None:
    """Keep VALUE, a JSON text, for TASK under KEY."""
    text = _read_value(home, key, value)
    now, days = home.clock.now(), expires_in_days or home.cfg.integer("state_store", "default_retention_days")
    with home.store() as db, db.write() as tx:
        scope = _find_scope(tx, dag_id, run_id, task_id, map_index, now)
        task_state_store.set_task_state(tx, scope, key, text, now, now + days * 86_400_000_000 if days else None)
    click.echo(f"set {key}")


@task.command("clear")
@instance_arguments
@click.option("--key", help="Only the value under this key.")
@pass_home
def clear_task_values(home: Home, dag_id: str, run_id: str, task_id: str, map_index: int, key: str | None) -> None:
    """Delete what TASK keeps."""
    with home.store() as db, db.write() as tx:
        scope = _find_scope(tx, dag_id, run_id, task_id, map_index, home.clock.now())
        deleted = int(task_state_store.delete_task_state(tx, scope, key)) if key is not None else task_state_store.clear_task_state(tx, scope)
    if key is not None and not deleted:
        raise UserError(f"task {task_id!r} keeps nothing under {key!r} in run {run_id!r}; `gnomon state-store task list` lists all keys")
    click.echo(f"deleted {_count(deleted)}")


@asset.command("list")
@click.argument("name", metavar="ASSET", required=False)
@output_option
@pass_home
def list_asset_values(home: Home, name: str | None, output: str) -> None:
    """List what is kept of ASSET; without it, of all assets."""
    with home.store() as db, db.read() as tx:
        found = asset_state_store.list_asset_state(tx, name)
        if name is not None and not found:
            _require_asset(tx, name)
    rows = [AssetStateRow(one.asset, one.key, one.value, iso(one.updated_at), one.writer) for one in found]
    empty = "nothing is kept of any asset" if name is None else f"nothing is kept of asset {name!r}"
    print_records(rows, output, ("asset", "key", "value", "updated_at", "writer"), empty=empty)


@asset.command("get")
@click.argument("name", metavar="ASSET")
@click.argument("key")
@pass_home
def get_asset_value(home: Home, name: str, key: str) -> None:
    """Print the JSON value that is kept of ASSET under KEY."""
    with home.store() as db, db.read() as tx:
        value = asset_state_store.get_asset_state(tx, name, key)
        if value is None:
            _require_asset(tx, name)
    click.echo(_require(value, f"nothing is kept of asset {name!r} under {key!r}; `gnomon state-store asset list` lists all keys"))


@asset.command("set")
@click.argument("name", metavar="ASSET")
@click.argument("key")
@click.argument("value")
@pass_home
def set_asset_value(home: Home, name: str, key: str, value: str) -> None:
    """Keep VALUE, a JSON text, of ASSET under KEY."""
    text = _read_value(home, key, value)
    with home.store() as db, db.write() as tx:
        _require_asset(tx, name)
        asset_state_store.set_asset_state(tx, name, key, text, home.clock.now(), StateWriter("cli", home.by))
    click.echo(f"set {key}")


@asset.command("clear")
@click.argument("name", metavar="ASSET")
@click.option("--key", help="Only the value under this key.")
@pass_home
def clear_asset_values(home: Home, name: str, key: str | None) -> None:
    """Delete what is kept of ASSET."""
    with home.store() as db, db.write() as tx:
        deleted = int(asset_state_store.delete_asset_state(tx, name, key)) if key is not None else asset_state_store.clear_asset_state(tx, name)
        if not deleted:
            _require_asset(tx, name)
    if key is not None and not deleted:
        raise UserError(f"nothing is kept of asset {name!r} under {key!r}; `gnomon state-store asset list` lists all keys")
    click.echo(f"deleted {_count(deleted)}")


@state_store.command()
@click.option("--dry-run", is_flag=True, help="Only show what would be deleted.")
@output_option
@pass_home
def clean(home: Home, dry_run: bool, output: str) -> None:
    """Delete the values of tasks that have expired. Tasks do not see them any more; they only take space."""
    now = home.clock.now()
    batch = home.cfg.integer("state_store", "state_cleanup_batch_size") or CLEAN_BATCH
    deleted = 0
    with home.store() as db:
        if dry_run:
            with db.read() as tx:
                expired = task_state_store.list_expired(tx, now, _EXPIRED_SHOWN)
            print_records(expired, output, ("dag_id", "run_id", "task_id", "map_index", "key"), empty="nothing has expired")
            return
        while True:
            with db.write() as tx:
                changed = task_state_store.delete_expired(tx, now, batch)
            deleted += changed
            if changed < batch:
                break
    click.echo(f"deleted {_count(deleted)}")


def _find_scope(tx: Transaction, dag_id: str, run_id: str, task_id: str, map_index: int, now: Instant) -> task_state_store.TaskStateScope:
    """The task instance of these names. Raises UserError when there is none, unless it still keeps something: it was mapped otherwise before."""
    dag = find_dag(tx, dag_id)
    run = find_run(tx, dag, run_id)
    if task_id not in dag.task_numbers:
        raise task_not_found(dag_id, task_id, dag.task_numbers)
    number = dag.task_numbers[task_id]
    instances = {row.map_index for row in list_task_instances(tx, dag, run) if row.task_id == task_id} or {UNMAPPED}
    if map_index not in instances and all((one.task_no, one.map_index) != (number, map_index) for one in task_state_store.list_task_state(tx, run.run_pk, now)):
        raise UserError(_describe_instances(task_id, run_id, map_index, instances))
    return task_state_store.TaskStateScope(run.run_pk, number, map_index)


def _describe_instances(task_id: str, run_id: str, map_index: int, instances: set[int]) -> str:
    if map_index == UNMAPPED:
        return f"task {task_id!r} is mapped in run {run_id!r}: choose an instance with --map-index 0 to {max(instances)}"
    there = "it is not mapped" if instances <= {UNMAPPED} else f"its map indexes are 0 to {max(instances)}"
    return f"task {task_id!r} has no map index {map_index} in run {run_id!r}: {there}"


def _require_asset(tx: Transaction, name: str) -> None:
    """Raise NameNotFound for the name of an asset that no file and no event names."""
    if asset_declarations.find_assets(tx, name=name) or asset_state_store.list_asset_state(tx, name):
        return
    if asset_declarations.find_assets(tx, uri=name):
        raise UserError(f"{name!r} is the URI of an asset; the state of an asset is kept under its name: `gnomon assets show` tells it")
    find_stored_asset(tx, name)


def _read_value(home: Home, key: str, value: str) -> str:
    """The JSON text to store. Raises UserError for text that is not JSON, and for a value above the limit."""
    try:
        parsed: Any = json.loads(value)
    except ValueError:
        raise UserError(f"VALUE is not JSON: {value!r}; write text as '\"text\"', a number as 5, a list as '[1, 2]'") from None
    try:
        text = encode_state_value("state store", check_state_key("state store", key), parsed)
    except InvalidStateValue as error:
        raise UserError(str(error)) from None
    limit = home.cfg.integer("state_store", "max_value_storage_bytes")
    if 0 < limit < len(text):
        raise UserError(f"the value takes {len(text)} bytes, more than [state_store] max_value_storage_bytes={limit}: nothing was stored")
    return text


def _require(value: str | None, otherwise: str) -> str:
    if value is None:
        raise UserError(otherwise)
    return value


def _count(rows: int) -> str:
    return "1 value" if rows == 1 else f"{rows} values"
