"""A connection to PostgreSQL: READ COMMITTED, prepared statements, a bound on every wait."""

from __future__ import annotations

import select
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from psycopg.types.string import StrDumper, StrDumperUnknown

from gnomon.ground.config import without_password
from gnomon.model.sentences import say
from gnomon.storage.store.errors import (
    CommitUncertain,
    DatabaseReadOnly,
    DatabaseUnavailable,
    DataRejected,
    DiskFull,
    InvalidAddress,
    StatementTooSlow,
    StoreError,
    UnstorableText,
    say_slow_statement,
)
from gnomon.storage.store.statements import Statement
from gnomon.storage.store.transaction import LEASE_TTL_S, Row, RowCountCheck

IDLE_IN_TRANSACTION_MS = round(LEASE_TTL_S * 1000)
"""The server ends a session that is idle inside a transaction for this time (TAKE_OVER in docs/contributing/ownership.md)."""
IDLE_IN_READ_MS = 60_000
"""The same for a transaction that only reads: it blocks no other, and a take-over decodes everything between its queries."""
LOCK_TIMEOUT_MS = 8_000
"""Longer than IDLE_IN_TRANSACTION_MS, so that a wait for a frozen process succeeds."""
CONNECT_TIMEOUT_S = 5
POOLER_QUESTIONS = 5
"""How often two connections ask a pooler for the session that they have."""
PREPARE_THRESHOLD = 2
PIPELINE_THRESHOLD = 2
"""More statements than this use a pipeline, which costs as much as the round trip that it saves for fewer."""
Cursor = psycopg.Cursor[Row]
_RETRYABLE_STATES = ("08", "57P", "55P03", "53300", "40P01", "25P03")
"""SQLSTATEs after which the same call may succeed later: connections, shutdowns, lock time-outs, deadlocks, idle sessions."""
_DATA_STATES = ("22", "23", "54", "21000")
"""SQLSTATEs of the data itself: a value that its type cannot hold, a constraint, a value that is too large for an index, two rows of one key."""


def connect_postgres(url: str) -> psycopg.Connection[Row]:
    """Open a connection in autocommit mode with Gnomon's settings.

    Raises DatabaseUnavailable when the server does not answer, InvalidAddress when libpq cannot parse the address.
    """
    try:
        connection = psycopg.connect(
            url,
            autocommit=True,
            prepare_threshold=PREPARE_THRESHOLD,
            connect_timeout=CONNECT_TIMEOUT_S,
            application_name="gnomon",
            keepalives_idle=10,
            keepalives_interval=5,
            keepalives_count=3,
            tcp_user_timeout=15_000,
        )
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable(say("postgres_does_not_answer", error=_first_line(error))) from error
    except psycopg.ProgrammingError as error:
        shown = without_password(url)
        reason = _first_line(error).replace(url, shown)
        raise InvalidAddress(say("postgres_address_is_wrong", url=shown, reason=reason)) from None
    try:
        server_process = _apply_settings(connection)
        if server_process != connection.info.backend_pid and url not in _session_poolers:
            _check_pooler(url, connection, server_process)
    except psycopg.Error as error:
        connection.close()
        raise DatabaseUnavailable(say("postgres_does_not_answer", error=_first_line(error))) from error
    except InvalidAddress:
        connection.close()
        raise
    return connection


_session_poolers: set[str] = set()
"""Addresses of poolers that were found to keep one session of the server for each connection."""


def _check_pooler(url: str, connection: psycopg.Connection[Row], server_process: int) -> None:
    """Return when the pooler (PgBouncer, for example) gives each connection a session of its own; raises InvalidAddress otherwise.

    The connection is idle here: a pooler that shares sessions gives its session to the second connection. The pooler may choose another free
    session, so the question is repeated.
    """
    own: set[int] = {server_process}
    others: set[int] = set()
    with psycopg.connect(
        url, autocommit=True, prepare_threshold=None, connect_timeout=CONNECT_TIMEOUT_S, application_name="gnomon"
    ) as second:
        for _ in range(POOLER_QUESTIONS):
            others.add(_read_server_process(second))
            own.add(_read_server_process(connection))
            if len(own) > 1 or own & others:
                connection.execute("RESET ALL")
                raise InvalidAddress(say("database_is_behind_pooler", url=without_password(url)))
    _session_poolers.add(url)


def _read_server_process(connection: psycopg.Connection[Row]) -> int:
    """The process id of the session of the server that executes this statement."""
    row = connection.execute("SELECT pg_backend_pid()", prepare=False).fetchone()
    assert row is not None
    return int(row[0])


