"""An exchange with an identity provider: one request and its answer, with a bound of time for the whole and of bytes, and without redirects."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Mapping
from typing import Any

from gnomon.model.errors.product import GnomonError
from gnomon.model.sentences import say

EXCHANGE_S = 10.0
"""The whole exchange. The time-outs of sockets are for each read: a provider that sends a byte now and then would hold a thread for ever."""
ANSWER_BYTES_MAX = 1_000_000
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}
"""No compression: a small answer could become a huge one."""


class ProviderUnavailable(GnomonError):
    """The identity provider does not answer, or not as OpenID Connect says."""


def exchange(session: Any, method: str, url: str, accepted: tuple[int, ...] = (200,), **request: Any) -> dict[str, Any]:
    """The JSON object of the answer to a request of a `requests.Session`, which is used once. Raises ProviderUnavailable.

    A redirect is not followed: it would carry the secret of the client to another address. Names and passwords of a file `.netrc` are not sent.
    """
    import requests  # start-up cost: only with [oidc]

    deadline = _Deadline(session)
    headers = {**_HEADERS, **request.pop("headers", {})}
    request.setdefault("auth", _add_nothing)
    try:
        with (
            deadline,
            session.request(
                method, url, headers=headers, timeout=EXCHANGE_S, allow_redirects=False, stream=True, **request
            ) as answer,
        ):
            status, body = answer.status_code, answer.raw.read(ANSWER_BYTES_MAX + 1, decode_content=False)
        if deadline.has_passed:
            raise _explain_slowness(url)
        if status not in accepted:
            raise ProviderUnavailable(say("provider_answered_with_status", url=url, number=status))
        if len(body) > ANSWER_BYTES_MAX:
            raise ProviderUnavailable(say("provider_answer_is_too_long", url=url, most=ANSWER_BYTES_MAX))
        parsed = json.loads(body)
    except (requests.RequestException, _find_http_error(), OSError, ValueError, RecursionError) as error:
        if deadline.has_passed:
            raise _explain_slowness(url) from None
        raise ProviderUnavailable(say("provider_does_not_answer", url=url, error=type(error).__name__)) from None
    if not isinstance(parsed, dict):
        raise ProviderUnavailable(say("provider_answer_is_no_object", url=url))
    return parsed


def get_object(url: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The JSON object at an address. Raises ProviderUnavailable."""
    import requests  # start-up cost: only with [oidc]

    with requests.Session() as session:
        return exchange(session, "GET", url, headers=dict(headers or {}))


def _add_nothing(request: Any) -> Any:
    """Without an `auth`, `requests` puts a password of `.netrc` into the header Authorization, also over one that is there."""
    return request


def _explain_slowness(url: str) -> ProviderUnavailable:
    return ProviderUnavailable(say("provider_answer_did_not_end", url=url, duration=EXCHANGE_S))


def _find_http_error() -> type[Exception]:
    from urllib3.exceptions import HTTPError  # comes with requests

    return HTTPError


class _Deadline:
    """Ends the connections of a session when the time of an exchange is over, wherever the exchange is: in the handshake, in a header, in the body."""

    def __init__(self, session: Any) -> None:
        self.has_passed = False
        self._guard = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._timer = threading.Timer(EXCHANGE_S, self._pass)
        self._timer.daemon = True
        for scheme in ("http://", "https://"):
            session.mount(scheme, _build_adapter(self._watch))

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *exc_info: object) -> None:
        self._timer.cancel()
        with self._guard:
            for sock in self._sockets:
                sock.close()
            self._sockets.clear()

    def _watch(self, sock: socket.socket) -> None:
        """A copy of the descriptor is watched: TLS takes the socket itself."""
        with self._guard:
            self._sockets.append(sock.dup())
            if self.has_passed:
                self._end_all()

    def _pass(self) -> None:
        with self._guard:
            self.has_passed = True
            self._end_all()

    def _end_all(self) -> None:
        for sock in self._sockets:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:  # the other side has ended it already
                continue


def _build_adapter(watch: Any) -> Any:
    """An adapter of `requests` that shows each socket that it connects, also one to a proxy."""
    from requests.adapters import HTTPAdapter  # start-up cost: only with [oidc]

    class WatchingAdapter(HTTPAdapter):
        def init_poolmanager(self, *args: Any, **options: Any) -> None:
            super().init_poolmanager(*args, **options)
            _watch_pools(self.poolmanager, watch)

        def proxy_manager_for(self, *args: Any, **options: Any) -> Any:
            manager = super().proxy_manager_for(*args, **options)
            _watch_pools(manager, watch)
            return manager

    return WatchingAdapter()


def _count_addresses(host: str, port: int) -> int:
    try:
        return max(1, len(socket.getaddrinfo(host, port, socket.AF_UNSPEC, socket.SOCK_STREAM)))
    except (OSError, UnicodeError):  # the connection says it
        return 1


def _watch_pools(manager: Any, watch: Any) -> None:
    def build_pool(kind: Any) -> Any:
        class WatchedConnection(kind.ConnectionCls):  # type: ignore[misc]
            def _new_conn(self) -> socket.socket:
                self.timeout = EXCHANGE_S / _count_addresses(
                    self._dns_host, self.port
                )  # urllib3 waits so long for each address of a name
                sock: socket.socket = super()._new_conn()
                watch(sock)
                return sock

        return type(kind.__name__, (kind,), {"ConnectionCls": WatchedConnection})

    manager.pool_classes_by_scheme = {
        scheme: build_pool(kind) for scheme, kind in manager.pool_classes_by_scheme.items()
    }
