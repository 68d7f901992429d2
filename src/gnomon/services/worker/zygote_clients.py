"""The worker's side of the base zygote and of the file zygotes, of which there are ZYGOTES_MAX at most."""

from __future__ import annotations

import os
import signal
import socket
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from gnomon.author_code.processes import host_process
from gnomon.author_code.processes.message_stream import decode_message
from gnomon.author_code.processes.packets import create_packet_pair, send_packet
from gnomon.ground import log
from gnomon.model.attempts import Attempt
from gnomon.services.worker import zygote_protocol
from gnomon.services.worker.attempt_registry import PendingAttempt
from gnomon.services.worker.child_process import ChildProcess, is_process_number

events = log.get_logger("worker")

BASE_MODULE = "gnomon.services.worker.zygote_main"
"""The module that starts the base zygote."""
ZYGOTES_MAX = 16
DEMAND_WINDOW_S = 2.0
"""The demand of this time decides how many idle children are kept."""
IDLE_CHILDREN_MAX = 8


class ZygoteKey(NamedTuple):
    """What a file zygote has imported."""

    file: str
    input_hash: str
    bundle_name: str | None = None
    bundle_version: str | None = None
    """None: the present file."""

    def replaces(self, other: ZygoteKey) -> bool:
        """Whether attempts of the other key do not come any more: the file has changed. Versions of a bundle are used beside one another."""
        return self.file == other.file and self.bundle_version is None and other.bundle_version is None


@dataclass(slots=True, eq=False)
class FileZygoteClient:
    """One file zygote; also kept when its file cannot be forked."""

    number: int
    key: ZygoteKey
    sock: socket.socket | None
    opened_at: float
    used_at: float
    pid: int | None = None
    is_ready: bool = False
    is_unreadable: bool = False
    """It sent a message that cannot be read, and ends."""
    no_fork_reason: str | None = None
    """Why attempts of this file version run in new interpreters."""
    is_import_failed: bool = False
    """True when the import failed or took too long; False when the import succeeded and the process must not be forked."""
    waiting: list[PendingAttempt] = field(default_factory=list)
    """Attempts that wait for the end of the import."""
    idle_children: deque[ChildProcess] = field(default_factory=deque)
    """Children without an attempt, the longest idle first."""
    requested_children: list[tuple[ChildProcess, socket.socket]] = field(default_factory=list)
    """Children to fork at the end of this turn of the loop, with the sockets for them."""
    children: dict[int, ChildProcess] = field(default_factory=dict)
    demand_times: deque[float] = field(default_factory=deque)
    """When children were requested, within DEMAND_WINDOW_S."""

    def set_pid(self, pid: int) -> None:
        """Record the pid; another number that code of the file sends later is no pid of this process."""
        if self.pid is None and is_process_number(pid):
            self.pid = pid

    def record_demand(self, now: float) -> None:
        """Record the request of a child."""
        self.used_at = now
        self.demand_times.append(now)
        self._drop_old_demand(now)

    def count_idle_wanted(self, now: float) -> int:
        """How many idle children to keep."""
        self._drop_old_demand(now)
        return min(IDLE_CHILDREN_MAX, len(self.demand_times))

    def _drop_old_demand(self, now: float) -> None:
        while self.demand_times and (
            len(self.demand_times) > IDLE_CHILDREN_MAX or self.demand_times[0] < now - DEMAND_WINDOW_S
        ):
            self.demand_times.popleft()


def zygote_key(attempt: Attempt) -> ZygoteKey:
    """The key of the zygote for the attempt."""
    version = attempt.run.bundle_version
    if version is None or attempt.bundle_name is None:
        return ZygoteKey(attempt.file, attempt.input_hash)
    return ZygoteKey(attempt.file, "", attempt.bundle_name, version)


class BaseZygoteClient:
    """The process that forks file zygotes; started again when it has died."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._sock: socket.socket | None = None
        self.pid: int | None = None

    def open_file_zygote(self, key: ZygoteKey) -> socket.socket:
        """Fork a file zygote, which begins to import the file of `key`, and return the socket to it. Raises OSError when the machine refuses a process or a socket."""
        local_socket, remote_socket = create_packet_pair()
        local_socket.setblocking(False)
        try:
            with remote_socket:
                self._order(key, remote_socket)
        except OSError:
            local_socket.close()
            raise
        return local_socket

    def _order(self, key: ZygoteKey, remote_socket: socket.socket) -> None:
        """Send the order to the base zygote; restart one that has died, once."""
        for last in (False, True):
            sock = self._ensure_started()
            try:
                order = zygote_protocol.OpenFileZygote(
                    file=key.file, bundle_name=key.bundle_name, bundle_version=key.bundle_version
                )
                send_packet(sock, order, (remote_socket.fileno(),))
                return
            except OSError:
                self.discard()
                if last:
                    raise

    def start(self) -> None:
        """Start the process if it does not run. Raises OSError when the machine refuses it."""
        self._ensure_started()

    def discard(self) -> None:
        """Close the socket, which ends the process; the next order starts another."""
        if self._sock is not None:
            self._sock.close()
        self._sock = self.pid = None

    def _ensure_started(self) -> socket.socket:
        if self._sock is None:
            local_socket, remote_socket = create_packet_pair()
            try:
                with remote_socket:
                    self.pid = host_process.spawn_interpreter(BASE_MODULE, remote_socket, self._environ)
            except OSError:
                local_socket.close()
                raise
            self._sock = local_socket
        return self._sock


def end_zygote(zygote: FileZygoteClient) -> None:
    """Close the socket of the zygote, which ends it; kill it while it imports."""
    if zygote.sock is not None:
        if not zygote.is_ready and zygote.pid is not None:
            try:
                os.kill(zygote.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        zygote.sock.close()
        zygote.sock = None


def read_messages(zygote: FileZygoteClient) -> list[zygote_protocol.FromFileZygote] | None:
    """The messages of the zygote that have arrived; None at its end, and after one that cannot be read."""
    assert zygote.sock is not None
    if zygote.is_unreadable:
        return None
    messages: list[zygote_protocol.FromFileZygote] = []
    while True:
        try:
            body = zygote.sock.recv(zygote_protocol.PACKET_MAX)
        except BlockingIOError:
            return messages
        except OSError:
            body = b""
        if not body:
            return messages or None
        try:
            messages.append(decode_message(_decoder, body))
        except (
            msgspec.DecodeError
        ) as error:  # code of the DAG file wrote into the socket: what follows cannot be trusted
            events.error("zygote_unreadable", file=zygote.key.file, fault=str(error))
            zygote.is_unreadable = True
            return messages or None


_decoder: msgspec.msgpack.Decoder[zygote_protocol.FromFileZygote] = msgspec.msgpack.Decoder(
    zygote_protocol.FromFileZygote
)
