"""`gnomon db`: migrate, check, clean, copy and restore the database, and give it another key."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import click

from gnomon.entry.app.backup import (
    back_up_sqlite,
    describe_postgres_backup,
    describe_postgres_restore,
    is_sqlite,
    restore_sqlite,
)
from gnomon.entry.app.checks import find_readable_by_others
from gnomon.entry.app.housekeeping import DEFAULT_TABLES, TABLES, Housekeeping
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import output_option, print_document
from gnomon.entry.cli.parameter_types import SpanType
from gnomon.ground.config import without_password
from gnomon.model.errors.product import UserError
from gnomon.model.instants import to_datetime
from gnomon.model.sentences import say
from gnomon.storage.store import Database, key_check, load_cipher, migrations, open_database
from gnomon.storage.store.address import parse_address


@click.group()
def db() -> None:
    """Migrate, check, clean, back up and restore the database; adopt a key."""


@db.command()
@pass_home
def migrate(home: Home) -> None:
    """Create the database, or bring its schema to this version; a SQLite file is copied first."""
    url = home.cfg.database_url
    migrations.upgrade_schema(url, default_pool_slots=home.cfg.integer("core", "default_pool_task_slot_count"))
    with _open_database(home) as database:
        database.bind_key()
    click.echo(f"the database at {without_password(url)} is up to date")


@db.command()
@pass_home
def check(home: Home) -> None:
    """Check the database. Exit code 0 if it answers, has the schema of this version, and the key decrypts its values; else 1.

    Warns when other users of this machine can read the database, the key or the logs."""
    with _open_database(home) as database:
        database.check_key()
    for sentence in find_readable_by_others(home.cfg):
        click.echo(f"gnomon: warning: {sentence}", err=True)
    click.echo(f"the database at {without_password(home.cfg.database_url)} answers and is up to date")


@db.command("adopt-key")
@pass_home
def adopt_key(home: Home) -> None:
    """Make the key of this host the key of the database, when no copy of the old key is left.

    The command fails while a service runs, and while the database holds a value that only the old key can decrypt.
    """
    with _open_database(home) as database, database.write() as tx:
        key_check.adopt_key(tx)
    click.echo(f"the database at {without_password(home.cfg.database_url)} now has the key of this host")


@db.command()
@click.option(
    "--older-than",
    type=SpanType(),
    default="90d",
    show_default=True,
    metavar="SPAN",
    help="Delete what ended before: 12h, 90d.",
)
@click.option(
    "--keep-last",
    type=IntegerRange(1),
    default=100,
    show_default=True,
    help="Ended runs of each DAG that are kept at any age.",
)
@click.option(
    "--tables", default=",".join(DEFAULT_TABLES), show_default=True, help=f"Comma-separated: {', '.join(TABLES)}."
)
@click.option("--dry-run", is_flag=True, help="Count only.")
@output_option
@pass_home
def clean(home: Home, older_than: float, keep_last: int, tables: str, dry_run: bool, output: str) -> None:
    """Delete old runs, lines of the audit log, alerts and log files, in small transactions; services may run.

    Unfinished runs, and runs that other runs, backfills or downstream DAGs may need, stay.
    """
    chosen = _read_tables(tables)
    with _open_database(home) as database:
        cleaned = Housekeeping(database, home.cfg.logs_folder, home.clock, home.sleep).run(
            older_than, keep_last, chosen, dry_run=dry_run
        )
    if output == "table":
        for row in cleaned:
            click.echo(f"{row.table}: {row.deleted:,} {'would be deleted' if dry_run else 'deleted'}")
    else:
        print_document([{**asdict(row), "dry_run": dry_run} for row in cleaned], output)


def _read_tables(text: str) -> list[str]:
    chosen = [name.strip() for name in text.split(",") if name.strip()]
    for name in chosen or [""]:
        if name not in TABLES:
            raise UserError(say("table_is_unknown", name=name, names=", ".join(TABLES)))
    return [name for name in TABLES if name in chosen]


@db.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@pass_home
def backup(home: Home, file: Path) -> None:
    """Copy the SQLite database to FILE while services run; for PostgreSQL, print the command that does it."""
    if not is_sqlite(home.cfg):
        raise UserError(
            say(
                "postgres_is_not_copied", text=describe_postgres_backup(parse_address(home.cfg.database_url), str(file))
            )
        )
    size = back_up_sqlite(home.cfg, file)
    click.echo(f"{file} has the whole database ({size:,} bytes)")
    key = "[core] fernet_key" if home.cfg.text("core", "fernet_key") else str(home.cfg.home / "fernet.key")
    click.echo(
        f"Keep the key ({key}) in another place: without it, connections, Variables and deferred tasks of the backup cannot be read."
    )


@db.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@pass_home
def restore(home: Home, file: Path) -> None:
    """Put the backup FILE in the place of the SQLite database, when no service runs; for PostgreSQL, print the command that does it."""
    if not is_sqlite(home.cfg):
        raise UserError(
            say(
                "postgres_is_not_restored",
                text=describe_postgres_restore(parse_address(home.cfg.database_url), str(file)),
            )
        )
    moved = restore_sqlite(home.cfg, file, to_datetime(home.clock.now()).strftime("%Y%m%dT%H%M%SZ"))
    click.echo(f"the database of {home.cfg.home} is that of {file}" + (f"; the one before is {moved}" if moved else ""))


def _open_database(home: Home) -> closing[Database]:
    return closing(open_database(home.cfg.database_url, cipher=load_cipher(home.cfg)))
