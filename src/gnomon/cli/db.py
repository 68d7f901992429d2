"""`gnomon db`: migrate and check the database, and give it another key."""

from __future__ import annotations

from contextlib import closing

import click

from gnomon.app.checks import find_readable_by_others
from gnomon.cli.home import Home, pass_home
from gnomon.config import without_password
from gnomon.store import Database, load_cipher, migrations, open_database
from gnomon.store.encryption import key_check


@click.group()
def db() -> None:
    """Migrate and check the database; adopt a key."""


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


def _open_database(home: Home) -> closing[Database]:
    return closing(open_database(home.cfg.database_url, cipher=load_cipher(home.cfg)))
