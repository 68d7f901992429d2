"""Sessions of browsers. The cookie has a random secret; the database has its hash, so that a session can be ended from anywhere.

The secret is changed every hour. Requests that were on their way with the secret before are served for a minute; a later use of
it is a sign that it was stolen, and ends the session.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass

from gnomon.ground import log
from gnomon.model.accounts import Account, Author, Identity
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import EventRecord
from gnomon.model.sentences import say
from gnomon.queries.accounts.api_tokens import USED_AGAIN_S, hash_secret
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.accounts import account_rows, session_rows
from gnomon.storage.store.accounts.session_rows import LoginSession
from gnomon.storage.store.dag_records.event_log import log_event

ROTATED_AFTER_S = 3600.0
PREVIOUS_FOR_S = 60.0
LONGEST_S = 30 * 86400.0
"""A session ends so long after its login, even if it is used."""
_SECRET_BYTES = 32
_log = log.get_logger("accounts")


@dataclass(frozen=True, slots=True)
class SessionRules:
    """How long sessions live."""

    idle_s: float
    """A session that is not used for so many seconds ends."""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session that a request belongs to."""

    identity: Identity
    session: LoginSession
    new_secret: str | None = None
    """The cookie is replaced by this secret."""

    @property
    def session_pk(self) -> int:
        """The key of the session."""
        return self.session.session_pk


class LoginOutdated(UserError):
    """The account was changed after its login was checked."""

    def __init__(self, name: str) -> None:
        super().__init__(say("login_is_outdated", name=name))


def begin_session(tx: Transaction, account: Account, address: str, now: Instant, rules: SessionRules) -> str:
    """Begin a session after a login; returns its secret. Sessions that are over are deleted on the way.

    Raises LoginOutdated when password or role were changed, or the account was deleted, since `account` was read: a login that was checked before a
    password was reset must not last longer than the sessions that the reset ends.
    """
    if not account_rows.lock_unchanged(tx, account.account_pk, account.epoch):
        raise LoginOutdated(account.name)
    session_rows.delete_old_sessions(tx, now - round(rules.idle_s * SECOND), now - round(LONGEST_S * SECOND))
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    session_rows.add_session(tx, account.account_pk, hash_secret(secret), address, now)
    log_event(
        tx,
        EventRecord(
            now, "login", by=account.name, body=json.dumps({"account": account.name, "from": address}), address=address
        ),
    )
    return secret


def find_open_session(db: Database, secret: str, now: Instant, rules: SessionRules) -> OpenSession | None:
    """The session of a cookie; None when it has ended, or never was."""
    session_row = _find_session(db, secret, now, rules)
    if session_row is None:
        return None
    session, account, is_previous = session_row
    identity = account.identify(session_pk=session.session_pk)
    if is_previous:
        return _serve_previous(db, session, account, identity, now)
    if _is_old_secret(session, now):
        return OpenSession(identity, session, _rotate(db, session, now))
    if _is_unused(session, now):
        with db.write() as tx:
            session_rows.touch_session(tx, session.session_pk, now)
    return OpenSession(identity, session)


def read_open_session(db: Database, secret: str, now: Instant, rules: SessionRules) -> OpenSession | None:
    """As `find_open_session`, without a write; None also when one is due."""
    session_row = _find_session(db, secret, now, rules)
    if session_row is None:
        return None
    session, account, is_previous = session_row
    if is_previous or _is_old_secret(session, now) or _is_unused(session, now):
        return None
    return OpenSession(account.identify(session_pk=session.session_pk), session)


def _find_session(
    db: Database, secret: str, now: Instant, rules: SessionRules
) -> tuple[LoginSession, Account, bool] | None:
    """The session, its account, and whether the secret is the one before the last change."""
    secret_hash = hash_secret(secret)
    with db.read() as tx:
        session = session_rows.find_session(tx, secret_hash)
        account = None if session is None else account_rows.get_account(tx, session.account_pk)
    if session is None or account is None or _is_over(session, now, rules):
        return None
    return session, account, secret_hash == session.previous_hash


