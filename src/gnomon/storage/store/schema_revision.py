"""Which revision of the schema a database has, and what to say when it is not the one that this Gnomon needs."""

from __future__ import annotations

import re
from collections.abc import Collection

from gnomon.model.sentences import Command, say
from gnomon.storage.store.errors import (
    DatabaseNotInitialised,
    ForeignDatabase,
    SchemaNotReleased,
    SchemaTooNew,
    SchemaTooOld,
)

REVISIONS = ("1", "2", "3")
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
    more = say("and_more", count=len(tables) - _TABLES_SHOWN) if len(tables) > _TABLES_SHOWN else None
    raise ForeignDatabase(
        say("database_is_foreign", url=display_url, names=", ".join(sorted(tables)[:_TABLES_SHOWN]), more=more)
    )


def check_revision(revision: str | None, display_url: str) -> None:
    """Return when the revision is HEAD.

    Raises DatabaseNotInitialised for None, SchemaTooOld for a revision that is upgraded, SchemaNotReleased for one that is not, and SchemaTooNew for an
    unknown one.
    """
    if revision is None:
        raise DatabaseNotInitialised(
            say(
                "database_does_not_exist",
                url=display_url,
                command=Command("db migrate"),
                other_command=Command("standalone"),
            )
        )
    if revision == HEAD:
        return
    if revision in REVISIONS or revision in FORMER_REVISIONS:
        raise SchemaTooOld(
            say(
                "schema_is_too_old",
                url=display_url,
                revision=str(revision),
                head=str(HEAD),
                command=Command("db migrate"),
            )
        )
    if _FORMER.fullmatch(revision):
        raise SchemaNotReleased(
            say(
                "schema_was_not_released",
                url=display_url,
                revision=str(revision),
                names=" and ".join(FORMER_REVISIONS),
                command=Command("db migrate"),
            )
        )
    raise SchemaTooNew(say("schema_is_too_new", url=display_url, revision=str(revision), head=str(HEAD)))
