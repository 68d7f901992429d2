"""The address of a client behind proxies: `[api] trusted_proxies` names the proxies whose headers are believed."""

from __future__ import annotations

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from gnomon.ground.config.network_address import Network, is_within, parse_address

HOPS_MAX = 32
"""Addresses of the header that are looked at, from the right."""
_FOR, _PROTO = b"x-forwarded-for", b"x-forwarded-proto"
_TRACES_OF_PROXIES = frozenset({_FOR, _PROTO, b"forwarded", b"via", b"x-forwarded-host", b"x-real-ip"})
"""Headers that proxies add: a request with one of them does not come from the address that it seems to come from."""
_STRANGER = "forwarded_by_stranger"


class TrustedProxies:
    """Middleware: replaces the address and the scheme of a request by those that trusted proxies report.

    Each proxy appends the address that it sees to X-Forwarded-For. So the list is read from the right, and the first address that is no trusted
    proxy is the client; everything left of it was written by that client, and is not believed.
    """

    def __init__(self, app: ASGIApp, networks: tuple[Network, ...]) -> None:
        self._app = app
        self._networks = networks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            peer = scope.get("client")
            if self._networks and peer is not None and is_within(peer[0], self._networks):
                self._apply(scope, peer[0], _read_list(scope, _FOR))
            elif any(name in _TRACES_OF_PROXIES for name, _ in scope["headers"]):
                scope.setdefault("state", {})[_STRANGER] = True
        await self._app(scope, receive, send)

    def _apply(self, scope: Scope, peer: str, hops: list[str]) -> None:
        client, position = peer, len(hops)
        for number in range(len(hops) - 1, max(-1, len(hops) - 1 - HOPS_MAX), -1):
            address = parse_address(hops[number])
            if address is None:
                break  # what stands here is no address: the proxy before it is all that is known
            client, position = str(address), number
            if not is_within(client, self._networks):
                break
        scope["client"] = (client, 0)
        schemes = _read_list(scope, _PROTO)
        if schemes:
            scheme = schemes[position] if len(schemes) == len(hops) and position < len(schemes) else schemes[-1]
            if scheme.lower() in ("http", "https"):
                scope["scheme"] = scheme.lower()


def find_address(request: Request) -> str:
    """The address of the client, as far as the server and trusted proxies know it."""
    return "" if request.client is None else request.client.host


def is_forwarded_by_stranger(request: Request) -> bool:
    """Whether a proxy that is not trusted has passed the request on, so that its address is that of the proxy."""
    return bool(request.scope.get("state", {}).get(_STRANGER))


def _read_list(scope: Scope, header: bytes) -> list[str]:
    values = ",".join(value.decode("latin-1") for name, value in scope["headers"] if name == header)
    return [part.strip() for part in values.split(",") if part.strip()]
