"""A connection to SQLite: WAL, one writer at a time by ticket, readers that wait for nobody."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from gnomon.clock import Clock
from gnomon.store.drivers.sqlite_file import translate_sqlite_error
from gnomon.store.drivers.write_lock import WriteLock
from gnomon.store.errors import CommitUncertain
from gnomon.store.statements import Statement
from gnomon.store.transaction import Row, RowCountCheck

BUSY_TIMEOUT_S = 5.0
"""For what the ticket does not order: another program's write, the recovery after a crash."""
STATEMENTS_CACHED = 256
CACHE_KB = 2_000
"""Pages that a connection keeps: history that was written once is not looked at again, and the system caches the file."""


def connect_sqlite(path: Path, synchronous: str = "FULL") -> sqlite3.Connection:
    """A connection with Gnomon's settings; sqlite3.Error when the file cannot be opened."""
    connection = sqlite3.connect(
        path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False, cached_statements=STATEMENTS_CACHED
    )
    try:
        if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KB}")
        connection.execute("PRAGMA temp_store = MEMORY")
    except BaseException:
        connection.close()
        raise
    return connection


class SqliteConnection:
    """One connection; it holds the ticket from begin_write to the end of the transaction."""

    def __init__(self, path: Path, clock: Clock, synchronous: str) -> None:
        self._path = path
        self._holds_ticket = False
        self.is_usable = True
        self._ticket = WriteLock(path, clock)
        try:
            self._connection = connect_sqlite(path, synchronous)
        except sqlite3.Error as error:
            self._ticket.close()
            self._refuse(error)

    def begin_read(self) -> None:
        self.execute_raw("BEGIN")

    def begin_write(self) -> None:
        self._ticket.acquire()
        self._holds_ticket = True
        try:
            self.execute_raw("BEGIN IMMEDIATE")
        except BaseException:
            self._give_ticket_back()
            raise

    def commit(self) -> None:
        try:
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self.rollback()
            if (error.sqlite_errorname or "").startswith("SQLITE_IOERR"):
                raise CommitUncertain(f"the disk of {self._path} failed inside COMMIT ({error.sqlite_errorname})") from error
            self._refuse(error)
        finally:
            self._give_ticket_back()

    def end_read(self) -> None:
        self.rollback()

    def rollback(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            self.is_usable = False
            self._connection.close()
        finally:
            self._give_ticket_back()

    def rows(self, statement: Statement, parameters: Mapping[str, object]) -> list[Row]:
        try:
            return self._connection.execute(statement.text, _bind_lists(parameters)).fetchall()
        except sqlite3.Error as error:
            self._refuse(error)

    def count(self, statement: Statement, parameters: Mapping[str, object]) -> int:
        try:
            return self._connection.execute(statement.text, _bind_lists(parameters)).rowcount
        except sqlite3.Error as error:
            self._refuse(error)

    def many(self, statement: Statement, rows: Sequence[Sequence[object]]) -> int:
        try:
            return self._connection.executemany(statement.text, rows).rowcount
        except sqlite3.Error as error:
            self._refuse(error)

    def send(self, statement: Statement, parameters: Mapping[str, object], check: RowCountCheck | None) -> None:
        """Runs at once: there is no way to a server that several statements could share."""
        try:
            cursor = self._connection.execute(statement.text, _bind_lists(parameters))
            count = cursor.rowcount if cursor.description is None else len(cursor.fetchall())
        except sqlite3.Error as error:
            self._refuse(error)
        if check is not None:
            check(count)

    def send_many(self, statement: Statement, rows: Sequence[Sequence[object]], check: RowCountCheck | None) -> None:
        count = self.many(statement, rows)
        if check is not None:
            check(count)

    def flush(self) -> None:
        """Nothing is under way."""

    def execute_raw(self, text: str) -> None:
        try:
            self._connection.execute(text)
        except sqlite3.Error as error:
            self._refuse(error)

    def close(self) -> None:
        self.is_usable = False
        self._connection.close()
        self._ticket.close()
        self._holds_ticket = False

    def abandon(self) -> None:
        """The ticket's file is closed; the connection is not: closing would act on a file that the parent uses."""
        self._ticket.close()

    def _give_ticket_back(self) -> None:
        if self._holds_ticket:
            self._holds_ticket = False
            self._ticket.release()

    def _refuse(self, error: sqlite3.Error) -> NoReturn:
        cause = translate_sqlite_error(error, self._path)
        if cause is None:
            raise error
        raise cause from error


def _bind_lists(parameters: Mapping[str, object]) -> dict[str, object]:
    """Lists travel as JSON text: the statement opens them with json_each."""
    return {name: json.dumps(value) if isinstance(value, list) else value for name, value in parameters.items()}
