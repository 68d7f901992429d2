"""`Transaction`: named statements over one connection, which are committed or rolled back as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from gnomon.model.change_entries import ChangeEntry
from gnomon.model.instants import Instant
from gnomon.model.sentences import say
from gnomon.storage.store.encryption.cipher import Cipher
from gnomon.storage.store.errors import InvalidKey
from gnomon.storage.store.spec_cache import SpecCache
from gnomon.storage.store.statements import Statement

KEYS_PER_STATEMENT = 5000
"""The largest number of keys in one statement."""

Row = tuple[Any, ...]
"""One row; its columns are in the order of the statement. Any: a type checker cannot know the types of columns."""
RowCountCheck = Callable[[int], None]
"""Called with the number of rows that a statement changed or found; raises when the number is wrong."""


class DriverConnection(Protocol):
    """One connection to a database, implemented for each dialect. It raises the classes of `store.errors`."""

    def begin_read(self) -> None:
        """Begin a transaction that reads one snapshot and waits for no writer."""

    def begin_write(self) -> None:
        """Begin a transaction that may write; SQLite has one at a time."""

    def commit(self) -> None:
        """Commit the transaction, after `flush`; CommitUncertain when the outcome is unknown."""

    def end_read(self) -> None:
        """End a transaction of `begin_read`. Raises nothing, as `rollback`."""

    def rollback(self) -> None:
        """Roll back. Raises nothing: a connection that cannot roll back is no longer usable."""

    def rows(self, statement: Statement, parameters: Mapping[str, object]) -> list[Row]:
        """All rows of the answer."""

    def count(self, statement: Statement, parameters: Mapping[str, object]) -> int:
        """The number of rows that the statement changed."""

    def many(self, statement: Statement, rows: Sequence[Sequence[object]]) -> int:
        """The number of rows that a batch changed."""

    def send(self, statement: Statement, parameters: Mapping[str, object], check: RowCountCheck | None) -> None:
        """Execute the statement now or at the latest in `flush`; `check` gets the number of rows that it changed or found."""

    def send_many(self, statement: Statement, rows: Sequence[Sequence[object]], check: RowCountCheck | None) -> None:
        """As `send`, for a batch."""

    def flush(self) -> None:
        """Execute all statements that were sent, and their checks, in order; raises the first failure."""

    def execute_raw(self, text: str) -> None:
        """Send a statement that is not in `store/sql` (SAVEPOINT, NOTIFY)."""

    def close(self) -> None:
        """Close the connection."""

    def abandon(self) -> None:
        """In a forked child: leave the parent's connection open, and close the descriptors that would keep its locks."""

    @property
    def is_usable(self) -> bool:
        """False once the connection is broken."""

    def is_current(self) -> bool:
        """Whether a connection that was kept between transactions still leads to the database: the server has not ended it, the file is the same."""


class Transaction:
    """What `Database.read`, `write`, `scheduler_write` and `triggerer_write` give: executes statements by name (`module.verb`)."""

    __slots__ = (
        "_cipher",
        "_connection",
        "_lease_now",
        "_savepoints",
        "_statements",
        "change_entries",
        "dialect",
        "notifies_on_commit",
        "specs",
    )

    def __init__(
        self,
        connection: DriverConnection,
        dialect: str,
        statements: Mapping[str, Statement],
        lease_now: Callable[[Transaction], Instant],
        cipher: Cipher | None = None,
        specs: SpecCache | None = None,
    ) -> None:
        self.dialect = dialect
        self.notifies_on_commit = False
        """True when listeners are notified after the commit."""
        self.change_entries: list[ChangeEntry] = []
        """What the transaction changed, for the journal (`store/change_journal.py`)."""
        self.specs = specs
        """Specs that were decoded before; None: this process keeps none."""
        self._connection = connection
        self._statements = statements
        self._lease_now = lease_now
        self._savepoints = 0
        self._cipher = cipher

    @property
    def cipher(self) -> Cipher:
        """Encrypts and decrypts values. Raises InvalidKey when the database was opened without a cipher."""
        if self._cipher is None:
            raise InvalidKey(say("database_has_no_key"))
        return self._cipher

    def all(self, name: str, /, **parameters: object) -> list[Row]:
        """All rows of the answer."""
        return self._connection.rows(self._statements[name], parameters)

    def one(self, name: str, /, **parameters: object) -> Row | None:
        """The first row of the answer; None when there is no row."""
        rows = self._connection.rows(self._statements[name], parameters)
        return rows[0] if rows else None

    def listing(self, name: str) -> Statement:
        """The statement of a listing, which `store.pages.page_query` completes."""
        return self._statements[name]

    def all_of(self, statement: Statement, parameters: Mapping[str, object]) -> list[Row]:
        """All rows of the answer of a listing."""
        return self._connection.rows(statement, parameters)

    def run(self, name: str, /, **parameters: object) -> int:
        """Execute the statement; returns the number of rows that it changed."""
        return self._connection.count(self._statements[name], parameters)

    def many(self, name: str, rows: Sequence[Sequence[object]]) -> int:
        """Execute a batch; returns the number of rows that it changed. Each row holds the columns of the statement in order."""
        return self._connection.many(self._statements[name], rows) if rows else 0

    def send(self, name: str, check: RowCountCheck | None = None, /, **parameters: object) -> None:
        """Execute the statement before the next query, `flush` or the end of the transaction, whichever comes first.

        PostgreSQL receives it together with the following statements, so that many statements wait for the server once. `check`
        then gets the number of rows that it changed or found, and may raise, which rolls the transaction back.
        """
        self._connection.send(self._statements[name], parameters, check)

    def send_many(self, name: str, rows: Sequence[Sequence[object]], check: RowCountCheck | None = None) -> None:
        """As `send`, for a batch; an empty batch is not sent."""
        if rows:
            self._connection.send_many(self._statements[name], rows, check)

    def flush(self) -> None:
        """Execute all statements that were sent, and their checks; raises the first failure."""
        self._connection.flush()

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo the statements of the block when it raises; the transaction continues."""
        self._savepoints += 1
        name = f"point_{self._savepoints}"
        recorded = len(self.change_entries)
        self._connection.execute_raw(f"SAVEPOINT {name}")
        try:
            yield
        except BaseException:
            del self.change_entries[recorded:]
            self._connection.flush()
            if self._connection.is_usable:
                self._connection.execute_raw(f"ROLLBACK TO SAVEPOINT {name}")
                self._connection.execute_raw(f"RELEASE SAVEPOINT {name}")
            raise
        self._connection.execute_raw(f"RELEASE SAVEPOINT {name}")

    def lease_now(self) -> Instant:
        """The database's clock, for leases only."""
        return self._lease_now(self)


def notify_on_commit(tx: Transaction) -> None:
    """Notify all listeners of the database after the commit (PostgreSQL)."""
    tx.notifies_on_commit = True


LEASE_TTL_S = 4.0
"""The time to live of TAKE_OVER in docs/contributing/ownership.md, in seconds. A scheduler without a heartbeat for this time may be
fenced, a PostgreSQL session that is idle inside a transaction is terminated, and a process that holds SQLite's write lock is killed. It is one
number, because the last two bound how long the fencing statement waits. With a heartbeat each second other processes write again within 5 s."""
