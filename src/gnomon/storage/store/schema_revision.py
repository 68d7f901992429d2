"""Which revision of the schema a database has, and what to say when it is not the one that this Gnomon needs."""

from __future__ import annotations

import re
from collections.abc import Collection

from gnomon.storage.store.errors import (
    DatabaseNotInitialised,
    ForeignDatabase,
    SchemaNotReleased,
    SchemaTooNew,
    SchemaTooOld,
)

REVISIONS = ("1",)
"""The revisions of `store/migrations/scripts`, oldest first. A constant, because every command reads it; a test compares it."""
HEAD = REVISIONS[-1]
"""The newest revision, which this Gnomon needs."""
FORMER_REVISIONS = {"0031": ("from_0031", "from_0034"), "0034": ("from_0034",)}
"""Revisions from before revision 1, each with the scripts that make revision 1 of it, in order."""
_FORMER = re.compile("00(0[1-9]|[12][0-9]|3[0-4])")
"""The names that revisions had before revision 1."""
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

    Raises DatabaseNotInitialised for None, SchemaTooOld for a revision that is upgraded, SchemaNotReleased for one that is not, and SchemaTooNew for an
    unknown one.
    """
    if revision is None:
        raise DatabaseNotInitialised(
            f"there is no Gnomon database at {display_url} yet: run `gnomon db migrate` or `gnomon standalone`"
        )
    if revision == HEAD:
        return
    if revision in REVISIONS or revision in FORMER_REVISIONS:
        raise SchemaTooOld(
            f"the database at {display_url} has schema {revision}, this Gnomon needs {HEAD}: run `gnomon db migrate`"
        )
    if _FORMER.fullmatch(revision):
        raise SchemaNotReleased(
            f"the database at {display_url} has schema {revision}, made by a development version of Gnomon that was never released, and is not "
            f"upgraded (only {' and '.join(FORMER_REVISIONS)} are): nothing was changed; move it away, or name another database in [database] "
            "sql_alchemy_conn, and run `gnomon db migrate`"
        )
    raise SchemaTooNew(
        f"the database at {display_url} has schema {revision}, which this Gnomon (schema {HEAD}) does not know: "
        "install the newer Gnomon that made it, or restore the backup from before the upgrade"
    )
