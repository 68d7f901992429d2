"""From what a request carries to the identity that makes the request."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.accounts.api_tokens import PREFIX, identify_token, needs_touch
from gnomon.accounts.sessions import OpenSession, SessionRules, find_open_session, find_session_identity
from gnomon.accounts.signed_tokens import TokenSigner
from gnomon.clock import Clock
from gnomon.model.accounts import Identity
from gnomon.store import Database
from gnomon.store.accounts import token_rows

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
        scheme, _, token = authorization.partition(" ")
        token = token.strip()
        if scheme.lower() != _BEARER or not token or len(token) > HEADER_MAX or not token.isascii():
            return None
        now = self.clock.now()
        with self.db.read() as tx:
            if not token.startswith(PREFIX):
                return self.signer.identify(tx, token, now)
            found = identify_token(tx, token, now)
        if found is None:
            return None
        identity, api_token = found
        if needs_touch(api_token, now):
            with self.db.write() as tx:
                token_rows.touch_token(tx, api_token.token_pk, now)
        return identity

    def identify_cookie(self, secret: str) -> OpenSession | None:
        """The session of the cookie; None when it is not valid."""
        return find_open_session(self.db, secret, self.clock.now(), self.rules) if 0 < len(secret) <= HEADER_MAX else None

    def identify_session(self, session_pk: int) -> Identity | None:
        """The identity of a session that a request has begun with; None when the session has ended."""
        with self.db.read() as tx:
            return find_session_identity(tx, session_pk, self.clock.now(), self.rules)
