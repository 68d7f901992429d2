"""The parse server: a process with one thread, the authoring packages imported and no database, that forks parse children.

It knows nothing of what a file means. It forks, watches the clock and the memory of its children, ends those that take
too much, reaps, and tells the service how each ended; the outcome itself goes straight from child to service.
"""

from __future__ import annotations

import contextlib
import gc
import os
import selectors
import signal
import socket
import traceback
from collections import deque
from dataclasses import dataclass

from gnomon import log
from gnomon.config import ambient, environment, keep_only, set_ambient, without_secrets
from gnomon.dagfiles import child, messages
from gnomon.dagfiles.child import Conditions
from gnomon.dagfiles.messages import ChildEnded, ParseOrder
from gnomon.processes import ending, kernel, memory
from gnomon.processes.refusals import REMEDY, SpawnBackoff, refusal
from gnomon.processes.titles import change_title, set_title

MEMORY_CHECK_S = 0.1
MEMORY_SLACK = 128 * 1024 * 1024
"""A child has its own limit, which tells the line; it is killed from outside only when that one did not hold."""
OUTPUT_MAX = 32_000
"""Bytes of a child's output that are kept, of its end."""
_log = log.get("dagfiles")
CHILD_TROUBLE = 70
"""The exit code of a child in which our own code failed."""


@dataclass(slots=True)
class _Child:
    number: int
    pid: int
    output: int
    ends_at: float
    killed_for: str | None = None
    last_words: bytes = b""

    def listen(self) -> bool:
        """What it wrote until now was read, the end of it is kept; False when it will write no more."""
        while True:
            try:
                data = os.read(self.output, 65536)
            except BlockingIOError:
                return True
            if not data:
                return False
            self.last_words = (self.last_words + data)[-OUTPUT_MAX:]


