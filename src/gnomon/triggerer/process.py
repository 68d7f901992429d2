"""How a host of triggers is started, from the keeper's side."""

from __future__ import annotations

import socket
from collections.abc import Mapping

from gnomon.triggerer.messages import FromHost
from gnomon.wire.frames import Splitter
from gnomon.wire.hostprocess import HostProcess

MODULE = "gnomon.triggerer.child"
REAP_S = 0.5
"""So long a host may take from the end of its words to its own: it closes its socket a moment before it is gone."""
_BUFFER = 1024 * 1024
"""Of the socket: what a burst of events needs."""


def start_host(environ: Mapping[str, str]) -> HostProcess[FromHost]:
    """It starts now; OSError when the machine refuses. What it prints goes where this process prints."""
    pair = socket.socketpair()
    for sock in pair:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
    splitter: Splitter[FromHost] = Splitter(FromHost)
    return HostProcess(MODULE, environ, pair, splitter)
