"""Addresses behind proxies: what a trusted proxy reports is believed, and nothing that a client wrote."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest
from tests.databases import create_schema
from tests.patience import PATIENCE_S
from tests.unit.api.served import served
from tests.unit.entry.cli.deployment import NOW

from gnomon.api.access.choose_policy import create_context
from gnomon.api.app import create_app
from gnomon.api.common.trusted_proxies import TrustedProxies
from gnomon.api.health import HealthSnapshot
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import OptionError, load_config
from gnomon.ground.config.network_address import read_networks
from gnomon.queries.accounts.first_account import create_first_account
from gnomon.queries.accounts.logins import FREE_FAILURES_OF_NAME

TRUSTED = "10.0.0.0/8, 127.0.0.1, fd00::/8"


def _pass_through(peer: str, headers: list[tuple[str, str]], tmp_path: Path) -> dict[str, Any]:
    """The scope of a request of a peer with these headers, as the application sees it."""
    seen: dict[str, Any] = {}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.update(scope)

    networks = read_networks(load_config({"GNOMON__API__TRUSTED_PROXIES": TRUSTED}, tmp_path), "api", "trusted_proxies")
    scope = {
        "type": "http",
        "scheme": "http",
        "client": (peer, 5),
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers],
    }
    asyncio.run(TrustedProxies(app, networks)(scope, None, None))  # type: ignore[arg-type]
    return seen


@pytest.mark.pure
@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("10.0.0.1", ["192.0.2.7"], "192.0.2.7"),
        ("10.0.0.1", ["203.0.113.1, 192.0.2.7"], "192.0.2.7"),  # the left one was written by the client
        ("10.0.0.1", ["203.0.113.1", "192.0.2.7"], "192.0.2.7"),  # two headers are one list
        ("10.0.0.1", ["192.0.2.7, 10.0.0.9, 10.1.1.1"], "192.0.2.7"),  # proxies behind proxies
        ("10.0.0.1", ["10.0.0.9, 10.1.1.1"], "10.0.0.9"),  # a client among the proxies
        ("10.0.0.1", ["192.0.2.7:8443"], "192.0.2.7"),
        ("10.0.0.1", ["[2001:db8::1]:80"], "2001:db8::1"),
        ("10.0.0.1", ["::ffff:192.0.2.7"], "192.0.2.7"),
        ("::ffff:10.0.0.1", ["192.0.2.7"], "192.0.2.7"),
        ("fd00::1", ["2001:db8::1"], "2001:db8::1"),
        ("10.0.0.1", ["192.0.2.7, unknown"], "10.0.0.1"),  # beyond what is no address nothing is known
        ("10.0.0.1", ["192.0.2.7, <script>, 10.0.0.9"], "10.0.0.9"),
        ("10.0.0.1", [", ,"], "10.0.0.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", [",".join(["10.0.0.2"] * 5000)], "10.0.0.2"),
        ("192.0.2.50", ["203.0.113.1"], "192.0.2.50"),  # not a trusted proxy: the header is the client's own
        ("192.0.2.50", ["10.0.0.1"], "192.0.2.50"),
        ("11.0.0.1", ["203.0.113.1"], "11.0.0.1"),
    ],
)
def test_the_client_is_the_first_address_from_the_right_that_is_no_proxy(
    peer: str, forwarded: list[str], client: str, tmp_path: Path
) -> None:
    assert _pass_through(peer, [("X-Forwarded-For", value) for value in forwarded], tmp_path)["client"][0] == client


@pytest.mark.pure
@pytest.mark.parametrize(
    ("peer", "forwarded", "proto", "scheme"),
    [
        ("10.0.0.1", "192.0.2.7", "https", "https"),
        ("10.0.0.1", "192.0.2.7", "HTTPS", "https"),
        ("10.0.0.1", "192.0.2.7", "gopher", "http"),
        ("10.0.0.1", "192.0.2.7, 10.0.0.9", "https, http", "https"),
        ("10.0.0.1", "203.0.113.1, 192.0.2.7", "https, http", "http"),  # the left ones were written by the client
        ("10.0.0.1", "192.0.2.7", "https, http", "http"),
        ("192.0.2.50", "192.0.2.7", "https", "http"),
    ],
)
def test_the_scheme_is_that_of_the_client_as_a_trusted_proxy_saw_it(
    peer: str, forwarded: str, proto: str, scheme: str, tmp_path: Path
) -> None:
    assert (
        _pass_through(peer, [("X-Forwarded-For", forwarded), ("X-Forwarded-Proto", proto)], tmp_path)["scheme"]
        == scheme
    )


def _failures(client: Any, address: str, count: int) -> list[int]:
    wrong = {"username": "admin", "password": "wrong horse"}
    return [client.request("POST", "/auth/token", wrong, {"X-Forwarded-For": address}).status for _ in range(count)]


@pytest.mark.parametrize("trusted", ["127.0.0.1", ""])
def test_failed_logins_are_counted_for_the_client_behind_a_trusted_proxy_only(trusted: str, tmp_path: Path) -> None:
    cfg = load_config({"GNOMON__API__TRUSTED_PROXIES": trusted}, tmp_path)
    create_schema(cfg.database_url)
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    password = create_first_account(context.database, NOW)
    with served(context) as client:
        assert _failures(client, "192.0.2.7", FREE_FAILURES_OF_NAME + 1)[-1] == 429
        other = client.request(
            "POST", "/auth/token", {"username": "admin", "password": password}, {"X-Forwarded-For": "192.0.2.8"}
        )
        assert other.status == (201 if trusted else 429)  # a header of a stranger gives nobody a new address
        if trusted:
            assert _failures(client, "203.0.113.5, 192.0.2.7", 1) == [429]
    context.close()


def test_a_trailer_is_no_header(tmp_path: Path) -> None:
    """A proxy replaces the header of the client, and may pass on its trailers."""
    cfg = load_config({"GNOMON__API__TRUSTED_PROXIES": "127.0.0.1"}, tmp_path)
    create_schema(cfg.database_url)
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    body = b'{"username": "admin", "password": "wrong horse"}'
    head = b"POST /auth/token HTTP/1.1\r\nHost: here\r\nConnection: close\r\nX-Forwarded-For: 192.0.2.7\r\nContent-Type: application/json\r\n"
    head += b"Transfer-Encoding: chunked\r\n\r\n"
    with served(context) as client:
        for number in range(FREE_FAILURES_OF_NAME + 1):
            with socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE_S) as connection:
                connection.sendall(
                    b"%b%x\r\n%b\r\n0\r\nX-Forwarded-For: 203.0.113.%d\r\n\r\n" % (head, len(body), body, number)
                )
                answer = connection.recv(12)
    context.close()
    assert answer == b"HTTP/1.1 429"


@pytest.mark.pure
def test_what_is_no_network_is_an_error_at_the_start(tmp_path: Path) -> None:
    cfg = load_config({"GNOMON__API__TRUSTED_PROXIES": "10.0.0.1/8"}, tmp_path)
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    with pytest.raises(
        OptionError, match=r"\[api\] trusted_proxies .* has '10.0.0.1/8', which is no network: .* has host bits set"
    ):
        create_app(context)
