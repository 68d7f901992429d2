"""Which revision of the schema a database has, and what to say when it is not the one that this Gnomon needs."""

from __future__ import annotations

from collections.abc import Collection

from gnomon.storage.store.errors import DatabaseNotInitialised, ForeignDatabase, SchemaTooNew, SchemaTooOld

REVISIONS = (
    "0001",
    "0002",
    "0003",
    "0004",
    "0005",
    "0006",
    "0007",
    "0008",
    "0009",
    "0010",
    "0011",
    "0012",
    "0013",
    "0014",
    "0015",
    "0016",
    "0017",
    "0018",
    "0019",
    "0020",
    "0021",
    "0022",
    "0023",
    "0024",
    "0025",
    "0026",
    "0027",
    "0028",
    "0029",
    "0030",
    "0031",
    "0032",
    "0033",
    "0034",
)
"""The revisions of `store/migrations/scripts`, oldest first. A constant, because every command reads it; a test compares it."""
HEAD = REVISIONS[-1]
"""The newest revision, which this Gnomon needs."""
OWN_TABLE = "dag_group"
"""A table of Gnomon's first schema that no other program has."""
VERSION_QUERY = "SELECT version_num FROM alembic_version"
_TABLES_SHOWN = 5


def check_foreign_tables(tables: Collection[str], display_url: str) -> None:
    """Return when a database is empty or Gnomon's; raise ForeignDatabase, which names some of the tables, otherwise."""
    if not tables or OWN_TABLE in tables:
        return
    more = f" and {len(tables) - _TABLES_SHOWN} more" if len(tables) > _TABLES_SHOWN else ""
    raise ForeignDatabase(
        f"the database at {display_url} holds tables that Gnomon did not make ({', '.join(sorted(tables)[:_TABLES_SHOWN])}{more}): "
        "nothing was changed; give Gnomon a database or schema of its own in [database] sql_alchemy_conn "
        "(GNOMON__DATABASE__SQL_ALCHEMY_CONN, which wins over AIRFLOW__DATABASE__SQL_ALCHEMY_CONN)"
    )


def check_revision(revision: str | None, display_url: str) -> None:
    """Return when the revision is HEAD.

    Raises DatabaseNotInitialised for None, SchemaTooOld for an earlier revision and SchemaTooNew for an unknown one.
    """
    if revision is None:
        raise DatabaseNotInitialised(
            f"there is no Gnomon database at {display_url} yet: run `gnomon db migrate` or `gnomon standalone`"
        )
    if revision == HEAD:
        return
    if revision in REVISIONS:
        raise SchemaTooOld(
            f"the database at {display_url} has schema {revision}, this Gnomon needs {HEAD}: run `gnomon db migrate`"
        )
    raise SchemaTooNew(
        f"the database at {display_url} has schema {revision}, which this Gnomon (schema {HEAD}) does not know: "
        "install the newer Gnomon that made it, or restore the backup from before the upgrade"
    )
