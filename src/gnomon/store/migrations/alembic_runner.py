"""Alembic over `versions/`: for a database that has an older schema."""

from __future__ import annotations

from importlib import resources

from alembic import command
from alembic.config import Config


def run_alembic(sqlalchemy_url: str) -> None:
    """Every revision after the database's own was applied."""
    command.upgrade(make_alembic_config(sqlalchemy_url), "head")


def make_alembic_config(sqlalchemy_url: str) -> Config:
    """What Alembic needs to know, without a file."""
    config = Config()
    config.set_main_option("script_location", str(resources.files("gnomon.store.migrations")))
    config.set_main_option("sqlalchemy.url", sqlalchemy_url.replace("%", "%%"))
    return config
