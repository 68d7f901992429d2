"""Where children come from: a spare that waits, a fork of the file's zygote, or a new interpreter."""

from __future__ import annotations

import itertools
import socket
from collections.abc import Iterable, Mapping

from gnomon import log
from gnomon.processes import host_process
from gnomon.processes.packets import send_packet
from gnomon.processes.spawn_backoff import describe_refusal
from gnomon.processes.task_api_messages import TaskApiRequestMessage, answer_request
from gnomon.worker import zygote_clients, zygote_protocol
from gnomon.worker.attempt_registry import PendingAttempt
from gnomon.worker.child_pool_callbacks import ChildPoolCallbacks
from gnomon.worker.child_process import ChildProcess, create_child
from gnomon.worker.spawn_queue import SpawnQueue, SpawnRefused
from gnomon.worker.worker_store import REFUSALS
from gnomon.worker.zygote_clients import ZYGOTES_MAX, BaseZygoteClient, FileZygoteClient, ZygoteKey, zygote_key

events = log.get_logger("worker")

INTERPRETER_MODULE = "gnomon.runner.interpreter_main"
"""Runs one attempt in a new interpreter."""
CHILD_IDLE_S = 5.0
"""A child without an attempt leaves after so long."""
FAILED_IMPORT_RETRY_S = 30.0
"""So long, attempts of a file whose import failed go straight to new interpreters."""


