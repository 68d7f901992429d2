"""A ChildPool without a worker: the test sends the messages of the base zygote and of the file zygotes, over real sockets."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from gnomon.author_code.processes.packets import create_packet_pair
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.services.worker.attempt_registry import PendingAttempt
from gnomon.services.worker.child_pool import ChildPool
from gnomon.services.worker.child_process import ChildProcess
from gnomon.services.worker.zygote_clients import BaseZygoteClient, FileZygoteClient

IMPORT_LIMIT_S = 30.0


class FakeBaseZygote(BaseZygoteClient):
    """A base zygote whose file zygotes are sockets of the test, in the order in which they were opened."""

    def __init__(self) -> None:
        super().__init__({})
        self.zygotes: list[socket.socket] = []

    def open_file_zygote(self, file: str) -> socket.socket:
        local_socket, remote_socket = create_packet_pair()
        local_socket.setblocking(False)
        remote_socket.settimeout(5.0)
        self.zygotes.append(remote_socket)
        return local_socket


class FakeWorkerLoop:
    """The ChildPoolCallbacks of a test: records the calls, and handles messages of zygotes when the test says so."""

    def __init__(self) -> None:
        self.base = FakeBaseZygote()
        self.child_pool = ChildPool(self, {}, IMPORT_LIMIT_S)
        self.child_pool.base_zygote = self.base
        self.watched: list[FileZygoteClient] = []
        self.started: list[tuple[ChildProcess, PendingAttempt]] = []
        self.exited: list[ChildProcess] = []
        self.given_back: list[tuple[PendingAttempt, str]] = []
        self.now = 0.0

    def watch_zygote(self, zygote: FileZygoteClient) -> None:
        self.watched.append(zygote)

    def unwatch_zygote(self, zygote: FileZygoteClient) -> None:
        self.watched.remove(zygote)

    def watch_child(self, child: ChildProcess) -> None: ...

    def answer_import_request(self, question: object) -> object:
        raise AssertionError(question)

    def start_attempt(self, child: ChildProcess, pending: PendingAttempt) -> None:
        child.pending = pending
        self.started.append((child, pending))

    def on_child_exit(self, child: ChildProcess, code: int | None) -> None:
        child.stream.close()
        self.exited.append(child)

    def child_refused(self, child: ChildProcess) -> None:
        child.stream.close()
        if child.pending is not None:
            self.child_pool.postpone(child.pending, self.now)

    def give_back(self, pending: PendingAttempt, reason: str) -> None:
        self.given_back.append((pending, reason))

    def handle_messages(self, now: float = 0.0) -> None:
        """Handle every message of the zygotes that has arrived."""
        self.now = now
        for zygote in list(self.watched):
            self.child_pool.handle_zygote_messages(zygote, now)

    def close(self) -> None:
        self.child_pool.close()
        for sock in self.base.zygotes:
            sock.close()
        for child in self.child_pool.children.values():
            child.stream.close()


def create_pending(file: str = "/d.py", input_hash: str = "1", *, fresh: bool = False) -> PendingAttempt:
    run = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0)
    attempt = Attempt(
        attempt_id="a", group_no=1, epoch=1, run=run, task_id="t", task_no=1, file=file, input_hash=input_hash
    )
    return PendingAttempt(attempt, fresh=fresh)


def count_descriptors() -> int:
    """The number of open descriptors of this process."""
    return len(list(Path(f"/proc/{os.getpid()}/fd").iterdir()))
