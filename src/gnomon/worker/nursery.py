"""Where children come from: a spare that waits, a fork of the file's zygote, or a new interpreter."""

from __future__ import annotations

import itertools
import socket
from collections.abc import Iterable, Mapping

from gnomon.model.questions import AnyQuestion
from gnomon.processes import interpreters
from gnomon.processes.refusals import refusal
from gnomon.worker import orders, zygotes
from gnomon.worker.children import Child, new_child
from gnomon.worker.ledger import Held
from gnomon.worker.nursery_host import Host
from gnomon.worker.spawn_queue import SpawnQueue, SpawnRefused
from gnomon.worker.zygotes import ZYGOTES_MAX, BaseZygote, Key, Zygote, key_of

FRESH = "gnomon.runner.fresh"
"""Runs one attempt in a new interpreter."""
IDLE_S = 5.0
"""A child without an attempt leaves after so long."""
FAILED_IMPORT_KEPT_S = 30.0
"""So long, attempts of a file whose import failed go straight to new interpreters."""


class Nursery:
    """All zygotes and all children of a worker."""

    def __init__(self, host: Host, environ: Mapping[str, str], import_limit_s: float) -> None:
        self.children: dict[int, Child] = {}
        self.base = BaseZygote(environ)
        self.import_limit_s = import_limit_s
        self._host = host
        self._environ = environ
        self._zygotes: dict[Key, Zygote] = {}
        self._retired: list[Zygote] = []
        self._by_number: dict[int, Zygote] = {}
        self._numbers = itertools.count(1)
        self._queue = SpawnQueue()

    def start(self, now: float) -> None:
        """The base zygote exists; one that the machine refuses is started when an attempt needs it."""
        try:
            self.base.start()
        except OSError as error:
            self._queue.refused("the base zygote", refusal(error), now)

    @property
    def retired(self) -> int:
        """How many zygotes get no new attempts and still have children or attempts that wait."""
        return len(self._retired)

    # ---- attempts get children ---------------------------------------------------------------------------------------
    def place(self, held: Held, now: float) -> None:
        """The attempt has a child, or waits: for the import of its file, or until the machine allows a process again."""
        self._place(held, None, now)

    def postpone(self, held: Held, now: float) -> None:
        """The machine refused the process of this attempt, which waits until the machine is asked again."""
        self._queue.add(held, now)

    def _place(self, held: Held, zygote: Zygote | None, now: float) -> None:
        try:
            child = self._child_for(held, zygote, now)
        except SpawnRefused:
            self.postpone(held, now)
            return
        if child is not None:
            self._host.begin(child, held)

    def _child_for(self, held: Held, zygote: Zygote | None, now: float) -> Child | None:
        """A child for the attempt; None when it waits for the import of its file. `zygote`: the one that it has waited for."""
        if held.fresh:
            return self._start_fresh(now)
        zygote = zygote or self._zygote_for(held, now)
        if zygote.unfit is not None:
            held.fresh = True
            if not zygote.failed:
                held.fresh_reason = zygote.unfit
            return self._start_fresh(now)
        if zygote.ready:
            return self._take(zygote, held, now)
        zygote.waiting.append(held)
        return None

    def give_back(self, child: Child, now: float) -> bool:
        """A child that can run more attempts waits for the next; False when its zygote wants no more of it."""
        zygote = self._by_number.get(child.zygote or 0)
        if zygote is None or zygote.sock is None or self._zygotes.get(zygote.key) is not zygote:
            return False
        child.heard_at = now
        zygote.spares.append(child)
        return True

    def flush(self, now: float) -> None:
        """Every fork that was wanted in this turn is ordered, with what should wait ahead of need.

        A retired zygote still forks for the attempts that waited for its import, and no more.
        """
        for held in self._queue.take_due(now):
            self.place(held, now)
        for zygote in [zygote for zygote in self._by_number.values() if zygote.ready]:
            if self._zygotes.get(zygote.key) is zygote:
                self._order_spares(zygote, now)
            self._send_orders(zygote)

    def _order_spares(self, zygote: Zygote, now: float) -> None:
        waiting = len(zygote.spares) + sum(child.held is None for child, _ in zygote.ordered)
        try:
            for _ in range(zygote.spares_wanted(now) - waiting):
                zygote.spares.appendleft(self._order_child(zygote, now))
        except SpawnRefused:
            return  # attempts that need a child ask again

    def _take(self, zygote: Zygote, held: Held, now: float) -> Child:
        zygote.used_at = now
        if held.attempt.attempts_per_child <= 1:
            zygote.note_demand(now)
        while zygote.spares:
            child = zygote.spares.pop()
            reusable = child.attempts < held.attempt.attempts_per_child
            if child.link.ended or not reusable:
                self.let_go(child, now)
                continue
            return child
        return self._order_child(zygote, now)

    def _order_child(self, zygote: Zygote, now: float) -> Child:
        self._queue.check(now)
        try:
            child, theirs = new_child(next(self._numbers), now, zygote.number)
        except OSError as error:
            raise self._queue.refused("the socket of a child", refusal(error), now) from error
        self.children[child.number] = zygote.children[child.number] = child
        zygote.ordered.append((child, theirs))
        self._host.watch_child(child)
        return child

    def _send_orders(self, zygote: Zygote) -> None:
        while zygote.ordered and zygote.sock is not None:
            batch = zygote.ordered[: orders.FORKS_MAX]
            order = orders.Fork(numbers=tuple(child.number for child, _ in batch))
            try:
                orders.send(zygote.sock, order, tuple(theirs.fileno() for _, theirs in batch))
            except BlockingIOError:
                return  # it is busy forking; the next turn tries again
            except OSError:
                break
            del zygote.ordered[: len(batch)]
            for _, theirs in batch:
                theirs.close()
        if zygote.sock is None:
            _close_orders(zygote)

    def let_go(self, child: Child, now: float) -> None:
        """The child is wanted no more: the end of its socket tells it."""
        child.leaving_at = child.leaving_at or now
        try:
            child.link.sock.shutdown(socket.SHUT_WR)
        except OSError:
            return  # it went by itself

    # ---- new interpreters --------------------------------------------------------------------------------------------
    def _start_fresh(self, now: float) -> Child:
        self._queue.check(now)
        try:
            child, theirs = new_child(next(self._numbers), now, None)
            try:
                with theirs:
                    child.pid = interpreters.start(FRESH, theirs, self._environ)
            except OSError:
                child.link.close()
                raise
        except OSError as error:
            raise self._queue.refused("a new interpreter", refusal(error), now) from error
        self._queue.backoff.succeeded()
        self.children[child.number] = child
        self._host.watch_child(child)
        return child

    # ---- zygotes -----------------------------------------------------------------------------------------------------
    def obey(self, zygote: Zygote, now: float) -> None:
        """Take in what a zygote said, and its end."""
        said = zygotes.read(zygote)
        for order in said or ():
            match order:
                case orders.ZygoteRefused(error=error):
                    self._zygote_refused(zygote, error, now)
                case orders.Loading(pid=pid):
                    zygote.pid = pid
                    self._queue.backoff.succeeded()
                case orders.Asked(question=question):
                    self._tell(zygote, question)
                case orders.Loaded(fresh=fresh, error=error):
                    self._loaded(zygote, fresh or error, error is not None, now)
                case orders.ForksRefused(numbers=numbers, error=error):
                    self._forks_refused(zygote, numbers, error, now)
                case orders.Born(children=born):
                    self._queue.backoff.succeeded()
                    for number, pid in born:
                        if number in self.children:
                            self.children[number].born(pid)
                case orders.Gone(children=gone):
                    for number, code in gone:
                        self.forget_child(number, code)
        if said is None:
            self._zygote_ended(zygote, now)

    def _tell(self, zygote: Zygote, question: AnyQuestion) -> None:
        try:
            told = orders.Told(value=self._host.answer_import(question))
        except Exception as error:  # the edge: a question must not end the worker
            told = orders.Told(error=str(error))
        if zygote.sock is not None:
            try:
                orders.tell(zygote.sock, told)
            except OSError:
                return  # it has ended, which is heard next

    def _loaded(self, zygote: Zygote, unfit: str | None, failed: bool, now: float) -> None:
        waiting, zygote.waiting = zygote.waiting, []
        zygote.used_at = now
        if unfit is None:
            zygote.ready = True
        else:
            zygote.unfit, zygote.failed = unfit, failed
            self._close(zygote)
        for held in waiting:
            if not held.ended:
                self._place(held, zygote, now)
        self._close_unneeded(zygote)

    def _zygote_refused(self, zygote: Zygote, error: str, now: float) -> None:
        """The base zygote could not fork it: what waited for its import asks for it again after the pause."""
        self._queue.refused(f"the zygote of {zygote.key[0]}", error, now)
        if self._zygotes.get(zygote.key) is zygote:
            del self._zygotes[zygote.key]
        self._close(zygote)
        for held in zygote.waiting:
            self.postpone(held, now)
        zygote.waiting.clear()

    def _forks_refused(self, zygote: Zygote, numbers: Iterable[int], error: str, now: float) -> None:
        """The zygote could not fork these children: their attempts ask for others after the pause."""
        self._queue.refused(f"a fork of the zygote of {zygote.key[0]}", error, now)
        for number in numbers:
            child = self.children.pop(number, None)
            zygote.children.pop(number, None)
            if child is not None:
                if child in zygote.spares:
                    zygote.spares.remove(child)
                self._host.child_refused(child)
        self._close_unneeded(zygote)

    def _zygote_ended(self, zygote: Zygote, now: float) -> None:
        """Its children live on; what waited for its import goes to new interpreters."""
        if self._zygotes.get(zygote.key) is zygote and zygote.ready:
            del self._zygotes[zygote.key]
        was_ready = zygote.ready
        self._close(zygote)
        self._let_spares_go(zygote, now)
        if not was_ready and zygote.unfit is None:
            self._loaded(zygote, "the process that imported the file died", True, now)

    def _close(self, zygote: Zygote) -> None:
        if zygote.sock is not None:
            self._host.forget_zygote(zygote)
            zygotes.end(zygote)
        zygote.ready = False
        self._by_number.pop(zygote.number, None)
        if zygote in self._retired:
            self._retired.remove(zygote)
        _close_orders(zygote)

    def forget_child(self, number: int, code: int | None) -> None:
        """The child's process is gone, with this exit code."""
        child = self.children.pop(number, None)
        if child is None:
            return
        zygote = self._by_number.get(child.zygote or 0)
        if zygote is not None:
            zygote.children.pop(number, None)
            if child in zygote.spares:
                zygote.spares.remove(child)
            self._close_unneeded(zygote)
        self._host.child_gone(child, code)

    def _zygote_for(self, held: Held, now: float) -> Zygote:
        key = key_of(held.attempt)
        zygote = self._zygotes.get(key)
        max_age_s = held.attempt.zygote_max_age_s
        if zygote is not None and max_age_s is not None and now - zygote.opened_at > max_age_s:
            self._retire(zygote, now)
            zygote = None
        if zygote is not None:
            zygote.used_at = now
            return zygote
        return self._open(key, now)

    def _open(self, key: Key, now: float) -> Zygote:
        self._queue.check(now)
        try:
            sock = self.base.open(key[0])
        except OSError as error:
            raise self._queue.refused(f"the zygote of {key[0]}", refusal(error), now) from error
        for other in [z for z in self._zygotes.values() if z.key[0] == key[0]]:
            self._retire(other, now)
        while len(self._zygotes) >= ZYGOTES_MAX:
            self._retire(min(self._zygotes.values(), key=lambda zygote: zygote.used_at), now)
        zygote = Zygote(next(self._numbers), key, sock, opened_at=now, used_at=now)
        self._zygotes[key] = zygote
        self._by_number[zygote.number] = zygote
        self._host.watch_zygote(zygote)
        return zygote

    def _retire(self, zygote: Zygote, now: float) -> None:
        """No new children of it; it goes when its last one has gone."""
        del self._zygotes[zygote.key]
        self._let_spares_go(zygote, now)
        self._send_orders(zygote)
        self._retired.append(zygote)
        self._close_unneeded(zygote)

    def _close_unneeded(self, zygote: Zygote) -> None:
        """A retired zygote is closed once it has no child and no attempt waits for its import."""
        if zygote in self._retired and not zygote.children and all(held.ended for held in zygote.waiting):
            self._close(zygote)

    def _let_spares_go(self, zygote: Zygote, now: float) -> None:
        while zygote.spares:
            self.let_go(zygote.spares.pop(), now)

    # ---- time --------------------------------------------------------------------------------------------------------
    def tick(self, now: float) -> None:
        """Idle children leave; an import that hangs, or that no attempt waits for any more, ends; what failed may be tried again."""
        for zygote in list(self._by_number.values()):
            while zygote.spares and now - max(zygote.spares[0].heard_at, zygote.spares[0].born_at) > IDLE_S:
                self.let_go(zygote.spares.popleft(), now)
            if not zygote.ready and zygote.unfit is None and now - zygote.opened_at > self.import_limit_s:
                self._loaded(zygote, f"the import took longer than {self.import_limit_s:g} s", True, now)
        for zygote in list(self._retired):
            self._close_unneeded(zygote)
        for zygote in [z for z in self._zygotes.values() if z.failed and now - z.opened_at > FAILED_IMPORT_KEPT_S]:
            del self._zygotes[zygote.key]
        for held, reason in self._queue.take_overdue(now):
            self._host.give_back(held, reason)

    def close(self) -> None:
        """Every zygote is told to go."""
        for zygote in list(self._by_number.values()):
            self._close(zygote)
        self._zygotes.clear()
        self._retired.clear()
        self._queue.clear()
        self.base.forget()

    def kill_zygote_of(self, child: Child, now: float) -> None:
        """The zygote does not answer: it ends, and the children it did not fork with it."""
        zygote = self._by_number.get(child.zygote or 0)
        if zygote is not None:
            zygote.ready = False  # so that it is killed, not asked to go
            self._zygotes.pop(zygote.key, None)
            self._close(zygote)
            self._let_spares_go(zygote, now)

    def has_zygote(self, child: Child) -> bool:
        """Somebody will report the end of this child."""
        return (child.zygote or 0) in self._by_number

    def known_pids(self) -> set[int]:
        """The processes that may be direct children of this one."""
        pids = {zygote.pid for zygote in self._by_number.values()} | {child.pid for child in self.children.values()}
        return {pid for pid in pids | {self.base.pid} if pid is not None}


def _close_orders(zygote: Zygote) -> None:
    for _, theirs in zygote.ordered:
        theirs.close()
    zygote.ordered.clear()
