"""Database addresses."""

from __future__ import annotations

import pytest

from gnomon.store import BadAddress
from gnomon.store.address import parse_address


@pytest.mark.parametrize(("url", "path"), [
    ("sqlite:////home/me/gnomon.db", "/home/me/gnomon.db"),
    ("sqlite:////with%20space/g.db?timeout=3", "/with space/g.db"),
    ("sqlite+pysqlite:////g.db", "/g.db"),
])
def test_a_sqlite_address_names_a_file(url: str, path: str) -> None:
    address = parse_address(url)
    assert (address.dialect, str(address.path)) == ("sqlite", path)


@pytest.mark.parametrize(("url", "target"), [
    ("postgresql://me@host/db", "postgresql://me@host/db"),
    ("postgresql+psycopg2://me:pw@host:5/db", "postgresql://me:pw@host:5/db"),
    ("postgres:///db?host=/run/pg", "postgresql:///db?host=%2Frun%2Fpg"),
    ("postgresql:///db?options=-csearch_path=s", "postgresql:///db?options=-csearch_path%3Ds"),
    ("postgresql:///db?options=-csearch_path%3Ds", "postgresql:///db?options=-csearch_path%3Ds"),
    ("postgresql:///db?host=h&schema=s", "postgresql:///db?host=h&options=-csearch_path%3Ds"),
])
def test_a_postgresql_address_becomes_what_libpq_takes(url: str, target: str) -> None:
    address = parse_address(url)
    assert (address.dialect, address.target) == ("postgresql", target)


@pytest.mark.parametrize("url", ["", "gnomon.db", "mysql://host/db", "sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite://host/x/"])
def test_a_wrong_address_names_the_option_and_a_right_one(url: str) -> None:
    with pytest.raises(BadAddress, match="sql_alchemy_conn"):
        parse_address(url)


def test_a_password_is_never_shown() -> None:
    assert parse_address("postgresql://me:p@ss:word@host/db").shown == "postgresql://me@host/db"
    with pytest.raises(BadAddress) as refused:
        parse_address("mysql://me:secret@host/db")
    assert "secret" not in str(refused.value)
