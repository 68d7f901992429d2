"""A driver of a database in the place of another one: it keeps with what it is called, and answers from a file of SQLite."""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

_FORMATS = (
    (re.compile(r"%\((\w+)\)s"), r":\1"),
    (re.compile(r"%[sd]"), "?"),
)
"""How the parameters of other drivers are written, and how SQLite's are."""


class FakeDriver:
    """One database, to which several connections may be open at a time."""

    def __init__(self, file: Path, kind: type[FakeConnection]) -> None:
        self._file, self._kind = file, kind
        self.calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        """With what `connect` has been called."""
        self.statements: list[str] = []
        """What has been executed, as the hooks wrote it."""
        self.answered: dict[str, list[Any]] = {}
        """The answers to statements that SQLite does not know."""
        self.execute("PRAGMA journal_mode = WAL")  # one connection can read while another one writes

    def connect(self, *args: Any, **kwargs: Any) -> FakeConnection:
        """The function `connect` of a driver."""
        self.calls.append((args, kwargs))
        return self._kind(self, sqlite3.connect(self._file, check_same_thread=False))

    def execute(self, statement: str) -> list[Any]:
        """Rows, through a connection of its own, which sees only what has been committed."""
        connection = sqlite3.connect(self._file)
        try:
            return connection.execute(statement).fetchall()
        finally:
            connection.close()


class FakeConnection:
    """A connection with what the hooks of several drivers use of it."""

    def __init__(self, driver: FakeDriver, real: sqlite3.Connection) -> None:
        self.driver, self.real = driver, real
        self.autocommit_state: Any = None
        self.jconn = SimpleNamespace(setAutoCommit=self._set_autocommit, getAutoCommit=lambda: self.autocommit_state)
        """What a connection of JayDeBeApi has inside."""

    def _set_autocommit(self, value: Any) -> None:
        self.autocommit_state = value

    def make_row(self, values: Sequence[Any], description: Any) -> Any:
        """What the cursor returns as a row."""
        return tuple(values)

    def cursor(self) -> FakeCursor:
        """A cursor."""
        return FakeCursor(self)

    def commit(self) -> None:
        """Keep what has been written."""
        self.real.commit()

    def rollback(self) -> None:
        """Forget what has been written."""
        self.real.rollback()

    def close(self) -> None:
        """End the connection."""
        self.real.close()

    def __enter__(self) -> FakeConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class PymssqlConnection(FakeConnection):
    """`autocommit` is a method in pymssql, and an attribute elsewhere."""

    def autocommit(self, value: bool) -> None:
        """Set it."""
        self._set_autocommit(value)


class PyodbcRow:
    """A row that knows its columns; like pyodbc's, it is no tuple."""

    def __init__(self, values: Sequence[Any], description: Any) -> None:
        self._values = values
        self.cursor_description = description

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)


class PyodbcConnection(FakeConnection):
    """Its rows are not tuples."""

    def make_row(self, values: Sequence[Any], description: Any) -> Any:
        """What the cursor returns as a row."""
        return PyodbcRow(values, description)


class FakeCursor:
    """A cursor."""

    def __init__(self, connection: FakeConnection) -> None:
        self._connection, self._real = connection, connection.real.cursor()
        self._prepared = ""
        self._answer: list[Any] | None = None
        self.bindvars: Any = None
        """The parameters that a procedure has been called with, as python-oracledb keeps them."""

    @property
    def description(self) -> Any:
        """The columns of the answer."""
        return self._real.description

    @property
    def rowcount(self) -> int:
        """The number of rows that have been written."""
        return self._real.rowcount

    def execute(self, statement: str, parameters: Any = ()) -> FakeCursor:
        """Execute one statement."""
        self._connection.driver.statements.append(statement)
        self._answer = self._connection.driver.answered.get(statement)
        if self._answer is not None:
            self.bindvars = [SimpleNamespace(getvalue=lambda value=value: value) for value in self._answer]
        else:
            self._real.execute(_translate(statement), _to_parameters(parameters))
        return self

    def prepare(self, statement: str) -> None:
        """Keep the statement for `executemany(None, rows)`, as python-oracledb does."""
        self._prepared = statement

    def executemany(self, statement: str | None, rows: Sequence[Any]) -> None:
        """Execute a statement for each row."""
        self._connection.driver.statements.append(statement or self._prepared)
        self._real.executemany(_translate(statement or self._prepared), rows)

    def fetchall(self) -> list[Any]:
        """All rows."""
        return [self._make_row(row) for row in self._real.fetchall()]

    def fetchmany(self, size: int) -> list[Any]:
        """The next rows."""
        return [self._make_row(row) for row in self._real.fetchmany(size)]

    def fetchone(self) -> Any:
        """The next row."""
        row = self._real.fetchone()
        return None if row is None else self._make_row(row)

    def _make_row(self, values: Sequence[Any]) -> Any:
        return self._connection.make_row(values, self.description)

    def close(self) -> None:
        """End the cursor."""
        self._real.close()

    def __enter__(self) -> FakeCursor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _translate(statement: str) -> str:
    for written, ours in _FORMATS:
        statement = written.sub(ours, statement)
    return statement


def _to_parameters(parameters: Any) -> Any:
    return parameters if isinstance(parameters, Mapping) else tuple(parameters or ())


@contextmanager
def fake_driver(place: str, kind: type[FakeConnection] = FakeConnection) -> Iterator[FakeDriver]:
    """In the block, the function `place` (such as `oracledb.connect`) is that of a driver of its own."""
    with tempfile.TemporaryDirectory() as folder:
        driver = FakeDriver(Path(folder, "use.db"), kind)
        with mock.patch(place, driver.connect):
            yield driver
