"""Cookies of browsers. Over https their names begin with `__Host-`: browsers accept such a cookie only from this host, over https and for all its paths.

Without it, a page of a host beside this one, or somebody who changes what comes over http, could give a browser a session of their own, or the cookie of a login that
they have begun.
"""

from __future__ import annotations

from starlette.requests import Request

_PREFIX = "__Host-"


def read_cookie(request: Request, name: str) -> str | None:
    """The value of a cookie that `build_cookie` has made for requests of this scheme; None without it."""
    return request.cookies.get(_find_full_name(name, is_secure=request.scope["scheme"] == "https"))


def build_cookie(name: str, value: str, lifetime_s: float, *, is_secure: bool, path: str = "/") -> str:
    """The value of the header Set-Cookie. No script reads the cookie, and no request that another site makes by itself carries it. `path`: over http."""
    scope = "Path=/; Secure" if is_secure else f"Path={path}"
    return f"{_find_full_name(name, is_secure=is_secure)}={value}; {scope}; Max-Age={lifetime_s:.0f}; HttpOnly; SameSite=Lax"


def _find_full_name(name: str, *, is_secure: bool) -> str:
    return f"{_PREFIX}{name}" if is_secure else name
