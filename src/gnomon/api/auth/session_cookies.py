"""The cookie of a session, and the middleware that gives a browser the new secret of a session."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gnomon.api.access.accounts_policy import COOKIE
from gnomon.api.common.cookies import build_cookie
from gnomon.queries.accounts.sessions import LONGEST_S


def build_session_cookie(secret: str, *, is_secure: bool) -> str:
    """The value of the header Set-Cookie with the secret of a session; an empty secret deletes the cookie."""
    return build_cookie(COOKIE, secret, LONGEST_S if secret else 0, is_secure=is_secure)


class SessionCookies:
    """Middleware: adds the cookie with the new secret to the answer of the request during which the secret was changed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_cookie(message: Message) -> None:
            secret = scope.get("state", {}).get("new_session_secret")
            if message["type"] == "http.response.start" and secret is not None:
                cookie = build_session_cookie(secret, is_secure=scope.get("scheme") == "https")
                message["headers"] = [*message["headers"], (b"set-cookie", cookie.encode())]
            await send(message)

        await self._app(scope, receive, send_with_cookie if scope["type"] == "http" else send)