class ParseServer:
    """The loop of the parse server."""

    def __init__(self, control: socket.socket, under: Conditions) -> None:
        self._control = control
        self._under = under
        self._children: dict[int, _Child] = {}
        self._stopping = False
        self._selector: selectors.BaseSelector
        self._orders: deque[tuple[ParseOrder, socket.socket]] = deque()
        """Orders whose child is not forked yet."""
        self._backoff = SpawnBackoff()

    def run(self) -> None:
        """Returns when the service is gone or this process was told to end; no child is left."""
        woken, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._stop)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        kernel.become_subreaper()
        with selectors.DefaultSelector() as selector:
            self._selector = selector
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(woken, selectors.EVENT_READ)
            try:
                while not self._stopping:
                    for key, _ in selector.select(self._patience()):
                        if key.fileobj is self._control:
                            self._take_order()
                        elif key.data is not None:
                            self._listen(key.data)
                        else:
                            os.read(woken, 4096)
                    self._start_ordered()
                    self._reap()
                    self._watch()
            finally:
                self._end_all()

    def _stop(self, *_: object) -> None:
        self._stopping = True

    def _patience(self) -> float | None:
        """How long nothing needs to be looked at."""
        now = self._under.clock.monotonic()
        times = [self._backoff.left_s(now)] if self._orders else []
        if self._children and self._under.limits.memory_bytes is not None:
            times.append(MEMORY_CHECK_S)
        elif self._children:
            times.append(max(0.0, min(one.ends_at for one in self._children.values()) - now))
        return min(times, default=None)

    def _take_order(self) -> None:
        received = messages.receive_order(self._control)
        if received is None:
            self._stopping = True
            return
        order, descriptor = received
        self._orders.append((order, socket.socket(fileno=descriptor)))

    def _start_ordered(self) -> None:
        """Every order has its child, or waits for the end of a pause because the machine refused a process."""
        now = self._under.clock.monotonic()
        while self._orders and self._backoff.is_over(now):
            order, line = self._orders[0]
            try:
                self._fork(order, line)
            except OSError as error:
                self._backoff.refused(refusal(error), now)
                _log.warning("process_refused", process=f"the parse of {order.path}", error=self._backoff.reason,
                             again_after_s=self._backoff.pause_s, files_waiting=len(self._orders), remedy=REMEDY)
                return
            self._backoff.succeeded()
            self._orders.popleft()
            line.close()

    def _fork(self, order: ParseOrder, line: socket.socket) -> None:
        """A child parses the file; OSError when the machine refuses the process or its pipe."""
        output, writes = os.pipe2(os.O_CLOEXEC)
        server = os.getpid()
        try:
            pid = os.fork()
        except OSError:
            os.close(output)
            os.close(writes)
            raise
        if pid == 0:
            self._live(order, line, writes, server)
        os.close(writes)
        os.set_blocking(output, False)
        one = _Child(order.number, pid, output, self._under.clock.monotonic() + self._under.limits.child_s)
        self._children[pid] = one
        self._selector.register(output, selectors.EVENT_READ, one)

    def _live(self, order: ParseOrder, line: socket.socket, output: int, server: int) -> None:
        """The whole life of a child; it does not come back."""
        code = 0
        try:
            change_title(f"parse {order.path}")
            child.settle_in(output, server)
            self._control.close()
            for _, other in self._orders:
                if other is not line:
                    other.close()
            child.run(order.path, line, self._under)
        except BaseException:
            code = CHILD_TROUBLE
            with contextlib.suppress(BaseException):
                os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(code)

    def _listen(self, one: _Child) -> None:
        if not one.listen():
            self._selector.unregister(one.output)  # it closed its output, and lives on

    def _reap(self) -> None:
        for pid, code in ending.reap(leaders=self._children):
            ended = self._children.pop(pid, None)
            if ended is not None:
                self._end_orphans()
                self._tell(ended, code)

    def _tell(self, ended: _Child, exit_code: int) -> None:
        ended.listen()
        with contextlib.suppress(KeyError):
            self._selector.unregister(ended.output)
        os.close(ended.output)
        words = ended.last_words.decode(errors="replace")
        end = ChildEnded(number=ended.number, exit_code=exit_code, killed_for=ended.killed_for, output=words)
        try:
            messages.send_end(self._control, end)
        except OSError:
            self._stopping = True

    def _watch(self) -> None:
        """Children beyond their time or memory are killed."""
        now = self._under.clock.monotonic()
        most = self._under.limits.memory_bytes
        for one in self._children.values():
            if one.killed_for is not None:
                continue
            if now >= one.ends_at:
                one.killed_for = "time"
            elif most is not None and memory.resident_bytes(one.pid) > most + MEMORY_SLACK:
                one.killed_for = "memory"
            if one.killed_for is not None:
                ending.kill(one.pid)

    def _end_orphans(self) -> None:
        """What an ended child left running and came to us is killed."""
        for orphan in kernel.own_children():
            if orphan not in self._children:
                ending.kill(orphan)

    def _end_all(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        for pid in list(self._children):
            ending.kill(pid)
        for pid in list(self._children):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
            self._children.pop(pid)
            self._end_orphans()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, 0)[0]:
                pass


def start(under: Conditions) -> tuple[socket.socket, int]:
    """A parse server runs as a child of this process; returns the control socket and its pid.

    This process must have one thread and no open database: it is forked.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    gc.collect()
    gc.freeze()
    pid = os.fork()
    if pid == 0:
        code = 0
        try:
            ours.close()
            kernel.die_with_parent(signal.SIGKILL)
            set_title("parse server", ambient().home)
            forget_secrets()
            ParseServer(theirs, under).run()
        except BaseException:
            code = CHILD_TROUBLE
            traceback.print_exc()
        finally:
            os._exit(code)
    theirs.close()
    ours.setblocking(False)
    return ours, pid


def forget_secrets() -> None:
    """What DAG files are imported beside holds no address and no key: not in the options, not in the environment."""
    cfg = ambient()
    set_ambient(cfg.for_author_code())
    keep_only(without_secrets(environment(), cfg.database_url))
