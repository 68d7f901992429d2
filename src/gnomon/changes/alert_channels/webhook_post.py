"""Sends JSON to a webhook by HTTP POST, signed, without following redirects."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from gnomon.ground.clock import Clock
from gnomon.model.instants import SECOND, to_instant
from gnomon.model.sentences import Sentence, render, say

SIGNATURE_HEADER = "X-Gnomon-Signature"
TIMESTAMP_HEADER = "X-Gnomon-Timestamp"
KEY_HEADER = "Idempotency-Key"
RETRIED_STATUSES = frozenset({408, 425, 429})
"""Statuses below 500 after which the message is tried again."""
RETRY_AFTER_MAX_S = 3600.0
_ANSWER_SHOWN = 200


class DeliveryFailed(Exception):
    """A message was not accepted. `is_final`: another try would not help; `retry_after_s`: not before so many seconds."""

    def __init__(self, text: str | Sentence, *, is_final: bool = False, retry_after_s: float | None = None) -> None:
        super().__init__(text if isinstance(text, str) else render(text))
        self.is_final = is_final
        self.retry_after_s = retry_after_s


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """The signature of a body: `v1=` and the HMAC-SHA256, in hexadecimal, of the timestamp, a dot, and the body."""
    return "v1=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def build_headers(uid: str, secret: str, body: bytes, clock: Clock) -> dict[str, str]:
    """The headers of a message; with a secret, its signature and the time in seconds since 1970 that the signature covers."""
    headers = {"Content-Type": "application/json", "User-Agent": "gnomon", KEY_HEADER: uid}
    if secret:
        timestamp = str(clock.now() // SECOND)
        headers[TIMESTAMP_HEADER] = timestamp
        headers[SIGNATURE_HEADER] = sign(secret, timestamp, body)
    return headers


def post(url: str, body: bytes, headers: Mapping[str, str], timeout_s: float, clock: Clock) -> None:
    """Send the body; returns when the server has answered with a status of 200 to 299.

    `timeout_s`: the limit for the connection and for each answer. Raises DeliveryFailed, whose text does not contain the URL's path.
    """
    request = urllib.request.Request(url, data=body, headers=dict(headers), method="POST")
    opener = urllib.request.build_opener(_NoRedirects)
    try:
        with opener.open(request, timeout=timeout_s) as answer:
            answer.read(1)
    except urllib.error.HTTPError as error:
        raise _refused(error, clock) from None
    except (urllib.error.URLError, OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        is_certificate = isinstance(reason, ssl.SSLCertVerificationError)
        text = str(reason) or type(reason).__name__
        raise DeliveryFailed(
            say("webhook_cannot_be_reached", error=text),
            is_final=is_certificate or isinstance(error, ValueError),
        ) from None


def _refused(error: urllib.error.HTTPError, clock: Clock) -> DeliveryFailed:
    with error:
        shown = error.read(_ANSWER_SHOWN).decode(errors="replace").strip()
    status = error.code
    if 300 <= status < 400:
        return DeliveryFailed(say("webhook_redirects", number=status), is_final=True)
    is_final = status < 500 and status not in RETRIED_STATUSES
    text = f"{status} {error.reason}".rstrip() + (f": {' '.join(shown.split())}" if shown else "")
    return DeliveryFailed(
        say("webhook_answered", text=text),
        is_final=is_final,
        retry_after_s=_read_retry_after(error.headers.get("Retry-After"), clock),
    )


def _read_retry_after(value: str | None, clock: Clock) -> float | None:
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (to_instant(parsedate_to_datetime(value)) - clock.now()) / SECOND
        except (TypeError, ValueError):
            return None
    return min(max(seconds, 0.0), RETRY_AFTER_MAX_S)
