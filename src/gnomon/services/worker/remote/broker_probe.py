"""BrokerProbe: whether the host of the message broker can be reached, as evidence that this machine is not cut off from the network."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

PROBE_TIMEOUT_S = 1.0
PORTS = {"amqp": 5672, "amqps": 5671, "pyamqp": 5672, "redis": 6379, "rediss": 6379, "sentinel": 26379}
"""The ports of brokers whose address names none."""


class BrokerProbe:
    """Opens a TCP connection to a broker and closes it. A broker without a host in its address (a Unix socket, a cloud service) is never reached."""

    def __init__(self, broker_url: str, api_host: str) -> None:
        """`broker_url`: [celery] broker_url, which may name several brokers, with `;` between them. `api_host`: the host of the execution API."""
        self._places = tuple(place for url in broker_url.split(";") if (place := _find_place(url)) is not None)
        self._api_host = api_host

    def is_reachable(self) -> bool:
        """Whether one of the brokers accepts a connection within PROBE_TIMEOUT_S. One of this machine proves nothing about an api-server of another."""
        return any(self._accepts(place) for place in self._places)

    def _accepts(self, place: tuple[str, int]) -> bool:
        try:
            with socket.create_connection(place, PROBE_TIMEOUT_S) as sock:
                return not _is_of_this_machine(sock) or self._is_api_here()
        except OSError:
            return False

    def _is_api_here(self) -> bool:
        """Whether the address of the execution API is one of this machine; nothing is sent."""
        try:
            family, kind, _, _, address = socket.getaddrinfo(self._api_host, 1, type=socket.SOCK_DGRAM)[0]
            with socket.socket(family, kind) as sock:
                sock.connect(address)
                return _is_of_this_machine(sock)
        except OSError:
            return False


def _find_place(url: str) -> tuple[str, int] | None:
    try:
        parts = urlsplit(url.strip())
        port = parts.port or PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.hostname, port) if parts.hostname and port else None


def _is_of_this_machine(sock: socket.socket) -> bool:
    """Whether both ends of the connection have the same address."""
    return bool(sock.getsockname()[0] == sock.getpeername()[0])
