"""A file zygote: has imported one version of one DAG file, and forks a child per attempt on request."""

from __future__ import annotations

import errno
import gc
import logging
import os
import select
import signal
import socket
from typing import Any, NoReturn

import msgspec

from gnomon.loading.dagfile import load
from gnomon.processes.ending import kill_group
from gnomon.processes.refusals import refusal
from gnomon.processes.titles import change_title
from gnomon.runner import child, forking
from gnomon.runner.outcomes import one_line
from gnomon.sdk import channel
from gnomon.wire.frames import Splitter
from gnomon.wire.messages import ToChild
from gnomon.worker import orders
from gnomon.worker.questions import ImportChannel

log = logging.getLogger("gnomon.zygote")

ORPHAN_GRACE_S = 3.0
"""Between SIGTERM and SIGKILL for the children of a worker that died."""
_WAKE_BYTES = 4096


def main(control: socket.socket, file: str, splitter: Splitter[ToChild]) -> NoReturn:
    """Never returns: the process ends when the service lets go of it, or when the file cannot be forked."""
    try:
        change_title(f"zygote {file}")
        orders.send(control, orders.Loading(pid=os.getpid()))
        dags = _load(control, file)
        if dags is not None:
            _FileZygote(control, dags, splitter).serve()
    except (BrokenPipeError, ConnectionResetError):
        pass
    except BaseException:
        log.exception("the zygote of %s failed", file)
    finally:
        os._exit(0)


def _load(control: socket.socket, file: str) -> dict[str, Any] | None:
    """The DAGs of the file; None when it cannot be imported or forked, and the service was told."""
    channel.install(ImportChannel(control))
    before = forking.opened()
    try:
        loaded = load(file)
    except BaseException as error:  # the edge of author code
        orders.send(control, orders.Loaded(error=one_line(error)))
        return None
    channel.install(None)
    fresh = forking.reason_against_fork(before)
    gc.collect()
    gc.freeze()
    orders.send(control, orders.Loaded(fresh=fresh))
    return loaded.dags if fresh is None else None


class _FileZygote:
    """The loop: fork on order, report who ended."""

    def __init__(self, control: socket.socket, dags: dict[str, Any], splitter: Splitter[ToChild]) -> None:
        self._control = control
        self._find_dag = child.dag_of(dags)
        self._splitter = splitter
        self._decoder = msgspec.msgpack.Decoder(orders.ToFile)
        self._numbers: dict[int, int] = {}
        """pid of a living child to its number."""
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def serve(self) -> None:
        """Returns when the worker is gone; then no child is left."""
        try:
            self._obey_and_report()
        except (BrokenPipeError, ConnectionResetError):
            pass  # the worker died before it could be told of an end
        self._end_children()

    def _obey_and_report(self) -> None:
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        poller.register(self._wake_read, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poller.poll()}
            if self._wake_read in ready:
                os.read(self._wake_read, _WAKE_BYTES)
                self._report_gone()
            if self._control.fileno() in ready and not self._obey():
                return

    def _obey(self) -> bool:
        body, descriptors = orders.receive(self._control)
        if not body:
            return False
        numbers = self._decoder.decode(body).numbers
        born, refused = self._fork_all(numbers, descriptors)
        if born:
            self._numbers.update((pid, number) for number, pid in born)
            orders.send(self._control, orders.Born(children=tuple(born)))
        if refused is not None:
            orders.send(self._control, orders.ForksRefused(numbers=numbers[len(born) :], error=refused))
        for descriptor in descriptors[len(born) :]:
            os.close(descriptor)
        return True

    def _fork_all(self, numbers: tuple[int, ...], descriptors: list[int]) -> tuple[list[tuple[int, int]], str | None]:
        """(number, pid) of new children, each on its descriptor, and why the machine refused the next one; does not return in a child.

        Descriptors of children that were forked are closed here. The kernel keeps back those for which this process has no room.
        """
        born: list[tuple[int, int]] = []
        for index, number in enumerate(numbers):
            if index >= len(descriptors):
                return born, refusal(OSError(errno.EMFILE, os.strerror(errno.EMFILE)))
            try:
                pid = os.fork()
            except OSError as error:
                return born, refusal(error)
            if pid == 0:
                self._become_child(descriptors[index:])
            os.close(descriptors[index])
            born.append((number, pid))
        return born, None

    def _become_child(self, descriptors: list[int]) -> NoReturn:
        """This process is a new child that speaks over the first descriptor; the others are for later children."""
        signal.set_wakeup_fd(-1)
        for later in descriptors[1:]:
            os.close(later)
        os.close(self._wake_read)
        os.close(self._wake_write)
        self._control.close()
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, descriptors[0])
        child.main(sock, self._splitter, self._find_dag)

    def _report_gone(self) -> None:
        gone = []
        while (ended := _reap_one()) is not None:
            number = self._numbers.pop(ended[0], None)
            if number is not None:  # else a process that the import started
                gone.append((number, ended[1]))
        if gone:
            orders.send(self._control, orders.Gone(children=tuple(gone)))

    def _end_children(self) -> None:
        """The worker died: nobody takes results any more, and the attempts are lost by the protocol."""
        self._signal(signal.SIGTERM)
        poller = select.poll()
        poller.register(self._wake_read, select.POLLIN)
        waited = 0.0
        while self._numbers and waited < ORPHAN_GRACE_S:
            if poller.poll(_STEP_S * 1000):
                os.read(self._wake_read, _WAKE_BYTES)
            else:
                waited += _STEP_S
            while (ended := _reap_one()) is not None:
                self._numbers.pop(ended[0], None)
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        for pid in self._numbers:
            os.kill(pid, number)


_STEP_S = 0.1


def _reap_one() -> tuple[int, int] | None:
    """(pid, exit code) of one ended child, None when there is none.

    What is left of its process group is killed while the defunct child still keeps its number from being used again.
    """
    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is None:
            return None
        kill_group(ended.si_pid)
        _, status = os.waitpid(ended.si_pid, 0)
    except ChildProcessError:
        return None
    return ended.si_pid, os.waitstatus_to_exitcode(status)
