"""`gnomon migrate import`: stores connections, Variables and pools of an Airflow installation."""

from __future__ import annotations

from dataclasses import dataclass

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_records
from gnomon.config.environment import get_variable
from gnomon.errors.product import UserError
from gnomon.migration.records.airflow_records import KINDS, AirflowPool, AirflowRecords, read_export_file
from gnomon.sdk.runtime.connection import Connection
from gnomon.store import Transaction, notify_on_commit
from gnomon.store.admin import connections, pools, variables

_KEY = "AIRFLOW__CORE__FERNET_KEY"
_DEFAULT_POOL = "default_pool"


@dataclass(frozen=True, slots=True)
class ImportedRecord:
    """One record and what became of it. Values are not shown."""

    kind: str
    name: str
    action: str
    """`add`, `replace`, `keep` (it exists with another value) or `same` (it exists with this value)."""


@click.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, type=click.Path(exists=True, dir_okay=False))
@click.option("--database", metavar="URL", help="Read the database of Airflow: sqlite:////folder/airflow.db or postgresql://user:password@host/name.")
@click.option("--fernet-key", help=f"The key that decrypts Airflow's database; default: the variable {_KEY}.")
@click.option("--kind", type=click.Choice(KINDS), help="What the files hold; default: by their names and entries.")
@click.option("--on-conflict", type=click.Choice(("fail", "keep", "replace")), default="fail", show_default=True, help="What to do about records that exist with another value.")
@click.option("-n", "--dry-run", is_flag=True, help="Only show what would be done.")
@output_option
@pass_home
def import_(home: Home, files: tuple[str, ...], database: str | None, fernet_key: str | None, kind: str | None, on_conflict: str, dry_run: bool, output: str) -> None:
    """Store the connections, Variables and pools of FILEs that `airflow connections export`, `variables export` and `pools export`
    have written (.json, .yaml, .env), or of the database of Airflow, which is only read.

    All records are stored in one transaction, or none.
    """
    if not files and database is None:
        raise click.UsageError("name files of `airflow ... export`, or the database of Airflow with --database")
    records = AirflowRecords()
    for path in files:
        read_export_file(path, kind, records)
    if database is not None:
        from gnomon.migration.records.airflow_database import read_database

        read_database(database, fernet_key or get_variable(_KEY), records)
    with home.store() as db:
        db.bind_key()
        with db.write() as tx:
            rows = [*_store_connections(tx, records, on_conflict), *_store_variables(tx, records, on_conflict), *_store_pools(tx, records, on_conflict)]
            _refuse_conflicts(rows, on_conflict, dry_run)
            if dry_run:
                tx.rollback_only = True
            else:
                notify_on_commit(tx)
    if not dry_run:
        home.wake_services()
    _print(rows, records, dry_run, output)
