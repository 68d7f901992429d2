"""The service's side of the zygotes: at most 16 by file version, the least recently used leave."""

from __future__ import annotations

import os
import signal
import socket
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from gnomon.model.facts import Attempt
from gnomon.processes import interpreters
from gnomon.worker import orders
from gnomon.worker.children import Child
from gnomon.worker.ledger import Held

BASE = "gnomon.worker.zygote"
"""The module of the base zygote."""
ZYGOTES_MAX = 16
FOLLOWING_S = 2.0
"""The demand of so many seconds decides how many children wait ahead of need."""
SPARES_MAX = 8

Key = tuple[str, str]
"""(file, input hash)"""


@dataclass(slots=True, eq=False)
class Zygote:
    """One file zygote, alive or known to be of no use."""

    number: int
    key: Key
    sock: socket.socket | None
    opened_at: float
    used_at: float
    pid: int | None = None
    ready: bool = False
    unfit: str | None = None
    """Why attempts of this file version go to new interpreters."""
    failed: bool = False
    """It is of no use because the import failed or hung, not because a fork would."""
    waiting: list[Held] = field(default_factory=list)
    """Attempts that wait for the import."""
    spares: deque[Child] = field(default_factory=deque)
    """Children without an attempt, the longest idle first."""
    ordered: list[tuple[Child, socket.socket]] = field(default_factory=list)
    """Children to fork at the end of this turn."""
    children: dict[int, Child] = field(default_factory=dict)
    taken: deque[float] = field(default_factory=deque)
    """When children were taken of late."""

    def note_demand(self, now: float) -> None:
        """One more child was wanted now."""
        self.used_at = now
        self.taken.append(now)
        self._forget_demand(now)

    def spares_wanted(self, now: float) -> int:
        """How many children should wait ahead of need."""
        self._forget_demand(now)
        return min(SPARES_MAX, len(self.taken))

    def _forget_demand(self, now: float) -> None:
        while self.taken and (len(self.taken) > SPARES_MAX or self.taken[0] < now - FOLLOWING_S):
            self.taken.popleft()


def key_of(attempt: Attempt) -> Key:
    return attempt.file, attempt.input_hash


class BaseZygote:
    """The process that forks file zygotes; started again when it is found dead."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._sock: socket.socket | None = None
        self.pid: int | None = None

    def open(self, file: str) -> socket.socket:
        """The socket of a new file zygote that begins to import `file`. OSError when the machine refuses a process or a socket."""
        ours, theirs = orders.socket_pair()
        ours.setblocking(False)
        try:
            with theirs:
                self._order(file, theirs)
        except OSError:
            ours.close()
            raise
        return ours

    def _order(self, file: str, theirs: socket.socket) -> None:
        """The base zygote has the order; one that is found dead is replaced once."""
        for last in (False, True):
            sock = self._started()
            try:
                orders.send(sock, orders.OpenZygote(file=file), (theirs.fileno(),))
                return
            except OSError:
                self.forget()
                if last:
                    raise

    def start(self) -> None:
        """The process exists. OSError when the machine refuses it."""
        self._started()

    def forget(self) -> None:
        """It is dead, or not wanted any more: the next `open` starts another."""
        if self._sock is not None:
            self._sock.close()
        self._sock = self.pid = None

    def _started(self) -> socket.socket:
        if self._sock is None:
            ours, theirs = orders.socket_pair()
            try:
                with theirs:
                    self.pid = interpreters.start(BASE, theirs, self._environ)
            except OSError:
                ours.close()
                raise
            self._sock = ours
        return self._sock


def end(zygote: Zygote) -> None:
    """The zygote process is told to go, by the end of its socket; kills it while it still imports."""
    if zygote.sock is not None:
        if not zygote.ready and zygote.pid is not None:
            try:
                os.kill(zygote.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        zygote.sock.close()
        zygote.sock = None


def read(zygote: Zygote) -> list[orders.FromFile] | None:
    """What the zygote said; None at its end."""
    assert zygote.sock is not None
    said: list[orders.FromFile] = []
    while True:
        try:
            body = zygote.sock.recv(orders.PACKET_MAX)
        except BlockingIOError:
            return said
        except OSError:
            body = b""
        if not body:
            return said or None
        said.append(_decoder.decode(body))


_decoder: msgspec.msgpack.Decoder[orders.FromFile] = msgspec.msgpack.Decoder(orders.FromFile)
