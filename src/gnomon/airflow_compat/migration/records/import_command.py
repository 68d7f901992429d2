"""`gnomon migrate import`: stores connections, Variables and pools of an Airflow installation."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click

from gnomon.airflow_compat.migration.records.airflow_records import KINDS, AirflowPool, AirflowRecords, read_export_file
from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.changes.actions.admin_changes import AdminChanges
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.output import output_option, print_records
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say
from gnomon.storage.store import Database, Transaction, WrongKey, notify_on_commit
from gnomon.storage.store.admin import connections, pools, variables

_OWN_KEY = "AIRFLOW__CORE__FERNET_KEY"
_SHOWN = 5
_DEFAULT_POOL = "default_pool"


@dataclass(frozen=True, slots=True)
class ImportedRecord:
    """One record and what became of it. Values are not shown."""

    kind: str
    name: str
    action: str
    """`add`, `replace`, `keep` (it exists with another value) or `same` (it exists with this value)."""


@click.command("import")
@click.argument("files", metavar="FILE...", nargs=-1)
@click.option(
    "--database",
    metavar="URL",
    help="Read the database of Airflow: sqlite:////folder/airflow.db or postgresql://user@host/name.",
)
@click.option(
    "--airflow-fernet-key-file",
    metavar="FILE",
    help="The file with the [core] fernet_key of that Airflow, several separated by commas. Default: the variable AIRFLOW_FERNET_KEY, "
    "then the key of this installation if it is an option, then a question on the terminal.",
)
@click.option("--fernet-key", hidden=True)
@click.option("--kind", type=click.Choice(KINDS), help="What the files hold; default: by their names and entries.")
@click.option(
    "--on-conflict",
    type=click.Choice(("fail", "keep", "replace")),
    default="fail",
    show_default=True,
    help="What to do about records that exist with another value.",
)
@click.option("-n", "--dry-run", is_flag=True, help="Only show what would be done.")
@output_option
@pass_home
def import_(
    home: Home,
    files: tuple[str, ...],
    database: str | None,
    airflow_fernet_key_file: str | None,
    fernet_key: str | None,
    kind: str | None,
    on_conflict: str,
    dry_run: bool,
    output: str,
) -> None:
    """Store the connections, Variables and pools of FILEs that `airflow connections export`, `variables export` and `pools export`
    have written (.json, .yaml, .env), or of the database of Airflow, which is only read.

    All records are stored in one transaction, or none.
    """
    if not files and database is None:
        raise click.UsageError("name files of `airflow ... export`, or the database of Airflow with --database")
    if fernet_key is not None:
        raise click.UsageError(
            "--fernet-key would show the key in the list of processes: write it into a file and name that with "
            "--airflow-fernet-key-file, or set the variable AIRFLOW_FERNET_KEY"
        )
    if airflow_fernet_key_file is not None and database is None:
        raise click.UsageError("--airflow-fernet-key-file decrypts a database; name it with --database")
    records = AirflowRecords()
    for path in files:
        read_export_file(path, kind, records)
    if database is not None:
        _read_database(home, database, airflow_fernet_key_file, records)
    with home.store() as db:
        _bind_key(home, db)
        with db.read() as tx:
            rows = _plan(tx, records, on_conflict)
        _refuse_conflicts(rows, dry_run)
        if not dry_run:
            with db.write() as tx:
                rows = _plan(tx, records, on_conflict)
                _refuse_conflicts(rows, dry_run)
                _store(home.changes(tx), records, rows)
                notify_on_commit(tx)
    if not dry_run:
        home.wake_services()
    _print(rows, records, dry_run, output)


def _read_database(home: Home, url: str, key_file: str | None, records: AirflowRecords) -> None:
    """Add the records of the database. A file of keys is read in any case, other keys when there is an encrypted value."""
    from gnomon.airflow_compat.migration.records.airflow_database import (
        read_database,  # start-up cost: only with --database
    )
    from gnomon.airflow_compat.migration.records.airflow_keys import (  # start-up cost: only with --database
        AirflowCipher,
        find_keys,
    )

    cipher = AirflowCipher(lambda: find_keys(key_file, home.cfg))
    if key_file is not None:
        cipher.load()
    read_database(url, cipher, records)


def _bind_key(home: Home, database: Database) -> None:
    """Check that this host has the key of its own database, which a variable that was meant for the other installation may have changed."""
    try:
        database.bind_key()
    except WrongKey as error:
        if _OWN_KEY not in home.cfg.source("core", "fernet_key"):
            raise
        raise UserError(say("own_key_is_not_of_airflow", name=_OWN_KEY, error=str(error))) from None


def _plan(tx: Transaction, records: AirflowRecords, on_conflict: str) -> list[ImportedRecord]:
    """What becomes of each record, compared with what is stored."""
    known_connections = {connection.conn_id: connection for connection in connections.list_connections(tx)}
    known_variables = {
        variable.key: (variable.value, variable.description) for variable in variables.list_variables(tx)
    }
    known_pools = {
        pool.name: AirflowPool(pool.slots, pool.description, pool.include_deferred) for pool in pools.list_pools(tx)
    }
    pairs: list[tuple[str, str, object, object]] = [
        *(
            ("connection", name, to_stored(connection), known_connections.get(name))
            for name, connection in records.connections.items()
        ),
        *(
            ("variable", name, (variable.value, variable.description), known_variables.get(name))
            for name, variable in records.variables.items()
        ),
        *(("pool", name, pool, known_pools.get(name)) for name, pool in records.pools.items()),
    ]
    return [
        ImportedRecord(kind, name, _choose_action(kind, name, new, old, on_conflict)) for kind, name, new, old in pairs
    ]


def _choose_action(kind: str, name: str, new: object, old: object, on_conflict: str) -> str:
    if old is None:
        return "add"
    if old == new:
        return "same"
    if kind == "pool" and name == _DEFAULT_POOL and on_conflict == "fail":
        return "replace"  # every installation has this pool: its size in Airflow is what the user wants
    return {"fail": "conflict", "keep": "keep", "replace": "replace"}[on_conflict]


def _refuse_conflicts(rows: list[ImportedRecord], dry_run: bool) -> None:
    conflicts = [f"{row.kind} {row.name}" for row in rows if row.action == "conflict"]
    if conflicts and not dry_run:
        shown = ", ".join(conflicts[:_SHOWN]) + (
            f" and {len(conflicts) - _SHOWN} more" if len(conflicts) > _SHOWN else ""
        )
        raise UserError(say("records_exist", names=shown))


def _store(changes: AdminChanges, records: AirflowRecords, rows: list[ImportedRecord]) -> None:
    for row in rows:
        if row.action not in ("add", "replace"):
            continue
        if row.kind == "connection":
            changes.set_connection(to_stored(records.connections[row.name]))
        elif row.kind == "variable":
            variable = records.variables[row.name]
            changes.set_variable(row.name, variable.value, variable.description)
        else:
            pool = records.pools[row.name]
            changes.set_pool(row.name, pool.slots, description=pool.description, include_deferred=pool.include_deferred)


def to_stored(connection: Connection) -> connections.StoredConnection:
    """The record of a connection; an extra that is an object is stored as JSON."""
    extra = connection.extra
    return connections.StoredConnection(
        conn_id=str(connection.conn_id),
        conn_type=str(connection.conn_type),
        host=connection.host or None,
        schema=connection.schema or None,
        login=connection.login or None,
        password=connection.password or None,
        port=connection.port,
        extra=extra if extra is None or isinstance(extra, str) else json.dumps(extra),
        description=connection.description or None,
    )


def _print(rows: list[ImportedRecord], records: AirflowRecords, dry_run: bool, output: str) -> None:
    print_records(rows, output, ("kind", "name", "action"), empty="there is nothing to import")
    for sentence in records.skipped:
        click.echo(f"skipped: {sentence}", err=True)
    stored = sum(row.action in ("add", "replace") for row in rows)
    if output == "table":
        click.echo(
            f"would store {stored} of {len(rows)} records (--dry-run)"
            if dry_run
            else f"stored {stored} of {len(rows)} records"
        )
