"""`OpenAccess`: allows everything to every program of this machine, and nothing to pages of other sites in a browser of this machine."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request

from gnomon.api.access.request_origins import is_of_own_origin, is_of_own_site
from gnomon.api.policies import AccessRefused, ApiResource, Credential, Permission, User
from gnomon.ground.config.network_address import is_loopback
from gnomon.model.accounts import Identity, Role
from gnomon.model.sentences import say

_EVERYBODY = Identity("anonymous", Role.ADMIN)


class OpenAccess:
    """`[api] auth = none`, for a loopback address only. `base_url`: the address under which a proxy on this machine serves the API, if there is one.

    A page of another site can send requests to this machine in two ways: under its own name, after it has changed the address of that name (DNS
    rebinding), which the header Host shows; or across sites, which the headers Origin and Sec-Fetch-Site show. Both are refused.
    """

    def __init__(self, base_url: str = "") -> None:
        self._host = urlsplit(base_url).hostname

    def authorize(self, request: Request, permission: Permission, resource: ApiResource, dag_id: str | None) -> User:
        """The user `anonymous`. Raises AccessRefused (403) for a request of a page of another site."""
        self.check_host(request)
        if comes_from_other_site(request):
            raise AccessRefused(403, say("page_of_other_site"))
        return User(_EVERYBODY)

    def check_host(self, request: Request) -> None:
        """Return if the request names this machine or the proxy. Raises AccessRefused (403) otherwise: a page of another site may read the answer."""
        named = request.headers.get("host")
        host = _find_hostname(named) if named else request.url.hostname or ""
        if not (host in ("localhost", self._host) or host.endswith(".localhost") or is_loopback(host)):
            raise AccessRefused(403, say("host_is_not_answered", host=host))

    def authorize_at_once(self, request: Request, permission: Permission, resource: ApiResource) -> User | None:
        """As `authorize`, which waits for nothing."""
        return self.authorize(request, permission, resource, None)

    def find_credential(self, request: Request) -> Credential:
        """One that stays valid."""
        return Credential(("open", None), lambda: _EVERYBODY)


def _find_hostname(named: str) -> str:
    """The host of a header Host. Starlette takes the address of the server in place of a name that is none by its rules, which may be one of a browser."""
    try:
        return urlsplit(f"//{named}").hostname or named
    except ValueError:
        return named


def comes_from_other_site(request: Request) -> bool:
    """Whether a browser says that a page of another site sent the request. Programs that are no browsers say nothing."""
    return is_of_own_origin(request) is False or is_of_own_site(request) is False
