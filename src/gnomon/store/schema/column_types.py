"""The kinds of columns. Instants are microseconds UTC in integers; ids that others make are text."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Text,
    false,
    text,
)

metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ck": "%(table_name)s_%(constraint_name)s_check",
        "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
    }
)

Big = BigInteger().with_variant(Integer(), "sqlite")
"""SQLite makes numbers of its own only for a column of exactly the type INTEGER; it holds 64 bits as well."""


def serial(name: str) -> Column[Any]:
    """A primary key that the database numbers."""
    return Column(name, Big, primary_key=True, autoincrement=True)


def big(name: str, *args: Any, **kwargs: Any) -> Column[Any]:
    """A 64-bit integer: a reference, or an instant."""
    return Column(name, Big, *args, **kwargs)


def integer(name: str, *args: Any, **kwargs: Any) -> Column[Any]:
    """A 32-bit integer."""
    return Column(name, Integer, *args, **kwargs)


def small(name: str, *args: Any, **kwargs: Any) -> Column[Any]:
    """A 16-bit integer: a state, a try."""
    return Column(name, SmallInteger, *args, **kwargs)


def words(name: str, *args: Any, **kwargs: Any) -> Column[Any]:
    """Text of any length."""
    return Column(name, Text, *args, **kwargs)


def flag(name: str) -> Column[Any]:
    """True or false; false unless said."""
    return Column(name, Boolean, nullable=False, server_default=false())


def check(name: str, condition: str) -> CheckConstraint:
    """A condition that holds in every row."""
    return CheckConstraint(condition, name=name)


def partial(name: str, condition: str, *columns: Any) -> Index:
    """An index over the rows that satisfy the condition."""
    return Index(name, *columns, sqlite_where=text(condition), postgresql_where=text(condition))
