"""What an identity provider, or somebody between, could answer: nothing of it lasts for ever, leads elsewhere, is an error of the server, or is believed too easily."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from tests.certificate import write_certificate
from tests.oidc_server import OidcServer, oidc_server
from tests.unit.api.oidc_browser import OidcSite, notice_of, oidc_site
from tests.unit.entry.cli.deployment import NOW

from gnomon.api.identity import provider_exchange
from gnomon.api.identity.provider_exchange import ANSWER_BYTES_MAX
from gnomon.model.accounts import Author, Role
from gnomon.model.instants import SECOND
from gnomon.queries.accounts import account_changes

ROOT = Author("cli:root", NOW)
DISCOVERY = "/.well-known/openid-configuration"
DRIP_S = 60.0
"""How long the slow provider of a test goes on, so that the test ends also when nobody cuts it."""
CUT_S = 2.0
"""How long an answer may take in these tests: the honest ones before the slow one come sooner on a busy machine too."""


@pytest.fixture
def provider() -> Iterator[OidcServer]:
    with oidc_server(NOW / SECOND) as made:
        yield made


@pytest.fixture
def safe_provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OidcServer]:
    """With https."""
    certificate = write_certificate(tmp_path)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", certificate[0])
    with oidc_server(NOW / SECOND, certificate) as made:
        yield made


def _drip(handler: BaseHTTPRequestHandler, first: bytes) -> None:
    handler.wfile.write(first)
    ends = time.monotonic() + DRIP_S
    while time.monotonic() < ends:
        try:
            handler.wfile.write(b"a")
            handler.wfile.flush()
        except OSError:
            return
        time.sleep(0.05)


def _drip_header(handler: BaseHTTPRequestHandler) -> None:
    _drip(handler, b"HTTP/1.1 200 OK\r\nX-Slow: ")


def _drip_body(handler: BaseHTTPRequestHandler) -> None:
    _drip(handler, b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"a": "')


def _send_for_ever(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"a": "')
    try:
        for _ in range(64):
            handler.wfile.write(b"a" * 1_000_000)
    except OSError:
        return


def _send_deep(handler: BaseHTTPRequestHandler) -> None:
    body = b"[" * 200_000
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def _redirect(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")


# ---- exchanges -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("methods", [("client_secret_basic",), ("client_secret_post",)])
def test_the_secret_of_the_client_follows_no_redirect(
    provider: OidcServer, tmp_path: Path, methods: tuple[str, ...]
) -> None:
    provider.methods, provider.answers = methods, {"/token": _redirect}
    with oidc_site(provider, tmp_path) as site:
        assert "/token with status 307" in site.browser().refused(503)
    assert "/elsewhere" not in provider.requests


@pytest.mark.parametrize("path", [DISCOVERY, "/token", "/keys", "/userinfo"])
@pytest.mark.parametrize("drip", [_drip_header, _drip_body])
def test_an_answer_that_drips_is_cut(
    provider: OidcServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, drip: Any
) -> None:
    monkeypatch.setattr(provider_exchange, "EXCHANGE_S", CUT_S)
    provider.answers = {path: drip}
    provider.in_userinfo = {"preferred_username"}
    with oidc_site(provider, tmp_path) as site:
        begun = time.monotonic()
        reply = site.browser().get("/auth/oidc/login") if path == DISCOVERY else site.browser().log_in()
        assert reply.status == 503
        assert f"did not finish its answer at {provider.issuer}{path} within" in notice_of(reply)
        assert time.monotonic() - begun < DRIP_S


@pytest.mark.parametrize("path", [DISCOVERY, "/token", "/keys", "/userinfo"])
@pytest.mark.parametrize(
    ("answer", "sentence"),
    [(_send_for_ever, f"with more than {ANSWER_BYTES_MAX} bytes"), (_send_deep, "RecursionError")],
)
def test_an_answer_without_end_or_bottom_is_a_sentence(
    provider: OidcServer, tmp_path: Path, path: str, answer: Any, sentence: str
) -> None:
    provider.answers = {path: answer}
    provider.in_userinfo = {"preferred_username"}
    with oidc_site(provider, tmp_path) as site:
        reply = site.browser().get("/auth/oidc/login") if path == DISCOVERY else site.browser().log_in()
        assert reply.status == 503
        assert sentence in notice_of(reply)


# ---- metadata --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "name", ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "end_session_endpoint"]
)
@pytest.mark.parametrize(
    "address",
    [
        "http://idp.example/x",
        "http://169.254.169.254/x",
        "javascript:alert(1)",
        "//idp.example/x",
        "https://name:word@idp.example/x",
        "https://[::1/x",
        "file:///etc/passwd",
    ],
)
def test_an_endpoint_that_protects_less_than_the_issuer_is_refused(
    provider: OidcServer, tmp_path: Path, name: str, address: str
) -> None:
    provider.metadata_changes = {name: address}
    with oidc_site(provider, tmp_path) as site:
        reply = site.browser().get("/auth/oidc/login")
        assert reply.status == 503
        assert f"names the {name} " in notice_of(reply)


@pytest.mark.parametrize("address", ["http://127.0.0.1/token", "http://idp.example/token", "HTTP://idp.example/token"])
@pytest.mark.parametrize(
    "name", ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "end_session_endpoint"]
)
def test_below_an_https_issuer_no_endpoint_is_http(
    safe_provider: OidcServer, tmp_path: Path, name: str, address: str
) -> None:
    safe_provider.metadata_changes = {name: address}
    with oidc_site(safe_provider, tmp_path) as site:
        assert f"names the {name} '{address}', which is not used" in notice_of(site.browser().get("/auth/oidc/login"))


def test_an_answer_that_drips_below_tls_is_cut(
    safe_provider: OidcServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_exchange, "EXCHANGE_S", CUT_S)
    safe_provider.answers = {DISCOVERY: _drip_header}
    with oidc_site(safe_provider, tmp_path) as site:
        assert "did not finish its answer" in notice_of(site.browser().get("/auth/oidc/login"))


def test_a_provider_over_https_is_asked_over_https(safe_provider: OidcServer, tmp_path: Path) -> None:
    with oidc_site(safe_provider, tmp_path) as site:
        assert (
            site.browser().get("/auth/oidc/login").headers["location"].startswith(f"{safe_provider.issuer}/authorize?")
        )
        assert safe_provider.issuer.startswith("https:")


@pytest.mark.parametrize("methods", [5, None, {"a": 1}, "client_secret_basic"])
def test_odd_metadata_of_the_client_is_that_of_the_standard(
    provider: OidcServer, tmp_path: Path, methods: object
) -> None:
    provider.metadata_changes = {"token_endpoint_auth_methods_supported": methods}
    with oidc_site(provider, tmp_path) as site:
        assert site.browser().log_in().status == 303


# ---- the ID token ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"azp": "another"}, "was not issued to this one (claim azp)"),
        ({"azp": ["gnomon-client"]}, "was not issued to this one (claim azp)"),
        ({"azp": 5}, "was not issued to this one (claim azp)"),
        ({"aud": ["gnomon-client"], "azp": "another"}, "was not issued to this one (claim azp)"),
        ({"aud": ["gnomon-client", "x"]}, "is for several clients"),
        *[
            ({name: value}, "has times that are no numbers")
            for name in ("exp", "iat", "nbf")
            for value in (float("nan"), float("inf"), -float("inf"), True, "1", [1], 10**400)
        ],
        *[({"sub": value}, "is not valid") for value in (5, ["s-1"], {"a": 1}, True, "", "a\0b", "\ud800", "x" * 256)],
        *[({"aud": value}, "is not valid") for value in (5, {"gnomon-client": 1}, [["gnomon-client"]], [])],
        *[({"iss": value}, "is not valid") for value in (5, ["x"], {})],
        *[({"nonce": value}, "belongs to another login (nonce)") for value in (5, [], {}, True, "")],
        *[({"preferred_username": value}, "with a name") for value in (5, ["ada"], {"a": 1}, "")],
    ],
)
def test_claims_of_odd_types_begin_no_session(
    provider: OidcServer, tmp_path: Path, changes: dict[str, object], sentence: str
) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    provider.key = key
    provider.answers = {"/token": lambda handler: _sign_by_hand(provider, handler, changes)}
    with oidc_site(provider, tmp_path) as site:
        assert sentence in site.browser().refused(403)


def _sign_by_hand(provider: OidcServer, handler: BaseHTTPRequestHandler, changes: dict[str, object]) -> None:
    """PyJWT itself refuses to write some of the claims."""
    (query,) = provider.codes.values()
    claims = {
        **provider.user,
        "iss": provider.issuer,
        "aud": "gnomon-client",
        "iat": int(provider.now),
        "exp": int(provider.now) + 300,
        "nonce": query["nonce"],
        **changes,
    }
    token = jwt.api_jws.encode(json.dumps(claims).encode(), provider.key, algorithm="ES256", headers={"kid": "one"})
    body = json.dumps({"access_token": "access-1", "id_token": token}).encode()
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def test_the_client_that_a_token_was_issued_to_may_be_named(provider: OidcServer, tmp_path: Path) -> None:
    provider.token_changes = {"azp": "gnomon-client", "aud": ["gnomon-client", "x"]}
    with oidc_site(provider, tmp_path) as site:
        assert site.browser().log_in().status == 303


@pytest.mark.parametrize(
    "headers",
    [{"kid": "one", "crit": ["x"], "x": 1}, {"kid": "one", "crit": 5}, {"kid": "one", "alg": "RS256"}, {"kid": "two"}],
)
def test_a_header_that_is_not_understood_is_refused(
    provider: OidcServer, tmp_path: Path, headers: dict[str, object]
) -> None:
    with oidc_site(provider, tmp_path) as site:
        provider.answers = {"/token": lambda handler: _replace_header(provider, handler, headers)}
        site.browser().refused(403)


def _replace_header(provider: OidcServer, handler: BaseHTTPRequestHandler, headers: dict[str, object]) -> None:
    (query,) = provider.codes.values()
    claims = {
        **provider.user,
        "iss": provider.issuer,
        "aud": "gnomon-client",
        "iat": int(provider.now),
        "exp": int(provider.now) + 300,
        "nonce": query["nonce"],
    }
    signed = [_encode({"typ": "JWT", "alg": "ES256", **headers}), _encode(claims)]
    signature = jwt.algorithms.ECAlgorithm(jwt.algorithms.ECAlgorithm.SHA256, ec.SECP256R1).sign(
        ".".join(signed).encode(), provider.key
    )
    token = ".".join([*signed, base64.urlsafe_b64encode(signature).rstrip(b"=").decode()])
    body = json.dumps({"id_token": token}).encode()
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def _encode(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "token", ["", "a", "a.b.c", "\ud800.a.b", "é.é.é", 5, None, ["a"], {"a": 1}, "." * 500_000, "a" * 900_000]
)
def test_an_id_token_that_is_none_is_a_sentence(provider: OidcServer, tmp_path: Path, token: object) -> None:
    provider.answer_changes = {"id_token": token}
    with oidc_site(provider, tmp_path) as site:
        assert "ID token" in site.browser().refused(403)


@pytest.mark.parametrize(
    "answer",
    [
        {"error": "\ud800"},
        {"error": 5},
        {"error": {"a": 1}, "error_description": ["b"]},
        {"error": None},
        {"error": "x" * 100_000},
    ],
)
def test_a_refusal_of_an_odd_shape_is_a_sentence(
    provider: OidcServer, tmp_path: Path, answer: dict[str, object]
) -> None:
    provider.answer_changes = answer
    with oidc_site(provider, tmp_path) as site:
        assert len(site.browser().refused(403)) < 1_000


# ---- keys ------------------------------------------------------------------------------------------------------------
_EC = {"kty": "EC", "crv": "P-256", "kid": "one"}


@pytest.mark.parametrize(
    ("keys", "status"),
    [
        *[(keys, 503) for keys in (5, True, "keys", {"a": 1}, {}, [5], [[]], [None], [{}] * 101)],
        *[
            ([key], 403)
            for key in (
                {},
                {"kty": 5},
                {"kty": ["EC"]},
                {"kty": {}},
                _EC,
                {**_EC, "x": 5, "y": 5},
                {**_EC, "x": "!", "y": "é"},
                {**_EC, "x": "A" * 43, "y": "A" * 43},
                {**_EC, "alg": ["ES256"], "x": "A", "y": "A"},
                {"kty": "oct", "kid": "one", "k": "AAAA"},
                {"kty": "RSA", "kid": "one", "n": "A" * 900_000, "e": "AQAB"},
                {"kty": "RSA", "kid": "one", "n": "AQ", "e": "AQ"},
                {"kty": "OKP", "kid": "one", "crv": "Ed25519", "x": "AA"},
                {"kty": "OKP", "kid": "one", "crv": [], "x": "AA"},
                {"kty": "RSA", "kid": "one", "n": "_" * 2700, "e": "_" * 2700, "d": "_" * 2700},
            )
        ],
    ],
)
def test_a_key_set_of_an_odd_shape_is_a_sentence(
    provider: OidcServer, tmp_path: Path, keys: object, status: int
) -> None:
    provider.key_set = keys
    with oidc_site(provider, tmp_path) as site:
        assert site.browser().refused(status)


def test_a_key_of_another_kind_verifies_nothing(provider: OidcServer, tmp_path: Path) -> None:
    other = rsa.generate_private_key(65537, 2048)
    provider.key_set = [{**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(other.public_key())), "kid": "one"}]
    with oidc_site(provider, tmp_path) as site:
        assert "is not valid" in site.browser().refused(403)


def test_the_public_key_is_no_secret_that_signs(provider: OidcServer, tmp_path: Path) -> None:
    def sign(handler: BaseHTTPRequestHandler) -> None:
        import hashlib
        import hmac

        (query,) = provider.codes.values()
        claims = {
            **provider.user,
            "iss": provider.issuer,
            "aud": "gnomon-client",
            "iat": int(provider.now),
            "exp": int(provider.now) + 300,
            "nonce": query["nonce"],
        }
        signed = f"{_encode({'alg': 'HS256', 'kid': 'one'})}.{_encode(claims)}"
        secret = json.dumps(provider.keys()["keys"][0]).encode()
        token = f"{signed}.{base64.urlsafe_b64encode(hmac.new(secret, signed.encode(), hashlib.sha256).digest()).rstrip(b'=').decode()}"
        body = json.dumps({"id_token": token}).encode()
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    provider.answers = {"/token": sign}
    with oidc_site(provider, tmp_path) as site:
        assert "is not valid" in site.browser().refused(403)


# ---- the answer that the browser brings ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("parameters", "supported", "sentence"),
    [
        ({"iss": "https://evil.example"}, False, "answer comes from another identity provider"),
        ({"iss": ""}, False, "answer comes from another identity provider"),
        (
            {"iss": "https://evil.example", "error": "access_denied"},
            False,
            "answer comes from another identity provider",
        ),
        ({}, True, "names no issuer (iss)"),
    ],
)
def test_an_answer_of_another_issuer_is_refused_before_its_code_is_used(
    provider: OidcServer, tmp_path: Path, parameters: dict[str, str], supported: bool, sentence: str
) -> None:
    provider.callback_changes = parameters
    provider.metadata_changes = {"authorization_response_iss_parameter_supported": supported}
    with oidc_site(provider, tmp_path) as site:
        assert sentence in site.browser().refused(403)
    assert "/token" not in provider.requests


def test_a_parameter_that_comes_twice_is_refused(provider: OidcServer, tmp_path: Path) -> None:
    with oidc_site(provider, tmp_path) as site:
        for name in ("code", "state", "iss"):
            browser = site.browser()
            reply = browser.get(f"{browser.begin()}&{name}=first&{name}=second")
            assert (reply.status, "gnomon_session" in browser.cookies) == (400, False)
    assert "/token" not in provider.requests


@pytest.mark.parametrize("length", [2_000, 9_000])
def test_a_login_leads_to_the_first_page_when_the_address_is_too_long_for_a_cookie(
    provider: OidcServer, tmp_path: Path, length: int
) -> None:
    with oidc_site(provider, tmp_path) as site:
        for letter, target in (("a", f"/dags?q={'a' * length}"), ("%C3%A9", "/")):
            browser = site.browser()
            done = browser.get(browser.begin(f"/auth/oidc/login?next=/dags?q={letter * length}"))
            assert (done.status, done.headers["location"]) == (303, target if length < 2_500 else "/")


def test_an_answer_may_name_its_issuer(provider: OidcServer, tmp_path: Path) -> None:
    provider.callback_changes = {"iss": provider.issuer}
    provider.metadata_changes = {"authorization_response_iss_parameter_supported": True}
    with oidc_site(provider, tmp_path) as site:
        assert site.browser().log_in().status == 303


# ---- addresses that nobody has verified ------------------------------------------------------------------------------
def _create_boss(site: OidcSite) -> None:
    with site.context.database.write() as tx:
        account_changes.create_account(tx, ROOT, "boss@work.example", Role.ADMIN, None)


@pytest.mark.parametrize("verified", [False, None, "false", "yes", 1, [True], {"a": 1}])
@pytest.mark.parametrize("exists", [True, False])
def test_an_address_that_is_not_verified_gets_no_account(
    provider: OidcServer, tmp_path: Path, verified: object, exists: bool
) -> None:
    provider.user = {"sub": "s-1", "email": "boss@work.example"} | (
        {} if verified is None else {"email_verified": verified}
    )
    with oidc_site(provider, tmp_path, name_claim="email", link_existing="True") as site:
        if exists:
            _create_boss(site)
        assert "does not say that it has verified the address in the claim 'email'" in site.browser().refused(403)


@pytest.mark.parametrize("in_userinfo", [{"email", "email_verified"}, {"email_verified"}, set()])
@pytest.mark.parametrize("verified", [True, "true"])
def test_an_address_that_is_verified_gets_its_account(
    provider: OidcServer, tmp_path: Path, in_userinfo: set[str], verified: object
) -> None:
    provider.user = {"sub": "s-1", "email": "boss@work.example", "email_verified": verified}
    provider.in_userinfo = in_userinfo
    with oidc_site(provider, tmp_path, name_claim="email", link_existing="True") as site:
        _create_boss(site)
        assert site.browser().log_in().status == 303


def test_an_address_that_is_not_verified_gives_no_role(provider: OidcServer, tmp_path: Path) -> None:
    provider.user |= {"email": "boss@work.example", "email_verified": False}
    with oidc_site(provider, tmp_path, role_claim="email", roles="boss@work.example=admin") as site:
        assert "does not say that it has verified the address" in site.browser().refused(403)


@pytest.mark.parametrize(
    "groups", [5, {"admins": 1}, [["admins"]], [{"admins": 1}], "admins ", "x" * 500_000, ["x"] * 150_000]
)
def test_groups_of_odd_types_give_no_role(provider: OidcServer, tmp_path: Path, groups: object) -> None:
    provider.user["groups"] = groups
    provider.in_userinfo = {"groups"}
    with oidc_site(provider, tmp_path, role_claim="groups", roles="admins=admin") as site:
        assert site.browser().log_in().status == 303
        assert site.account("ada").role is Role.VIEWER
