"""The children of a worker: idle children, forks of file zygotes, and new interpreters."""

from __future__ import annotations

import itertools
import socket
from collections.abc import Iterable, Mapping

from gnomon.author_code.processes import host_process
from gnomon.author_code.processes.packets import send_packet
from gnomon.author_code.processes.spawn_backoff import describe_refusal
from gnomon.author_code.processes.task_api_messages import TaskApiRequestMessage, answer_request
from gnomon.ground import log
from gnomon.services.worker import zygote_clients, zygote_protocol
from gnomon.services.worker.attempt_registry import PendingAttempt
from gnomon.services.worker.child_pool_callbacks import ChildPoolCallbacks
from gnomon.services.worker.child_process import ChildProcess, create_child, is_process_number
from gnomon.services.worker.spawn_queue import SpawnQueue, SpawnRefused
from gnomon.services.worker.worker_store import REFUSALS
from gnomon.services.worker.zygote_clients import ZYGOTES_MAX, BaseZygoteClient, FileZygoteClient, ZygoteKey, zygote_key

events = log.get_logger("worker")

INTERPRETER_MODULE = "gnomon.author_code.runner.interpreter_main"
"""The module that runs one attempt in a new interpreter."""
CHILD_IDLE_S = 5.0
"""An idle child is released after this time."""
EXIT_CODE_MAX = 255
FAILED_IMPORT_RETRY_S = 30.0
"""For this time after a failed import, attempts of the file run in new interpreters."""


