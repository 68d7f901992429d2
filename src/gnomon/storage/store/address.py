"""Database addresses: `sqlite:////folder/file.db` and `postgresql://user:password@host/name`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from gnomon.ground.config import without_password
from gnomon.model.sentences import say
from gnomon.storage.store.errors import InvalidAddress

SQLITE = "sqlite"
POSTGRESQL = "postgresql"


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed address: the dialect, and what the driver takes."""

    dialect: str
    target: str
    """SQLite: the path of the file. PostgreSQL: the URL for libpq."""
    display_url: str
    """The address for messages: without its password."""

    @property
    def path(self) -> Path:
        """The file of a SQLite database."""
        return Path(self.target)


def parse_address(url: str) -> Address:
    """Parse a database address. Raises InvalidAddress, which says what is wrong with it.

    Airflow's spellings with a driver (`postgresql+psycopg2://`) are accepted; the driver is ignored.
    """
    scheme, colon, rest = url.partition("://")
    dialect = scheme.partition("+")[0]
    if not colon or dialect not in {SQLITE, POSTGRESQL, "postgres"}:
        raise InvalidAddress(say("database_address_is_wrong", url=without_password(url)))
    if dialect == SQLITE:
        return _parse_sqlite(url, rest)
    if _is_misread(rest):
        raise InvalidAddress(say("database_address_has_unescaped_part", url=without_password(url)))
    return Address(POSTGRESQL, "postgresql://" + _quote_libpq(rest), without_password(url))


def _parse_sqlite(url: str, rest: str) -> Address:
    path = unquote(rest.partition("?")[0])
    if not path.startswith("/") or path.strip("/") in {"", ":memory:"}:
        raise InvalidAddress(say("database_address_names_no_file", url=without_password(url)))
    return Address(SQLITE, str(Path(path[1:]).absolute()), without_password(url))


def _is_misread(rest: str) -> bool:
    """Whether libpq would read a part of the user or password as host, port or database name, and show it in an error."""
    authority = re.split(r"[/?]", rest, maxsplit=1)[0]
    credentials, at, _ = authority.rpartition("@")
    if at:
        return "@" in credentials or re.search(r"%(?![0-9a-fA-F]{2})", credentials) is not None
    path, _, query = rest.partition("?")
    return ":" in authority and ("@" in path or any("@" in pair.partition("=")[0] for pair in query.split("&")))


def _quote_libpq(rest: str) -> str:
    """`schema=x` becomes a search path, and the values of options are quoted as libpq requires."""
    location, question, query = rest.partition("?")
    pairs = []
    for pair in query.split("&") if question else ():
        key, _, value = pair.partition("=")
        value = unquote(value)
        if key == "schema":
            key, value = "options", f"-csearch_path={value}"
        pairs.append(f"{key}={quote(value, safe='')}")
    return location + ("?" + "&".join(pairs) if pairs else "")
