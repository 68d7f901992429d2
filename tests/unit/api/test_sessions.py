"""Sessions of browsers: everybody lists and ends one's own, administrators those of all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from starlette.requests import Request
from tests.databases import create_schema
from tests.unit.api.served import Client, Reply, served
from tests.unit.entry.cli.deployment import NOW

from gnomon.api.access.accounts_policy import AccountsPolicy
from gnomon.api.access.choose_policy import create_context
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.main import main
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.accounts import Author, Role
from gnomon.queries.accounts import account_changes, api_tokens, passwords
from gnomon.storage.store.dag_records import event_log

PASSWORD = "correct horse"
ROOT = Author("cli:root", NOW)


class Site:
    """A server with the accounts ada (user), bob (user) and root (admin)."""

    def __init__(self, client: Client, context: ApiContext, home: Home) -> None:
        self.client, self.context, self.home = client, context, home

    def log_in(self, name: str) -> dict[str, str]:
        """The headers of a browser that has logged in."""
        form = urlencode({"username": name, "password": PASSWORD, "next": "/"}).encode()
        reply = self.client.request(
            "POST",
            "/login",
            form,
            {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"},
        )
        assert reply.status == 303
        return {"Cookie": reply.headers["set-cookie"].partition(";")[0], "Sec-Fetch-Site": "same-origin"}

    def ask(self, method: str, path: str, headers: dict[str, str]) -> Reply:
        return self.client.request(method, f"/auth/sessions{path}", None, headers)

    def ids(self, headers: dict[str, str], path: str = "") -> list[int]:
        reply = self.ask("GET", path, headers)
        assert reply.status == 200, reply
        return [row["id"] for row in reply.json()["sessions"]]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(passwords, "MEMORY_KIB", 64)
    passwords._hasher.cache_clear()
    clock = VirtualClock(NOW)
    home = Home(load_config({}, tmp_path), clock, clock.advance)
    create_schema(home.cfg.database_url)
    context = create_context(home.cfg, clock, "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    with context.database.write() as tx:
        for name, role in (("ada", Role.USER), ("bob", Role.USER), ("root", Role.ADMIN)):
            account_changes.create_account(tx, ROOT, name, role, PASSWORD)
    with served(context) as client:
        yield Site(client, context, home)
    context.close()
    passwords._hasher.cache_clear()


def test_a_user_lists_and_ends_sessions_of_the_own_account_only(site: Site) -> None:
    here, there, other = site.log_in("ada"), site.log_in("ada"), site.log_in("bob")
    listed = site.ask("GET", "", here).json()
    assert listed["account"] == "ada"
    assert sorted(row["is_current"] for row in listed["sessions"]) == [False, True]
    assert {row["address"] for row in listed["sessions"]} == {"127.0.0.1"}
    elsewhere = next(row["id"] for row in listed["sessions"] if not row["is_current"])
    assert site.ask("DELETE", f"/{elsewhere}", here).status == 204
    assert site.ask("GET", "", there).status == 401
    assert len(site.ids(here)) == 1
    of_bob = site.ids(other)[0]
    assert site.ask("DELETE", f"/{of_bob}", here).status == 404
    assert site.ask("GET", "?account=bob", here).status == 403
    assert site.ask("DELETE", f"/{of_bob}?account=bob", here).status == 403
    assert site.ask("DELETE", "?account=bob", here).status == 403
    assert site.ids(other) == [of_bob]
    assert site.ask("GET", "?account=ADA", here).status == 200  # names have no case


def test_an_administrator_ends_sessions_of_all_and_the_audit_log_says_who(site: Site) -> None:
    first, second, admin = site.log_in("ada"), site.log_in("ada"), site.log_in("root")
    assert len(site.ids(admin, "?account=ada")) == 2
    assert site.ask("DELETE", "?account=ada", admin).status == 204
    assert [site.ask("GET", "", headers).status for headers in (first, second, admin)] == [401, 401, 200]
    assert site.ask("DELETE", "?account=ada", admin).status == 204
    assert site.ask("GET", "?account=eve", admin).status == 404
    with site.context.database.read() as tx:
        lines = [
            (line.by, line.body) for line in event_log.list_events(tx, limit=100) if line.kind == "sessions_revoked"
        ]
    assert lines == [("root", '{"account": "ada", "ended_sessions": 2, "from": "127.0.0.1"}')]


def test_requests_without_a_login_and_from_other_sites_do_nothing(site: Site) -> None:
    browser = site.log_in("ada")
    assert site.ask("GET", "", {}).status == 401
    assert site.ask("DELETE", "", {}).status == 401
    for origin in ("https://evil.example", "http://["):
        assert site.ask("DELETE", "", {"Cookie": browser["Cookie"], "Origin": origin}).status == 403
    assert site.ask("DELETE", "", {"Cookie": browser["Cookie"]}).status == 403
    assert len(site.ids(browser)) == 1


@pytest.mark.parametrize("wrong", ["/0", "/-1", "/9223372036854775808", "/99999999999999999999999999", "/7"])
def test_a_session_that_is_not_there_is_not_found(site: Site, wrong: str) -> None:
    assert site.ask("DELETE", wrong, site.log_in("ada")).status == 404


def test_a_token_lists_sessions_and_ends_them_if_its_role_permits(site: Site) -> None:
    browser = site.log_in("root")
    with site.context.database.write() as tx:
        account = account_changes.get_account(tx, "root")
        tokens = {
            role: api_tokens.create_token(tx, ROOT, account, "t", role, None) for role in (Role.VIEWER, Role.USER)
        }
    viewer, user = ({"Authorization": f"Bearer {tokens[role]}"} for role in (Role.VIEWER, Role.USER))
    assert [row["is_current"] for row in site.ask("GET", "", viewer).json()["sessions"]] == [False]
    assert site.ask("DELETE", "", viewer).status == 403
    assert site.ask("GET", "?account=ada", user).status == 403
    assert site.ask("DELETE", "", user).status == 204
    assert site.ask("GET", "", browser).status == 401


def test_sessions_that_are_over_are_not_listed(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.log_in("ada")
    site.context.clock.advance(60.0 * site.home.cfg.number("api", "session_idle_minutes") + 1)  # type: ignore[attr-defined]
    assert len(site.ids(site.log_in("ada"))) == 1


def test_the_command_lists_and_ends_sessions(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = site.log_in("ada"), site.log_in("ada")
    one = site.ids(first)[0]
    assert main(("users", "sessions", "ada", "-o", "json"), obj=site.home) == 0
    assert capsys.readouterr().out.count('"address": "127.0.0.1"') == 2
    assert main(("users", "sessions", "ada", "--id", str(one), "--revoke"), obj=site.home) == 0
    assert main(("users", "sessions", "ada", "--revoke"), obj=site.home) == 0
    assert main(("users", "sessions", "root", "--revoke", "-o", "json"), obj=site.home) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ended 1 session of account ada",
        "ended 1 session of account ada",
        "[]",
    ]
    assert [site.ask("GET", "", headers).status for headers in (first, second)] == [401, 401]
    assert main(("users", "sessions", "ada"), obj=site.home) == 0
    assert "account ada has no sessions" in capsys.readouterr().out
    assert main(("users", "sessions", "ada", "--id", "7"), obj=site.home) == 1
    assert "account 'ada' has no session 7; `gnomon users sessions ada` lists its sessions" in capsys.readouterr().err
    assert main(("users", "sessions", "adda"), obj=site.home) == 1
    assert "did you mean 'ada'?" in capsys.readouterr().err


def test_a_session_is_checked_without_a_thread_and_every_rule_still_holds(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rare checks that write (a new secret, the last use) and those of hidden DAGs take a thread."""
    here = site.log_in("ada")
    assert len(site.ids(here)) == 1  # the first request opens the database in a thread
    asked: list[str] = []
    in_thread = AccountsPolicy.authorize

    def authorize(
        self: AccountsPolicy, request: Request, permission: Permission, resource: ApiResource, dag_id: str | None
    ) -> User:
        asked.append(request.url.path)
        return in_thread(self, request, permission, resource, dag_id)

    monkeypatch.setattr(AccountsPolicy, "authorize", authorize)
    assert site.client.request("GET", "/api/v2/dags", None, here).status == 200
    assert not asked
    foreign = {"Cookie": here["Cookie"], "Sec-Fetch-Site": "cross-site"}
    assert site.client.request("PATCH", "/api/v2/dags/none", {"is_paused": True}, foreign).status == 403
    assert site.client.request("GET", "/api/v2/variables", None, here).status == 403
    assert len(asked) == 2
    asked.clear()
    site.home.sleep(3601)
    rotated = site.client.request("GET", "/api/v2/dags", None, here)
    assert (rotated.status, len(asked)) == (200, 1)
    assert rotated.headers["set-cookie"].partition(";")[0] != here["Cookie"]
    site.home.sleep(61)
    assert site.client.request("GET", "/api/v2/dags", None, here).status == 401