class ChildPool:
    """All zygotes and all children of a worker."""

    def __init__(self, callbacks: ChildPoolCallbacks, environ: Mapping[str, str], import_limit_s: float) -> None:
        self.children: dict[int, ChildProcess] = {}
        self.base_zygote = BaseZygoteClient(environ)
        self.import_limit_s = import_limit_s
        self._callbacks = callbacks
        self._environ = environ
        self._zygotes: dict[ZygoteKey, FileZygoteClient] = {}
        self._retired: list[FileZygoteClient] = []
        self._by_number: dict[int, FileZygoteClient] = {}
        self._numbers = itertools.count(1)
        self._queue = SpawnQueue()

    def start(self, now: float) -> None:
        """Start the base zygote. If the machine refuses its process, the next attempt that needs it starts it."""
        try:
            self.base_zygote.start()
        except OSError as error:
            self._queue.refused("the base zygote", describe_refusal(error), now)

    @property
    def retired(self) -> int:
        """The number of zygotes that get no new attempts and still have children or waiting attempts."""
        return len(self._retired)

    # ---- attempts get children ---------------------------------------------------------------------------------------
    def assign_child(self, pending: PendingAttempt, now: float) -> None:
        """Give the attempt a child, or let it wait for the import of its file or for the end of a pause after a refused process."""
        self._place(pending, None, now)

    def postpone(self, pending: PendingAttempt, now: float) -> None:
        """Let the attempt wait for the end of the pause: the machine refused its process."""
        self._queue.add(pending, now)

    def _place(self, pending: PendingAttempt, zygote: FileZygoteClient | None, now: float) -> None:
        try:
            child = self._child_for(pending, zygote, now)
        except SpawnRefused:
            self.postpone(pending, now)
            return
        if child is not None:
            self._callbacks.start_attempt(child, pending)

    def _child_for(self, pending: PendingAttempt, zygote: FileZygoteClient | None, now: float) -> ChildProcess | None:
        """A child for the attempt; None when the attempt waits for the import of its file. `zygote`: the zygote whose import has ended."""
        if pending.fresh:
            return self._start_in_interpreter(now)
        zygote = zygote or self._zygote_for(pending, now)
        if zygote.no_fork_reason is not None:
            pending.fresh = True
            if not zygote.is_import_failed:
                pending.fresh_reason = zygote.no_fork_reason
            return self._start_in_interpreter(now)
        if zygote.is_ready:
            return self._start_in_child(zygote, pending, now)
        zygote.waiting.append(pending)
        return None

    def return_child(self, child: ChildProcess, now: float) -> bool:
        """Keep the child idle for the next attempt; False when its zygote is retired or gone."""
        zygote = self._by_number.get(child.zygote or 0)
        if zygote is None or zygote.sock is None or self._zygotes.get(zygote.key) is not zygote:
            return False
        child.last_message_at = now
        zygote.idle_children.append(child)
        return True

    def flush(self, now: float) -> None:
        """Order all forks that this turn of the loop requested, and idle children ahead of need.

        A retired zygote forks only for the attempts that waited for its import.
        """
        for pending in self._queue.take_due(now):
            self.assign_child(pending, now)
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
            return  # an attempt that needs a child requests it again

    def _start_in_child(self, zygote: FileZygoteClient, pending: PendingAttempt, now: float) -> ChildProcess:
        zygote.used_at = now
        if pending.attempt.attempts_per_child <= 1:
            zygote.record_demand(now)
        while zygote.idle_children:
            child = zygote.idle_children.pop()
            reusable = child.attempts < pending.attempt.attempts_per_child
            if child.stream.ended or not reusable:
                self.release_child(child, now)
                continue
            return child
        return self._request_child(zygote, now)

    def _request_child(self, zygote: FileZygoteClient, now: float) -> ChildProcess:
        self._queue.check(now)
        try:
            child, remote_socket = create_child(next(self._numbers), now, zygote.number)
        except OSError as error:
            raise self._queue.refused("the socket of a child", describe_refusal(error), now) from error
        self.children[child.number] = zygote.children[child.number] = child
        zygote.requested_children.append((child, remote_socket))
        self._callbacks.watch_child(child)
        return child

    def _send_fork_requests(self, zygote: FileZygoteClient) -> None:
        while zygote.requested_children and zygote.sock is not None:
            batch = zygote.requested_children[: zygote_protocol.FORKS_MAX]
            message = zygote_protocol.ForkChildren(numbers=tuple(child.number for child, _ in batch))
            try:
                send_packet(zygote.sock, message, tuple(remote_socket.fileno() for _, remote_socket in batch))
            except BlockingIOError:
                return  # the zygote is busy forking; the next turn tries again
            except OSError:
                break
            del zygote.requested_children[: len(batch)]
            for _, remote_socket in batch:
                remote_socket.close()
        if zygote.sock is None:
            _close_requested_sockets(zygote)

    def release_child(self, child: ChildProcess, now: float) -> None:
        """Close the socket towards the child, which makes it exit."""
        child.exiting_since = child.exiting_since or now
        try:
            child.stream.sock.shutdown(socket.SHUT_WR)
        except OSError:
            return  # the child has exited

    # ---- new interpreters --------------------------------------------------------------------------------------------
    def _start_in_interpreter(self, now: float) -> ChildProcess:
        self._queue.check(now)
        try:
            child, remote_socket = create_child(next(self._numbers), now, None)
            try:
                with remote_socket:
                    child.pid = host_process.spawn_interpreter(INTERPRETER_MODULE, remote_socket, self._environ)
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
        """Handle every message of the zygote that has arrived, and its end."""
        messages = zygote_clients.read_messages(zygote)
        for message in messages or ():
            match message:
                case zygote_protocol.ZygoteRefused(error=error):
                    self._zygote_refused(zygote, error, now)
                case zygote_protocol.ImportStarted(pid=pid):
                    zygote.set_pid(pid)
                    self._queue.backoff.succeeded()
                case TaskApiRequestMessage():
                    self._answer_zygote(zygote, message)
                case zygote_protocol.ImportFinished(fresh=fresh, error=error):
                    self._on_import_finished(zygote, fresh or error, error is not None, now)
                case zygote_protocol.ForksRefused(numbers=numbers, error=error):
                    self._forks_refused(zygote, numbers, error, now)
                case zygote_protocol.ChildrenForked(children=forked):
                    self._children_forked(zygote, forked)
                case zygote_protocol.ChildrenExited(children=exits):
                    self._children_exited(zygote, exits)
        if messages is None or zygote.is_unreadable:
            self._on_zygote_exit(zygote, now)

    def _children_forked(self, zygote: FileZygoteClient, forked: Iterable[tuple[int, int]]) -> None:
        """Record the pids. Code of the DAG file shares the process of the zygote: only its own children count, and only numbers of processes."""
        self._queue.backoff.succeeded()
        for number, pid in forked:
            if number in zygote.children and is_process_number(pid):
                zygote.children[number].set_pid(pid)

    def _children_exited(self, zygote: FileZygoteClient, exits: Iterable[tuple[int, int]]) -> None:
        for number, code in exits:
            if number in zygote.children:
                self.remove_child(number, code if abs(code) <= EXIT_CODE_MAX else None)

    def _answer_zygote(self, zygote: FileZygoteClient, message: TaskApiRequestMessage) -> None:
        response = answer_request(self._callbacks.answer_import_request, message, log=events, refusals=REFUSALS)
        if zygote.sock is not None:
            try:
                zygote_protocol.send_import_response(zygote.sock, response)
            except OSError:
                return  # the zygote has ended; its socket reports that next

    def _on_import_finished(
        self, zygote: FileZygoteClient, no_fork_reason: str | None, is_import_failed: bool, now: float
    ) -> None:
        waiting, zygote.waiting = zygote.waiting, []
        zygote.used_at = now
        if no_fork_reason is None:
            zygote.is_ready = True
        else:
            zygote.no_fork_reason, zygote.is_import_failed = no_fork_reason, is_import_failed
            self._close_zygote(zygote)
        for pending in waiting:
            if not pending.is_ended:
                self._place(pending, zygote, now)
        self._close_unneeded(zygote)

    def _zygote_refused(self, zygote: FileZygoteClient, error: str, now: float) -> None:
        """The base zygote could not fork the zygote. Attempts that waited for its import open it again after the pause."""
        self._queue.refused(f"the zygote of {zygote.key.file}", error, now)
        if self._zygotes.get(zygote.key) is zygote:
            del self._zygotes[zygote.key]
        self._close_zygote(zygote)
        for pending in zygote.waiting:
            self.postpone(pending, now)
        zygote.waiting.clear()

    def _forks_refused(self, zygote: FileZygoteClient, numbers: Iterable[int], error: str, now: float) -> None:
        """The zygote could not fork these children. Their attempts request other children after the pause."""
        self._queue.refused(f"a fork of the zygote of {zygote.key.file}", error, now)
        for number in numbers:
            if zygote.children.pop(number, None) is None:
                continue
            child = self.children.pop(number, None)
            if child is not None:
                if child in zygote.idle_children:
                    zygote.idle_children.remove(child)
                self._callbacks.child_refused(child)
        self._close_unneeded(zygote)

    def _on_zygote_exit(self, zygote: FileZygoteClient, now: float) -> None:
        """The children of the zygote go on; attempts that waited for its import run in new interpreters."""
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
        """Remove a child whose process ended with this exit code (None: unknown)."""
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

    def _zygote_for(self, pending: PendingAttempt, now: float) -> FileZygoteClient:
        key = zygote_key(pending.attempt)
        zygote = self._zygotes.get(key)
        max_age_s = pending.attempt.zygote_max_age_s
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
            sock = self.base_zygote.open_file_zygote(key)
        except OSError as error:
            raise self._queue.refused(f"the zygote of {key.file}", describe_refusal(error), now) from error
        for other in [z for z in self._zygotes.values() if key.replaces(z.key)]:
            self._retire_zygote(other, now)
        while len(self._zygotes) >= ZYGOTES_MAX:
            self._retire_zygote(min(self._zygotes.values(), key=lambda zygote: zygote.used_at), now)
        zygote = FileZygoteClient(next(self._numbers), key, sock, opened_at=now, used_at=now)
        self._zygotes[key] = zygote
        self._by_number[zygote.number] = zygote
        self._callbacks.watch_zygote(zygote)
        return zygote

    def _retire_zygote(self, zygote: FileZygoteClient, now: float) -> None:
        """Stop assigning children of this zygote; close it once its last child has exited."""
        del self._zygotes[zygote.key]
        self._release_idle_children(zygote, now)
        self._send_fork_requests(zygote)
        self._retired.append(zygote)
        self._close_unneeded(zygote)

    def _close_unneeded(self, zygote: FileZygoteClient) -> None:
        """Close the zygote if it is retired, has no child, and no attempt waits for its import."""
        if zygote in self._retired and not zygote.children and all(pending.is_ended for pending in zygote.waiting):
            self._close_zygote(zygote)

    def _release_idle_children(self, zygote: FileZygoteClient, now: float) -> None:
        while zygote.idle_children:
            self.release_child(zygote.idle_children.pop(), now)

    # ---- time --------------------------------------------------------------------------------------------------------
    def tick(self, now: float) -> None:
        """Release children that are idle for too long, end imports over their limit, and let failed imports be tried again."""
        for zygote in list(self._by_number.values()):
            while (
                zygote.idle_children
                and now - max(zygote.idle_children[0].last_message_at, zygote.idle_children[0].created_at)
                > CHILD_IDLE_S
            ):
                self.release_child(zygote.idle_children.popleft(), now)
            if not zygote.is_ready and zygote.no_fork_reason is None and now - zygote.opened_at > self.import_limit_s:
                self._on_import_finished(zygote, f"the import took longer than {self.import_limit_s:g} s", True, now)
        for zygote in list(self._retired):
            self._close_unneeded(zygote)
        for zygote in [
            z for z in self._zygotes.values() if z.is_import_failed and now - z.opened_at > FAILED_IMPORT_RETRY_S
        ]:
            del self._zygotes[zygote.key]
        for pending, reason in self._queue.take_overdue(now):
            self._callbacks.give_back(pending, reason)

    def close(self) -> None:
        """Close every zygote."""
        for zygote in list(self._by_number.values()):
            self._close_zygote(zygote)
        self._zygotes.clear()
        self._retired.clear()
        self._queue.clear()
        self.base_zygote.discard()

    def kill_zygote_of_child(self, child: ChildProcess, now: float) -> None:
        """Kill the zygote of this child, which does not answer; children that it has not forked are lost."""
        zygote = self._by_number.get(child.zygote or 0)
        if zygote is not None:
            zygote.is_ready = False  # a zygote that is not ready is killed
            self._zygotes.pop(zygote.key, None)
            self._close_zygote(zygote)
            self._release_idle_children(zygote, now)

    def find_own_process(self, child: ChildProcess) -> int | None:
        """The pid of the child, or that of the zygote that has still to fork it; None when neither is known."""
        zygote = self._by_number.get(child.zygote or 0)
        return child.pid or (None if zygote is None else zygote.pid)

    def has_zygote(self, child: ChildProcess) -> bool:
        """True while the zygote of this child runs: it reports the exit of the child."""
        return (child.zygote or 0) in self._by_number

    def known_pids(self) -> set[int]:
        """The pids of all zygotes and children of this pool."""
        pids = {zygote.pid for zygote in self._by_number.values()} | {child.pid for child in self.children.values()}
        return {pid for pid in pids | {self.base_zygote.pid} if pid is not None}


def _close_requested_sockets(zygote: FileZygoteClient) -> None:
    for _, remote_socket in zygote.requested_children:
        remote_socket.close()
    zygote.requested_children.clear()
