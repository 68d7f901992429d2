"""A connection to SQLite: WAL mode, one writer at a time by the write lock, readers that never wait."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

from gnomon.ground.clock import Clock
from gnomon.model.sentences import Command, say
from gnomon.storage.store.drivers.sqlite_file import translate_sqlite_error
from gnomon.storage.store.drivers.write_lock import WAIT_MAX_S, WriteLock
from gnomon.storage.store.errors import CommitUncertain, DatabaseUnavailable, StatementTooSlow, say_slow_statement
from gnomon.storage.store.statements import Statement
from gnomon.storage.store.transaction import Row, RowCountCheck

BUSY_TIMEOUT_S = 5.0
"""SQLite's own wait, for locks that the write lock does not order: another program, the recovery after a crash."""
STATEMENTS_CACHED = 256
STEPS_BETWEEN_LOOKS = 100_000
"""A look costs a call of Python; so many steps take about a millisecond."""
CACHE_KB = 2_000
"""Page cache of a connection. It is small, because old history is seldom read and the system caches the file."""


def connect_sqlite(path: Path, synchronous: str = "FULL", *, mode: str = "rwc") -> sqlite3.Connection:
    """Open a connection with Gnomon's settings. `mode`: SQLite's, `rw` creates no file. Raises sqlite3.Error when the file cannot be opened."""
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?mode={mode}",
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=STATEMENTS_CACHED,
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
    """`DriverConnection` for SQLite. It holds the write lock from `begin_write` to the end of the transaction."""

    def __init__(self, path: Path, clock: Clock, synchronous: str, read_limit_s: float | None = None) -> None:
        """`read_limit_s`: how long a statement may take between `begin_read` and `end_read`; None: as long as it needs."""
        self._path = path
        self._clock = clock
        self._read_limit_s = read_limit_s
        self._is_limited = False
        self._holds_lock = False
        self.is_usable = True
        self._identity = _find_identity(path)
        if self._identity is None:
            raise DatabaseUnavailable(say("database_file_is_missing", file=str(path), command=Command("db restore")))
        self._write_lock = WriteLock(path, clock, WAIT_MAX_S if read_limit_s is None else min(WAIT_MAX_S, read_limit_s))
        try:
            self._connection = connect_sqlite(path, synchronous, mode="rw")
        except sqlite3.Error as error:
            self._write_lock.close()
            self._raise_translated(error)

    def is_current(self) -> bool:
        """The path still leads to the file that was opened, which was neither moved nor replaced."""
        return _find_identity(self._path) == self._identity

    def begin_read(self) -> None:
        self.execute_raw("BEGIN")
        self._is_limited = self._read_limit_s is not None

    def begin_write(self) -> None:
        self._write_lock.acquire()
        self._holds_lock = True
        try:
            self.execute_raw("BEGIN IMMEDIATE")
        except BaseException:
            self._release_lock()
            raise

    def commit(self) -> None:
        try:
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self.rollback()
            if (error.sqlite_errorname or "").startswith("SQLITE_IOERR"):
                raise CommitUncertain(
                    say("disk_failed_in_commit", file=str(self._path), error=error.sqlite_errorname)
                ) from error
            self._raise_translated(error)
        finally:
            self._release_lock()

    def end_read(self) -> None:
        self.rollback()

    def _limit_statement(self) -> None:
        """Interrupt the next statement when its time is over. SQLite asks after each STEPS_BETWEEN_LOOKS steps of its virtual machine."""
        assert self._read_limit_s is not None
        until, clock = self._clock.monotonic() + self._read_limit_s, self._clock
        self._connection.set_progress_handler(lambda: clock.monotonic() >= until, STEPS_BETWEEN_LOOKS)

    def rollback(self) -> None:
        if self._is_limited:
            self._is_limited = False
            self._connection.set_progress_handler(None, 0)
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            self.is_usable = False
            self._connection.close()
        finally:
            self._release_lock()

    def rows(self, statement: Statement, parameters: Mapping[str, object]) -> list[Row]:
        if self._is_limited:
            self._limit_statement()
        try:
            return self._connection.execute(statement.text, _bind_lists(parameters)).fetchall()
        except sqlite3.Error as error:
            self._raise_translated(error)

    def count(self, statement: Statement, parameters: Mapping[str, object]) -> int:
        try:
            return self._connection.execute(statement.text, _bind_lists(parameters)).rowcount
        except sqlite3.Error as error:
            self._raise_translated(error)

    def many(self, statement: Statement, rows: Sequence[Sequence[object]]) -> int:
        try:
            return self._connection.executemany(statement.text, rows).rowcount
        except sqlite3.Error as error:
            self._raise_translated(error)

    def send(self, statement: Statement, parameters: Mapping[str, object], check: RowCountCheck | None) -> None:
        """Executes at once: without a server there is no round trip to save."""
        try:
            cursor = self._connection.execute(statement.text, _bind_lists(parameters))
            count = cursor.rowcount if cursor.description is None else len(cursor.fetchall())
        except sqlite3.Error as error:
            self._raise_translated(error)
        if check is not None:
            check(count)

    def send_many(self, statement: Statement, rows: Sequence[Sequence[object]], check: RowCountCheck | None) -> None:
        count = self.many(statement, rows)
        if check is not None:
            check(count)

    def flush(self) -> None:
        """Does nothing: `send` has executed every statement."""

    def execute_raw(self, text: str) -> None:
        try:
            self._connection.execute(text)
        except sqlite3.Error as error:
            self._raise_translated(error)

    def close(self) -> None:
        self.is_usable = False
        self._connection.close()
        self._write_lock.close()
        self._holds_lock = False

    def abandon(self) -> None:
        """Closes the file of the write lock only: closing the connection would release SQLite's locks of the parent."""
        self._write_lock.close()

    def _release_lock(self) -> None:
        if self._holds_lock:
            self._holds_lock = False
            self._write_lock.release()

    def _raise_translated(self, error: sqlite3.Error) -> NoReturn:
        if self._read_limit_s is not None and getattr(error, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
            raise StatementTooSlow(say_slow_statement(self._read_limit_s)) from error
        cause = translate_sqlite_error(error, self._path)
        if cause is None:
            raise error
        raise cause from error


def _find_identity(path: Path) -> tuple[int, int] | None:
    """Device and number of the file; None when there is none."""
    try:
        stat_result = os.stat(path)
    except FileNotFoundError:
        return None
    return stat_result.st_dev, stat_result.st_ino


def _bind_lists(parameters: Mapping[str, object]) -> dict[str, object]:
    """Lists become JSON text, which the statement reads with json_each."""
    return {name: json.dumps(value) if isinstance(value, list) else value for name, value in parameters.items()}
