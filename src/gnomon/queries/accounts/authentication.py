"""From what a request carries to the identity that makes the request."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.ground.clock import Clock
from gnomon.model.accounts import ApiToken, Identity
from gnomon.model.instants import Instant
from gnomon.queries.accounts.api_tokens import PREFIX, identify_token, needs_touch
from gnomon.queries.accounts.sessions import (
    OpenSession,
    SessionRules,
    find_open_session,
    find_session_identity,
    read_open_session,
)
from gnomon.queries.accounts.signed_tokens import TokenSigner
from gnomon.storage.store import Database
from gnomon.storage.store.accounts import token_rows
from gnomon.storage.store.accounts.session_rows import LoginSession
from gnomon.storage.store.address import SQLITE

_BEARER = "bearer"
HEADER_MAX = 8192
"""A longer credential is not looked at."""


@dataclass(frozen=True, slots=True)
class Authenticator:
    """Reads credentials of requests."""

    db: Database
    clock: Clock
    signer: TokenSigner
    rules: SessionRules

    def identify_header(self, authorization: str) -> Identity | None:
        """The identity of `Authorization: Bearer TOKEN`, with an API token or a signed token; None when it is not valid."""
        token = _read_token(authorization)
        if token is None:
            return None
        now = self.clock.now()
        identity, api_token = self._find(token, now)
        if api_token is not None and needs_touch(api_token, now):
            with self.db.write() as tx:
                token_rows.touch_token(tx, api_token.token_pk, now)
        return identity

    def identify_at_once(self, authorization: str) -> Identity | None:
        """As `identify_header`, if it waits for nothing: a file of SQLite is read, and no use of a token has to be written. None: call `identify_header`."""
        token = _read_token(authorization) if self.db.dialect == SQLITE else None
        if token is None:
            return None
        now = self.clock.now()
        identity, api_token = self._find(token, now)
        return None if api_token is not None and needs_touch(api_token, now) else identity

    def _find(self, token: str, now: Instant) -> tuple[Identity | None, ApiToken | None]:
        """The identity of the token, and the token if it is one that is stored."""
        with self.db.read() as tx:
            if not token.startswith(PREFIX):
                return self.signer.identify(tx, token, now), None
            return identify_token(tx, token, now) or (None, None)

    def identify_cookie(self, secret: str) -> OpenSession | None:
        """The session of the cookie; None when it is not valid."""
        return (
            find_open_session(self.db, secret, self.clock.now(), self.rules) if 0 < len(secret) <= HEADER_MAX else None
        )

    def identify_cookie_at_once(self, secret: str) -> OpenSession | None:
        """As `identify_cookie`, if it waits for nothing: a file of SQLite is read, and the session has not to be written. None: call `identify_cookie`."""
        if self.db.dialect != SQLITE or not 0 < len(secret) <= HEADER_MAX:
            return None
        return read_open_session(self.db, secret, self.clock.now(), self.rules)

    def identify_session(self, session: LoginSession) -> Identity | None:
        """The identity of a session that a request has begun with; None when the session has ended."""
        with self.db.read() as tx:
            return find_session_identity(tx, session, self.clock.now(), self.rules)


def _read_token(authorization: str) -> str | None:
    """The token of `Authorization: Bearer TOKEN`; None for anything else."""
    scheme, _, token = authorization.partition(" ")
    token = token.strip()
    return token if scheme.lower() == _BEARER and token and len(token) <= HEADER_MAX and token.isascii() else None
