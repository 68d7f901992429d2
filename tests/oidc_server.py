"""An identity provider of OpenID Connect for tests: a real HTTP server with the flow by code, PKCE, one-time codes, signed ID tokens and userinfo."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

CLIENT, SECRET = "gnomon-client", "gnomon-secret"


@dataclass
class OidcServer:
    """The provider. Tests change its fields; `now` is the second of its clock."""

    now: float
    port: int = 0
    scheme: str = "http"
    user: dict[str, Any] = field(default_factory=lambda: {"sub": "s-1", "preferred_username": "ada"})
    """The claims of the person who logs in."""
    in_userinfo: set[str] = field(default_factory=set)
    """Claims that are not in the ID token."""
    token_changes: dict[str, Any] = field(default_factory=dict)
    """Claims of the ID token that are replaced; None: left out."""
    userinfo_changes: dict[str, Any] = field(default_factory=dict)
    secret: str | None = SECRET
    """None: a public client."""
    methods: tuple[str, ...] = ("client_secret_basic",)
    metadata_changes: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=dict)
    """Path to what answers there instead."""
    callback_changes: dict[str, str] = field(default_factory=dict)
    """Further parameters with which the browser is sent back."""
    answer_changes: dict[str, Any] = field(default_factory=dict)
    """Members of the answer of the token endpoint that are replaced."""
    headers: dict[str, Any] = field(default_factory=lambda: {"kid": "one"})
    """The header of the ID token."""
    key_set: Any = None
    """The key set; None: the public half of `key`."""
    status: int = 200
    """Of every answer of the provider; another one than 200: it is broken."""
    algorithm: str = "ES256"
    redirects: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    key: Any = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    signing_key: Any = None
    """What signs; None: `key`, which is published."""

    @property
    def issuer(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def metadata(self) -> dict[str, Any]:
        found = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "end_session_endpoint": f"{self.issuer}/logout",
            "token_endpoint_auth_methods_supported": list(self.methods),
        }
        return {**found, **self.metadata_changes}

    def authorize(self, query: dict[str, str]) -> str:
        """The address that the browser of a person who agrees is sent back to."""
        assert (
            query["response_type"] == "code"
            and query["client_id"] == CLIENT
            and query["code_challenge_method"] == "S256"
        )
        assert "openid" in query["scope"].split() and len(query["state"]) > 20 and len(query["nonce"]) > 20
        self.redirects.append(query["redirect_uri"])
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state'], **self.callback_changes})}"

    def give_token(self, form: dict[str, str], authorization: str | None) -> tuple[int, dict[str, Any]]:
        """The answer of the token endpoint."""
        if not self._knows_client(form, authorization):
            return 401, {"error": "invalid_client", "error_description": "client authentication failed"}
        query = self.codes.pop(form.get("code", ""), None)
        challenge = (
            base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
            .rstrip(b"=")
            .decode()
        )
        if query is None or form.get("redirect_uri") != query["redirect_uri"] or challenge != query["code_challenge"]:
            return 400, {"error": "invalid_grant", "error_description": "the code is not valid"}
        claims = {name: value for name, value in self.user.items() if name not in self.in_userinfo}
        claims |= {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": int(self.now),
            "exp": int(self.now) + 300,
            "nonce": query["nonce"],
            **self.token_changes,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        key = (
            "a secret of thirty-two characters"
            if self.algorithm.startswith("HS")
            else None
            if self.algorithm == "none"
            else self.signing_key or self.key
        )
        token = jwt.encode(claims, key, algorithm=self.algorithm, headers=self.headers)
        return 200, {
            "access_token": "access-1",
            "token_type": "Bearer",
            "expires_in": 300,
            "id_token": token,
            **self.answer_changes,
        }

    def _knows_client(self, form: dict[str, str], authorization: str | None) -> bool:
        if self.secret is None:
            return authorization is None and form.get("client_id") == CLIENT
        if "client_secret_basic" in self.methods:
            return authorization == "Basic " + base64.b64encode(f"{CLIENT}:{self.secret}".encode()).decode()
        return form.get("client_id") == CLIENT and form.get("client_secret") == self.secret

    def keys(self) -> dict[str, Any]:
        if self.key_set is not None:
            return {"keys": self.key_set}
        public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [{**public, "kid": "one", "use": "sig", "alg": "ES256"}]}


@contextmanager
def oidc_server(now: float, certificate: tuple[str, str] | None = None) -> Iterator[OidcServer]:
    """A provider on a free port of this machine. `certificate`: the files of one and of its key, for https."""
    provider = OidcServer(now)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            provider.requests.append(parts.path)
            if parts.path in provider.answers:
                return provider.answers[parts.path](self)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            match parts.path:
                case "/.well-known/openid-configuration":
                    self._answer(200, provider.metadata())
                case "/authorize":
                    self.send_response(302)
                    self.send_header("location", provider.authorize(query))
                    self.send_header("content-length", "0")
                    self.end_headers()
                case "/keys":
                    self._answer(200, provider.keys())
                case "/userinfo" if self.headers["authorization"] == "Bearer access-1":
                    self._answer(200, {**provider.user, **provider.userinfo_changes})
                case _:
                    self._answer(404, {})
            return None

        def do_POST(self) -> None:
            provider.requests.append(self.path)
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            if self.path in provider.answers:
                return provider.answers[self.path](self)
            assert self.path == "/token"
            return self._answer(*provider.give_token(form, self.headers["authorization"]))

        def _answer(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status if provider.status == 200 else provider.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider.port = server.server_address[1]
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        provider.scheme = "https"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
