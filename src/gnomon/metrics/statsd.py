"""Figures by UDP in statsd's line protocol. Nobody waits for them: what cannot be sent is lost."""

from __future__ import annotations

import socket
from contextlib import suppress

from gnomon import log

_log = log.get("metrics")


class Statsd:
    """Sends to one server; its name is looked up once, at the start of the process."""

    def __init__(self, host: str, port: int, prefix: str) -> None:
        self._prefix = f"{prefix}." if prefix else ""
        self._socket: socket.socket | None = None
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
            self._socket = socket.socket(family, kind, protocol)
            self._socket.setblocking(False)
            self._socket.connect(address)
        except OSError as error:
            self.close()
            _log.warning(
                "statsd_away", host=host, port=port, error=str(error),
                remedy="correct [metrics] statsd_host and statsd_port and start the service anew; until then no figures are sent",
            )

    def send(self, name: str, value: str) -> None:
        """On its way, if somebody listens."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.send(f"{self._prefix}{name}:{value}".encode())

    def close(self) -> None:
        """Nothing is sent any more."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
