"""A connection to PostgreSQL: READ COMMITTED, prepared statements, bounds on everything that could wait for ever."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import psycopg
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from psycopg.types.string import StrDumper

from gnomon.store.errors import CommitUncertain, DatabaseAway, DiskFull, ReadOnly, StoreError
from gnomon.store.statements import Statement
from gnomon.store.transaction import Row

IDLE_IN_TRANSACTION_MS = 4_000
"""A process frozen inside a transaction loses it after this long (OWNERSHIP.md line 11)."""
IDLE_IN_READ_MS = 60_000
"""A reader blocks nobody, and may think between two questions: a take-over decodes everything that it reads."""
LOCK_TIMEOUT_MS = 8_000
"""Longer than IDLE_IN_TRANSACTION_MS: who waits for a frozen process outlasts it."""
CONNECT_TIMEOUT_S = 5
PREPARE_AFTER = 2
_AWAY = ("08", "57P", "55P03", "53300", "40P01", "25P03")
"""SQLSTATEs after which the same call may succeed later: connections, shutdowns, lock time-outs, deadlocks."""


def connect(url: str, *, autocommit: bool = False) -> psycopg.Connection[Row]:
    """A connection with Gnomon's settings; DatabaseAway when the server does not answer."""
    try:
        connection = psycopg.connect(
            url, autocommit=autocommit, prepare_threshold=PREPARE_AFTER, connect_timeout=CONNECT_TIMEOUT_S,
            application_name="gnomon", keepalives_idle=10, keepalives_interval=5, keepalives_count=3, tcp_user_timeout=15_000,
        )
    except psycopg.OperationalError as error:
        raise DatabaseAway(f"PostgreSQL does not answer: {_first_line(error)}") from error
    # Every integer is a bigint and every text a text, or each size of number would prepare a statement of its own.
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.adapters.register_dumper(int, Int8BinaryDumper)
    connection.adapters.register_dumper(str, StrDumper)
    connection.execute(
        f"SET idle_in_transaction_session_timeout = {IDLE_IN_TRANSACTION_MS}; SET lock_timeout = {LOCK_TIMEOUT_MS}; "
        "SET default_transaction_isolation = 'read committed'; SET client_min_messages = 'warning'"
    )
    if not autocommit:
        connection.commit()
    return connection


class PostgresLink:
    """One connection; the driver opens a transaction with the first statement."""

    def __init__(self, url: str) -> None:
        self._connection = connect(url)

    @property
    def usable(self) -> bool:
        return not (self._connection.closed or self._connection.broken)

    def begin_read(self) -> None:
        self.simple(
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; "
            f"SET LOCAL idle_in_transaction_session_timeout = {IDLE_IN_READ_MS}"
        )

    def begin_write(self) -> None:
        """Nothing to do: psycopg sends BEGIN with the first statement."""

    def commit(self) -> None:
        try:
            self._connection.commit()
        except psycopg.Error as error:
            if error.sqlstate is None or error.sqlstate.startswith(("08", "57P")):
                self.close()
                raise CommitUncertain(f"the connection to PostgreSQL ended inside COMMIT: {_first_line(error)}") from error
            self.rollback()
            raise _worded(error) from error

    def rollback(self) -> None:
        try:
            self._connection.rollback()
        except psycopg.Error:
            self._connection.close()

    def rows(self, statement: Statement, parameters: Mapping[str, object]) -> list[Row]:
        with _errors_in_words():
            return self._connection.execute(statement.text.encode(), parameters).fetchall()

    def count(self, statement: Statement, parameters: Mapping[str, object]) -> int:
        with _errors_in_words():
            return self._connection.execute(statement.text.encode(), parameters).rowcount

    def many(self, statement: Statement, rows: Sequence[Sequence[object]]) -> int:
        arrays = dict(zip(statement.columns, map(list, zip(*rows, strict=True)), strict=True))
        with _errors_in_words():
            return self._connection.execute(statement.text.encode(), arrays).rowcount

    def simple(self, text: str) -> None:
        with _errors_in_words():
            self._connection.execute(text.encode())

    def close(self) -> None:
        self._connection.close()

    def abandon(self) -> None:
        """Nothing: closing would end the parent's session."""


class Listener:
    """A connection that hears `NOTIFY gnomon`."""

    def __init__(self, url: str) -> None:
        self._connection = connect(url, autocommit=True)
        self._connection.execute("LISTEN gnomon")

    def fileno(self) -> int:
        return self._connection.fileno()

    def poll(self) -> int:
        """How many notifications came since the last call; DatabaseAway when the connection is gone."""
        try:
            return sum(1 for _ in self._connection.notifies(timeout=0))
        except psycopg.Error as error:
            self.close()
            raise DatabaseAway(f"the connection to PostgreSQL ended: {_first_line(error)}") from error

    def close(self) -> None:
        self._connection.close()


@contextmanager
def _errors_in_words() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        worded = _worded(error)
        if worded is error:
            raise
        raise worded from error


def _worded(error: psycopg.Error) -> Exception:
    state = error.sqlstate
    if state is None and isinstance(error, psycopg.OperationalError):
        return DatabaseAway(f"the connection to PostgreSQL ended: {_first_line(error)}")
    if state is not None and state.startswith(_AWAY):
        return DatabaseAway(f"PostgreSQL could not do it now: {_first_line(error)}")
    if state == "53100":
        return DiskFull(f"PostgreSQL has no room left on its disk ({_first_line(error)}): free some space there")
    if state in {"25006", "42501"}:
        return ReadOnly(f"PostgreSQL refuses to write ({_first_line(error)}): check the user's rights, and that it is no standby")
    return StoreError(f"PostgreSQL: {_first_line(error)}") if isinstance(error, psycopg.OperationalError) else error


def _first_line(error: psycopg.Error) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
