"""The api-server as a process: `main` answers until it is told to stop."""

from __future__ import annotations

import select
import socket
from importlib import metadata

from gnomon import log
from gnomon.api.looking import Looker
from gnomon.api.server import Server
from gnomon.clock import SystemClock
from gnomon.config import Config
from gnomon.wakeups import StopFlag

_log = log.get("api")


def main(cfg: Config, listener: socket.socket) -> int:
    """Answers on the listening socket until SIGTERM or Ctrl-C; returns the exit code."""
    stop = StopFlag().listen()
    listener.setblocking(False)
    looker = Looker(cfg, SystemClock())
    server = Server(listener, looker.look, _version())
    server.timeout = 0
    _log.info("api_server_started")
    while not stop():
        ready, _, _ = select.select([listener.fileno(), stop.fileno()], [], [])
        if listener.fileno() in ready:
            server.handle_request()
    looker.close()
    _log.info("api_server_stopped")
    return 0


def _version() -> str:
    try:
        return metadata.version("gnomon")
    except metadata.PackageNotFoundError:
        return "of a source tree"
