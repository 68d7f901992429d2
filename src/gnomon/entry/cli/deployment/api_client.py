"""`ApiClient`: requests to the API of a deployment, with the standard library, and a sentence with its remedy for each way in which one fails."""

from __future__ import annotations

import http.client
import ipaddress
import json
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import IO, Any, NoReturn
from urllib.parse import urlencode, urlsplit

import msgspec

from gnomon.entry.cli.deployment.api_errors import ApiLoginRequired, ApiMismatch, ApiRefusal, ApiUnreachable
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Command, Sentence, quote, say

TIMEOUT_S = 60.0
"""How long the connection may be silent: longer than any operation waits for the owner of a DAG or for a timetable of an author."""
READ_TRIES = 3
"""How often a read is sent when the connection fails. A change is sent once: whether it was made is not known."""
PAUSE_S = 0.5
"""The pause before a read is sent again."""
ANSWER_BYTES_MAX = 256_000_000
VERSION_HEADER = "Gnomon-Version"
"""In each answer of a Gnomon: what answers without it is something else."""
ERROR_HEADER = "Gnomon-Error"
_PROXY_STATUSES = (502, 503, 504)


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """An answer: its status, its headers and its body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def find_detail(self) -> Any:
        """The explanation of an error of a Gnomon; None when the body has none."""
        try:
            answer = json.loads(self.body)
        except ValueError:
            return None
        return answer.get("detail") if isinstance(answer, dict) else None


class ApiClient:
    """`url`: the address without a path of the API. `token_source`: where the token was found, for sentences. `sleep`: called with seconds."""

    def __init__(self, url: str, token: str | None, token_source: str, sleep: Callable[[float], object]) -> None:
        self.url = check_address(url)
        self._token = token
        self._token_source = token_source
        self._sleep = sleep
        proxies: dict[str, str] | None = {} if _is_loopback(urlsplit(self.url).hostname or "") else None
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler(proxies), _RefuseRedirects())

    def get(self, path: str, pairs: list[tuple[str, str]], kind: Any) -> Any:
        """The answer to a read as an object of the type `kind`. Raises the errors of `api_errors`."""
        request = self._build_request("GET", f"{path}?{urlencode(pairs)}" if pairs else path, None)
        for tries_left in range(READ_TRIES - 1, -1, -1):
            try:
                return self._decode(self._send(request, is_read=True), path, kind)
            except ApiUnreachable:
                if not tries_left:
                    raise
                self._sleep(PAUSE_S)
        raise AssertionError  # the loop returns or raises

    def post(self, path: str, body: object, kind: Any) -> Any:
        """The answer to a change as an object of the type `kind`. Raises the errors of `api_errors`."""
        return self._decode(
            self._send(self._build_request("POST", path, msgspec.json.encode(body)), is_read=False), path, kind
        )

    def _build_request(self, method: str, path: str, body: bytes | None) -> urllib.request.Request:
        headers = {"Accept": "application/json", "User-Agent": f"gnomon/{find_own_version()}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        return urllib.request.Request(f"{self.url}{path}", body, headers, method=method)

    def _send(self, request: urllib.request.Request, *, is_read: bool) -> ApiAnswer:
        try:
            return self._read_answer(request)
        except urllib.error.URLError as error:
            cause = error.reason if isinstance(error.reason, Exception) else error
        except (OSError, http.client.HTTPException) as error:
            cause = error
        except ValueError as error:  # an address that the library refuses
            raise UserError(say("api_address_is_refused", url=self.url, error=str(error))) from None
        raise self._describe_failure(cause, is_read=is_read) from None

    def _read_answer(self, request: urllib.request.Request) -> ApiAnswer:
        try:
            with self._opener.open(request, timeout=TIMEOUT_S) as answer:
                body = answer.read(ANSWER_BYTES_MAX + 1)
                if len(body) > ANSWER_BYTES_MAX:
                    raise UserError(say("api_answer_is_too_long", url=self.url, most=ANSWER_BYTES_MAX // 1_000_000))
                return ApiAnswer(answer.status, dict(answer.headers.items()), body)
        except urllib.error.HTTPError as error:
            with error:
                return ApiAnswer(error.code, dict(error.headers.items()), error.read(ANSWER_BYTES_MAX))

    def _describe_failure(self, cause: Exception, *, is_read: bool) -> UserError | ApiUnreachable:
        host = urlsplit(self.url).hostname
        doubt = None if is_read else say("change_is_not_known")
        if isinstance(cause, ssl.SSLCertVerificationError):
            return UserError(say("api_certificate_is_not_accepted", url=self.url, error=cause.verify_message))
        if isinstance(cause, ssl.SSLError):
            return UserError(say("api_speaks_no_tls", url=self.url, error=str(cause.reason or cause)))
        if isinstance(cause, socket.gaierror):
            return ApiUnreachable(say("api_host_does_not_exist", host=host, error=cause.strerror))
        if isinstance(cause, ConnectionRefusedError):
            return ApiUnreachable(say("nothing_answers", url=self.url))
        if isinstance(cause, TimeoutError):
            return ApiUnreachable(say("api_did_not_answer", url=self.url, duration=TIMEOUT_S, past=doubt))
        return ApiUnreachable(
            say("connection_to_api_failed", url=self.url, error=str(cause or type(cause).__name__), past=doubt)
        )

    def _decode(self, answer: ApiAnswer, path: str, kind: Any) -> Any:
        version = {name.lower(): value for name, value in answer.headers.items()}.get(VERSION_HEADER.lower())
        if version is None:
            self._raise_foreign(answer)
        if answer.status >= 300:
            self._raise_refusal(answer, path, version)
        try:
            return msgspec.json.decode(answer.body, type=kind)
        except msgspec.MsgspecError as error:
            raise ApiMismatch(
                say(
                    "api_answer_has_another_form",
                    subject=self._say_versions(version),
                    error=str(error),
                )
            ) from None

    def _raise_foreign(self, answer: ApiAnswer) -> NoReturn:
        """What answers is no Gnomon, or something between this program and it."""
        if answer.status in _PROXY_STATUSES:
            raise ApiUnreachable(say("api_is_not_behind_address", url=self.url, number=answer.status))
        if 300 <= answer.status < 400:
            target = answer.headers.get("Location", "another address")
            raise ApiMismatch(say("api_sends_on", url=self.url, place=target))
        kind = answer.headers.get("Content-Type", "no content type").partition(";")[0]
        raise ApiMismatch(say("address_is_no_api", url=self.url, number=answer.status, thing=kind))

    def _raise_refusal(self, answer: ApiAnswer, path: str, version: str) -> NoReturn:
        headers = {name.lower(): value for name, value in answer.headers.items()}
        kind = headers.get(ERROR_HEADER.lower(), "")
        detail = answer.find_detail()
        text = detail if isinstance(detail, str) else json.dumps(detail)
        if answer.status == 401:
            raise ApiLoginRequired(self._say_missing_login(text))
        if answer.status == 403 and not kind:
            raise ApiRefusal(
                say(
                    "role_is_missing",
                    error=text,
                    command=Command("users set-role"),
                    other_command=Command("users grant"),
                ),
                "AccessRefused",
            )
        if (answer.status == 404 and text.startswith("there is no operation")) or answer.status in (405, 501):
            raise ApiMismatch(
                say(
                    "api_has_no_operation",
                    subject=self._say_versions(version),
                    name=path.rpartition("/")[2],
                )
            )
        if answer.status == 422 and not kind:
            raise ApiMismatch(
                say(
                    "api_refuses_arguments",
                    subject=self._say_versions(version),
                    error=_list_faults(detail),
                )
            )
        if answer.status == 429:
            raise ApiUnreachable(say("api_is_busy", error=text, text=headers.get("retry-after", "a few")))
        if answer.status == 503 and kind:
            raise ApiUnreachable(quote(text))
        if answer.status >= 500:
            raise ApiRefusal(say("deployment_failed", url=self.url, number=answer.status, error=text), kind)
        raise ApiRefusal(
            quote(text), kind or ("NameNotFound" if answer.status == 404 else "")
        )  # without a class: a DAG that is hidden from the account

    def _say_missing_login(self, detail: str) -> Sentence:
        command = Command("login", (self.url,))
        if self._token is None:
            return say("api_needs_token", url=self.url, command=command)
        return say(
            "api_does_not_accept_token", url=self.url, source=str(self._token_source), error=detail, command=command
        )

    def _say_versions(self, version: str) -> Sentence:
        return say("two_versions", url=self.url, version=version, own_version=find_own_version())


class _RefuseRedirects(urllib.request.HTTPRedirectHandler):
    """No request is sent on to another address: it would carry the token there."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        return None


def check_address(url: str) -> str:
    """The address without a slash at its end. Raises UserError for a text that is no address of an API."""
    text = url.strip().rstrip("/")
    try:
        parts = urlsplit(text)
        is_valid = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and not parts.query
            and not parts.fragment
            and (parts.port or 1) > 0
        )
    except ValueError:
        is_valid = False
    if not is_valid or not text.isprintable() or " " in text:
        raise UserError(say("api_address_is_wrong", url=url))
    if parts.username is not None:
        raise UserError(say("api_address_has_password"))
    return text


def find_own_version() -> str:
    """The version of this program."""
    try:
        return metadata.version("gnomon")
    except metadata.PackageNotFoundError:
        return "of a source tree"


def _is_loopback(host: str) -> bool:
    """Requests to this machine do not go through a proxy."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _list_faults(detail: Any) -> str:
    if not isinstance(detail, list):
        return str(detail)
    return "; ".join(
        f"{'.'.join(map(str, fault.get('loc', ())))}: {fault.get('msg')}" for fault in detail if isinstance(fault, dict)
    )
