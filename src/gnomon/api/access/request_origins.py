"""Whether the headers that a browser adds, and a page cannot forge, say that a request comes from a page of this server."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request

_DEFAULT_PORTS = {"http": 80, "https": 443}
_OWN_SITES = ("same-origin", "none")
"""`none`: the user has typed the address, or opened a bookmark."""


def is_of_own_origin(request: Request) -> bool | None:
    """Whether Origin names the scheme, the host and the port of the request, or is that of `[api] base_url`; None without Origin.

    The scheme of a request is that of the client, where a trusted proxy reports it. False for `null`, for an origin that is no address, and when one of the headers
    Origin and Host is there twice: which of them another program reads is not known.
    """
    origins, hosts = request.headers.getlist("origin"), request.headers.getlist("host")
    if not origins:
        return None
    if len(origins) > 1 or len(hosts) != 1:
        return False
    origin = _parse(origins[0])
    return origin is not None and origin in (
        _parse(f"{request.scope['scheme']}://{hosts[0]}"),
        _find_configured_origin(request),
    )


def is_of_own_site(request: Request) -> bool | None:
    """Whether Sec-Fetch-Site says that a page of this origin, or the user, has sent the request; None without the header."""
    sites = request.headers.getlist("sec-fetch-site")
    return None if not sites else len(sites) == 1 and sites[0] in _OWN_SITES


def _find_configured_origin(request: Request) -> tuple[str, str, int] | None:
    """The origin of `[api] base_url`; None where it is not set."""
    context = getattr(getattr(request.scope.get("app"), "state", None), "context", None)
    url = urlsplit("" if context is None else context.cfg.text("api", "base_url"))
    return _parse(f"{url.scheme}://{url.netloc}")


def _parse(origin: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of an origin (RFC 6454, section 7); None for what is none: `null`, one with a path, an account or several values."""
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return None
    is_plain = not (
        parts.path or parts.query or parts.fragment or "@" in parts.netloc or "?" in origin or "#" in origin
    )
    if (
        parts.scheme not in _DEFAULT_PORTS
        or not parts.hostname
        or not is_plain
        or not origin.isprintable()
        or " " in origin
    ):
        return None
    return parts.scheme, parts.hostname, _DEFAULT_PORTS[parts.scheme] if port is None else port