class ChildPool:
    """All zygotes and all children of a worker."""

    def __init__(self, host: ChildPoolCallbacks, environ: Mapping[str, str], import_limit_s: float) -> None:
        self.children: dict[int, ChildProcess] = {}
        self.base_zygote = BaseZygoteClient(environ)
        self.import_limit_s = import_limit_s
        self._callbacks = host
        self._environ = environ
        self._zygotes: dict[ZygoteKey, FileZygoteClient] = {}
        self._retired: list[FileZygoteClient] = []
        self._by_number: dict[int, FileZygoteClient] = {}
        self._numbers = itertools.count(1)
        self._queue = SpawnQueue()

    def start(self, now: float) -> None:
        """The base zygote exists; one that the machine refuses is started when an attempt needs it."""
        try:
            self.base_zygote.start()
        except OSError as error:
            self._queue.refused("the base zygote", describe_refusal(error), now)

    @property
    def retired(self) -> int:
        """How many zygotes get no new attempts and still have children or attempts that wait."""
        return len(self._retired)

    # ---- attempts get children ---------------------------------------------------------------------------------------
    def assign_child(self, held: PendingAttempt, now: float) -> None:
        """The attempt has a child, or waits: for the import of its file, or until the machine allows a process again."""
        self._place(held, None, now)

    def postpone(self, held: PendingAttempt, now: float) -> None:
        """The machine refused the process of this attempt, which waits until the machine is asked again."""
        self._queue.add(held, now)

    def _place(self, held: PendingAttempt, zygote: FileZygoteClient | None, now: float) -> None:
        try:
            child = self._child_for(held, zygote, now)
        except SpawnRefused:
            self.postpone(held, now)
            return
        if child is not None:
            self._callbacks.start_attempt(child, held)

    def _child_for(self, held: PendingAttempt, zygote: FileZygoteClient | None, now: float) -> ChildProcess | None:
        """A child for the attempt; None when it waits for the import of its file. `zygote`: the one that it has waited for."""
        if held.fresh:
            return self._start_in_interpreter(now)
        zygote = zygote or self._zygote_for(held, now)
        if zygote.no_fork_reason is not None:
            held.fresh = True
            if not zygote.is_import_failed:
                held.fresh_reason = zygote.no_fork_reason
            return self._start_in_interpreter(now)
        if zygote.is_ready:
            return self._start_in_child(zygote, held, now)
        zygote.waiting.append(held)
        return None

    def return_child(self, child: ChildProcess, now: float) -> bool:
        """A child that can run more attempts waits for the next; False when its zygote wants no more of it."""
        zygote = self._by_number.get(child.zygote or 0)
        if zygote is None or zygote.sock is None or self._zygotes.get(zygote.key) is not zygote:
            return False
        child.last_message_at = now
        zygote.idle_children.append(child)
        return True

    def flush(self, now: float) -> None:
        """Every fork that was wanted in this turn is ordered, with what should wait ahead of need.

        A retired zygote still forks for the attempts that waited for its import, and no more.
        """
        for held in self._queue.take_due(now):
            self.assign_child(held, now)
        for zygote in [zygote for zygote in self._by_number.values() if zygote.is_ready]:
            if self._zygotes.get(zygote.key) is zygote:
                self._order_spares(zygote, now)
            self._send_fork_requests(zygote)

    def _order_spares(self, zygote: FileZygoteClient, now: float) -> None:
        waiting = len(zygote.idle_children) + sum(child.pending is None for child, _ in zygote.requested_children)
        try:
            for _ in range(zygote.count_idle_wanted(now) - waiting):
                zygote.idle_children.appendleft(self._request_child(zygote, now))
        except SpawnRefused:
            return  # attempts that need a child ask again

    def _start_in_child(self, zygote: FileZygoteClient, held: PendingAttempt, now: float) -> ChildProcess:
        zygote.used_at = now
        if held.attempt.attempts_per_child <= 1:
            zygote.record_demand(now)
        while zygote.idle_children:
            child = zygote.idle_children.pop()
            reusable = child.attempts < held.attempt.attempts_per_child
            if child.stream.ended or not reusable:
                self.release_child(child, now)
                continue
            return child
        return self._request_child(zygote, now)

    def _request_child(self, zygote: FileZygoteClient, now: float) -> ChildProcess:
        self._queue.check(now)
        try:
            child, theirs = create_child(next(self._numbers), now, zygote.number)
        except OSError as error:
            raise self._queue.refused("the socket of a child", describe_refusal(error), now) from error
        self.children[child.number] = zygote.children[child.number] = child
        zygote.requested_children.append((child, theirs))
        self._callbacks.watch_child(child)
        return child

    def _send_fork_requests(self, zygote: FileZygoteClient) -> None:
        while zygote.requested_children and zygote.sock is not None:
            batch = zygote.requested_children[: zygote_protocol.FORKS_MAX]
            order = zygote_protocol.ForkChildren(numbers=tuple(child.number for child, _ in batch))
            try:
                send_packet(zygote.sock, order, tuple(theirs.fileno() for _, theirs in batch))
            except BlockingIOError:
                return  # it is busy forking; the next turn tries again
            except OSError:
                break
            del zygote.requested_children[: len(batch)]
            for _, theirs in batch:
                theirs.close()
        if zygote.sock is None:
            _close_requested_sockets(zygote)

    def release_child(self, child: ChildProcess, now: float) -> None:
        """The child is wanted no more: the end of its socket tells it."""
        child.exiting_since = child.exiting_since or now
        try:
            child.stream.sock.shutdown(socket.SHUT_WR)
        except OSError:
            return  # it went by itself

    # ---- new interpreters --------------------------------------------------------------------------------------------
    def _start_in_interpreter(self, now: float) -> ChildProcess:
        self._queue.check(now)
        try:
            child, theirs = create_child(next(self._numbers), now, None)
            try:
                with theirs:
                    child.pid = host_process.spawn_interpreter(INTERPRETER_MODULE, theirs, self._environ)
            except OSError:
                child.stream.close()
                raise
        except OSError as error:
            raise self._queue.refused("a new interpreter", describe_refusal(error), now) from error
        self._queue.backoff.succeeded()
        self.children[child.number] = child
        self._callbacks.watch_child(child)
        return child

    # ---- zygotes -----------------------------------------------------------------------------------------------------
    def handle_zygote_messages(self, zygote: FileZygoteClient, now: float) -> None:
        """Take in what a zygote said, and its end."""
        said = zygote_clients.read_messages(zygote)
        for order in said or ():
            match order:
                case zygote_protocol.ZygoteRefused(error=error):
                    self._zygote_refused(zygote, error, now)
                case zygote_protocol.ImportStarted(pid=pid):
                    zygote.pid = pid
                    self._queue.backoff.succeeded()
                case TaskApiRequestMessage():
                    self._answer_zygote(zygote, order)
                case zygote_protocol.ImportFinished(fresh=fresh, error=error):
                    self._on_import_finished(zygote, fresh or error, error is not None, now)
                case zygote_protocol.ForksRefused(numbers=numbers, error=error):
                    self._forks_refused(zygote, numbers, error, now)
                case zygote_protocol.ChildrenForked(children=born):
                    self._queue.backoff.succeeded()
                    for number, pid in born:
                        if number in self.children:
                            self.children[number].set_pid(pid)
                case zygote_protocol.ChildrenExited(children=gone):
                    for number, code in gone:
                        self.remove_child(number, code)
        if said is None:
            self._on_zygote_exit(zygote, now)

    def _answer_zygote(self, zygote: FileZygoteClient, message: TaskApiRequestMessage) -> None:
        response = answer_request(self._callbacks.answer_import_request, message, log=events, refusals=REFUSALS)
        if zygote.sock is not None:
            try:
                zygote_protocol.send_import_response(zygote.sock, response)
            except OSError:
                return  # the zygote has ended; its socket reports that next

    def _on_import_finished(self, zygote: FileZygoteClient, unfit: str | None, failed: bool, now: float) -> None:
        waiting, zygote.waiting = zygote.waiting, []
        zygote.used_at = now
        if unfit is None:
            zygote.is_ready = True
        else:
            zygote.no_fork_reason, zygote.is_import_failed = unfit, failed
            self._close_zygote(zygote)
        for held in waiting:
            if not held.is_ended:
                self._place(held, zygote, now)
        self._close_unneeded(zygote)

    def _zygote_refused(self, zygote: FileZygoteClient, error: str, now: float) -> None:
        """The base zygote could not fork it: what waited for its import asks for it again after the pause."""
        self._queue.refused(f"the zygote of {zygote.key[0]}", error, now)
        if self._zygotes.get(zygote.key) is zygote:
            del self._zygotes[zygote.key]
        self._close_zygote(zygote)
        for held in zygote.waiting:
            self.postpone(held, now)
        zygote.waiting.clear()

    def _forks_refused(self, zygote: FileZygoteClient, numbers: Iterable[int], error: str, now: float) -> None:
        """The zygote could not fork these children: their attempts ask for others after the pause."""
        self._queue.refused(f"a fork of the zygote of {zygote.key[0]}", error, now)
        for number in numbers:
            child = self.children.pop(number, None)
            zygote.children.pop(number, None)
            if child is not None:
                if child in zygote.idle_children:
                    zygote.idle_children.remove(child)
                self._callbacks.child_refused(child)
        self._close_unneeded(zygote)

    def _on_zygote_exit(self, zygote: FileZygoteClient, now: float) -> None:
        """Its children live on; what waited for its import goes to new interpreters."""
        if self._zygotes.get(zygote.key) is zygote and zygote.is_ready:
            del self._zygotes[zygote.key]
        was_ready = zygote.is_ready
        self._close_zygote(zygote)
        self._release_idle_children(zygote, now)
        if not was_ready and zygote.no_fork_reason is None:
            self._on_import_finished(zygote, "the process that imported the file died", True, now)

    def _close_zygote(self, zygote: FileZygoteClient) -> None:
        if zygote.sock is not None:
            self._callbacks.unwatch_zygote(zygote)
            zygote_clients.end_zygote(zygote)
        zygote.is_ready = False
        self._by_number.pop(zygote.number, None)
        if zygote in self._retired:
            self._retired.remove(zygote)
        _close_requested_sockets(zygote)

    def remove_child(self, number: int, code: int | None) -> None:
        """The child's process is gone, with this exit code."""
        child = self.children.pop(number, None)
        if child is None:
            return
        zygote = self._by_number.get(child.zygote or 0)
        if zygote is not None:
            zygote.children.pop(number, None)
            if child in zygote.idle_children:
                zygote.idle_children.remove(child)
            self._close_unneeded(zygote)
        self._callbacks.on_child_exit(child, code)

    def _zygote_for(self, held: PendingAttempt, now: float) -> FileZygoteClient:
        key = zygote_key(held.attempt)
        zygote = self._zygotes.get(key)
        max_age_s = held.attempt.zygote_max_age_s
        if zygote is not None and max_age_s is not None and now - zygote.opened_at > max_age_s:
            self._retire_zygote(zygote, now)
            zygote = None
        if zygote is not None:
            zygote.used_at = now
            return zygote
        return self._open_zygote(key, now)

    def _open_zygote(self, key: ZygoteKey, now: float) -> FileZygoteClient:
        self._queue.check(now)
        try:
            sock = self.base_zygote.open_file_zygote(key[0])
        except OSError as error:
            raise self._queue.refused(f"the zygote of {key[0]}", describe_refusal(error), now) from error
        for other in [z for z in self._zygotes.values() if z.key[0] == key[0]]:
            self._retire_zygote(other, now)
        while len(self._zygotes) >= ZYGOTES_MAX:
            self._retire_zygote(min(self._zygotes.values(), key=lambda zygote: zygote.used_at), now)
        zygote = FileZygoteClient(next(self._numbers), key, sock, opened_at=now, used_at=now)
        self._zygotes[key] = zygote
        self._by_number[zygote.number] = zygote
        self._callbacks.watch_zygote(zygote)
        return zygote

    def _retire_zygote(self, zygote: FileZygoteClient, now: float) -> None:
        """No new children of it; it goes when its last one has gone."""
        del self._zygotes[zygote.key]
        self._release_idle_children(zygote, now)
        self._send_fork_requests(zygote)
        self._retired.append(zygote)
        self._close_unneeded(zygote)

    def _close_unneeded(self, zygote: FileZygoteClient) -> None:
        """A retired zygote is closed once it has no child and no attempt waits for its import."""
        if zygote in self._retired and not zygote.children and all(held.is_ended for held in zygote.waiting):
            self._close_zygote(zygote)

    def _release_idle_children(self, zygote: FileZygoteClient, now: float) -> None:
        while zygote.idle_children:
            self.release_child(zygote.idle_children.pop(), now)

    # ---- time --------------------------------------------------------------------------------------------------------
    def tick(self, now: float) -> None:
        """Idle children leave; an import that hangs, or that no attempt waits for any more, ends; what failed may be tried again."""
        for zygote in list(self._by_number.values()):
            while zygote.idle_children and now - max(zygote.idle_children[0].last_message_at, zygote.idle_children[0].created_at) > CHILD_IDLE_S:
                self.release_child(zygote.idle_children.popleft(), now)
            if not zygote.is_ready and zygote.no_fork_reason is None and now - zygote.opened_at > self.import_limit_s:
                self._on_import_finished(zygote, f"the import took longer than {self.import_limit_s:g} s", True, now)
        for zygote in list(self._retired):
            self._close_unneeded(zygote)
        for zygote in [z for z in self._zygotes.values() if z.is_import_failed and now - z.opened_at > FAILED_IMPORT_RETRY_S]:
            del self._zygotes[zygote.key]
        for held, reason in self._queue.take_overdue(now):
            self._callbacks.give_back(held, reason)

    def close(self) -> None:
        """Every zygote is told to go."""
        for zygote in list(self._by_number.values()):
            self._close_zygote(zygote)
        self._zygotes.clear()
        self._retired.clear()
        self._queue.clear()
        self.base_zygote.discard()

    def kill_zygote_of_child(self, child: ChildProcess, now: float) -> None:
        """The zygote does not answer: it ends, and the children it did not fork with it."""
        zygote = self._by_number.get(child.zygote or 0)
        if zygote is not None:
            zygote.is_ready = False  # so that it is killed, not asked to go
            self._zygotes.pop(zygote.key, None)
            self._close_zygote(zygote)
            self._release_idle_children(zygote, now)

    def has_zygote(self, child: ChildProcess) -> bool:
        """Somebody will report the end of this child."""
        return (child.zygote or 0) in self._by_number

    def known_pids(self) -> set[int]:
        """The processes that may be direct children of this one."""
        pids = {zygote.pid for zygote in self._by_number.values()} | {child.pid for child in self.children.values()}
        return {pid for pid in pids | {self.base_zygote.pid} if pid is not None}


def _close_requested_sockets(zygote: FileZygoteClient) -> None:
    for _, theirs in zygote.requested_children:
        theirs.close()
    zygote.requested_children.clear()