def _apply_settings(connection: psycopg.Connection[Row]) -> int:
    """Give the session Gnomon's settings; returns the process id of the server's session. A pooler tells another one at the connect."""
    # Every integer is a bigint and every string a text; otherwise each size of number would prepare a statement of its own.
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.adapters.register_dumper(int, Int8BinaryDumper)
    connection.adapters.register_dumper(str, StrDumper)
    connection.adapters.register_dumper(list, ArrayDumper)
    cursor = connection.execute(
        "SELECT pg_backend_pid(); "
        f"SET idle_in_transaction_session_timeout = {IDLE_IN_TRANSACTION_MS}; SET lock_timeout = {LOCK_TIMEOUT_MS}; "
        "SET default_transaction_isolation = 'read committed'; SET client_min_messages = 'warning'; SET jit = off; SET max_parallel_workers_per_gather = 0"
    )
    row = cursor.fetchone()
    assert row is not None
    return int(row[0])


@dataclass(frozen=True, slots=True)
class _PendingStatement:
    """One statement that was not sent yet."""

    text: str
    parameters: Mapping[str, object] | None = None
    check: RowCountCheck | None = None
    prepare: bool | None = None
    """False: it is never prepared; None: the driver prepares it when it is repeated."""


class PostgresConnection:
    """`DriverConnection` for PostgreSQL. Statements without an answer are sent together with the next query (pipeline mode).

    They are kept in this process until then: a server that has received half of a pipeline does not count the session as idle, so
    no time-out would free the locks of a process that is frozen inside the pipeline (`leases.terminate_frozen_sessions` does it
    in the worst case). The connection is in autocommit mode, so that BEGIN and COMMIT are sent like other statements.
    """

    def __init__(self, url: str, read_limit_s: float | None = None) -> None:
        """`read_limit_s`: how long a statement may take between `begin_read` and `end_read`; None: as long as it needs."""
        self._connection = connect_postgres(url)
        self._pending: list[_PendingStatement] = []
        self._read_limit_s = read_limit_s

    @property
    def is_usable(self) -> bool:
        return not (self._connection.closed or self._connection.broken)

    def is_current(self) -> bool:
        """Between transactions a server sends nothing but the end of the session. Costs one call of the system, and no round trip."""
        waiting = select.poll()
        waiting.register(self._connection.fileno(), select.POLLIN)
        return not waiting.poll(0)

    def begin_read(self) -> None:
        self.execute_raw("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        if self._read_limit_s is None:
            self.execute_raw(f"SET LOCAL idle_in_transaction_session_timeout = {IDLE_IN_READ_MS}")
        else:  # one statement for both settings
            self.execute_raw(
                f"SELECT set_config('idle_in_transaction_session_timeout', '{IDLE_IN_READ_MS}', true), "
                f"set_config('statement_timeout', '{round(self._read_limit_s * 1000)}', true)"
            )

    def begin_write(self) -> None:
        self.execute_raw("BEGIN")

    def commit(self) -> None:
        try:
            self._connection.commit()
        except psycopg.Error as error:
            if error.sqlstate is None or error.sqlstate.startswith(("08", "57P")):
                self.close()
                raise CommitUncertain(say("postgres_ended_in_commit", error=_first_line(error))) from error
            self.rollback()
            raise _translate_error(error) from error

    def end_read(self) -> None:
        """Ends with COMMIT: after a ROLLBACK the driver would prepare every statement again."""
        self._pending = []
        try:
            self._connection.commit()
        except psycopg.Error:
            self.close()

    def rollback(self) -> None:
        self._pending = []
        try:
            self._connection.rollback()
        except psycopg.Error:
            self._connection.close()

    def rows(self, statement: Statement, parameters: Mapping[str, object]) -> list[Row]:
        return self._query(
            _PendingStatement(statement.text, parameters, prepare=None if statement.is_prepared else False)
        ).fetchall()

    def count(self, statement: Statement, parameters: Mapping[str, object]) -> int:
        return self._query(_PendingStatement(statement.text, parameters)).rowcount

    def many(self, statement: Statement, rows: Sequence[Sequence[object]]) -> int:
        return self._query(_PendingStatement(statement.text, _to_columns(statement, rows))).rowcount

    def send(self, statement: Statement, parameters: Mapping[str, object], check: RowCountCheck | None) -> None:
        self._pending.append(_PendingStatement(statement.text, parameters, check))

    def send_many(self, statement: Statement, rows: Sequence[Sequence[object]], check: RowCountCheck | None) -> None:
        self._pending.append(_PendingStatement(statement.text, _to_columns(statement, rows), check))

    def execute_raw(self, text: str) -> None:
        self._pending.append(_PendingStatement(text))

    def flush(self) -> None:
        pending, self._pending = self._pending, []
        if pending:
            self._run(pending)

    def close(self) -> None:
        self._connection.close()

    def abandon(self) -> None:
        """Does nothing: closing would end the session of the parent."""

    def _query(self, query: _PendingStatement) -> Cursor:
        pending, self._pending = self._pending, []
        return self._run([*pending, query])

    def _run(self, statements: Sequence[_PendingStatement]) -> Cursor:
        """Execute the statements; returns the cursor of the last one. Raises the first error of a check or of the server.

        The last statement is outside the pipeline: the driver ends a pipeline with a message (Flush) after which the server does not
        count the session as idle in its transaction.
        """
        cursors: list[Cursor] = []
        with _translate_errors(self._read_limit_s):
            try:
                if len(statements) > PIPELINE_THRESHOLD:
                    with self._connection.pipeline():
                        cursors.extend(map(self._execute, statements[:-1]))
                cursors.extend(map(self._execute, statements[len(cursors) :]))
            finally:
                _run_checks(statements, cursors)
        return cursors[-1]

    def _execute(self, statement: _PendingStatement) -> Cursor:
        return self._connection.execute(statement.text.encode(), statement.parameters, prepare=statement.prepare)


READER_LOCK = 1735289197
"""The advisory lock of sessions that wait for changes (`change_journal.has_readers`)."""


class NotifyListener:
    """A connection that receives `NOTIFY` on one channel. `marks_readers`: writers send the notifications only while such a session exists."""

    def __init__(self, url: str, channel: str = "gnomon", *, marks_readers: bool = False) -> None:
        self._connection = connect_postgres(url)
        try:
            self._connection.execute(f"LISTEN {channel}")
            if marks_readers:
                self._connection.execute(f"SELECT pg_advisory_lock_shared({READER_LOCK})")
        except psycopg.Error as error:
            self.close()
            raise DatabaseUnavailable(say("postgres_connection_ended", error=_first_line(error))) from error

    def fileno(self) -> int:
        return self._connection.fileno()

    def poll(self) -> int:
        """The number of notifications since the last call. Raises DatabaseUnavailable when the connection has ended."""
        try:
            return sum(1 for _ in self._connection.notifies(timeout=0))
        except psycopg.Error as error:
            self.close()
            raise DatabaseUnavailable(say("postgres_connection_ended", error=_first_line(error))) from error

    def close(self) -> None:
        self._connection.close()


def _run_checks(statements: Sequence[_PendingStatement], cursors: Sequence[Cursor]) -> None:
    """Call the checks of all statements before the first one without an answer."""
    for sent, cursor in zip(statements, cursors, strict=False):
        if cursor.pgresult is None:
            break
        if sent.check is not None:
            sent.check(cursor.rowcount)


def _to_columns(statement: Statement, rows: Sequence[Sequence[object]]) -> dict[str, list[object]]:
    return dict(zip(statement.columns, map(list, zip(*rows, strict=True)), strict=True))


@contextmanager
def _translate_errors(read_limit_s: float | None) -> Iterator[None]:
    try:
        yield
    except psycopg.errors.QueryCanceled as error:
        if read_limit_s is None:
            raise _translate_error(error) from error
        raise StatementTooSlow(say_slow_statement(read_limit_s)) from error
    except psycopg.Error as error:
        translated = _translate_error(error)
        if translated is error:
            raise
        raise translated from error


def _translate_error(error: psycopg.Error) -> Exception:
    state = error.sqlstate
    if state is None and isinstance(error, psycopg.OperationalError):
        return DatabaseUnavailable(say("postgres_connection_ended", error=_first_line(error)))
    if state is not None and state.startswith(_RETRYABLE_STATES):
        return DatabaseUnavailable(say("postgres_could_not_execute", error=_first_line(error)))
    if isinstance(error, psycopg.DataError) and "NUL" in str(error):
        return UnstorableText(say("text_has_nul"))
    if (state is not None and state.startswith(_DATA_STATES)) or isinstance(
        error, psycopg.DataError | psycopg.IntegrityError
    ):
        return DataRejected(say("postgres_refuses_value", error=_first_line(error)))
    if state == "53100":
        return DiskFull(say("postgres_disk_is_full", error=_first_line(error)))
    if state in {"25006", "42501"}:
        return DatabaseReadOnly(say("postgres_refuses_to_write", error=_first_line(error)))
    return (
        StoreError(say("postgres_failed", error=_first_line(error)))
        if isinstance(error, psycopg.OperationalError)
        else error
    )


def _first_line(error: psycopg.Error) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def array_literal(values: Sequence[object]) -> str:
    """The text of an array of numbers, booleans, strings or bytes, all of one type; None is NULL. The cast in the statement names the type."""
    if isinstance(next((value for value in values if value is not None), None), str | bytes):
        return "{" + ",".join(map(_quote, values)) + "}"
    return "{" + ",".join(map(str, values)).replace("None", "NULL") + "}"


def _quote(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f'"\\\\x{value.hex()}"'
    assert isinstance(value, str)
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


class ArrayDumper(StrDumperUnknown):
    """Sends a list as the text of an array; `::type[]` in the statement names the type."""

    def dump(self, obj: Sequence[object]) -> bytes | bytearray | memoryview | None:
        return super().dump(array_literal(obj))
