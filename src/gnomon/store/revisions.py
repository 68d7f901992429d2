"""Which schema a database has, read by its plain driver: starting a command must not import a migration tool."""

from __future__ import annotations

from collections.abc import Callable

from gnomon.store.errors import NotInitialised, SchemaTooNew, SchemaTooOld

HEAD = "0001"
"""The newest revision of `store/migrations/versions`; a test compares."""
KNOWN = ("0001",)
"""All of them, oldest first."""
VERSION_QUERY = "SELECT version_num FROM alembic_version"

Query = Callable[[str], list[tuple[str]]]


def check_revision(revision: str | None, shown: str) -> None:
    """Returns when a database is at HEAD; else NotInitialised, SchemaTooOld or SchemaTooNew say what to do."""
    if revision is None:
        raise NotInitialised(f"there is no Gnomon database at {shown} yet: run `gnomon db migrate` or `gnomon standalone`")
    if revision == HEAD:
        return
    if revision in KNOWN:
        raise SchemaTooOld(f"the database at {shown} has schema {revision}, this Gnomon needs {HEAD}: run `gnomon db migrate`")
    raise SchemaTooNew(
        f"the database at {shown} has schema {revision}, which this Gnomon (schema {HEAD}) does not know: "
        "install the newer Gnomon that made it, or restore the backup from before"
    )
