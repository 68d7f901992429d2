"""The page of the build: its addresses, its files, and what is shown when the build could not make it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.unit.api.served import Client, served

from gnomon.api import page_files
from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.api.page_files import find_page_files
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config

INDEX = '<head><meta name="gnomon-user" content=""><meta name="gnomon-version" content=""><meta name="gnomon-place" content=""></head>'


@contextmanager
def serve(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setattr("gnomon.api.app.find_page_files", lambda: find_page_files(folder))
    context = ApiContext(load_config({}, tmp_path), VirtualClock(0), OpenAccess(), lambda: HealthSnapshot(0, ()))
    with served(context) as client:
        yield client


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    folder = tmp_path / "bundle"
    (folder / page_files.ASSETS).mkdir(parents=True)
    (folder / "index.html").write_text(INDEX)
    (folder / page_files.ASSETS / "index-1.js").write_text("let a = 1;")
    (folder / "secret.txt").write_text("another file")
    with serve(tmp_path, folder, monkeypatch) as made:
        yield made


@pytest.mark.parametrize("path", ["/", "/dags", "/dags/a", "/dags/a%2Fb/runs/r%3F/tasks/t?map=1"])
def test_every_address_of_the_page_is_the_page(client: Client, path: str) -> None:
    reply = client.request("GET", path)
    assert (reply.status, reply.kind) == (200, "text/html; charset=utf-8")
    assert 'name="gnomon-version" content="' in reply.body.decode()
    assert reply.headers["cache-control"] == "no-store"


def test_the_page_runs_its_own_script_only(client: Client) -> None:
    policy = client.request("GET", "/").headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


def test_files_may_be_kept_because_their_names_change_with_their_contents(client: Client) -> None:
    reply = client.request("GET", "/page-assets/index-1.js")
    assert (reply.status, reply.body) == (200, b"let a = 1;")
    assert reply.headers["cache-control"].endswith("immutable")


@pytest.mark.parametrize(
    "path",
    ["/page-assets/none.js", "/page-assets/..%2Fsecret.txt", "/page-assets/%2e%2e/secret.txt", "/page-assets/.x"],
)
def test_no_other_file_is_sent(client: Client, path: str) -> None:
    reply = client.request("GET", path)
    assert reply.status == 404
    assert b"another file" not in reply.body


def test_an_unknown_operation_is_not_the_page(client: Client) -> None:
    assert client.request("GET", "/api/v2/nothing").json()["detail"].startswith("there is no operation")


def test_a_browser_sees_the_page_at_an_unknown_address_and_a_program_an_error(client: Client) -> None:
    reply = client.request("GET", "/no/such/page", headers={"Accept": "text/html,application/xhtml+xml"})
    assert (reply.status, reply.kind) == (404, "text/html; charset=utf-8")
    assert 'name="gnomon-version"' in reply.body.decode()
    assert client.request("GET", "/no/such/page").json()["detail"].startswith("there is no page /no/such/page")


def test_without_a_page_the_health_page_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / page_files.REASON).write_text("npm could not be <reached>\n")
    with serve(tmp_path, folder, monkeypatch) as client:
        text = client.request("GET", "/dags").body.decode()
    assert "This installation has only the health page: npm could not be &lt;reached&gt;" in text


def test_the_health_page_stands_beside_the_page(client: Client) -> None:
    text = client.request("GET", "/services/plain").body.decode()
    assert "<h2>Services</h2>" in text
    assert "This installation has only the health page" not in text


def test_each_address_of_the_page_is_answered_by_the_server() -> None:
    """A view whose address only the page knows opens from a link, and not from a bookmark."""
    web = Path(__file__).parents[3] / "web" / "src"
    files = [web / "router.tsx", *sorted((web / "pages").glob("*Routes.ts"))]
    addresses = {
        address
        for file in files
        for address in re.findall(r'getParentRoute: \(\) => root,\s+path: "([^"]+)"', file.read_text())
    }
    assert len(addresses) > 15
    views = "|".join(re.sub(r"{rest:path}", ".+", view) for view in page_files.VIEWS)
    assert [address for address in sorted(addresses) if not re.fullmatch(views, address)] == []