def _is_old_secret(session: LoginSession, now: Instant) -> bool:
    return now - session.rotated_at > ROTATED_AFTER_S * SECOND


def _is_unused(session: LoginSession, now: Instant) -> bool:
    return now - session.used_at > USED_AGAIN_S * SECOND


def find_session_identity(tx: Transaction, begun: LoginSession, now: Instant, rules: SessionRules) -> Identity | None:
    """The identity of a session that was open before; None when it has ended. It does not count as a use of the session."""
    session = session_rows.get_session(tx, begun.session_pk)
    if (
        session is None
        or (session.account_pk, session.created_at) != (begun.account_pk, begun.created_at)
        or _is_over(session, now, rules)
    ):
        return None
    account = account_rows.get_account(tx, session.account_pk)
    return None if account is None else account.identify(session_pk=session.session_pk)


def require_login(tx: Transaction, identity: Identity) -> None:
    """Return while what identified the request is valid; it stays so until the transaction ends. Raises LoginOutdated.

    For changes of one's own account that outlast the login, such as a new token or password.
    """
    is_unchanged = account_rows.lock_unchanged(tx, identity.account_pk, identity.epoch)
    if not is_unchanged or (
        identity.session_pk is not None and not session_rows.lock_session(tx, identity.session_pk, identity.account_pk)
    ):
        raise LoginOutdated(identity.name)


def end_session(tx: Transaction, session_pk: int) -> None:
    """End a session: its cookie is worth nothing any more."""
    session_rows.delete_session(tx, session_pk)


def list_open_sessions(tx: Transaction, account: Account, now: Instant, rules: SessionRules) -> list[LoginSession]:
    """The sessions of an account that are not over, the last used first."""
    return [
        session for session in session_rows.list_sessions(tx, account.account_pk) if not _is_over(session, now, rules)
    ]


def revoke_sessions(tx: Transaction, author: Author, account: Account, session_pk: int | None = None) -> int:
    """End one session of an account, or all; returns how many there were. The audit log gets a line if there was one."""
    sessions = [
        session
        for session in session_rows.list_sessions(tx, account.account_pk)
        if session_pk in (None, session.session_pk)
    ]
    for session in sessions:
        session_rows.delete_session(tx, session.session_pk)
    if sessions:
        body = {"account": account.name, "ended_sessions": len(sessions), "from": author.address}
        text = json.dumps({key: value for key, value in body.items() if value is not None})
        log_event(tx, EventRecord(author.now, "sessions_revoked", by=author.by, body=text, address=author.address))
    return len(sessions)


def _is_over(session: LoginSession, now: Instant, rules: SessionRules) -> bool:
    return now - session.used_at > rules.idle_s * SECOND or now - session.created_at > LONGEST_S * SECOND


def _rotate(db: Database, session: LoginSession, now: Instant) -> str | None:
    """The new secret; None when another request of the same session has just got one."""
    new_secret = secrets.token_urlsafe(_SECRET_BYTES)
    with db.write() as tx:
        return new_secret if session_rows.rotate_secret(tx, session, hash_secret(new_secret), now) else None


def _serve_previous(
    db: Database, session: LoginSession, account: Account, identity: Identity, now: Instant
) -> OpenSession | None:
    if now - session.rotated_at <= PREVIOUS_FOR_S * SECOND:
        return OpenSession(identity, session)
    with db.write() as tx:
        session_rows.delete_session(tx, session.session_pk)
        log_event(
            tx,
            EventRecord(
                now,
                "session_ended",
                by="api",
                body=json.dumps({"account": account.name, "why": "an old secret was used again"}),
            ),
        )
    _log.warning("session_ended", account=account.name, why="an old secret was used again: it may have been stolen")
    return None
