"""Sessions of browsers. A session keeps the hash of its secret, and of the secret before, which requests on their way may still have."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.change_entries import LoginsChange
from gnomon.model.instants import Instant
from gnomon.storage.store.change_journal import record_change
from gnomon.storage.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class LoginSession:
    """A session of a browser."""

    session_pk: int
    account_pk: int
    secret_hash: str
    previous_hash: str | None
    created_at: Instant
    rotated_at: Instant
    used_at: Instant
    address: str
    """From where the login came."""


def add_session(tx: Transaction, account_pk: int, secret_hash: str, address: str, now: Instant) -> None:
    """Insert a session."""
    tx.run("login_sessions.add", account_pk=account_pk, secret_hash=secret_hash, address=address, now=now)


def find_session(tx: Transaction, secret_hash: str) -> LoginSession | None:
    """The session whose present or previous secret has this hash."""
    row = tx.one("login_sessions.find", secret_hash=secret_hash)
    return None if row is None else LoginSession(*row)


def get_session(tx: Transaction, session_pk: int) -> LoginSession | None:
    """The session; None when it has ended."""
    row = tx.one("login_sessions.get", session_pk=session_pk)
    return None if row is None else LoginSession(*row)


def lock_session(tx: Transaction, session_pk: int, account_pk: int) -> bool:
    """Whether the session of the account has not ended; if so it does not end before the transaction."""
    return tx.one("login_sessions.lock_session", session_pk=session_pk, account_pk=account_pk) is not None


def list_sessions(tx: Transaction, account_pk: int) -> list[LoginSession]:
    """The sessions of an account, the last used first."""
    return [LoginSession(*row) for row in tx.all("login_sessions.list", account_pk=account_pk)]


def rotate_secret(tx: Transaction, session: LoginSession, new_hash: str, now: Instant) -> bool:
    """Give the session a new secret; False when another request has just done so."""
    return (
        tx.run(
            "login_sessions.rotate",
            session_pk=session.session_pk,
            old_hash=session.secret_hash,
            new_hash=new_hash,
            now=now,
        )
        == 1
    )


def touch_session(tx: Transaction, session_pk: int, now: Instant) -> None:
    """Note that the session was used."""
    tx.run("login_sessions.touch", session_pk=session_pk, now=now)


def delete_session(tx: Transaction, session_pk: int) -> None:
    """End a session."""
    row = tx.one("login_sessions.remove", session_pk=session_pk)
    if row is not None:
        record_change(tx, LoginsChange(row[0]))


def delete_old_sessions(tx: Transaction, idle_before: Instant, begun_before: Instant) -> int:
    """End sessions that were not used since an instant, or began before another; returns how many there were."""
    return tx.run("login_sessions.remove_old", idle_before=idle_before, begun_before=begun_before)
