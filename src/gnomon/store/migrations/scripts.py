"""The SQL scripts of the revisions: `versions/<revision>.<dialect>.sql`. A new database is made of all of them, without Alembic."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection


def run(revision: str, connection: Connection) -> None:
    """The statements of a revision's script were executed, as Alembic upgrades."""
    dialect = connection.dialect.name
    for statement in split(script(revision, dialect)):
        connection.exec_driver_sql(statement.replace("%", "%%") if dialect == "postgresql" else statement)


def script(revision: str, dialect: str) -> str:
    """The text of a revision's script."""
    versions = resources.files("gnomon.store.migrations").joinpath("versions")
    return versions.joinpath(f"{revision}.{dialect}.sql").read_text(encoding="utf-8")


def split(text: str) -> list[str]:
    """The statements of a script; each ends with a semicolon at the end of a line, comments stand on lines of their own."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("--")]
    return [statement.strip() for statement in ("\n".join(lines) + "\n").split(";\n") if statement.strip()]
