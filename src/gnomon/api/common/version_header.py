"""The header by which Gnomon's own clients know that a Gnomon answers, and of which version it is."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gnomon.ground.metrics.figures import find_version

__all__ = ["VERSION_HEADER", "VersionHeader", "find_version"]
VERSION_HEADER = "Gnomon-Version"


class VersionHeader:
    """Middleware: adds the header to every answer of the API and of its logins."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_header(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[VERSION_HEADER] = find_version()
            await send(message)

        is_api = scope["type"] == "http" and scope["path"].startswith(("/api/", "/auth/"))
        await self._app(scope, receive, send_with_header if is_api else send)
