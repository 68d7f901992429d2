"""Which requests a browser sends from a page of this server: the headers Origin, Host and Sec-Fetch-Site, which pages cannot forge."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.requests import Request

from gnomon.api.access.accounts_policy import comes_from_same_site
from gnomon.api.access.open_access import comes_from_other_site
from gnomon.ground.config import load_config

HOST = "gnomon.example"
OWN = [
    ("http", HOST, f"http://{HOST}"), ("https", HOST, f"https://{HOST}"), ("https", f"{HOST}:443", f"https://{HOST}"), ("https", HOST, f"https://{HOST}:443"),
    ("http", f"{HOST}:80", f"http://{HOST}"), ("http", f"{HOST}:8080", f"http://{HOST}:8080"), ("http", "GNOMON.Example", f"http://{HOST}"),
    ("https", HOST, "HTTPS://Gnomon.Example"), ("http", "[::1]:8080", "http://[::1]:8080"),
]  # fmt: skip
FOREIGN = [
    ("https", HOST, f"http://{HOST}"), ("http", HOST, f"https://{HOST}"), ("http", HOST, f"http://{HOST}:8080"), ("http", f"{HOST}:8080", f"http://{HOST}"),
    ("http", HOST, "null"), ("http", "null", "null"), ("http", HOST, ""), ("http", HOST, HOST), ("http", HOST, f"//{HOST}"), ("http", HOST, f"ftp://{HOST}"),
    ("http", HOST, f"http://{HOST}.evil.example"), ("http", HOST, f"http://evil.example@{HOST}"), ("http", HOST, f"http://{HOST}/"), ("http", HOST, f"http://{HOST}?"),
    ("http", HOST, f"http://{HOST}#"), ("http", HOST, f"http://{HOST} http://evil.example"), ("http", HOST, f"http://{HOST},http://evil.example"),
    ("http", HOST, "http://["), ("http", HOST, f"http://{HOST}:x"), ("http", HOST, f"http://{HOST}:99999"), ("http", "", "http://"), ("http", HOST, f"chrome-extension://{HOST}"),
    ("http", HOST, f"http://www.{HOST}"), ("http", f"evil.example@{HOST}", f"http://{HOST}"), ("http", f"{HOST}/x", f"http://{HOST}"),
]  # fmt: skip


def build(scheme: str, *headers: tuple[str, str], base_url: str = "", tmp_path: Path | None = None) -> Request:
    scope = {
        "type": "http",
        "method": "POST",
        "scheme": scheme,
        "path": "/",
        "query_string": b"",
        "server": ("10.0.0.1", 80),
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }
    if tmp_path is not None:
        cfg = load_config({"GNOMON__API__BASE_URL": base_url}, tmp_path)
        scope["app"] = SimpleNamespace(state=SimpleNamespace(context=SimpleNamespace(cfg=cfg)))
    return Request(scope)


@pytest.mark.parametrize(("scheme", "host", "origin"), OWN)
def test_a_page_with_the_scheme_the_host_and_the_port_of_the_request_is_own(
    scheme: str, host: str, origin: str
) -> None:
    request = build(scheme, ("host", host), ("origin", origin))
    assert comes_from_same_site(request) and not comes_from_other_site(request)


@pytest.mark.parametrize(("scheme", "host", "origin"), FOREIGN)
def test_every_other_origin_is_that_of_another_site_also_when_the_browser_names_the_same_site(
    scheme: str, host: str, origin: str
) -> None:
    for more in ((), (("sec-fetch-site", "same-origin"),)):
        request = build(scheme, ("host", host), ("origin", origin), *more)
        assert not comes_from_same_site(request) and comes_from_other_site(request)


@pytest.mark.parametrize(
    "headers",
    [
        (("host", HOST), ("origin", f"http://{HOST}"), ("origin", "http://evil.example")),
        (("host", HOST), ("origin", "http://evil.example"), ("origin", f"http://{HOST}")),
        (("host", HOST), ("origin", f"http://{HOST}"), ("origin", f"http://{HOST}")),
        (("host", HOST), ("host", "evil.example"), ("origin", f"http://{HOST}")),
        (("host", "evil.example"), ("host", HOST), ("origin", f"http://{HOST}")),
        (("origin", f"http://{HOST}"),),
        (("host", HOST), ("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")),
        (("host", HOST), ("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-origin")),
        (("host", HOST), ("sec-fetch-site", "same-site")),
        (("host", HOST), ("sec-fetch-site", "")),
        (("host", HOST), ("sec-fetch-site", "Same-Origin ")),
        (("host", HOST), ("origin", f"http://{HOST}"), ("sec-fetch-site", "cross-site")),
    ],
)
def test_headers_that_are_there_twice_or_contradict_each_other_are_those_of_another_site(
    headers: tuple[tuple[str, str], ...],
) -> None:
    request = build("http", *headers)
    assert not comes_from_same_site(request) and comes_from_other_site(request)


def test_a_referer_stands_for_nothing() -> None:
    """Pages choose whether it is sent; a request of a session with it alone is refused."""
    assert not comes_from_same_site(build("http", ("host", HOST), ("referer", f"http://{HOST}/dags")))


@pytest.mark.parametrize(
    ("base_url", "own"),
    [
        (f"https://{HOST}", True),
        (f"https://{HOST}:443/gnomon/", True),
        (f"http://{HOST}", False),
        ("", False),
        ("https://other.example", False),
    ],
)
def test_behind_a_proxy_that_is_not_trusted_the_configured_address_is_own(
    base_url: str, own: bool, tmp_path: Path
) -> None:
    request = build("http", ("host", "10.0.0.1"), ("origin", f"https://{HOST}"), base_url=base_url, tmp_path=tmp_path)
    assert comes_from_same_site(request) is own
