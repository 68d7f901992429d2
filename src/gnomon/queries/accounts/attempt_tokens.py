"""Tokens of the execution API: JSON web tokens (RFC 7519) for one attempt or one worker. A token alone does nothing once its attempt has ended.

Each task needs several: they are written and read here, in a tenth of the time that PyJWT takes.
"""

from __future__ import annotations

import base64
import hmac
from dataclasses import dataclass

import msgspec

from gnomon.model.instants import SECOND, Instant

PURPOSE = "tokens of the execution API"
"""The keys are derived from those of the database for this purpose, so schedulers and api-servers of a deployment have the same ones."""
_ISSUER = "gnomon-execution"
CLAIM = "claim"
"""The use of a token in a message of the broker: to claim its attempt."""
ATTEMPT = "attempt"
"""The use of the token of a claimed attempt."""
WORKER = "worker"
"""The use of the token of a worker."""


class _Claims(msgspec.Struct, frozen=True):
    """What a token says; `exp`: in seconds since 1970."""

    sub: str
    use: str
    worker: str
    iss: str
    exp: int


@dataclass(frozen=True, slots=True)
class AttemptTokenSigner:
    """Signs with the first key, accepts signatures of every key."""

    keys: tuple[bytes, ...]
    leeway_s: float = 10.0

    def sign(self, use: str, subject: str, worker_id: str, now: Instant, lifetime_s: float) -> str:
        """A token for the attempt or worker `subject`; `worker_id` is empty in the token of a message."""
        claims = _Claims(sub=subject, use=use, worker=worker_id, iss=_ISSUER, exp=int(now / SECOND + lifetime_s))
        signed = _PREFIX + _encode(msgspec.json.encode(claims))
        return (signed + b"." + _encode(hmac.digest(self.keys[0], signed, "sha512"))).decode()

    def find_worker(self, token: str, use: str, subject: str, now: Instant) -> str | None:
        """The worker that the token names (empty for a message); None when it is malformed, forged, expired, or of another use or subject."""
        claims = self._read(token)
        if claims is None or (claims.use, claims.sub, claims.iss) != (use, subject, _ISSUER):
            return None
        return claims.worker if now / SECOND < claims.exp + self.leeway_s else None

    def _read(self, token: str) -> _Claims | None:
        """The claims, if one of the keys has signed them. A token with another header, of another algorithm for example, is not looked at."""
        try:
            signed, _, signature = token.encode("ascii").rpartition(b".")
        except UnicodeEncodeError:
            return None
        if not signed.startswith(_PREFIX) or not any(
            hmac.compare_digest(_encode(hmac.digest(key, signed, "sha512")), signature) for key in self.keys
        ):
            return None
        try:
            payload = signed[len(_PREFIX) :]
            return msgspec.json.decode(base64.urlsafe_b64decode(payload + b"=" * (-len(payload) % 4)), type=_Claims)
        except (msgspec.DecodeError, ValueError):
            return None


def _encode(value: bytes) -> bytes:
    """Base64url without padding (RFC 7515, section 2)."""
    return base64.urlsafe_b64encode(value).rstrip(b"=")


_PREFIX = _encode(b'{"alg":"HS512","typ":"JWT"}') + b"."
