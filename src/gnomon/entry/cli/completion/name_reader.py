"""Reads names from the database for completion: quickly, read-only, and nothing instead of an error."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, unquote

from gnomon.ground.config import current_config

_SQL = Path(__file__).parents[3] / "storage" / "store" / "sql" / "completion.sql"
"""Read as text: to import `gnomon.storage.store` would take longer than to answer."""
_BUSY_S = 0.1
NAMES_MAX = 200
"""Names that are offered at most."""


def read_names(statement: str, parameters: Mapping[str, str]) -> list[str]:
    """The names that a statement of `completion.sql` finds; [] when there is no database, or it does not answer."""
    try:
        url = current_config().database_url
        if url.startswith("sqlite"):
            return _read_sqlite(
                "/" + unquote(url.partition("://")[2].partition("?")[0]).lstrip("/"), statement, parameters
            )
        from gnomon.storage.store import open_database  # loads the driver of PostgreSQL

        db = open_database(url)
        try:
            with db.read() as tx:
                return [str(row[0]) for row in tx.all(f"completion.{statement}", **parameters, limit=NAMES_MAX)]
        finally:
            db.close()
    except Exception:  # completion is never a reason for an error on a prompt
        return []


def _read_sqlite(path: str, statement: str, parameters: Mapping[str, str]) -> list[str]:
    connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=_BUSY_S)
    try:
        rows = connection.execute(_find_text(statement), {**parameters, "limit": NAMES_MAX}).fetchall()
    finally:
        connection.close()
    return [str(row[0]) for row in rows]


def _find_text(statement: str) -> str:
    """The text of the statement; those of completion are the same for both databases."""
    _, _, rest = _SQL.read_text(encoding="utf-8").partition(f"-- name: {statement}\n")
    return rest.partition("-- name: ")[0]
