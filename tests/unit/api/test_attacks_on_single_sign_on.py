"""Attacks on the login at an identity provider, and on what it leaves behind: keys, names, roles, cookies, slots, and requests to the provider."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest
import urllib3.connection
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from fastapi import HTTPException
from tests.oidc_server import OidcServer, oidc_server
from tests.patience import PATIENCE_S
from tests.unit.api.oidc_browser import OidcSite, notice_of, oidc_site
from tests.unit.entry.cli.deployment import NOW

from gnomon.api.auth.oidc_routes import LOGIN_S
from gnomon.api.common import request_slots
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.identity.identity_provider import KEYS_AGAIN_S, KEYS_KEPT_S
from gnomon.api.identity.provider_exchange import EXCHANGE_S, ProviderUnavailable, get_object
from gnomon.model.accounts import Author, Grant, GrantKind, Role
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND
from gnomon.queries.accounts import account_changes
from gnomon.queries.accounts.api_tokens import create_token
from gnomon.queries.accounts.logins import FIRST_PAUSE_S, FREE_FAILURES_OF_ADDRESS
from gnomon.queries.accounts.provider_accounts import ClaimRules, ProviderLoginRefused, complete_claims, read_name

ROOT = Author("cli:root", NOW)
PASSWORD = "correct horse"
GROUPS = {"role_claim": "groups", "roles": "admins=admin, ops=operator", "default_role": ""}
BEHIND_TLS = {"GNOMON__API__TRUSTED_PROXIES": "127.0.0.1"}


@pytest.fixture
def provider() -> Iterator[OidcServer]:
    with oidc_server(NOW / SECOND) as made:
        yield made


def _create(site: OidcSite, name: str, role: Role = Role.ADMIN, password: str | None = PASSWORD) -> None:
    with site.context.database.write() as tx:
        account_changes.create_account(tx, ROOT, name, role, password)


# ---- keys ------------------------------------------------------------------------------------------------------------
def _describe(key: Any, kid: str | None, algorithm: Any = jwt.algorithms.ECAlgorithm) -> dict[str, Any]:
    return {**json.loads(algorithm.to_jwk(key.public_key())), **({} if kid is None else {"kid": kid})}


@pytest.mark.parametrize("headers", [{"kid": "one"}, {}])
def test_a_new_key_under_the_id_of_the_old_one_or_without_one_is_found(
    provider: OidcServer, tmp_path: Path, headers: dict[str, str]
) -> None:
    provider.headers = headers
    with oidc_site(provider, tmp_path) as site:
        assert site.browser().log_in().status == 303
        provider.key = ec.generate_private_key(ec.SECP256R1())
        assert "Signature verification failed" in site.browser().refused(403)  # the keys have just been read
        site.clock.advance(KEYS_AGAIN_S)
        provider.now += KEYS_AGAIN_S
        assert site.browser().log_in().status == 303
        assert provider.requests.count("/keys") == 2


def test_a_token_that_names_no_key_is_verified_with_the_one_that_fits(provider: OidcServer, tmp_path: Path) -> None:
    other, unlike = ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(65537, 2048)
    provider.headers = {}
    provider.key_set = [
        _describe(unlike, "a", jwt.algorithms.RSAAlgorithm),
        _describe(other, "b"),
        _describe(provider.key, "c"),
    ]
    with oidc_site(provider, tmp_path) as site:
        assert site.browser().log_in().status == 303


def test_a_key_that_the_provider_has_withdrawn_is_not_believed_for_ever(provider: OidcServer, tmp_path: Path) -> None:
    with oidc_site(provider, tmp_path) as site:
        assert site.browser().log_in().status == 303
        provider.key_set = [_describe(ec.generate_private_key(ec.SECP256R1()), "two")]
        site.clock.advance(KEYS_KEPT_S)
        provider.now += KEYS_KEPT_S
        assert "is signed with a key that" in site.browser().refused(403)


# ---- a role that the provider gives no more --------------------------------------------------------------------------
@pytest.mark.parametrize("groups", [[], ["others"], None, 5])
def test_a_login_without_a_role_takes_the_role_of_the_account_and_its_sessions(
    provider: OidcServer, tmp_path: Path, groups: object
) -> None:
    provider.user["groups"] = ["ops"]
    with oidc_site(provider, tmp_path, **GROUPS) as site:
        _create(site, "root")
        browser = site.browser()
        browser.log_in()
        with site.context.database.write() as tx:
            token = create_token(tx, ROOT, account_changes.get_account(tx, "ada"), "deploy", Role.OPERATOR, None)
        bearer = {"Authorization": f"Bearer {token}"}
        assert site.client.request("GET", "/api/v2/connections", headers=bearer).status == 200
        provider.user["groups"] = groups
        assert "account 'ada' has the role none now, and its sessions have ended" in site.browser().refused(403)
        assert site.account("ada").role is Role.NONE
        assert browser.get("/auth/me").status == 401
        assert site.client.request("GET", "/api/v2/connections", headers=bearer).status == 403
        provider.user["groups"] = ["ops"]
        assert site.browser().log_in().status == 303
        assert site.client.request("GET", "/api/v2/connections", headers=bearer).status == 200


def test_a_login_without_a_role_keeps_grants_and_the_only_administrator_and_makes_no_account(
    provider: OidcServer, tmp_path: Path
) -> None:
    with oidc_site(provider, tmp_path, **GROUPS) as site:
        assert "ada" not in site.browser().refused(403)
        provider.user["groups"] = ["admins"]
        site.browser().log_in()
        provider.user["groups"] = []
        assert "'ada' is the only account with the role admin, so its role cannot be lowered" in site.browser().refused(
            403
        )
        _create(site, "root")
        with site.context.database.write() as tx:
            account_changes.add_grant(tx, ROOT, "ada", Grant(GrantKind.DAG, "etl", Role.USER))
        site.browser().refused(403)
        assert (site.account("ada").role, len(site.account("ada").grants)) == (Role.NONE, 1)


# ---- names and claims ------------------------------------------------------------------------------------------------
_LOOKALIKES = [
    "\u0430dmin",
    "adm\u0456n",
    "admin\u3164",
    "adm\u115fin",
    "\uff41\uff44\uff4d\uff49\uff4e",
    "\ufb01ona",
    "\u1110\u1161",
    "admin\u03bf",
]


@pytest.mark.parametrize("name", [*_LOOKALIKES, "scheduler", "API", "oidc"])
def test_a_person_cannot_choose_a_name_at_the_provider_that_reads_as_another(
    provider: OidcServer, tmp_path: Path, name: str
) -> None:
    provider.user["preferred_username"] = name
    with oidc_site(provider, tmp_path) as site:
        assert (
            "because it" in (why := site.browser().refused(403)) or "the audit log names a service of Gnomon so" in why
        )


@pytest.mark.parametrize(
    ("existing", "name", "status"),
    [
        ("gross", "gro\xdf", 403),
        ("boss", "bo\u017fs", 403),
        ("kate", "\u212aate", 403),
        ("fiona", "\ufb01ona", 403),
        ("ada", "ADA", 303),
        ("ren\xe9e", "REN\xc9E", 303),
        ("ada", "ada", 303),
    ],
)
def test_an_account_is_linked_to_its_own_name_and_not_to_one_that_case_folding_makes_equal(
    provider: OidcServer, tmp_path: Path, existing: str, name: str, status: int
) -> None:
    provider.user["preferred_username"] = name
    with oidc_site(provider, tmp_path, link_existing="True") as site:
        _create(site, existing)
        reply = site.browser().log_in()
        assert reply.status == status
        assert status == 303 or "does not belong to this login" in notice_of(reply)


@pytest.mark.parametrize("name", _LOOKALIKES)
def test_no_account_is_created_with_a_name_that_reads_as_another(
    provider: OidcServer, tmp_path: Path, name: str
) -> None:
    with (
        oidc_site(provider, tmp_path) as site,
        pytest.raises(UserError, match="cannot be the name of a new account, because it"),
    ):
        _create(site, name)


@pytest.mark.parametrize(
    "name",
    [
        "ada",
        "Ren\xe9e",
        "\u0430\u043d\u043d\u0430",
        "\u5c71\u7530taro",
        "\u30c6\u30b9\u30c8\u592a\u90ce",
        "\ud64d\uae38\ub3d9-2",
        "a.b+c@d_e-1",
    ],
)
def test_names_of_one_script_and_of_east_asia_are_names(provider: OidcServer, tmp_path: Path, name: str) -> None:
    provider.user["preferred_username"] = name
    with oidc_site(provider, tmp_path) as site:
        assert site.browser().log_in().status == 303
        assert site.account(name).name == name


@pytest.mark.parametrize(
    ("claims", "userinfo", "is_verified"),
    [
        ({"email": "a@x"}, {"email": "b@x", "email_verified": True}, False),
        ({"email_verified": True}, {"email": "b@x"}, False),
        ({"email": "a@x"}, {"email_verified": True}, False),
        ({"email": "a@x"}, {"email": "a@x", "email_verified": True}, True),
        ({}, {"email": "a@x", "email_verified": True}, True),
        ({"email": "a@x", "email_verified": True}, {}, True),
        ({"email": "a@x", "email_verified": False}, {"email": "a@x", "email_verified": True}, False),
    ],
)
def test_an_address_is_verified_only_by_what_names_the_same_address(
    claims: dict[str, object], userinfo: dict[str, object], is_verified: bool
) -> None:
    rules = ClaimRules("https://idp.example", name_claim="email")
    if is_verified:
        assert read_name(complete_claims(claims, userinfo, rules), rules) == "a@x"
    else:
        with pytest.raises(ProviderLoginRefused, match="does not say that it has verified"):
            read_name(complete_claims(claims, userinfo, rules), rules)


def test_a_claim_inside_others_is_found_in_the_userinfo_though_the_id_token_has_the_outer_one(
    provider: OidcServer, tmp_path: Path
) -> None:
    provider.user["realm_access"] = {"roles": ["ops"]}
    provider.token_changes = {"realm_access": {}}
    with oidc_site(provider, tmp_path, role_claim="realm_access.roles", roles="ops=operator") as site:
        assert site.browser().log_in().status == 303
        assert site.account("ada").role is Role.OPERATOR


# ---- the cookie of a login -------------------------------------------------------------------------------------------
def test_an_answer_that_belongs_to_no_login_does_not_end_the_one_that_was_begun(
    provider: OidcServer, tmp_path: Path
) -> None:
    with oidc_site(provider, tmp_path) as site:
        browser = site.browser()
        first, second = browser.begin(), browser.begin()
        for stray in ("/auth/oidc/callback", "/auth/oidc/callback?code=x&state=y", first):
            assert browser.get(stray).status == 400
        assert browser.get(second).status == 303


def test_a_login_that_the_provider_could_not_finish_can_be_sent_again(provider: OidcServer, tmp_path: Path) -> None:
    with oidc_site(provider, tmp_path) as site:
        browser = site.browser()
        back = browser.begin()
        provider.answers = {"/token": lambda handler: handler.send_error(503)}
        assert browser.get(back).status == 503
        provider.answers = {}
        assert browser.get(back).status == 303


def test_a_login_may_be_finished_by_a_server_whose_clock_is_behind(provider: OidcServer, tmp_path: Path) -> None:
    with oidc_site(provider, tmp_path, leeway="60") as site:
        for behind_s, status in ((1, 303), (59, 303), (120, 400)):
            browser = site.browser()
            back = browser.begin()
            site.clock.step(-behind_s)
            assert browser.get(back).status == status, behind_s
            site.clock.step(behind_s)
        browser = site.browser()
        back = browser.begin()
        site.clock.advance(LOGIN_S + 1)
        assert browser.get(back).status == 400


def test_over_https_cookies_are_those_of_this_host_only(provider: OidcServer, tmp_path: Path) -> None:
    with oidc_site(provider, tmp_path, environment=BEHIND_TLS) as site:
        _create(site, "root")
        browser = site.browser(over_tls=True)
        browser.get("/auth/oidc/login")
        assert set(browser.cookies) == {"__Host-gnomon_oidc"}
        assert browser.log_in().status == 303
        assert set(browser.cookies) == {"__Host-gnomon_session"}
        headers = {"Sec-Fetch-Site": "same-origin", "X-Forwarded-Proto": "https"}
        form = urlencode({"username": "root", "password": PASSWORD}).encode()
        made = site.client.request("POST", "/login", form, headers).headers["set-cookie"]
        assert made.startswith("__Host-gnomon_session=")
        assert "; Path=/; Secure; " in made
        assert "domain" not in made.lower()
        out = site.client.request("POST", "/auth/logout", None, {**headers, "Cookie": made.partition(";")[0]}).headers[
            "set-cookie"
        ]
        assert out.startswith("__Host-gnomon_session=; Path=/; Secure; Max-Age=0")


def test_over_https_a_cookie_that_another_host_can_set_is_neither_a_session_nor_a_login(
    provider: OidcServer, tmp_path: Path
) -> None:
    with oidc_site(provider, tmp_path, environment=BEHIND_TLS) as site:
        attacker = site.browser(over_tls=True)
        back = attacker.begin()
        victim = site.browser(over_tls=True)
        victim.cookies = {name.removeprefix("__Host-"): value for name, value in attacker.cookies.items()}
        assert (victim.get(back).status, victim.cookies) == (
            400,
            {"gnomon_oidc": attacker.cookies["__Host-gnomon_oidc"]},
        )
        attacker.get(back)
        assert attacker.get("/auth/me").status == 200
        victim.cookies = {"gnomon_session": attacker.cookies["__Host-gnomon_session"]}
        assert victim.get("/auth/me").status == 401


# ---- slots and limits ------------------------------------------------------------------------------------------------
def test_codes_that_the_provider_does_not_know_are_limited_by_address(provider: OidcServer, tmp_path: Path) -> None:
    with oidc_site(provider, tmp_path) as site:
        _create(site, "root")
        for _ in range(FREE_FAILURES_OF_ADDRESS):
            browser = site.browser()
            assert browser.get(browser.begin().replace("code=", "code=x")).status == 403
        asked = provider.requests.count("/token")
        browser = site.browser()
        back = browser.begin()
        refused = browser.get(back)
        assert (refused.status, refused.headers["retry-after"]) == (429, f"{FIRST_PAUSE_S:.0f}")
        assert "Too many failed logins from this address" in notice_of(refused)
        assert provider.requests.count("/token") == asked
        assert site.client.request("POST", "/auth/token", {"username": "root", "password": PASSWORD}).status == 201
        site.clock.advance(FIRST_PAUSE_S + 1)
        assert browser.get(back).status == 303


def test_a_wrong_secret_of_the_client_is_not_counted_as_codes_of_the_address(
    provider: OidcServer, tmp_path: Path
) -> None:
    provider.secret = "another"
    with oidc_site(provider, tmp_path) as site:
        for _ in range(FREE_FAILURES_OF_ADDRESS + 1):
            assert "invalid_client" in site.browser().refused(403)


def test_one_client_cannot_have_all_slots_nor_all_places_of_those_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_slots, "_PATIENCE_S", 0.05)

    async def hold() -> None:
        slots = RequestSlots("logins", 3, waiting=4, of_client=2)
        async with AsyncExitStack() as held:
            for client in ("a", "a", "b"):
                await held.enter_async_context(slots.hold(client))
            waiting = [asyncio.create_task(_enter(slots, "a")) for _ in range(4)]
            other = asyncio.create_task(_enter(slots, "b"))
            await asyncio.sleep(0)
            assert [task.done() for task in waiting] == [False, False, True, True]
            assert not other.done()
            assert not any(await asyncio.gather(*waiting, other))
        async with slots.hold("a"), slots.hold("a"):
            assert not await _enter(slots, "a")
            assert await _enter(slots, "b")

    asyncio.run(hold())


async def _enter(slots: RequestSlots, client: str) -> bool:
    try:
        async with slots.hold(client):
            return True
    except HTTPException:
        return False


def test_a_login_waits_for_a_slot_of_its_address_without_holding_up_others(
    provider: OidcServer, tmp_path: Path
) -> None:
    released, arrived = threading.Event(), threading.Semaphore(0)

    def answer_late(handler: Any) -> None:
        arrived.release()
        released.wait(PATIENCE_S)
        handler._answer(400, {"error": "invalid_grant"})

    with oidc_site(provider, tmp_path, environment=BEHIND_TLS) as site:
        strangers = [site.browser() for _ in range(4)]
        victim = site.browser()
        victim.headers = {"X-Forwarded-For": "192.0.2.9"}
        backs, own = [browser.begin() for browser in strangers], victim.begin()
        provider.answers = {"/token": answer_late}
        threads = [
            threading.Thread(target=browser.get, args=(back,)) for browser, back in zip(strangers, backs, strict=True)
        ]
        for thread in threads:
            thread.start()
        for _ in threads:
            assert arrived.acquire(timeout=PATIENCE_S)
        provider.answers = {}
        assert victim.get(own).status == 303
        released.set()
        for thread in threads:
            thread.join()


def test_more_people_than_hashes_at_once_log_in_with_their_passwords(provider: OidcServer, tmp_path: Path) -> None:
    with oidc_site(provider, tmp_path) as site:
        _create(site, "root")
        with ThreadPoolExecutor(10) as people:
            found = list(
                people.map(
                    lambda _: (
                        site.client.request("POST", "/auth/token", {"username": "root", "password": PASSWORD}).status
                    ),
                    range(10),
                )
            )
    assert found == [201] * 10


# ---- requests to the provider ----------------------------------------------------------------------------------------
def test_passwords_of_netrc_are_not_sent_to_the_provider(
    provider: OidcServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "netrc"
    file.write_text("default login operator password word\n")
    file.chmod(0o600)
    monkeypatch.setenv("NETRC", str(file))
    sent: list[str | None] = []

    def answer(handler: Any, body: object) -> None:
        sent.append(handler.headers["authorization"])
        handler._answer(200, body)

    provider.in_userinfo = {"preferred_username"}
    provider.answers = {
        "/.well-known/openid-configuration": lambda handler: answer(handler, provider.metadata()),
        "/keys": lambda handler: answer(handler, provider.keys()),
        "/userinfo": lambda handler: answer(handler, provider.user),
    }
    with oidc_site(provider, tmp_path / "home") as site:
        assert site.browser().log_in().status == 303
    assert sent == [None, None, "Bearer access-1"]


def test_a_name_with_several_addresses_that_do_not_answer_has_the_time_of_one_exchange(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: list[float] = []

    def wait(address: tuple[str, int], timeout: float, **_options: object) -> socket.socket:
        waited.extend([timeout] * 4)  # as the function of urllib3: so long for each address
        raise TimeoutError

    found = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 80))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: [found] * 4)
    monkeypatch.setattr(urllib3.connection.connection, "create_connection", wait)
    with pytest.raises(ProviderUnavailable, match="does not answer"):
        get_object("http://idp.example/keys")
    assert sum(waited) == EXCHANGE_S


# ---- texts -----------------------------------------------------------------------------------------------------------
def test_texts_of_the_provider_are_shown_and_logged_without_what_cannot_be_seen(
    provider: OidcServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with oidc_site(provider, tmp_path) as site:
        browser = site.browser()
        state = parse_qs(urlsplit(browser.begin()).query)["state"][0]
        query = urlencode(
            {"error": "no\x1b[2J", "error_description": "\x9b2J\u202e\r\nevent=ok<b>" + "x" * 4_000, "state": state}
        )
        notice = notice_of(browser.get(f"/auth/oidc/callback?{query}"))
    assert notice.startswith(r"The identity provider did not log you in: no\x1b[2J: \x9b2J\u202e\r\nevent=ok<b>xxx")
    assert len(notice) < 1_000
    reasons = [
        record.gnomon_fields["reason"] for record in caplog.records if record.getMessage() == "oidc_login_refused"
    ]
    assert len(reasons) == 1
    assert reasons[0].isprintable()
