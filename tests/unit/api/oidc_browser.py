"""A browser that logs in at an identity provider, and the server that it logs in to."""

from __future__ import annotations

import html
import http.client
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.databases import create_schema
from tests.oidc_server import CLIENT, SECRET, OidcServer
from tests.patience import PATIENCE_S
from tests.unit.api.served import Client, Reply, served
from tests.unit.entry.cli.deployment import NOW

from gnomon.api.access.choose_policy import create_context
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.accounts import Account
from gnomon.queries.accounts.account_changes import get_account

_NOTICE = re.compile('<p class="notice" role="alert">(.*?)</p>')


class Browser:
    """Keeps cookies, and follows the way of a login by hand."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.cookies: dict[str, str] = {}
        self.headers: dict[str, str] = {}
        """Sent with each request, as proxies do."""

    def get(self, path: str) -> Reply:
        """GET with the cookies."""
        cookie = (
            {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        )
        connection = http.client.HTTPConnection("127.0.0.1", self.client.port, timeout=PATIENCE_S)
        try:
            connection.request("GET", path, headers={**cookie, "Sec-Fetch-Site": "cross-site", **self.headers})
            answer = connection.getresponse()
            reply = Reply(answer.status, answer.getheader("Content-Type"), answer.read(), dict(answer.getheaders()))
            for header in answer.headers.get_all("set-cookie") or []:
                name, _, value = header.partition(";")[0].partition("=")
                self.cookies.pop(name, None) if "Max-Age=0" in header or not value else self.cookies.__setitem__(
                    name, value
                )
            return reply
        finally:
            connection.close()

    def begin(self, path: str = "/auth/oidc/login?next=/dags") -> str:
        """Begin the login, agree at the provider; returns the path and query that the provider sends back to."""
        reply = self.get(path)
        assert reply.status == 303, reply
        parts = urlsplit(reply.headers["location"])
        connection = http.client.HTTPConnection(str(parts.hostname), parts.port or 80, timeout=PATIENCE_S)
        try:
            connection.request("GET", f"{parts.path}?{parts.query}")
            back = urlsplit(connection.getresponse().headers["location"])
        finally:
            connection.close()
        return f"{back.path}?{back.query}"

    def log_in(self) -> Reply:
        """The whole way."""
        return self.get(self.begin())

    def refused(self, status: int) -> str:
        """The reason that the page shows after a login that must be refused."""
        reply = self.log_in()
        assert reply.status == status, reply
        assert not any(name.endswith("gnomon_session") for name in self.cookies)
        return notice_of(reply)


def notice_of(reply: Reply) -> str:
    """The reason that a page shows."""
    found = _NOTICE.search(reply.body.decode())
    assert found is not None, reply
    return html.unescape(found[1])


class OidcSite:
    """A server with [oidc] options and its database."""

    def __init__(self, client: Client, context: ApiContext, clock: VirtualClock) -> None:
        self.client, self.context, self.clock = client, context, clock

    def browser(self, *, over_tls: bool = False) -> Browser:
        """A browser without cookies. `over_tls`: behind a proxy that ends TLS, which [api] trusted_proxies must name."""
        browser = Browser(self.client)
        browser.headers = {"X-Forwarded-Proto": "https"} if over_tls else {}
        return browser

    def account(self, name: str) -> Account:
        """The account."""
        with self.context.database.read() as tx:
            return get_account(tx, name)


@contextmanager
def oidc_site(
    provider: OidcServer, home: Path, environment: Mapping[str, str] | None = None, **options: str
) -> Iterator[OidcSite]:
    """A server that knows the provider; `options` of section oidc, and others in `environment`."""
    given = {
        "issuer": provider.issuer,
        "client_id": CLIENT,
        "client_secret": SECRET,
        "default_role": "viewer",
        **options,
    }
    cfg = load_config(
        {**{f"GNOMON__OIDC__{name.upper()}": value for name, value in given.items()}, **(environment or {})}, home
    )
    create_schema(cfg.database_url)
    clock = VirtualClock(NOW)
    context = create_context(cfg, clock, "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    with served(context) as client:
        yield OidcSite(client, context, clock)
    context.close()
