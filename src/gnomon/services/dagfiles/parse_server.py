"""The parse server: a process with one thread, the authoring packages imported and no database, that forks parse children.

The server does not interpret files. It forks children, checks their time and memory, kills those that exceed a limit,
reaps them, and reports to the dag-processor how each ended; the outcome itself is sent by the child to the dag-processor.
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

from gnomon.author_code.processes import kernel, memory, termination
from gnomon.author_code.processes.child_setup import hide_secrets, set_up_forked_child
from gnomon.author_code.processes.process_title import change_title, set_title
from gnomon.author_code.processes.spawn_backoff import REFUSAL_REMEDY, SpawnBackoff, describe_refusal
from gnomon.ground import log
from gnomon.services.dagfiles import parse_child, parse_protocol
from gnomon.services.dagfiles.parse_child import ParseConditions
from gnomon.services.dagfiles.parse_protocol import ChildEnded, ParseOrder

MEMORY_CHECK_S = 0.1
MEMORY_SLACK = 128 * 1024 * 1024
"""Bytes above the child's own memory limit at which the server kills the child; the child's own limit names the line."""
OUTPUT_MAX = 32_000
"""Bytes kept of a child's output, from its end."""
_log = log.get_logger("dagfiles")
INTERNAL_ERROR_EXIT = 70
"""Exit code of a child in which Gnomon's own code failed."""


@dataclass(slots=True)
class _ParseChild:
    number: int
    pid: int
    output: int
    deadline: float
    kill_reason: str | None = None
    output_tail: bytes = b""

    def read_output(self) -> bool:
        """What it wrote until now was read, the end of it is kept; False when it will write no more."""
        while True:
            try:
                data = os.read(self.output, 65536)
            except BlockingIOError:
                return True
            if not data:
                return False
            self.output_tail = (self.output_tail + data)[-OUTPUT_MAX:]


class ParseServer:
    """The loop of the parse server."""

    def __init__(self, control: socket.socket, under: ParseConditions) -> None:
        self._control = control
        self._conditions = under
        self._children: dict[int, _ParseChild] = {}
        self._is_stopping = False
        self._selector: selectors.BaseSelector
        self._orders: deque[tuple[ParseOrder, socket.socket]] = deque()
        """Orders without a child yet."""
        self._backoff = SpawnBackoff()

    def run(self) -> None:
        """Serve orders until the dag-processor ends or a stop signal arrives; no child is left afterwards."""
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
                while not self._is_stopping:
                    for key, _ in selector.select(self._next_check_s()):
                        if key.fileobj is self._control:
                            self._handle_order()
                        elif key.data is not None:
                            self._read_output(key.data)
                        else:
                            os.read(woken, 4096)
                    self._start_ordered()
                    self._reap()
                    self._kill_overdue()
            finally:
                self._end_all()

    def _stop(self, *_: object) -> None:
        self._is_stopping = True

    def _next_check_s(self) -> float | None:
        """Seconds until the next check is due."""
        now = self._conditions.clock.monotonic()
        times = [self._backoff.left_s(now)] if self._orders else []
        if self._children and self._conditions.limits.memory_bytes is not None:
            times.append(MEMORY_CHECK_S)
        elif self._children:
            times.append(max(0.0, min(child.deadline for child in self._children.values()) - now))
        return min(times, default=None)

    def _handle_order(self) -> None:
        received = parse_protocol.receive_order(self._control)
        if received is None:
            self._is_stopping = True
            return
        order, descriptor = received
        self._orders.append((order, socket.socket(fileno=descriptor)))

    def _start_ordered(self) -> None:
        """Every order has its child, or waits for the end of a pause because the machine refused a process."""
        now = self._conditions.clock.monotonic()
        while self._orders and self._backoff.is_over(now):
            order, line = self._orders[0]
            try:
                self._fork(order, line)
            except OSError as error:
                self._backoff.refused(describe_refusal(error), now)
                _log.warning(
                    "process_refused",
                    process=f"the parse of {order.path}",
                    error=self._backoff.reason,
                    again_after_s=self._backoff.pause_s,
                    files_waiting=len(self._orders),
                    remedy=REFUSAL_REMEDY,
                )
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
            self._run_child(order, line, writes, server)
        os.close(writes)
        os.set_blocking(output, False)
        child = _ParseChild(
            order.number, pid, output, self._conditions.clock.monotonic() + self._conditions.limits.process_timeout_s
        )
        self._children[pid] = child
        self._selector.register(output, selectors.EVENT_READ, child)

    def _run_child(self, order: ParseOrder, line: socket.socket, output: int, server: int) -> None:
        """The whole life of a child; it does not come back."""
        code = 0
        try:
            change_title(f"parse {order.path}")
            set_up_forked_child(server, output)
            gc.disable()
            self._control.close()
            for _, other in self._orders:
                if other is not line:
                    other.close()
            parse_child.parse_and_report(order.path, line, self._conditions)
        except BaseException:
            code = INTERNAL_ERROR_EXIT
            with contextlib.suppress(BaseException):
                os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(code)

    def _read_output(self, child: _ParseChild) -> None:
        if not child.read_output():
            self._selector.unregister(child.output)  # it closed its output, and lives on

    def _reap(self) -> None:
        for pid, code in termination.reap_children(leaders=self._children):
            ended = self._children.pop(pid, None)
            if ended is not None:
                termination.kill_unknown_children(self._children)
                self._report_exit(ended, code)

    def _report_exit(self, ended: _ParseChild, exit_code: int) -> None:
        ended.read_output()
        with contextlib.suppress(KeyError):
            self._selector.unregister(ended.output)
        os.close(ended.output)
        words = ended.output_tail.decode(errors="replace")
        end = ChildEnded(number=ended.number, exit_code=exit_code, kill_reason=ended.kill_reason, output=words)
        try:
            parse_protocol.send_end(self._control, end)
        except OSError:
            self._is_stopping = True

    def _kill_overdue(self) -> None:
        """Kill the children that exceed their time or memory."""
        now = self._conditions.clock.monotonic()
        most = self._conditions.limits.memory_bytes
        for child in self._children.values():
            if child.kill_reason is not None:
                continue
            if now >= child.deadline:
                child.kill_reason = "time"
            elif most is not None and memory.resident_bytes(child.pid) > most + MEMORY_SLACK:
                child.kill_reason = "memory"
            if child.kill_reason is not None:
                termination.kill_with_group(child.pid)

    def _end_all(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        for pid in list(self._children):
            termination.kill_with_group(pid)
        for pid in list(self._children):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
            self._children.pop(pid)
            termination.kill_unknown_children(self._children)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, 0)[0]:
                pass


def start_parse_server(under: ParseConditions) -> tuple[socket.socket, int]:
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
            set_title("parse server", hide_secrets(in_environment=True).home)
            ParseServer(theirs, under).run()
        except BaseException:
            code = INTERNAL_ERROR_EXIT
            traceback.print_exc()
        finally:
            os._exit(code)
    theirs.close()
    ours.setblocking(False)
    return ours, pid
