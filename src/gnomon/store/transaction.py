"""A transaction: named statements run over one connection; it commits or rolls back as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from gnomon.model.instants import Instant
from gnomon.store.encryption.cipher import Cipher
from gnomon.store.errors import InvalidKey
from gnomon.store.statements import Statement

Row = tuple[Any, ...]
"""One row; its columns are in the order of the statement. Any: a database says nothing of types to a type checker."""
RowCountCheck = Callable[[int], None]
"""Told how many rows a statement changed or found; raises when that is not what must be."""


class DriverConnection(Protocol):
    """One connection to a database, as its dialect does things. Errors come out as `store.errors`."""

    def begin_read(self) -> None:
        """A transaction is open that sees one state of the database and waits for no writer."""

    def begin_write(self) -> None:
        """A transaction is open that may write; on SQLite it is the only one."""

    def commit(self) -> None:
        """The transaction, settled, is stored; CommitUncertain when that cannot be known."""

    def end_read(self) -> None:
        """The transaction that only read is over. Raises nothing, as `rollback`."""

    def rollback(self) -> None:
        """Nothing of the transaction is stored. Raises nothing: a link that cannot roll back is no longer usable."""

    def rows(self, statement: Statement, parameters: Mapping[str, object]) -> list[Row]:
        """All rows of the answer."""

    def count(self, statement: Statement, parameters: Mapping[str, object]) -> int:
        """How many rows it changed."""

    def many(self, statement: Statement, rows: Sequence[Sequence[object]]) -> int:
        """How many rows a batch changed."""

    def send(self, statement: Statement, parameters: Mapping[str, object], check: RowCountCheck | None) -> None:
        """The statement runs now or on the way to `settle`; `check` is told how many rows it changed or found."""

    def send_many(self, statement: Statement, rows: Sequence[Sequence[object]], check: RowCountCheck | None) -> None:
        """As `send`, a batch."""

    def flush(self) -> None:
        """Everything that was sent has run, and its checks were told, in the order of sending; raises the first failure."""

    def execute_raw(self, text: str) -> None:
        """A statement of the driver itself (SAVEPOINT, NOTIFY) was sent."""

    def close(self) -> None:
        """The connection is closed."""

    def abandon(self) -> None:
        """In a forked child: the parent's connection stays as it is, and no lock of the parent outlives it here."""

    @property
    def is_usable(self) -> bool:
        """False once the connection is broken."""


class Transaction:
    """What `Database.read`, `write` and `owner` give: run statements by name (`noun.verb`)."""

    __slots__ = ("_cipher", "_connection", "_lease_now", "_savepoints", "_statements", "dialect", "notifies_on_commit")

    def __init__(
        self, link: DriverConnection, dialect: str, statements: Mapping[str, Statement], lease_now: Callable[[Transaction], Instant],
        cipher: Cipher | None = None,
    ) -> None:
        self.dialect = dialect
        self.notifies_on_commit = False
        """Whether listeners are to be notified once this is stored."""
        self._connection = link
        self._statements = statements
        self._lease_now = lease_now
        self._savepoints = 0
        self._cipher = cipher

    @property
    def cipher(self) -> Cipher:
        """Seals what must not lie in clear text, and opens it. BadKey when the database was opened without one."""
        if self._cipher is None:
            raise InvalidKey("this process opened the database without the key of what is encrypted in it (open_database(cipher=...))")
        return self._cipher

    def all(self, name: str, /, **parameters: object) -> list[Row]:
        """Every row of the answer."""
        return self._connection.rows(self._statements[name], parameters)

    def one(self, name: str, /, **parameters: object) -> Row | None:
        """The first row of the answer, None when there is none."""
        rows = self._connection.rows(self._statements[name], parameters)
        return rows[0] if rows else None

    def run(self, name: str, /, **parameters: object) -> int:
        """How many rows the statement changed."""
        return self._connection.count(self._statements[name], parameters)

    def many(self, name: str, rows: Sequence[Sequence[object]]) -> int:
        """How many rows a batch changed; each row holds the statement's columns in their order."""
        return self._connection.many(self._statements[name], rows) if rows else 0

    def send(self, name: str, check: RowCountCheck | None = None, /, **parameters: object) -> None:
        """The statement runs before the next question, `settle` or the end of the transaction, whichever comes first.

        PostgreSQL is sent it together with what follows, so that many statements wait for the server once. `check` is
        told then how many rows it changed or found, and may raise: nothing of the transaction is stored.
        """
        self._connection.send(self._statements[name], parameters, check)

    def send_many(self, name: str, rows: Sequence[Sequence[object]], check: RowCountCheck | None = None) -> None:
        """As `send`, a batch; an empty one is not sent."""
        if rows:
            self._connection.send_many(self._statements[name], rows, check)

    def flush(self) -> None:
        """Everything that was sent has run, and was as its checks want it."""
        self._connection.flush()

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """What was done inside stands; after an exception it is undone, and the transaction goes on."""
        self._savepoints += 1
        name = f"point_{self._savepoints}"
        self._connection.execute_raw(f"SAVEPOINT {name}")
        try:
            yield
        except BaseException:
            self._connection.flush()
            if self._connection.is_usable:
                self._connection.execute_raw(f"ROLLBACK TO SAVEPOINT {name}")
                self._connection.execute_raw(f"RELEASE SAVEPOINT {name}")
            raise
        self._connection.execute_raw(f"RELEASE SAVEPOINT {name}")

    def lease_now(self) -> Instant:
        """The database's clock, which leases are judged by and nothing else."""
        return self._lease_now(self)


def notify_on_commit(tx: Transaction) -> None:
    """Once the transaction is stored, everybody who listens on the database is notified (PostgreSQL)."""
    tx.notifies_on_commit = True


LEASE_TTL_S = 4.0
"""The protocol's ttl: a scheduler without a beat for so long may be fenced (line 9), a session that stands still inside a
transaction is over (line 11), and who holds SQLite's ticket is killed (line 12). It is one number, since the others bound how
long a fence waits for who is fenced. With a beat a second everybody else writes again within 5 s."""
