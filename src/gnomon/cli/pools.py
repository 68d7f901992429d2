"""`gnomon pools`: list, set and delete pools, which limit how many tasks run at a time."""

from __future__ import annotations

from dataclasses import dataclass

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_records
from gnomon.model.records import PoolRecord
from gnomon.report.listings.not_found import pool_not_found
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
    """List, set and delete pools."""


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
        store.set_pool(tx, name, slots, description=description, include_deferred=include_deferred)
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
        store.delete_pool(tx, name)
        notify_on_commit(tx)
    home.wake_services()
    click.echo(f"deleted pool {name}")


def _row(pool: PoolRecord) -> PoolRow:
    return PoolRow(pool.name, pool.slots, pool.used, pool.include_deferred, pool.description)
