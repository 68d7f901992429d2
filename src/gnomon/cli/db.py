"""`gnomon db`: the database itself."""

from __future__ import annotations

import click

from gnomon.cli.home import Home, pass_home
from gnomon.config import without_password
from gnomon.store import home_cipher, open_database


@click.group()
def db() -> None:
    """The database: migrate, check."""


@db.command()
@pass_home
def migrate(home: Home) -> None:
    """Make the database, or bring its schema to this version; a SQLite file is copied before."""
    from gnomon.store import migrations  # loads SQLAlchemy

    url = home.cfg.database_url
    migrations.upgrade(url, default_pool_slots=home.cfg.integer("core", "default_pool_task_slot_count"))
    _check_key(home)
    click.echo(f"the database at {without_password(url)} is up to date")


@db.command()
@pass_home
def check(home: Home) -> None:
    """Whether the database answers and has the schema of this version and values that the key opens (exit code 0), or not (1)."""
    url = home.cfg.database_url
    _check_key(home)
    click.echo(f"the database at {without_password(url)} answers and is up to date")


def _check_key(home: Home) -> None:
    """The database answers, and what is encrypted in it can be opened here; a new home has its key."""
    database = open_database(home.cfg.database_url, cipher=home_cipher(home.cfg))
    try:
        database.check_key()
    finally:
        database.close()
