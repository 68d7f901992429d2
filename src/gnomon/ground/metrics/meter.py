"""Counters and gauges, sent by UDP in statsd's line protocol. Sending never blocks; what cannot be sent is lost."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from typing import Protocol

from gnomon.ground import log
from gnomon.ground.config import Config

_log = log.get_logger("metrics")


class StatsdClient:
    """Sends to one statsd server; its name is resolved once, at the start of the process."""

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
                "statsd_unavailable",
                host=host,
                port=port,
                error=str(error),
                remedy="correct [metrics] statsd_host and statsd_port and restart the service; until then no metrics are sent",
            )

    def send(self, name: str, value: str) -> None:
        """Send one value; errors are ignored."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.send(f"{self._prefix}{name}:{value}".encode())

    def close(self) -> None:
        """Stop sending."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


NAMES_MAX = 200
"""Counters kept in memory; counts under further names are only sent."""
_INVALID_CHARACTERS = re.compile(r"[^A-Za-z0-9_.\-]")


class MetricSink(Protocol):
    """Receives metrics; implemented by StatsdClient."""

    def send(self, name: str, value: str) -> None:
        """Send `value` in statsd's notation: `3|c` (counter), `12|g` (gauge)."""

    def close(self) -> None:
        """Stop sending."""


class Meter:
    """Counters since the start of the process. Characters of a name that statsd does not allow are replaced."""

    def __init__(self, sink: MetricSink | None = None) -> None:
        self._sink = sink
        self.counters: dict[str, int] = {}
        """Counter values by name, since the start."""

    def count(self, name: str, n: int = 1) -> None:
        """Add `n` to a counter."""
        if n == 0:
            return
        name = _sanitize_name(name)
        if name in self.counters or len(self.counters) < NAMES_MAX:
            self.counters[name] = self.counters.get(name, 0) + n
        self._send(name, f"{n}|c")

    def gauge(self, name: str, value: int) -> None:
        """Send the current value of a gauge; it is not kept."""
        self._send(_sanitize_name(name), f"{value}|g")

    def _send(self, name: str, value: str) -> None:
        if self._sink is not None:
            self._sink.send(name, value)

    def close(self) -> None:
        """Stop sending."""
        if self._sink is not None:
            self._sink.close()


def _sanitize_name(name: str) -> str:
    """The name with characters that statsd allows."""
    return _INVALID_CHARACTERS.sub("_", name)


def create_meter(cfg: Config) -> Meter:
    """The meter of this process; it sends to statsd when `[metrics] statsd_on` is set."""
    if not cfg.boolean("metrics", "statsd_on"):
        return Meter()
    host, port = cfg.text("metrics", "statsd_host"), cfg.integer("metrics", "statsd_port")
    return Meter(StatsdClient(host, port, cfg.text("metrics", "statsd_prefix")))
