"""The database of a home that Gnomon had made before its schema became revision 1, as `make_former_home.py` has written it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
from tests.former_home.make_former_home import DATA

from gnomon.storage.store.address import SQLITE, parse_address


def load_former_database(url: str, home: Path) -> None:
    """Write the database into the empty one at `url`, with the paths of a home in this folder."""
    address = parse_address(url)
    text = (DATA / f"{address.dialect}.sql").read_text(encoding="utf-8").replace("{HOME}", str(home))
    if address.dialect == SQLITE:
        with closing(sqlite3.connect(address.path)) as connection:
            connection.executescript(text)
    else:
        with psycopg.connect(address.target, autocommit=True) as connection:
            connection.execute(text.encode())
