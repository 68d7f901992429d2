"""A nursery without a worker: the test plays the base zygote and every file zygote, over real sockets."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from gnomon.model.facts import Attempt, RunFacts
from gnomon.worker import orders
from gnomon.worker.children import Child
from gnomon.worker.ledger import Held
from gnomon.worker.nursery import Nursery
from gnomon.worker.zygotes import BaseZygote, Zygote

IMPORT_LIMIT_S = 30.0


class PlayedBase(BaseZygote):
    """Its file zygotes are sockets that the test holds, in the order of their making."""

    def __init__(self) -> None:
        super().__init__({})
        self.zygotes: list[socket.socket] = []

    def open(self, file: str) -> socket.socket:
        ours, theirs = orders.socket_pair()
        ours.setblocking(False)
        theirs.settimeout(5.0)
        self.zygotes.append(theirs)
        return ours


class Hosting:
    """The service, as the nursery needs it: it notes what it is told, and hears zygotes when the test says so."""

    def __init__(self) -> None:
        self.base = PlayedBase()
        self.nursery = Nursery(self, {}, IMPORT_LIMIT_S)
        self.nursery.base = self.base
        self.watched: list[Zygote] = []
        self.begun: list[tuple[Child, Held]] = []
        self.gone: list[Child] = []
        self.given_back: list[tuple[Held, str]] = []
        self.now = 0.0

    def watch_zygote(self, zygote: Zygote) -> None:
        self.watched.append(zygote)

    def forget_zygote(self, zygote: Zygote) -> None:
        self.watched.remove(zygote)

    def watch_child(self, child: Child) -> None: ...

    def answer_import(self, question: object) -> object:
        raise AssertionError(question)

    def begin(self, child: Child, held: Held) -> None:
        child.held = held
        self.begun.append((child, held))

    def child_gone(self, child: Child, code: int | None) -> None:
        child.link.close()
        self.gone.append(child)

    def child_refused(self, child: Child) -> None:
        child.link.close()
        if child.held is not None:
            self.nursery.postpone(child.held, self.now)

    def give_back(self, held: Held, reason: str) -> None:
        self.given_back.append((held, reason))

    def hear(self, now: float = 0.0) -> None:
        """Everything that zygotes have said is taken in."""
        self.now = now
        for zygote in list(self.watched):
            self.nursery.obey(zygote, now)

    def close(self) -> None:
        self.nursery.close()
        for sock in self.base.zygotes:
            sock.close()
        for child in self.nursery.children.values():
            child.link.close()


def held(file: str = "/d.py", input_hash: str = "1", *, fresh: bool = False) -> Held:
    run = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0)
    attempt = Attempt(attempt_id="a", group_no=1, epoch=1, run=run, task_id="t", task_no=1, file=file, input_hash=input_hash)
    return Held(attempt, fresh=fresh)


def descriptors() -> int:
    """How many this process has open."""
    return len(list(Path(f"/proc/{os.getpid()}/fd").iterdir()))
