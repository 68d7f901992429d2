"""`Database`: opened once in a process, it gives transactions and keeps their connections."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gnomon.ground.clock import Clock, SystemClock
from gnomon.model.instants import Instant
from gnomon.model.sentences import Command, say
from gnomon.storage.store import change_journal, key_check
from gnomon.storage.store.address import POSTGRESQL, SQLITE, Address, parse_address
from gnomon.storage.store.drivers.sqlite import SqliteConnection
from gnomon.storage.store.drivers.sqlite_file import check_file_system, check_library, check_rights, file_exists
from gnomon.storage.store.encryption.cipher import Cipher
from gnomon.storage.store.errors import (
    CommitUncertain,
    DatabaseNotInitialised,
    DatabaseUnavailable,
    FencedError,
    StoreError,
)
from gnomon.storage.store.schema_revision import REVISIONS, check_foreign_tables, check_revision
from gnomon.storage.store.spec_cache import SpecCache
from gnomon.storage.store.statements import load_statements
from gnomon.storage.store.transaction import DriverConnection, Transaction

if TYPE_CHECKING:
    from gnomon.storage.store.drivers.postgres import NotifyListener

LeaseClock = Callable[[], Instant]
READERS_CHECKED_EVERY_S = 1.0
"""How often a process looks whether another one waits for changes."""
IDLE_CONNECTIONS_MAX = 8
"""Connections kept between transactions; a connection above this number is closed when its transaction ends."""


def open_database(
    url: str,
    *,
    role: str = "cli",
    synchronous: str = "FULL",
    clock: Clock | None = None,
    lease_clock: LeaseClock | None = None,
    cipher: Cipher | None = None,
    announce_changes: Callable[[], int] = lambda: 0,
    read_limit_s: float | None = None,
    keeps_specs: bool = False,
) -> Database:
    """Open the database at `url` and check that it has the schema of this version; it is never upgraded here.

    `clock` measures how long SQLite's write lock is held; `lease_clock` replaces the database's clock for leases. Without
    a `cipher` no encrypted value can be read or written. `synchronous` is SQLite's setting of that name. `announce_changes` is called after
    commits that added to the journal of changes of a SQLite database, and returns how many readers it has woken; while there is none, it is called
    once a second. On PostgreSQL a notification of the server does the same. `read_limit_s`: a statement of a transaction that reads is cancelled
    after so many seconds, and raises StatementTooSlow; None: never. `keeps_specs`: specs of DAGs that were decoded stay in memory, for a process that
    is asked about the same DAGs again and again.

    Raises DatabaseNotInitialised, SchemaTooOld, SchemaTooNew, ForeignDatabase, InvalidAddress, DatabaseUnavailable, or UnusableFile.
    """
    database = Database(
        parse_address(url),
        role,
        synchronous,
        clock or SystemClock(),
        lease_clock,
        cipher,
        announce_changes,
        read_limit_s,
        keeps_specs,
    )
    try:
        database.check()
    except BaseException:
        database.close()
        raise
    return database


class Database:
    """Connections to one database. Each transaction has a connection of its own, so threads and nested transactions are allowed."""

    def __init__(
        self,
        address: Address,
        role: str,
        synchronous: str,
        clock: Clock,
        lease_clock: LeaseClock | None,
        cipher: Cipher | None = None,
        announce_changes: Callable[[], int] = lambda: 0,
        read_limit_s: float | None = None,
        keeps_specs: bool = False,
    ) -> None:
        self.address = address
        self.dialect = address.dialect
        self.url = address.target if address.dialect == POSTGRESQL else f"sqlite:///{address.target}"
        self.role = role
        self._synchronous = synchronous
        self._clock = clock
        self._lease_clock = lease_clock
        self._cipher = cipher
        self._specs = SpecCache() if keeps_specs else None
        self._statements = load_statements(address.dialect)
        self._idle: list[DriverConnection] = []
        self._is_closed = False
        self._guard = threading.Lock()
        self._listener: NotifyListener | None = None
        self._parent_connections: list[object] = []
        self._announce_changes = announce_changes
        self._read_limit_s = read_limit_s
        self._journal_rows = 0
        self._has_readers = False
        self._readers_checked_at = -READERS_CHECKED_EVERY_S

    def check(self) -> None:
        """Return when the database exists, can be used, and has the schema of this version; raises as `open_database`."""
        if self.dialect == SQLITE:
            path = self.address.path
            check_library()
            check_file_system(path)
            if not file_exists(path):
                check_revision(None, str(path))
            check_rights(path)
        with self.read() as tx:
            if tx.one("schema.present") is None:
                raise DatabaseNotInitialised(
                    say(
                        "database_does_not_exist",
                        url=self.address.display_url,
                        command=Command("db migrate"),
                        other_command=Command("standalone"),
                    )
                )
            row = tx.one("schema.revision")
            tables = [name for (name,) in tx.all("schema.tables")] if row is None or row[0] not in REVISIONS else []
        check_foreign_tables(tables, self.address.display_url)
        check_revision(row[0] if row else None, self.address.display_url)

    def check_schema(self, tx: Transaction) -> None:
        """Return while the database has the schema of this version. Raises SchemaTooNew or SchemaTooOld: it was upgraded, or restored, under this process."""
        row = tx.one("schema.revision")
        check_revision(row[0] if row else None, self.address.display_url)

    def check_key(self) -> None:
        """Return when the key of this host decrypts the values of the database; writes nothing and creates no key.

        Raises WrongKey or InvalidKey.
        """
        with self.read() as tx:
            key_check.verify_key(tx)

    def has_key(self) -> bool:
        """Whether this host has the key of the database: a single value that it does not decrypt is then damaged."""
        with self.read() as tx:
            return key_check.is_key_of_database(tx)

    def bind_key(self) -> None:
        """As `check_key`, and store the check value of the key. A new home has its key after this call."""
        with self.read() as tx:
            if key_check.verify_key(tx):
                return
        with self.write() as tx:
            key_check.bind_key(tx)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A transaction that reads one snapshot of the database and blocks no other transaction."""
        connection = self._acquire_connection()
        try:
            connection.begin_read()
            try:
                yield self._transaction(connection)
            except BaseException:
                connection.rollback()
                raise
            connection.end_read()
        finally:
            self._release_connection(connection)

    @contextmanager
    def autocommit(self) -> Iterator[Transaction]:
        """No transaction: each query reads a snapshot of its own and is one round trip to PostgreSQL.

        For polling. A caller that acts on the answer reads again in a transaction.
        """
        connection = self._acquire_connection()
        try:
            yield self._transaction(connection)
        finally:
            self._release_connection(connection)

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """A transaction that is committed when the block ends, and rolled back when the block raises.

        SQLite has one write transaction at a time, so compute before the block. CommitUncertain: the commit may be stored or not.
        """
        connection = self._acquire_connection()
        try:
            connection.begin_write()
            tx = self._transaction(connection)
            try:
                yield tx
                if tx.change_entries:
                    self._journal_rows += 1
                    change_journal.write_row(
                        tx, self._clock.now(), trims=self._journal_rows % change_journal.TRIMMED_EVERY == 0
                    )
                connection.flush()
            except BaseException:
                connection.rollback()
                raise
            connection.commit()
            self._notify_after_commit(tx, connection)
        finally:
            self._release_connection(connection)

    @contextmanager
    def scheduler_write(self, scheduler_id: str) -> Iterator[Transaction]:
        """A write transaction of a scheduler; its first statement proves that it is not fenced.

        FencedError is raised at the first answer that the block waits for, or at its end; nothing of the transaction is stored.
        See FENCE in docs/contributing/ownership.md.
        """
        with self._fenced_write("scheduler", "leases.prove", scheduler_id) as tx:
            yield tx

    @contextmanager
    def triggerer_write(self, triggerer_id: str) -> Iterator[Transaction]:
        """A write transaction of a triggerer; its first statement proves that it is not fenced. Raises as `scheduler_write`."""
        with self._fenced_write("triggerer", "triggerer_leases.prove", triggerer_id) as tx:
            yield tx

    @contextmanager
    def monitor_write(self, monitor_id: str) -> Iterator[Transaction]:
        """A write transaction of the monitor; its first statement proves that it holds the lease. Raises as `scheduler_write`."""
        with self._fenced_write("monitor", "service_leases.prove", monitor_id) as tx:
            yield tx

    @contextmanager
    def _fenced_write(self, service: str, statement: str, process_id: str) -> Iterator[Transaction]:
        def check_not_fenced(rows: int) -> None:
            if not rows:
                raise FencedError(say("service_was_declared_dead", process_kind=service, text=str(process_id)))

        with self.write() as tx:
            tx.send(statement, check_not_fenced, me=process_id)
            yield tx

    def now(self) -> Instant:
        """The database's clock, for leases only."""
        if self._lease_clock is not None:
            return self._lease_clock()
        if self.dialect == SQLITE:
            return self._clock.now()
        with self.read() as tx:
            return tx.lease_now()

    def notification_fileno(self) -> int | None:
        """The descriptor that becomes readable when another process commits after `notify_on_commit`; None on SQLite, and of a database that is closed."""
        if self.dialect == SQLITE:
            return None
        if self._listener is None:
            self._connect_listener()
        return None if self._listener is None else self._listener.fileno()

    def _connect_listener(self) -> None:
        """Listen, unless the database is closed, by another thread perhaps while this one connects."""
        from gnomon.storage.store.drivers.postgres import NotifyListener  # start-up cost: SQLite does not need it

        listener = NotifyListener(self.url)
        with self._guard:
            if not self._is_closed:
                self._listener = listener
                return
        listener.close()

    def poll_notifications(self) -> int:
        """The number of notifications since the last call.

        Raises DatabaseUnavailable; `notification_fileno` then connects again.
        """
        if self._listener is None:
            return 0
        try:
            return self._listener.poll()
        except DatabaseUnavailable:
            self._listener = None
            raise

    def close(self) -> None:
        """Close every idle connection; one in use, by another thread, is closed when its transaction ends."""
        with self._guard:
            self._is_closed = True
            connections, self._idle = self._idle, []
            listener, self._listener = self._listener, None
        for connection in connections:
            connection.close()
        if listener is not None:
            listener.close()

    def reset_after_fork(self) -> None:
        """Forget the connections of the parent without closing them; a forked child opens its own on demand."""
        for connection in self._idle:
            connection.abandon()
        self._parent_connections += [*self._idle, self._listener]
        self._idle, self._listener = [], None
        self._guard = threading.Lock()

    def _transaction(self, connection: DriverConnection) -> Transaction:
        return Transaction(connection, self.dialect, self._statements, self._lease_now, self._cipher, self._specs)

    def _lease_now(self, tx: Transaction) -> Instant:
        if self._lease_clock is not None:
            return self._lease_clock()
        if self.dialect == SQLITE:
            return self._clock.now()
        row = tx.one("leases.clock")
        assert row is not None
        return int(row[0])

    def _acquire_connection(self) -> DriverConnection:
        with self._guard:
            while self._idle:
                connection = self._idle.pop()
                if connection.is_usable and connection.is_current():
                    return connection
                connection.close()
        if self.dialect == SQLITE:
            return SqliteConnection(self.address.path, self._clock, self._synchronous, self._read_limit_s)
        from gnomon.storage.store.drivers.postgres import PostgresConnection  # start-up cost: SQLite does not need it

        return PostgresConnection(self.url, self._read_limit_s)

    def _release_connection(self, connection: DriverConnection) -> None:
        with self._guard:
            if connection.is_usable and not self._is_closed and len(self._idle) < IDLE_CONNECTIONS_MAX:
                self._idle.append(connection)
                return
        connection.close()

    def open_change_listener(self) -> NotifyListener | None:
        """A new listener for commits that add to the journal of changes; None on SQLite, where processes wake each other through sockets.

        Raises DatabaseUnavailable. The caller closes it.
        """
        if self.dialect == SQLITE:
            return None
        from gnomon.storage.store.drivers.postgres import NotifyListener  # start-up cost: SQLite does not need it

        return NotifyListener(self.url, "gnomon_changes", marks_readers=True)

    def _notify_after_commit(self, tx: Transaction, connection: DriverConnection) -> None:
        if self.dialect == SQLITE:
            if tx.change_entries and (self._has_readers or self._is_time_to_look_for_readers()):
                self._has_readers = self._announce_changes() > 0
            return
        channels = ["gnomon"] if tx.notifies_on_commit else []
        if tx.change_entries and self._find_readers(tx):
            channels.append("gnomon_changes")
        if channels:
            self._send_notify(connection, channels)

    def _find_readers(self, tx: Transaction) -> bool:
        """Whether a process waits for changes; asked once a second, so that a new reader is notified a second later."""
        if self._is_time_to_look_for_readers():
            try:
                self._has_readers = tx.one("change_journal.has_readers") is not None
            except (DatabaseUnavailable, StoreError):
                self._has_readers = False
        return self._has_readers

    def _is_time_to_look_for_readers(self) -> bool:
        now = self._clock.monotonic()
        if now - self._readers_checked_at < READERS_CHECKED_EVERY_S:
            return False
        self._readers_checked_at = now
        return True

    @staticmethod
    def _send_notify(connection: DriverConnection, channels: Sequence[str]) -> None:
        """Notify listeners. A lost notification only delays the next sweep, so it does not wait for the disk and errors are ignored."""
        try:
            connection.begin_write()
            connection.execute_raw("SET LOCAL synchronous_commit = off")
            for channel in channels:
                connection.execute_raw(f"NOTIFY {channel}")
            connection.flush()
            connection.commit()
        except (DatabaseUnavailable, CommitUncertain):
            connection.rollback()
