"""A file zygote: imports one version of one DAG file, and forks a child for each attempt on order."""

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

from gnomon.author_code.loading import listeners
from gnomon.author_code.loading.bundles.bundle_loader import locate_in_version
from gnomon.author_code.loading.dagfile import load_dag_file
from gnomon.author_code.processes import author_forks, fork_safety
from gnomon.author_code.processes.large_pages import find_filled_ranges, use_large_pages
from gnomon.author_code.processes.message_stream import FrameDecoder
from gnomon.author_code.processes.packets import receive_packet, send_packet
from gnomon.author_code.processes.process_title import change_title
from gnomon.author_code.processes.spawn_backoff import describe_refusal
from gnomon.author_code.processes.termination import kill_group
from gnomon.author_code.runner import attempt_child
from gnomon.author_code.runner.attempt_protocol import ToChild
from gnomon.author_code.runner.attempt_results import error_line
from gnomon.author_code.runner.signals import INTERRUPT
from gnomon.authoring.sdk.connections import channel
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.ground.config import current_config
from gnomon.model.errors.authoring import AirflowTaskTimeout
from gnomon.services.worker import zygote_protocol
from gnomon.services.worker.zygote_protocol import ImportChannel

log = logging.getLogger("gnomon.zygote")

ORPHAN_GRACE_S = 3.0
"""Between SIGTERM and SIGKILL for the children of a worker that died."""
_INTERRUPT_S = 0.5
"""So long after SIGTERM the children get INTERRUPT."""
_WAKE_BYTES = 4096
_FORKS_BEFORE_LARGE_PAGES = 25
"""After so many forks the zygote moves what its file holds into large pages: 2 MB take 2 to 3 ms once, and each later fork saves about 0.1 ms of them."""


def main(
    control: socket.socket, order: zygote_protocol.OpenFileZygote, frame_decoder: FrameDecoder[ToChild]
) -> NoReturn:
    """Never returns: the process ends when the worker closes its socket, or when the file cannot be forked."""
    try:
        author_forks.install_handler(
            signal.SIGCHLD, signal.SIG_DFL
        )  # the handler of the base zygote would take the exit codes of programs that the file starts
        change_title(f"zygote {order.file}")
        send_packet(control, zygote_protocol.ImportStarted(pid=os.getpid()))
        dags = _load_dags(control, order)
        if dags is not None:
            _FileZygote(control, dags, frame_decoder).serve()
    except (BrokenPipeError, ConnectionResetError):
        pass
    except BaseException:
        log.exception("the zygote of %s failed", order.file)
    finally:
        os._exit(0)


def _load_dags(control: socket.socket, order: zygote_protocol.OpenFileZygote) -> dict[str, Any] | None:
    """The DAGs of the file; None, after a report to the worker, when it cannot be imported or forked."""
    channel.install_channel(ImportChannel(control))
    author_forks.release_in_forks(control.close)
    author_forks.claim_process()
    before = fork_safety.list_open_sockets()
    try:
        loaded = load_dag_file(locate_in_version(order.file, order.bundle_name, order.bundle_version))
        author_forks.end_fork()
    except BaseException as error:  # the edge of author code
        author_forks.end_fork(error)
        send_packet(control, zygote_protocol.ImportFinished(error=error_line(error)))
        return None
    channel.install_channel(None)
    fresh = fork_safety.find_fork_obstacle(before)
    if fresh is None and listeners.may_have_listeners(os.path.abspath(current_config().plugins_folder)):
        fresh = _prepare_listeners(before)
    if fresh is None:
        _prepare_tasks(loaded.dags)
    author_forks.end_fork()
    author_forks.give_back_process()
    gc.collect()
    gc.freeze()
    send_packet(control, zygote_protocol.ImportFinished(fresh=fresh))
    return loaded.dags if fresh is None else None


def _prepare_listeners(before: fork_safety.OpenSockets) -> str | None:
    """Import the plugins with listeners once for all children. Returns why the process cannot be forked after that; None when it can."""
    from gnomon.author_code.runner import listener_calls  # start-up cost: few installations have listeners

    try:
        listener_calls.find_implementations("on_task_instance_running")
    except (
        Exception,
        AirflowTaskTimeout,
    ):  # the edge of author code: the listeners of other plugins are called all the same
        log.exception("the plugins cannot be loaded")
    obstacle = fork_safety.find_fork_obstacle(before)
    return None if obstacle is None else f"a plugin: {obstacle}"


def _prepare_tasks(dags: dict[str, Any]) -> None:
    """Make what the attempts of a task share, before the forks: its logger, and what the instances of a mapped task have in common."""
    for dag in dags.values():
        for task in dag.task_dict.values():
            if task.is_mapped:
                task.prepare_instances()
            elif type(task).log is BaseOperator.log:
                task.log  # noqa: B018 - `logging` keeps each logger


