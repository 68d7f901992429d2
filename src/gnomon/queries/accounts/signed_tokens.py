"""Signed tokens of `/auth/token`: JSON web tokens (RFC 7519), valid for hours, and only while password and role of the account stay."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from gnomon.model.accounts import Account, Identity
from gnomon.model.instants import SECOND, Instant
from gnomon.storage.store import Transaction
from gnomon.storage.store.accounts import account_rows

ALGORITHM = "HS512"
"""The only one: what the header of a token names is not believed."""
ISSUER = "gnomon"
PURPOSE = "signed tokens of the API"
"""The keys are derived from those of the database for this purpose, so all api-servers of a deployment have the same ones."""
_NUMBER_MAX = 2**63
_CLAIMS = ["exp", "iat", "iss", "jti", "sub", "epoch", "account", "created"]


@dataclass(frozen=True, slots=True)
class TokenSigner:
    """Signs with the first key, accepts signatures of every key."""

    keys: tuple[bytes, ...]
    leeway_s: float = 10.0
    """How much the clocks of two api-servers may differ."""

    def sign(self, account: Account, now: Instant, lifetime_s: float) -> str:
        """A token that identifies the account for `lifetime_s` seconds."""
        import jwt  # start-up cost: only the api-server needs it

        issued = now / SECOND
        claims = {
            "sub": account.name,
            "account": account.account_pk,
            "epoch": account.epoch,
            "created": account.created_at,
            "iss": ISSUER,
            "iat": int(issued),
            "exp": int(issued + lifetime_s),
            "jti": secrets.token_hex(8),
        }
        return jwt.encode(claims, self.keys[0], algorithm=ALGORITHM)

    def identify(self, tx: Transaction, token: str, now: Instant) -> Identity | None:
        """The identity of a request with this token.

        None when the token is malformed, forged or expired, or the password or the role of its account was changed since, or the account deleted.
        """
        claims = self._read(token)
        if claims is None or not claims["iat"] - self.leeway_s <= now / SECOND < claims["exp"] + self.leeway_s:
            return None
        account = account_rows.get_account(tx, claims["account"])
        if account is None or (account.name, account.epoch, account.created_at) != (
            claims["sub"],
            claims["epoch"],
            claims["created"],
        ):
            return None
        return account.identify()

    def _read(self, token: str) -> dict[str, Any] | None:
        """The claims of a token with a valid signature; times are compared by the caller, which has the clock."""
        import jwt  # start-up cost: only the api-server needs it

        options = {"require": _CLAIMS, "verify_exp": False, "verify_iat": False, "verify_nbf": False}
        for key in self.keys:
            try:
                claims = jwt.decode(token, key, algorithms=[ALGORITHM], issuer=ISSUER, options=options)  # type: ignore[arg-type]
            except jwt.InvalidTokenError:
                continue
            numbers = (claims["iat"], claims["exp"], claims["account"], claims["epoch"], claims["created"])
            return claims if all(type(number) is int and abs(number) < _NUMBER_MAX for number in numbers) else None
        return None
