"""The service's side of the zygotes: at most 16 by file version, the least recently used leave."""

from __future__ import annotations

import os
import signal
import socket
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from gnomon.model.attempts import Attempt
from gnomon.processes import host_process
from gnomon.processes.packets import create_packet_pair, send_packet
from gnomon.worker import zygote_protocol
from gnomon.worker.attempt_registry import PendingAttempt
from gnomon.worker.child_process import ChildProcess

BASE_MODULE = "gnomon.worker.base_zygote"
"""The module of the base zygote."""
ZYGOTES_MAX = 16
DEMAND_WINDOW_S = 2.0
"""The demand of so many seconds decides how many children wait ahead of need."""
IDLE_CHILDREN_MAX = 8

ZygoteKey = tuple[str, str]
"""(file, input hash)"""


@dataclass(slots=True, eq=False)
class FileZygoteClient:
    """One file zygote, alive or known to be of no use."""

    number: int
    key: ZygoteKey
    sock: socket.socket | None
    opened_at: float
    used_at: float
    pid: int | None = None
    is_ready: bool = False
    no_fork_reason: str | None = None
    """Why attempts of this file version go to new interpreters."""
    is_import_failed: bool = False
    """It is of no use because the import failed or hung, not because a fork would."""
    waiting: list[PendingAttempt] = field(default_factory=list)
    """Attempts that wait for the import."""
    idle_children: deque[ChildProcess] = field(default_factory=deque)
    """Children without an attempt, the longest idle first."""
    requested_children: list[tuple[ChildProcess, socket.socket]] = field(default_factory=list)
    """Children to fork at the end of this turn."""
    children: dict[int, ChildProcess] = field(default_factory=dict)
    demand_times: deque[float] = field(default_factory=deque)
    """When children were taken of late."""

    def record_demand(self, now: float) -> None:
        """One more child was wanted now."""
        self.used_at = now
        self.demand_times.append(now)
        self._drop_old_demand(now)

    def count_idle_wanted(self, now: float) -> int:
        """How many children should wait ahead of need."""
        self._drop_old_demand(now)
        return min(IDLE_CHILDREN_MAX, len(self.demand_times))

    def _drop_old_demand(self, now: float) -> None:
        while self.demand_times and (len(self.demand_times) > IDLE_CHILDREN_MAX or self.demand_times[0] < now - DEMAND_WINDOW_S):
            self.demand_times.popleft()


def zygote_key(attempt: Attempt) -> ZygoteKey:
    return attempt.file, attempt.input_hash


class BaseZygoteClient:
    """The process that forks file zygotes; started again when it is found dead."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._sock: socket.socket | None = None
        self.pid: int | None = None

    def open_file_zygote(self, file: str) -> socket.socket:
        """The socket of a new file zygote that begins to import `file`. OSError when the machine refuses a process or a socket."""
        ours, theirs = create_packet_pair()
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
            sock = self._ensure_started()
            try:
                send_packet(sock, zygote_protocol.OpenFileZygote(file=file), (theirs.fileno(),))
                return
            except OSError:
                self.discard()
                if last:
                    raise

    def start(self) -> None:
        """The process exists. OSError when the machine refuses it."""
        self._ensure_started()

    def discard(self) -> None:
        """It is dead, or not wanted any more: the next `open` starts another."""
        if self._sock is not None:
            self._sock.close()
        self._sock = self.pid = None

    def _ensure_started(self) -> socket.socket:
        if self._sock is None:
            ours, theirs = create_packet_pair()
            try:
                with theirs:
                    self.pid = host_process.spawn_interpreter(BASE_MODULE, theirs, self._environ)
            except OSError:
                ours.close()
                raise
            self._sock = ours
        return self._sock


def end_zygote(zygote: FileZygoteClient) -> None:
    """The zygote process is told to go, by the end of its socket; kills it while it still imports."""
    if zygote.sock is not None:
        if not zygote.is_ready and zygote.pid is not None:
            try:
                os.kill(zygote.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        zygote.sock.close()
        zygote.sock = None


def read_messages(zygote: FileZygoteClient) -> list[zygote_protocol.FromFileZygote] | None:
    """What the zygote said; None at its end."""
    assert zygote.sock is not None
    said: list[zygote_protocol.FromFileZygote] = []
    while True:
        try:
            body = zygote.sock.recv(zygote_protocol.PACKET_MAX)
        except BlockingIOError:
            return said
        except OSError:
            body = b""
        if not body:
            return said or None
        said.append(_decoder.decode(body))


_decoder: msgspec.msgpack.Decoder[zygote_protocol.FromFileZygote] = msgspec.msgpack.Decoder(zygote_protocol.FromFileZygote)
