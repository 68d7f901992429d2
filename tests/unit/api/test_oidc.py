"""Logins at an identity provider over real HTTP: the flow, roles by claims, and each mistake with its sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from tests.oidc_server import OidcServer, oidc_server
from tests.unit.api.oidc_browser import notice_of, oidc_site
from tests.unit.entry.cli.deployment import NOW

from gnomon.api.auth import oidc_routes
from gnomon.api.auth.oidc_routes import LOGIN_S
from gnomon.api.common import request_slots
from gnomon.api.identity import oidc_settings
from gnomon.api.identity.identity_provider import FAILURE_KEPT_S
from gnomon.api.identity.oidc_settings import read_oidc_settings
from gnomon.ground.config import OptionError, load_config
from gnomon.model.accounts import Author, Role
from gnomon.model.instants import SECOND
from gnomon.queries.accounts import account_changes
from gnomon.storage.store.dag_records import event_log

ROOT = Author("cli:root", NOW)


@pytest.fixture
def provider() -> Iterator[OidcServer]:
    with oidc_server(NOW / SECOND) as made:
        yield made


# ---- the flow --------------------------------------------------------------------------------------------------------
def test_a_login_begins_a_session_of_an_account_of_its_own(provider: OidcServer, tmp_path: Path) -> None:
    with oidc_site(provider, tmp_path) as site:
        browser = site.browser()
        page = browser.get("/login?next=/dags")
        assert b'href="/auth/oidc/login?next=%2Fdags">Log in with single sign-on</a>' in page.body
        done = browser.log_in()
        assert (done.status, done.headers["location"]) == (303, "/dags")
        assert set(browser.cookies) == {"gnomon_session"}
        assert browser.get("/auth/sessions").json()["account"] == "ada"
        assert (site.account("ada").role, site.account("ada").password_hash) == (Role.VIEWER, None)
        assert site.client.request("POST", "/auth/token", {"username": "ada", "password": "anything8"}).status == 401
        provider.user["preferred_username"] = "ada.l"  # the subject counts, not the name
        assert site.browser().log_in().status == 303
        with site.context.database.read() as tx:
            kinds = [line.kind for line in reversed(event_log.list_events(tx, limit=100))]
        assert kinds == ["account_created", "account_linked", "login", "login"]
        assert provider.redirects[0] == f"http://127.0.0.1:{site.client.port}/auth/oidc/callback"


def test_a_code_is_worth_nothing_in_another_browser_a_second_time_or_later(
    provider: OidcServer, tmp_path: Path
) -> None:
    with oidc_site(provider, tmp_path) as site:
        victim, attacker = site.browser(), site.browser()
        back = attacker.begin()
        for browser in (victim, site.browser()):  # without a login of its own, and with one
            begun = notice_of(browser.get(back))
            assert (
                begun
                == "This login was not begun in this browser, or it took more than ten minutes, or another one was begun after it; begin it again"
            )
            browser.begin()
            assert browser.get(back).status == 400
        assert attacker.get(back).status == 303
        assert attacker.get(back).status == 400  # the cookie is gone
        late = site.browser()
        back = late.begin()
        site.clock.advance(LOGIN_S + 1)
        assert late.get(back).status == 400
        forged = site.browser()
        back = forged.begin()
        forged.cookies["gnomon_oidc"] = forged.cookies["gnomon_oidc"][:-4] + "AAAA"
        assert forged.get(back).status == 400


def test_a_stolen_code_needs_the_verifier(provider: OidcServer, tmp_path: Path) -> None:
    with oidc_site(provider, tmp_path) as site:
        victim, thief = site.browser(), site.browser()
        code = parse_qs(urlsplit(victim.begin()).query)["code"][0]
        own = parse_qs(urlsplit(thief.begin()).query)["state"][0]
        reply = thief.get(f"/auth/oidc/callback?code={code}&state={own}")
        assert reply.status == 403
        assert "refused the code of this login: invalid_grant" in notice_of(reply)


@pytest.mark.parametrize("target", ["//evil.example", "https://evil.example/", "/\\evil.example"])
def test_a_login_leads_to_no_other_site(provider: OidcServer, tmp_path: Path, target: str) -> None:
    with oidc_site(provider, tmp_path) as site:
        browser = site.browser()
        assert browser.get(browser.begin(f"/auth/oidc/login?next={target}")).headers["location"] == "/"


def test_logins_that_wait_for_the_provider_cannot_take_all_threads(
    provider: OidcServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_slots, "_PATIENCE_S", 0.1)
    with oidc_site(provider, tmp_path) as site, ExitStack() as taken:
        browser = site.browser()
        callback = browser.begin()
        for _ in range(6):
            taken.enter_context(oidc_routes._SLOTS.take())
        for path in (callback, "/auth/oidc/login", "/auth/oidc/logout"):
            reply = browser.get(path)
            assert (reply.status, reply.headers["retry-after"]) == (503, "1")
            assert "logins at the identity provider at the same time" in notice_of(reply)  # a page: a person reads it
        taken.close()
        assert browser.get(callback).status == 303


@pytest.mark.parametrize(("secret", "methods"), [("gnomon-secret", ("client_secret_post",)), (None, ("none",))])
def test_other_ways_of_clients_to_identify_themselves(
    provider: OidcServer, tmp_path: Path, secret: str | None, methods: tuple[str, ...]
) -> None:
    provider.secret, provider.methods = secret, methods
    with oidc_site(provider, tmp_path, client_secret=secret or "") as site:
        assert site.browser().log_in().status == 303


def test_a_logout_ends_the_session_here_and_offers_the_one_at_the_provider(
    provider: OidcServer, tmp_path: Path
) -> None:
    with oidc_site(provider, tmp_path) as site:
        browser = site.browser()
        browser.log_in()
        session = browser.cookies["gnomon_session"]
        headers = {"Cookie": f"gnomon_session={session}", "Sec-Fetch-Site": "same-origin"}
        out = site.client.request("POST", "/auth/logout", None, headers)
        assert out.headers["location"] == "/login?logged_out=true"
        assert browser.get("/auth/sessions").status == 401
        assert b'href="/auth/oidc/logout"' in browser.get("/login?logged_out=true").body
        target = urlsplit(browser.get("/auth/oidc/logout").headers["location"])
        assert target.path == "/logout"
        assert parse_qs(target.query) == {
            "client_id": ["gnomon-client"],
            "post_logout_redirect_uri": [f"http://127.0.0.1:{site.client.port}/login"],
        }


def test_the_address_that_the_provider_sends_back_to_can_be_named(provider: OidcServer, tmp_path: Path) -> None:
    with oidc_site(provider, tmp_path, redirect_url="https://gnomon.example/auth/oidc/callback") as site:
        reply = site.browser().get("/auth/oidc/login")
        assert parse_qs(urlsplit(reply.headers["location"]).query)["redirect_uri"] == [
            "https://gnomon.example/auth/oidc/callback"
        ]


# ---- roles and names -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("claims", "options", "role"),
    [
        ({"groups": ["x", "ops"]}, {"role_claim": "groups", "roles": "ops=operator, x=viewer"}, Role.OPERATOR),
        ({"groups": "ops"}, {"role_claim": "groups", "roles": "ops=operator"}, Role.OPERATOR),
        ({"realm_access": {"roles": ["a=b"]}}, {"role_claim": "realm_access.roles", "roles": "a=b=user"}, Role.USER),
        ({"https://x.y/roles": ["r"]}, {"role_claim": "https://x.y/roles", "roles": "r=user"}, Role.USER),
        ({"groups": ["unknown"]}, {"role_claim": "groups", "roles": "ops=operator, *=user"}, Role.USER),
        ({"groups": ["unknown"]}, {"role_claim": "groups", "roles": "ops=operator"}, Role.VIEWER),
        ({}, {"role_claim": "groups", "roles": "ops=operator"}, Role.VIEWER),
        ({}, {}, Role.VIEWER),
    ],
)
def test_claims_give_roles(
    provider: OidcServer, tmp_path: Path, claims: dict[str, object], options: dict[str, str], role: Role
) -> None:
    provider.user |= claims
    with oidc_site(provider, tmp_path, **options) as site:
        assert site.browser().log_in().status == 303
        assert site.account("ada").role is role


def test_a_role_follows_the_claim_at_each_login(provider: OidcServer, tmp_path: Path) -> None:
    with oidc_site(provider, tmp_path, role_claim="groups", roles="ops=operator, all=viewer") as site:
        for group, role in (("ops", Role.OPERATOR), ("all", Role.VIEWER)):
            provider.user["groups"] = [group]
            assert site.browser().log_in().status == 303
            assert site.account("ada").role is role


def test_claims_may_be_in_the_userinfo(provider: OidcServer, tmp_path: Path) -> None:
    provider.user["groups"] = ["ops"]
    provider.in_userinfo = {"groups", "preferred_username"}
    with oidc_site(provider, tmp_path, role_claim="groups", roles="ops=operator") as site:
        assert site.browser().log_in().status == 303
        assert site.account("ada").role is Role.OPERATOR
        provider.userinfo_changes = {"sub": "another"}
        assert "userinfo is about another subject" in site.browser().refused(403)


def test_an_account_that_exists_is_taken_over_only_if_the_option_says_so(provider: OidcServer, tmp_path: Path) -> None:
    provider.user["preferred_username"] = "ADMIN"
    for links, status in (("False", 403), ("True", 303)):
        with oidc_site(provider, tmp_path / links, link_existing=links) as site:
            with site.context.database.write() as tx:
                account_changes.create_account(tx, ROOT, "admin", Role.ADMIN, "correct horse")
            reply = site.browser().log_in()
            assert reply.status == status
            if status == 403:
                assert (
                    "there is an account 'admin' already, which does not belong to this login"
                    in notice_of(reply).lower()
                )
            provider.user["sub"] = "s-2"
            assert "does not belong to this login" in site.browser().refused(403)
            provider.user["sub"] = "s-1"


def test_a_deleted_account_is_made_anew_and_the_last_administrator_stays(provider: OidcServer, tmp_path: Path) -> None:
    provider.user["groups"] = ["admins"]
    with oidc_site(provider, tmp_path, role_claim="groups", roles="admins=admin, *=user") as site:
        site.browser().log_in()
        provider.user["groups"] = ["others"]
        assert "is the only account with the role admin" in site.browser().refused(403)
        with site.context.database.write() as tx:
            account_changes.create_account(tx, ROOT, "root", Role.ADMIN, None)
            account_changes.delete_account(tx, ROOT, "ada")
        assert site.browser().log_in().status == 303
        assert site.account("ada").role is Role.USER


# ---- mistakes --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("change", "options", "sentence"),
    [
        (
            {"secret": "other"},
            {},
            "refused the code of this login: invalid_client (client authentication failed); check [oidc] client_id and client_secret",
        ),
        (
            {"token_changes": {"iat": NOW // SECOND + 100, "exp": NOW // SECOND + 400}},
            {},
            "is from the future, by 100 s: correct the clock",
        ),
        ({"token_changes": {"nbf": NOW // SECOND + 100}}, {}, "is from the future, by 100 s"),
        (
            {"token_changes": {"iat": NOW // SECOND - 900, "exp": NOW // SECOND - 600}},
            {},
            "expired 600 s ago: correct the clock",
        ),
        ({"token_changes": {"exp": None}}, {}, 'is not valid: Token is missing the "exp" claim'),
        ({"token_changes": {"exp": "soon"}}, {}, "has times that are no numbers"),
        ({"token_changes": {"nonce": "another"}}, {}, "belongs to another login (nonce)"),
        ({"token_changes": {"nonce": None}}, {}, "belongs to another login (nonce)"),
        ({"token_changes": {"aud": "somebody"}}, {}, "is not valid: Audience doesn't match"),
        ({"token_changes": {"aud": ["gnomon-client", "x"], "azp": "x"}}, {}, "was not issued to this one (claim azp)"),
        ({"token_changes": {"iss": "https://evil.example"}}, {}, "is not valid: Invalid issuer"),
        ({"signing_key": ec.generate_private_key(ec.SECP256R1())}, {}, "is not valid: Signature verification failed"),
        ({"algorithm": "none"}, {}, "is not valid"),
        ({"algorithm": "HS256"}, {}, "is not valid: The specified alg value is not allowed"),
        (
            {"user": {"sub": "s"}},
            {},
            "sent no claim 'preferred_username' with a name; [oidc] name_claim can name another claim",
        ),
        (
            {"user": {"sub": "s", "preferred_username": "a b<script>"}},
            {},
            "'a b<script>', the claim 'preferred_username', cannot be the name of an account",
        ),
        (
            {},
            {"role_claim": "groups", "roles": "ops=user", "default_role": ""},
            "sent no claim 'groups', which [oidc] role_claim names",
        ),
        (
            {"user": {"sub": "s", "preferred_username": "a", "groups": ["x", "y"]}},
            {"role_claim": "groups", "roles": "ops=user", "default_role": ""},
            "none of the values of the claim 'groups' has a role here ('x', 'y'); [oidc] roles lists those that have one",
        ),
        (
            {},
            {"default_role": ""},
            "nothing says which role a new one has: set [oidc] role_claim or [oidc] default_role",
        ),
    ],
)
def test_each_mistake_is_a_sentence_and_no_session(
    provider: OidcServer, tmp_path: Path, change: dict[str, object], options: dict[str, str], sentence: str
) -> None:
    for name, value in change.items():
        setattr(provider, name, value)
    with oidc_site(provider, tmp_path, **options) as site:
        assert sentence.lower() in site.browser().refused(403).lower()


@pytest.mark.parametrize(
    "change",
    [
        {"token_changes": {"iat": NOW // SECOND + 100}},
        {"token_changes": {"iat": NOW // SECOND - 400, "exp": NOW // SECOND - 100}},
    ],
)
def test_clocks_may_differ_by_the_leeway(
    provider: OidcServer, tmp_path: Path, change: dict[str, dict[str, object]]
) -> None:
    provider.token_changes = change["token_changes"]
    with oidc_site(provider, tmp_path, leeway="120") as site:
        assert site.browser().log_in().status == 303


def test_what_the_provider_says_instead_of_a_code_is_shown(provider: OidcServer, tmp_path: Path) -> None:
    with oidc_site(provider, tmp_path) as site:
        browser = site.browser()
        state = parse_qs(urlsplit(browser.begin()).query)["state"][0]
        reply = browser.get(
            f"/auth/oidc/callback?error=access_denied&error_description=%3Cb%3Eno%3C/b%3E&state={state}"
        )
        assert reply.status == 403
        assert b"<b>no" not in reply.body
        assert notice_of(reply) == "The identity provider did not log you in: access_denied: <b>no</b>"


def test_a_provider_that_is_away_is_a_sentence_and_is_asked_again_later(provider: OidcServer, tmp_path: Path) -> None:
    provider.status = 503
    with oidc_site(provider, tmp_path) as site:
        for _ in range(3):
            reply = site.browser().get("/auth/oidc/login")
            assert reply.status == 503
            assert f"{provider.issuer}/.well-known/openid-configuration with status 503" in notice_of(reply)
        assert len(provider.requests) == 1
        provider.status = 200
        site.clock.advance(FAILURE_KEPT_S + 1)
        assert site.browser().log_in().status == 303


def test_a_provider_that_nobody_reaches_is_a_sentence(provider: OidcServer, tmp_path: Path) -> None:
    gone = replace(provider, port=1)
    with oidc_site(gone, tmp_path) as site:
        reply = site.browser().get("/auth/oidc/login")
        assert (reply.status, "ConnectionError" in notice_of(reply)) == (503, True)


@pytest.mark.parametrize(
    ("metadata", "sentence"),
    [
        ({"issuer": "https://other.example"}, "write it exactly as the provider does"),
        ({"token_endpoint": None}, "names no token_endpoint"),
    ],
)
def test_metadata_that_is_not_of_the_issuer_is_a_sentence(
    provider: OidcServer, tmp_path: Path, metadata: dict[str, object], sentence: str
) -> None:
    provider.metadata_changes = metadata
    with oidc_site(provider, tmp_path) as site:
        assert sentence in notice_of(site.browser().get("/auth/oidc/login"))


def test_without_a_provider_there_is_no_button_and_no_address(tmp_path: Path, provider: OidcServer) -> None:
    with oidc_site(provider, tmp_path, issuer="") as site:
        assert b"/auth/oidc" not in site.browser().get("/login").body
        assert [site.browser().get(f"/auth/oidc/{path}").status for path in ("login", "callback", "logout")] == [
            404
        ] * 3


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"issuer": "http://idp.example"}, "give an address that begins with https://"),
        ({"issuer": "idp.example"}, "give an address that begins with https://"),
        ({"issuer": "https://idp.example"}, "is set, and [oidc] client_id is not"),
        (
            {"issuer": "https://idp.example", "client_id": "c", "roles": "ops=boss"},
            "'boss' is not a role; the roles are none, viewer",
        ),
        ({"issuer": "https://idp.example", "client_id": "c", "roles": "ops"}, "write VALUE=ROLE"),
        (
            {"issuer": "https://idp.example", "client_id": "c", "default_role": "boss"},
            "[oidc] default_role (GNOMON__OIDC__DEFAULT_ROLE): 'boss' is not a role",
        ),
    ],
)
def test_wrong_options_are_errors_at_the_start(options: dict[str, str], sentence: str, tmp_path: Path) -> None:
    cfg = load_config({f"GNOMON__OIDC__{name.upper()}": value for name, value in options.items()}, tmp_path)
    with pytest.raises(OptionError) as error:
        read_oidc_settings(cfg)
    assert sentence in str(error.value)


def test_without_the_extra_the_start_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oidc_settings, "find_spec", lambda _: None)
    with pytest.raises(OptionError, match=r"pip install 'gnomon\[oidc\]'"):
        read_oidc_settings(load_config({"GNOMON__OIDC__ISSUER": "https://idp.example"}, tmp_path))
