"""The options of accounts, seen through the API."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from tests.acceptance.effects import effect_of
from tests.databases import create_schema
from tests.oidc_server import oidc_server
from tests.unit.api.oidc_browser import oidc_site
from tests.unit.api.served import served
from tests.unit.entry.cli.deployment import NOW

from gnomon.api.access.choose_policy import create_context
from gnomon.api.app import create_app
from gnomon.api.health import HealthSnapshot
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import OptionError, load_config
from gnomon.model.accounts import Author, Role
from gnomon.model.instants import SECOND
from gnomon.queries.accounts.account_changes import create_account
from gnomon.queries.accounts.first_account import create_first_account


@effect_of("api.auth")
def test_the_api_is_open_on_this_machine_only_and_only_when_asked(tmp_path: Path) -> None:
    opened = load_config({"GNOMON__API__AUTH": "none"}, tmp_path)
    context = create_context(opened, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    create_schema(opened.database_url)
    with served(context) as client:
        assert client.get("/dags")["total_entries"] == 0
        assert client.request("POST", "/auth/token", {"username": "a", "password": "b"}).status == 404
    context.close()
    for host in ("0.0.0.0", "::", "192.0.2.7"):
        with pytest.raises(OptionError, match="is none, and other machines reach"):
            create_context(opened, VirtualClock(NOW), host, lambda: HealthSnapshot(NOW, ()))


@effect_of("api.session_idle_minutes", "api_auth.jwt_leeway")
def test_the_times_of_sessions_and_tokens_are_options(tmp_path: Path) -> None:
    cfg = load_config({"GNOMON__API__SESSION_IDLE_MINUTES": "7", "GNOMON__API_AUTH__JWT_LEEWAY": "3"}, tmp_path)
    create_schema(cfg.database_url)
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    assert (context.authenticator.rules.idle_s, context.authenticator.signer.leeway_s) == (420.0, 3.0)
    context.close()


@effect_of("api_auth.jwt_expiration_time", "api_auth.jwt_cli_expiration_time")
def test_signed_tokens_live_as_long_as_the_options_say(tmp_path: Path) -> None:
    cfg = load_config(
        {"GNOMON__API_AUTH__JWT_EXPIRATION_TIME": "70", "GNOMON__API_AUTH__JWT_CLI_EXPIRATION_TIME": "7"}, tmp_path
    )
    create_schema(cfg.database_url)
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    login = {"username": "admin", "password": create_first_account(context.database, NOW)}
    with served(context) as client:
        for path, lifetime_s in (("/auth/token", 70), ("/auth/token/cli", 7)):
            claims = jwt.decode(
                client.request("POST", path, login).json()["access_token"], options={"verify_signature": False}
            )
            assert claims["exp"] - claims["iat"] == lifetime_s
    context.close()


@effect_of("core.test_connection")
@pytest.mark.parametrize("value", ["Disabled", "Enabled", "Hidden"])
def test_the_api_tests_connections_only_if_the_option_allows_it(tmp_path: Path, value: str) -> None:
    cfg = load_config({"GNOMON__CORE__TEST_CONNECTION": value, "GNOMON__API__AUTH": "none"}, tmp_path)
    create_schema(cfg.database_url)
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    with served(context) as client:
        body = {"connection_id": "files", "conn_type": "fs", "extra": f'{{"path": "{tmp_path}"}}'}
        if value != "Enabled":
            assert f"[core] test_connection is {value}" in client.fails(403, "/connections/test", "POST", body)
        else:
            assert client.send("POST", "/connections/test", body) == {
                "status": True,
                "message": f"Path {tmp_path} is existing.",
            }
            missing = client.send("POST", "/connections/test", {"connection_id": "x", "conn_type": "no_such_type"})
            assert (missing["status"], "no_such_type" in missing["message"]) == (False, True)
    context.close()


@effect_of("api.base_url")
def test_without_accounts_pages_of_other_sites_are_refused(tmp_path: Path) -> None:
    cfg = load_config(
        {"GNOMON__API__AUTH": "none", "GNOMON__API__BASE_URL": "https://gnomon.example.com:8443/"}, tmp_path
    )
    create_schema(cfg.database_url)
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    with served(context) as client:
        for host in (
            "localhost:8080",
            "gnomon.localhost",
            "127.0.0.2",
            "[::1]:8080",
            "gnomon.example.com",
            "GNOMON.example.com:8443",
        ):
            assert client.request("GET", "/api/v2/dags", headers={"Host": host}).status == 200, host
        for host in ("evil.example", "example.com", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.7"):
            assert client.request("GET", "/api/v2/dags", headers={"Host": host}).status == 403, host
        for headers in (
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
        ):
            assert client.request("PATCH", "/api/v2/pools/default_pool", {"slots": 7}, headers=headers).status == 403, (
                headers
            )
        own = {"Host": "localhost:1", "Origin": "http://localhost:1", "Sec-Fetch-Site": "same-origin"}
        assert client.request("PATCH", "/api/v2/pools/default_pool", {"slots": 7}, headers=own).status == 200
    context.close()


@effect_of("oidc.issuer", "oidc.client_id", "oidc.scopes", "oidc.redirect_url", "oidc.button")
def test_browsers_are_sent_to_the_provider_as_the_options_say(tmp_path: Path) -> None:
    with oidc_server(NOW / SECOND) as provider:
        options = {
            "client_id": "me",
            "scopes": "openid groups",
            "redirect_url": "https://here/auth/oidc/callback",
            "button": "Log in at work",
        }
        with oidc_site(provider, tmp_path, **options) as site:
            assert b">Log in at work</a>" in site.browser().get("/login").body
            target = urlsplit(site.browser().get("/auth/oidc/login").headers["location"])
            query = parse_qs(target.query)
            assert (target.netloc, query["client_id"], query["scope"]) == (
                f"127.0.0.1:{provider.port}",
                ["me"],
                ["openid groups"],
            )
            assert query["redirect_uri"] == ["https://here/auth/oidc/callback"]


@effect_of(
    "oidc.client_secret",
    "oidc.leeway",
    "oidc.link_existing",
    "oidc.name_claim",
    "oidc.role_claim",
    "oidc.roles",
    "oidc.default_role",
)
@pytest.mark.parametrize(
    ("options", "status", "role"),
    [
        ({}, 303, Role.OPERATOR),
        ({"client_secret": "wrong"}, 403, Role.ADMIN),
        ({"leeway": "10"}, 403, Role.ADMIN),
        ({"link_existing": "False"}, 403, Role.ADMIN),
        ({"name_claim": "nick"}, 403, Role.ADMIN),
        ({"role_claim": "teams"}, 303, Role.USER),
        ({"roles": "ops=viewer"}, 303, Role.VIEWER),
        ({"role_claim": "teams", "default_role": ""}, 403, Role.ADMIN),
    ],
)
def test_the_options_say_who_is_let_in_and_with_which_role(
    options: dict[str, str], status: int, role: Role, tmp_path: Path
) -> None:
    given = {
        "link_existing": "True",
        "name_claim": "login",
        "role_claim": "groups",
        "roles": "ops=operator",
        "default_role": "user",
        "leeway": "60",
        **options,
    }
    with oidc_server(NOW / SECOND + 30) as provider, oidc_site(provider, tmp_path, **given) as site:
        provider.user = {"sub": "s", "login": "ada", "groups": ["ops"]}
        with site.context.database.write() as tx:
            for name in ("ada", "root"):
                create_account(tx, Author("cli:root", NOW), name, Role.ADMIN, None)
        assert site.browser().log_in().status == status
        assert site.account("ada").role is role


@effect_of("api.busy_processor_percent")
def test_the_share_of_requests_on_a_busy_machine_is_an_option(tmp_path: Path) -> None:
    cfg = load_config({"GNOMON__API__BUSY_PROCESSOR_PERCENT": "25"}, tmp_path)
    create_schema(cfg.database_url)
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    shares = [one.kwargs["share"] for one in create_app(context).user_middleware if "share" in one.kwargs]
    context.close()
    assert shares == [0.25]
