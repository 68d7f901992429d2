"""Database addresses."""

from __future__ import annotations

import traceback

import pytest

from gnomon.storage.store import InvalidAddress
from gnomon.storage.store.address import parse_address
from gnomon.storage.store.drivers.postgres import connect_postgres


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:////home/me/gnomon.db", "/home/me/gnomon.db"),
        ("sqlite:////with%20space/g.db?timeout=3", "/with space/g.db"),
        ("sqlite+pysqlite:////g.db", "/g.db"),
    ],
)
def test_a_sqlite_address_names_a_file(url: str, path: str) -> None:
    address = parse_address(url)
    assert (address.dialect, str(address.path)) == ("sqlite", path)


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("postgresql://me@host/db", "postgresql://me@host/db"),
        ("postgresql+psycopg2://me:pw@host:5/db", "postgresql://me:pw@host:5/db"),
        ("postgres:///db?host=/run/pg", "postgresql:///db?host=%2Frun%2Fpg"),
        ("postgresql:///db?options=-csearch_path=s", "postgresql:///db?options=-csearch_path%3Ds"),
        ("postgresql:///db?options=-csearch_path%3Ds", "postgresql:///db?options=-csearch_path%3Ds"),
        ("postgresql:///db?host=h&schema=s", "postgresql:///db?host=h&options=-csearch_path%3Ds"),
    ],
)
def test_a_postgresql_address_becomes_what_libpq_takes(url: str, target: str) -> None:
    address = parse_address(url)
    assert (address.dialect, address.target) == ("postgresql", target)


@pytest.mark.parametrize(
    "url", ["", "gnomon.db", "mysql://host/db", "sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite://host/x/"]
)
def test_a_wrong_address_names_the_option_and_a_right_one(url: str) -> None:
    with pytest.raises(InvalidAddress, match="sql_alchemy_conn"):
        parse_address(url)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:s3cret@host/db", "postgresql://me:***@host/db"),
        ("postgresql:///db?host=h&user=me&password=s3cret", "postgresql:///db?host=h&user=me&password=***"),
        ("postgresql://h/db?sslpassword=s3cret&password=s3cret", "postgresql://h/db?sslpassword=***&password=***"),
        ("sqlite:////g.db?password=s3cret", "sqlite:////g.db?password=***"),
    ],
)
def test_a_password_is_never_shown(url: str, shown: str) -> None:
    assert parse_address(url).display_url == shown


@pytest.mark.parametrize(
    "url",
    [
        "mysql://me:s3cret@host/db",
        "me:s3cret@host/db",
        "host=h password=s3cret",
        "sqlite://me:s3cret@host",
        "postgresql://me:s3@cret@host/db",
        "postgresql://me:s3/cret@host/db",
        "postgresql://me:123/cret@host/db",
        "postgresql://me:s3%cret@host/db",
    ],
)
def test_a_refused_address_shows_no_part_of_its_password(url: str) -> None:
    with pytest.raises(InvalidAddress, match="sql_alchemy_conn") as refused:
        parse_address(url)
    assert "s3" not in str(refused.value) and "cret" not in str(refused.value)


@pytest.mark.ordinary
@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:s3cret@[::1/db",
        "postgresql://me:s3cret@[::1]x/db",
        "postgresql://me:s3cret@h/db?passwrd=s3cret",
    ],
)
def test_an_address_that_libpq_does_not_read_is_told_without_its_password(url: str) -> None:
    with pytest.raises(InvalidAddress, match="sql_alchemy_conn") as refused:
        connect_postgres(parse_address(url).target)
    assert "s3cret" not in "".join(traceback.format_exception(refused.value))
