"""The database: opened once by a process; gives transactions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gnomon.clock import Clock, SystemClock
from gnomon.model.instants import Instant
from gnomon.store.drivers.address import POSTGRESQL, SQLITE, Address, parse_address
from gnomon.store.drivers.sqlite import SqliteConnection
from gnomon.store.drivers.sqlite_file import check_file_system, check_library, check_rights, file_exists
from gnomon.store.encryption import key_check
from gnomon.store.encryption.cipher import Cipher
from gnomon.store.errors import CommitUncertain, DatabaseNotInitialised, DatabaseUnavailable, FencedError
from gnomon.store.schema_revision import REVISIONS, check_foreign_tables, check_revision
from gnomon.store.statements import load_statements
from gnomon.store.transaction import DriverConnection, Transaction

if TYPE_CHECKING:
    from gnomon.store.drivers.postgres import NotifyListener

LeaseClock = Callable[[], Instant]
IDLE_CONNECTIONS_MAX = 8
"""Connections kept between transactions; more are closed as they are given back."""


def open_database(
    url: str,
    *,
    role: str = "cli",
    synchronous: str = "FULL",
    clock: Clock | None = None,
    lease_clock: LeaseClock | None = None,
    cipher: Cipher | None = None,
) -> Database:
    """A database at this version's schema. It is never migrated here: NotInitialised, SchemaTooOld, SchemaTooNew.

    `clock` is for how long the writer's ticket is held; `lease_clock` replaces the database's clock for leases. Without
    a `cipher` nothing that is encrypted can be read or written.
    """
    database = Database(parse_address(url), role, synchronous, clock or SystemClock(), lease_clock, cipher)
    try:
        database.check()
    except BaseException:
        database.close()
        raise
    return database


class Database:
    """Connections to one database; a thread or a nested call takes one each, and gives it back."""

    def __init__(
        self, address: Address, role: str, synchronous: str, clock: Clock, lease_clock: LeaseClock | None,
        cipher: Cipher | None = None,
    ) -> None:
        self.address = address
        self.dialect = address.dialect
        self.url = address.target if address.dialect == POSTGRESQL else f"sqlite:///{address.target}"
        self.role = role
        self._synchronous = synchronous
        self._clock = clock
        self._lease_clock = lease_clock
        self._cipher = cipher
        self._statements = load_statements(address.dialect)
        self._idle: list[DriverConnection] = []
        self._guard = threading.Lock()
        self._listener: NotifyListener | None = None
        self._parent_connections: list[object] = []

    def check(self) -> None:
        """Returns when the database is there, usable, and has this version's schema."""
        if self.dialect == SQLITE:
            path = self.address.path
            check_library()
            check_file_system(path)
            if not file_exists(path):
                check_revision(None, str(path))
            check_rights(path)
        with self.read() as tx:
            found = tx.one("schema.present")
            if found is None:
                raise DatabaseNotInitialised(
                    f"there is no Gnomon database at {self.address.display_url} yet: "
                    "run `gnomon db migrate` or `gnomon standalone`"
                )
            row = tx.one("schema.revision")
            tables = [name for (name,) in tx.all("schema.tables")] if row is None or row[0] not in REVISIONS else []
        check_foreign_tables(tables, self.address.display_url)
        check_revision(row[0] if row else None, self.address.display_url)

    def check_key(self) -> None:
        """Returns when what is encrypted here can be opened; WrongKey or BadKey otherwise. Nothing is written, no key made."""
        with self.read() as tx:
            key_check.verify_key(tx)

    def bind_key(self) -> None:
        """As `check_key`, and from now on the database tells right keys from wrong ones. A new home has its key now."""
        with self.read() as tx:
            if key_check.verify_key(tx):
                return
        with self.write() as tx:
            key_check.bind_key(tx)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A transaction that sees one state of the database and blocks nobody."""
        link = self._acquire_connection()
        try:
            link.begin_read()
            try:
                yield self._transaction(link)
            except BaseException:
                link.rollback()
                raise
            link.end_read()
        finally:
            self._release_connection(link)

    @contextmanager
    def autocommit(self) -> Iterator[Transaction]:
        """No transaction: each question sees a state of its own, blocks nobody, and is one round trip to PostgreSQL.

        For what is asked again and again and is seldom there; who acts on it looks again in a transaction.
        """
        link = self._acquire_connection()
        try:
            yield self._transaction(link)
        finally:
            self._release_connection(link)

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """A transaction that is stored when the block ends, and not at all when it raises.

        On SQLite it is the only one: do no thinking inside. CommitUncertain: it may be stored.
        """
        link = self._acquire_connection()
        try:
            link.begin_write()
            tx = self._transaction(link)
            try:
                yield tx
                link.flush()
            except BaseException:
                link.rollback()
                raise
            link.commit()
            if tx.notifies_on_commit and self.dialect == POSTGRESQL:
                self._send_notify(link)
        finally:
            self._release_connection(link)

    @contextmanager
    def scheduler_write(self, scheduler_id: str) -> Iterator[Transaction]:
        """A write transaction of a scheduler; its first statement proves that it is not fenced (OWNERSHIP.md line 7).

        Fenced: at the first answer that the block waits for, or at its end; nothing of the transaction is stored.
        """

        with self._fenced_write("scheduler", "leases.prove", scheduler_id) as tx:
            yield tx

    @contextmanager
    def triggerer_write(self, triggerer_id: str) -> Iterator[Transaction]:
        """A write transaction of a triggerer; its first statement proves that it is not fenced. Fenced: as `owner`."""
        with self._fenced_write("triggerer", "triggerers.prove", triggerer_id) as tx:
            yield tx

    @contextmanager
    def _fenced_write(self, service: str, statement: str, me: str) -> Iterator[Transaction]:
        def proven(found: int) -> None:
            if not found:
                raise FencedError(f"{service} {me} was declared dead: it stops, and a new one starts in its place")

        with self.write() as tx:
            tx.send(statement, proven, me=me)
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
        """What becomes readable when somebody's `store.wake` was stored; None on SQLite."""
        if self.dialect == SQLITE:
            return None
        if self._listener is None:
            from gnomon.store.drivers.postgres import NotifyListener

            self._listener = NotifyListener(self.url)
        return self._listener.fileno()

    def poll_notifications(self) -> int:
        """How many notifications came since the last call. DatabaseAway: ask fileno_notify again later."""
        if self._listener is None:
            return 0
        try:
            return self._listener.poll()
        except DatabaseUnavailable:
            self._listener = None
            raise

    def close(self) -> None:
        """Every idle connection is closed."""
        with self._guard:
            links, self._idle = self._idle, []
        for link in links:
            link.close()
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    def reset_after_fork(self) -> None:
        """In a child: the parent's connections are neither used nor closed; new ones are made on demand."""
        for link in self._idle:
            link.abandon()
        self._parent_connections += [*self._idle, self._listener]
        self._idle, self._listener = [], None
        self._guard = threading.Lock()

    def _transaction(self, link: DriverConnection) -> Transaction:
        return Transaction(link, self.dialect, self._statements, self._lease_now, self._cipher)

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
                link = self._idle.pop()
                if link.is_usable:
                    return link
        if self.dialect == SQLITE:
            return SqliteConnection(self.address.path, self._clock, self._synchronous)
        from gnomon.store.drivers.postgres import PostgresConnection

        return PostgresConnection(self.url)

    def _release_connection(self, link: DriverConnection) -> None:
        with self._guard:
            if link.is_usable and len(self._idle) < IDLE_CONNECTIONS_MAX:
                self._idle.append(link)
                return
        link.close()

    @staticmethod
    def _send_notify(link: DriverConnection) -> None:
        """A lost notification only costs time (the sweep finds the mail): it waits for no disk, and a failure here fails nothing."""
        try:
            link.begin_write()
            link.execute_raw("SET LOCAL synchronous_commit = off")
            link.execute_raw("NOTIFY gnomon")
            link.flush()
            link.commit()
        except (DatabaseUnavailable, CommitUncertain):
            link.rollback()