class _FileZygote:
    """The loop: fork children on order, report their exits."""

    def __init__(self, control: socket.socket, dags: dict[str, Any], frame_decoder: FrameDecoder[ToChild]) -> None:
        self._control = control
        self._find_dag = attempt_child.dag_finder(dags)
        self._splitter = frame_decoder
        self._decoder = msgspec.msgpack.Decoder(zygote_protocol.ToFileZygote)
        self._numbers: dict[int, int] = {}
        """pid to number of each living child."""
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._forks = 0
        self._own_memory = find_filled_ranges()
        """What this process has and its parent has not, until it is in large pages."""

    def serve(self) -> None:
        """Serve orders until the worker is gone, then end all children."""
        try:
            self._serve_orders()
        except (BrokenPipeError, ConnectionResetError):
            pass  # the worker died before it received a report
        self._end_children()

    def _serve_orders(self) -> None:
        author_forks.install_handler(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        poller.register(self._wake_read, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poller.poll()}
            if self._wake_read in ready:
                os.read(self._wake_read, _WAKE_BYTES)
                self._report_exits()
            if self._control.fileno() in ready and not self._handle_order():
                return

    def _handle_order(self) -> bool:
        body, descriptors = receive_packet(self._control, zygote_protocol.PACKET_MAX)
        if not body:
            return False
        numbers = self._decoder.decode(body).numbers
        forked, refused = self._fork_all(numbers, descriptors)
        self._forks += len(forked)
        if forked:
            self._numbers.update((pid, number) for number, pid in forked)
            send_packet(self._control, zygote_protocol.ChildrenForked(children=tuple(forked)))
        if refused is not None:
            send_packet(self._control, zygote_protocol.ForksRefused(numbers=numbers[len(forked) :], error=refused))
        for descriptor in descriptors[len(forked) :]:
            os.close(descriptor)
        if self._own_memory and self._forks >= _FORKS_BEFORE_LARGE_PAGES:
            use_large_pages(self._own_memory)
            self._own_memory = []
        return True

    def _fork_all(self, numbers: tuple[int, ...], descriptors: list[int]) -> tuple[list[tuple[int, int]], str | None]:
        """Fork a child on each descriptor. Returns (number, pid) of the children, and why the machine refused the next one.

        Does not return in a child. Closes the descriptors of forked children. A packet arrives with fewer descriptors than
        numbers when this process has no room for more.
        """
        forked: list[tuple[int, int]] = []
        for index, number in enumerate(numbers):
            if index >= len(descriptors):
                return forked, describe_refusal(OSError(errno.EMFILE, os.strerror(errno.EMFILE)))
            try:
                pid = os.fork()
            except OSError as error:
                return forked, describe_refusal(error)
            if pid == 0:
                self._become_child(descriptors[index:])
            os.close(descriptors[index])
            forked.append((number, pid))
        return forked, None

    def _become_child(self, descriptors: list[int]) -> NoReturn:
        """Run attempts in this process, a new fork. The first descriptor is its socket; the others are for later children."""
        signal.set_wakeup_fd(-1)
        for later in descriptors[1:]:
            os.close(later)
        os.close(self._wake_read)
        os.close(self._wake_write)
        self._control.close()
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, descriptors[0])
        attempt_child.serve_attempts(sock, self._splitter, self._find_dag)

    def _report_exits(self) -> None:
        exits = []
        while (ended := _reap_child()) is not None:
            number = self._numbers.pop(ended[0], None)
            if number is not None:  # None: a process that the import of the file started
                exits.append((number, ended[1]))
        if exits:
            send_packet(self._control, zygote_protocol.ChildrenExited(children=tuple(exits)))

    def _end_children(self) -> None:
        """End all children: the worker has died, so their results have no receiver and schedulers treat their attempts as lost."""
        self._signal_children(signal.SIGTERM)
        poller = select.poll()
        poller.register(self._wake_read, select.POLLIN)
        waited = 0.0
        interrupt_at = _INTERRUPT_S
        while self._numbers and waited < ORPHAN_GRACE_S:
            if poller.poll(_POLL_S * 1000):
                os.read(self._wake_read, _WAKE_BYTES)
            else:
                waited += _POLL_S
                if waited >= interrupt_at:
                    interrupt_at = ORPHAN_GRACE_S
                    self._signal_children(INTERRUPT)
            while (ended := _reap_child()) is not None:
                self._numbers.pop(ended[0], None)
        self._signal_children(signal.SIGKILL)

    def _signal_children(self, number: int) -> None:
        for pid in self._numbers:
            os.kill(pid, number)


_POLL_S = 0.1


def _reap_child() -> tuple[int, int] | None:
    """Reap one child that has ended and return (pid, exit code); None when there is none.

    Its process group is killed first, before the pid can be used again.
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
