"""How many logins from a source have failed in a row. A source is an address, or an address with the name that was tried."""

from __future__ import annotations

from gnomon.model.instants import Instant
from gnomon.storage.store.transaction import Transaction


def read_failures(tx: Transaction, source: str) -> tuple[int, Instant]:
    """The number of failures and the instant of the last one; (0, 0) when there are none."""
    row = tx.one("login_failures.find", source=source)
    return (0, 0) if row is None else (row[0], row[1])


def add_failure(tx: Transaction, source: str, now: Instant, forgotten_before: Instant) -> None:
    """Count one more failure; the count begins again when the last failure was before `forgotten_before`."""
    tx.run("login_failures.add", source=source, now=now, forgotten_before=forgotten_before)


def delete_failures(tx: Transaction, source: str) -> None:
    """Forget the failures of a source."""
    tx.run("login_failures.remove", source=source)


def delete_old_failures(tx: Transaction, forgotten_before: Instant) -> None:
    """Forget failures before an instant."""
    tx.run("login_failures.remove_old", forgotten_before=forgotten_before)
