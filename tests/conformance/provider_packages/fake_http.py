"""A local HTTP server that answers as an API documents, and keeps the requests that it got."""

from __future__ import annotations

import datetime
import gzip
import json
import os
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


@dataclass
class Request:
    """One request."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    host: str = ""
    """The host of an address of the internet (`fake_internet`)."""

    def json(self) -> Any:
        """The body as JSON."""
        zipped = self.headers.get("Content-Encoding") == "gzip"
        return json.loads(gzip.decompress(self.body) if zipped else self.body)


@dataclass
class FakeApi:
    """The server's place and its requests."""

    port: int
    requests: list[Request] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self.port}"


Answer = Any
"""A JSON value, text, bytes, or a function that gets the request and returns one; a pair (status, value) for another status than 200."""


def content_of(text: str | bytes) -> bytes:
    """The bytes of an answer."""
    return text if isinstance(text, bytes) else text.encode()


@contextmanager
def fake_internet(answers: Mapping[str, Answer], headers: Mapping[str, str] | None = None) -> Iterator[FakeApi]:
    """Answer for hosts of the internet: HTTPS clients of this process go through a proxy that answers itself, with a certificate that they trust.

    `answers`: `GET host/path` to the answer.
    """
    hosts = sorted({key.partition(" ")[2].partition("/")[0] for key in answers})
    with fake_api(answers, headers, AUTHORITY.make_server_context(hosts)) as api:
        with changed_environ({"HTTPS_PROXY": api.url, "https_proxy": api.url, "NO_PROXY": "", "no_proxy": ""}):
            yield api


@contextmanager
def changed_environ(values: Mapping[str, str]) -> Iterator[None]:
    """These environment variables are set in the block."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, text in before.items():
            if text is None:
                del os.environ[name]
            else:
                os.environ[name] = text


class Authority:
    """Who signs the certificates of hosts. `trust` must have been called before a client is imported: aiohttp reads then whom it trusts."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._folder = tempfile.TemporaryDirectory()
        constraints = x509.BasicConstraints(ca=True, path_length=None)
        self._certificate = self._make_certificate("authority", self._key, (constraints, True))

    def trust(self) -> None:
        """Clients of this process trust the authority, and no other."""
        file = Path(self._folder.name, "authority.pem")
        file.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))
        os.environ.update({name: str(file) for name in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")})

    def make_server_context(self, hosts: Sequence[str]) -> ssl.SSLContext:
        """What a server of these hosts needs."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts])
        secret = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file = Path(self._folder.name, "server.pem")
        file.write_bytes(
            secret + self._make_certificate("server", key, (names, False)).public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _make_certificate(
        self, name: str, key: ec.EllipticCurvePrivateKey, extension: tuple[x509.ExtensionType, bool]
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        subject, issuer = (
            x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)]) for text in (name, "authority")
        )
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(extension[0], critical=extension[1])
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )


AUTHORITY = Authority()


@contextmanager
def fake_api(
    answers: Mapping[str, Answer], headers: Mapping[str, str] | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[FakeApi]:
    """Run the server. `answers`: `GET /path` to the answer, without the query; every other request gets a 404.

    With `tls` it is a proxy, too, which answers itself for every host.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        host = ""

        def do_CONNECT(self) -> None:
            """Begin a tunnel to a host, whose requests are answered here."""
            assert tls is not None
            self.host = self.path.rpartition(":")[0]
            self.send_response(200)
            self.end_headers()
            self.connection = tls.wrap_socket(self.connection, server_side=True)
            self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", buffering=0)
            self.close_connection = False

        def answer(self) -> None:
            parts = urlsplit(self.path)
            request = Request(self.command, parts.path, parts.query, dict(self.headers), self._read_body(), self.host)
            api.requests.append(request)
            found = answers.get(f"{self.command} {self.host}{unquote(parts.path)}", (404, {"error": "unknown"}))
            value = found(request) if isinstance(found, Callable) else found  # type: ignore[arg-type]
            status, value = value if isinstance(value, tuple) else (200, value)
            text = value if isinstance(value, (str, bytes)) else json.dumps(value)
            self.send_response(status)
            self.send_header("Content-Type", "text/plain" if isinstance(value, (str, bytes)) else "application/json")
            for name, content in (headers or {}).items():
                self.send_header(name, content)
            self.send_header("Content-Length", str(len(content_of(text))))
            self.send_header("Connection", "close")  # clients that read a stream from the socket wait for its end
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content_of(text))
            self.close_connection = True

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = answer

        def _read_body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        api = FakeApi(server.server_address[1])
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield api
        finally:
            server.shutdown()
