"""`gnomon pools`: list, set, delete, import and export pools, which limit how many tasks run at a time."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_records
from gnomon.cli.private_files import write_private_file
from gnomon.model.records import PoolRecord
from gnomon.report.listings.not_found import pool_not_found
from gnomon.sdk.runtime.exported_files import ExportedFileError, find_format, format_entries, read_entries
from gnomon.store import notify_on_commit
from gnomon.store.admin import pools as store


@dataclass(frozen=True, slots=True)
class PoolRow:
    """A pool as listings print it."""

    pool: str
    slots: int
    """-1: no limit."""
    used: int
    include_deferred: bool
    description: str


@click.group()
def pools() -> None:
    """List, set, delete, import and export pools."""


@pools.command("list")
@output_option
@pass_home
def list_(home: Home, output: str) -> None:
    """List all pools, their slots, and how many slots are used."""
    with home.store() as db, db.read() as tx:
        rows = [_row(pool) for pool in store.list_pools(tx)]
    print_records(rows, output, ("pool", "slots", "used", "include_deferred", "description"))


@pools.command("set", context_settings={"ignore_unknown_options": True})  # so that -1 is read as SLOTS, not as an option
@click.argument("name", metavar="POOL")
@click.argument("slots", type=click.IntRange(min=-1))
@click.argument("description", default="")
@click.option("--include-deferred", is_flag=True, help="Deferred tasks keep their pool slots.")
@pass_home
def set_(home: Home, name: str, slots: int, description: str, include_deferred: bool) -> None:
    """Create POOL, or change it. SLOTS -1 means no limit."""
    with home.store() as db, db.write() as tx:
        home.changes(tx).set_pool(name, slots, description=description, include_deferred=include_deferred)
        notify_on_commit(tx)
    home.wake_services()
    click.echo(f"pool {name} has {'no limit' if slots < 0 else f'{slots} slots'}")


@pools.command()
@click.argument("name", metavar="POOL")
@pass_home
def delete(home: Home, name: str) -> None:
    """Delete POOL; tasks that name it wait until it exists again."""
    with home.store() as db, db.write() as tx:
        if store.find_pool(tx, name) is None:
            raise pool_not_found(name, [pool.name for pool in store.list_pools(tx)])
        home.changes(tx).delete_pool(name)
        notify_on_commit(tx)
    home.wake_services()
    click.echo(f"deleted pool {name}")


@pools.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@pass_home
def import_(home: Home, file: str) -> None:
    """Create or change the pools of FILE: JSON or YAML, as `airflow pools export` and this program write it."""
    _find_file_format(file)
    found = [_read_pool(file, name, entry) for name, entry in read_entries(file).items()]
    with home.store() as db, db.write() as tx:
        for pool in found:
            home.changes(tx).set_pool(pool.name, pool.slots, description=pool.description, include_deferred=pool.include_deferred)
        notify_on_commit(tx)
    home.wake_services()
    click.echo(f"imported {len(found)} pools from {file}")


@pools.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@pass_home
def export(home: Home, file: str) -> None:
    """Write all pools to FILE (.json, .yaml or .yml; - for JSON on stdout)."""
    kind = "json" if file == "-" else _find_file_format(file)
    with home.store() as db, db.read() as tx:
        found = store.list_pools(tx)
    entries = {p.name: {"slots": p.slots, "description": p.description, "include_deferred": p.include_deferred} for p in found}
    text = format_entries(entries, kind)
    if file == "-":
        sys.stdout.write(text)
        return
    write_private_file(file, text)
    click.echo(f"exported {len(found)} pools to {file}")


def _find_file_format(file: str) -> str:
    kind = find_format(file)
    if kind == "env":
        raise ExportedFileError(f"{file}: pools have several fields, which an .env file cannot hold; use .json or .yaml")
    return kind


def _read_pool(file: str, name: str, entry: object) -> PoolRecord:
    """The pool of an entry. Raises ExportedFileError, which names the field."""
    fields = entry if isinstance(entry, dict) else {}
    slots, description, include = fields.get("slots"), fields.get("description") or "", fields.get("include_deferred", False)
    if not isinstance(slots, int) or isinstance(slots, bool) or slots < -1:
        raise ExportedFileError(f'{file}: pool {name!r} needs "slots", a whole number from -1 (no limit); nothing was imported')
    if not isinstance(description, str) or not isinstance(include, bool):
        raise ExportedFileError(f'{file}: pool {name!r}: "description" must be a text and "include_deferred" true or false; nothing was imported')
    unknown = sorted(set(fields) - {"slots", "description", "include_deferred"})
    if unknown:
        raise ExportedFileError(f"{file}: pool {name!r} has unknown fields: {', '.join(map(str, unknown))}; nothing was imported")
    return PoolRecord(name, slots, 0, include, description)


def _row(pool: PoolRecord) -> PoolRow:
    return PoolRow(pool.name, pool.slots, pool.used, pool.include_deferred, pool.description)
