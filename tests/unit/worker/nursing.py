"""A nursery without a worker: the test plays the base zygote and every file zygote, over real sockets."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from gnomon.model.attempts import Attempt, RunFacts
from gnomon.worker import zygote_protocol
from gnomon.worker.attempt_registry import PendingAttempt
from gnomon.worker.child_pool import ChildPool
from gnomon.worker.child_process import ChildProcess
from gnomon.worker.zygote_clients import BaseZygoteClient, FileZygoteClient

IMPORT_LIMIT_S = 30.0


class PlayedBase(BaseZygoteClient):
    """Its file zygotes are sockets that the test holds, in the order of their making."""

    def __init__(self) -> None:
        super().__init__({})
        self.zygotes: list[socket.socket] = []

    def open_file_zygote(self, file: str) -> socket.socket:
        ours, theirs = zygote_protocol.create_socket_pair()
        ours.setblocking(False)
        theirs.settimeout(5.0)
        self.zygotes.append(theirs)
        return ours


class Hosting:
    """The service, as the nursery needs it: it notes what it is told, and hears zygotes when the test says so."""

    def __init__(self) -> None:
        self.base = PlayedBase()
        self.child_pool = ChildPool(self, {}, IMPORT_LIMIT_S)
        self.child_pool.base_zygote = self.base
        self.watched: list[FileZygoteClient] = []
        self.begun: list[tuple[ChildProcess, PendingAttempt]] = []
        self.gone: list[ChildProcess] = []
        self.given_back: list[tuple[PendingAttempt, str]] = []
        self.now = 0.0

    def watch_zygote(self, zygote: FileZygoteClient) -> None:
        self.watched.append(zygote)

    def unwatch_zygote(self, zygote: FileZygoteClient) -> None:
        self.watched.remove(zygote)

    def watch_child(self, child: ChildProcess) -> None: ...

    def answer_import_request(self, question: object) -> object:
        raise AssertionError(question)

    def start_attempt(self, child: ChildProcess, held: PendingAttempt) -> None:
        child.pending = held
        self.begun.append((child, held))

    def on_child_exit(self, child: ChildProcess, code: int | None) -> None:
        child.link.close()
        self.gone.append(child)

    def child_refused(self, child: ChildProcess) -> None:
        child.link.close()
        if child.pending is not None:
            self.child_pool.postpone(child.pending, self.now)

    def give_back(self, held: PendingAttempt, reason: str) -> None:
        self.given_back.append((held, reason))

    def hear(self, now: float = 0.0) -> None:
        """Everything that zygotes have said is taken in."""
        self.now = now
        for zygote in list(self.watched):
            self.child_pool.handle_zygote_messages(zygote, now)

    def close(self) -> None:
        self.child_pool.close()
        for sock in self.base.zygotes:
            sock.close()
        for child in self.child_pool.children.values():
            child.link.close()


def held(file: str = "/d.py", input_hash: str = "1", *, fresh: bool = False) -> PendingAttempt:
    run = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0)
    attempt = Attempt(attempt_id="a", group_no=1, epoch=1, run=run, task_id="t", task_no=1, file=file, input_hash=input_hash)
    return PendingAttempt(attempt, fresh=fresh)


def descriptors() -> int:
    """How many this process has open."""
    return len(list(Path(f"/proc/{os.getpid()}/fd").iterdir()))
