"""Middleware that bounds the body of a request, and adds headers that keep browsers from using an answer otherwise than it is meant."""

from __future__ import annotations

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_BYTES_MAX = 20 * 1024 * 1024
"""The largest body of a request: an XCom of 16 MiB and its quoting."""
_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)


class SafeHeaders:
    """Adds the headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class _BodyTooLarge(Exception):
    pass


class BodyLimit:
    """Answers 413 to a body of more than BODY_BYTES_MAX bytes, and reads no more of it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        received = 0

        async def receive_some() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > BODY_BYTES_MAX:
                raise _BodyTooLarge
            return message

        declared = dict(scope["headers"]).get(b"content-length", b"0")
        try:
            if declared.isdigit() and int(declared) > BODY_BYTES_MAX:
                raise _BodyTooLarge
            await self._app(scope, receive_some, send)
        except _BodyTooLarge:
            answer = JSONResponse({"detail": f"the body has more than {BODY_BYTES_MAX} bytes"}, 413, {"connection": "close"})
            await answer(scope, receive, send)
