"""Figures by UDP in statsd's line protocol. Nobody waits for them: what cannot be sent is lost."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from typing import Protocol

from gnomon import log
from gnomon.config import Config

_log = log.get_logger("metrics")


class StatsdClient:
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


NAMES_MAX = 200
"""Names that are kept: those that come later are sent all the same."""
_INVALID_CHARACTERS = re.compile(r"[^A-Za-z0-9_.\-]")


class MetricSink(Protocol):
    """Who collects figures."""

    def send(self, name: str, value: str) -> None:
        """`value` in statsd's words: `3|c`, `12|g`."""

    def close(self) -> None:
        """Nothing is sent any more."""


class Meter:
    """Counts since the start of the process. Names are Airflow's, parts of them that come from elsewhere are made fit."""

    def __init__(self, sink: MetricSink | None = None) -> None:
        self._sink = sink
        self.counters: dict[str, int] = {}
        """By name, since the start."""

    def count(self, name: str, n: int = 1) -> None:
        """It has happened `n` times more."""
        if n == 0:
            return
        name = _sanitize_name(name)
        if name in self.counters or len(self.counters) < NAMES_MAX:
            self.counters[name] = self.counters.get(name, 0) + n
        self._send(name, f"{n}|c")

    def gauge(self, name: str, value: int) -> None:
        """So many there are now; nothing of it is kept."""
        self._send(_sanitize_name(name), f"{value}|g")

    def _send(self, name: str, value: str) -> None:
        if self._sink is not None:
            self._sink.send(name, value)

    def close(self) -> None:
        """Nothing is sent any more."""
        if self._sink is not None:
            self._sink.close()


def _sanitize_name(name: str) -> str:
    """What statsd takes as a name."""
    return _INVALID_CHARACTERS.sub("_", name)


def create_meter(cfg: Config) -> Meter:
    """Counts for the whole life of this process."""
    if not cfg.boolean("metrics", "statsd_on"):
        return Meter()
    host, port = cfg.text("metrics", "statsd_host"), cfg.integer("metrics", "statsd_port")
    return Meter(StatsdClient(host, port, cfg.text("metrics", "statsd_prefix")))
