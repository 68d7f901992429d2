"""Which schema a database has, read by its plain driver: starting a command must not import a migration tool."""

from __future__ import annotations

from collections.abc import Callable, Collection

from gnomon.store.errors import DatabaseNotInitialised, ForeignDatabase, SchemaTooNew, SchemaTooOld

HEAD = "0003"
"""The newest revision of `store/migrations/versions`; a test compares."""
REVISIONS = ("0001", "0002", "0003")
"""All of them, oldest first."""
OWN_TABLE = "dag_group"
"""A table of Gnomon's first schema that no other program has."""
_SHOWN = 5
VERSION_QUERY = "SELECT version_num FROM alembic_version"

RevisionQuery = Callable[[str], list[tuple[str]]]


def check_foreign_tables(tables: Collection[str], shown: str) -> None:
    """Returns when a database is empty or Gnomon's; else ForeignDatabase names some of the tables that are in the way."""
    if not tables or OWN_TABLE in tables:
        return
    more = f" and {len(tables) - _SHOWN} more" if len(tables) > _SHOWN else ""
    raise ForeignDatabase(
        f"the database at {shown} holds tables that Gnomon did not make ({', '.join(sorted(tables)[:_SHOWN])}{more}): nothing "
        "was changed; give Gnomon a database or schema of its own in [database] sql_alchemy_conn "
        "(GNOMON__DATABASE__SQL_ALCHEMY_CONN, which wins over AIRFLOW__DATABASE__SQL_ALCHEMY_CONN)"
    )


def check_revision(revision: str | None, shown: str) -> None:
    """Returns when a database is at HEAD; else NotInitialised, SchemaTooOld or SchemaTooNew say what to do."""
    if revision is None:
        raise DatabaseNotInitialised(f"there is no Gnomon database at {shown} yet: run `gnomon db migrate` or `gnomon standalone`")
    if revision == HEAD:
        return
    if revision in REVISIONS:
        raise SchemaTooOld(f"the database at {shown} has schema {revision}, this Gnomon needs {HEAD}: run `gnomon db migrate`")
    raise SchemaTooNew(
        f"the database at {shown} has schema {revision}, which this Gnomon (schema {HEAD}) does not know: "
        "install the newer Gnomon that made it, or restore the backup from before"
    )
