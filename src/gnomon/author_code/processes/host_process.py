"""New interpreters for author code: `python -m module` with a socket, without memory, descriptors or environment of its parent."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Mapping
from typing import IO, Any, Generic, NamedTuple, TypeVar

import msgspec

from gnomon.author_code.processes import termination
from gnomon.author_code.processes.message_stream import FrameDecoder, MessageStream
from gnomon.ground.config import Config, environment, without_secrets

SOCKET_FD = 3
"""The descriptor of the socket between a new interpreter and the process that started it."""
REAP_S = 0.2
"""How long `kill_and_collect` waits for the exit of the killed process."""
OUTPUT_TAIL_BYTES = 8_000
"""How much of the captured output is kept, from its end: it explains a crash."""


def spawn_interpreter(module: str, sock: socket.socket, environ: Mapping[str, str], output: int | None = None) -> int:
    """Start `python -m module` and return its pid. It has `sock` as SOCKET_FD, `environ`, and no other descriptor of this process.

    `output`: the descriptor that receives stdout and stderr of the new process; None: those of this process.
    Raises OSError when the machine refuses the process.
    """
    actions: list[tuple[int, int, int] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
    ]
    if output is not None:
        actions += [(os.POSIX_SPAWN_DUP2, output, number) for number in (1, 2)]
    if sock.fileno() == SOCKET_FD:
        sock.set_inheritable(True)
    else:
        actions.append((os.POSIX_SPAWN_DUP2, sock.fileno(), SOCKET_FD))
    return os.posix_spawn(sys.executable, [sys.executable, "-P", "-m", module], dict(environ), file_actions=actions)


def build_host_environment(cfg: Config, variables: Mapping[str, str]) -> dict[str, str]:
    """The environment of a host process: that of this process without secrets, the folders of `cfg`, and `variables`."""
    folders = {
        "GNOMON_HOME": str(cfg.home),
        "GNOMON__CORE__DAGS_FOLDER": os.path.abspath(cfg.dags_folder),
        "GNOMON__CORE__PLUGINS_FOLDER": os.path.abspath(cfg.plugins_folder),
        "GNOMON__LOGGING__BASE_LOG_FOLDER": os.path.abspath(cfg.logs_folder),
    }
    return {**without_secrets(environment(), cfg.database_url), **folders, **variables}


class ProcessExit(NamedTuple):
    """How a host process ended."""

    code: int
    """As `os.waitstatus_to_exitcode` gives it: negative is a signal."""
    output: str
    """The last OUTPUT_TAIL_BYTES of its captured output."""


T = TypeVar("T")


class HostProcess(Generic[T]):
    """A host process that sends messages of type T. No method but `wait` and `kill_and_collect` blocks."""

    def __init__(
        self,
        module: str,
        environ: Mapping[str, str],
        union: Any,
        *,
        send_buffer_bytes: int | None = None,
        captures_output: bool = False,
    ) -> None:
        """Start `python -m module`. `union`: the type T, for the decoder. Raises OSError when the machine refuses the process.

        `send_buffer_bytes`: the size of both send buffers of the socket pair. `captures_output`: stdout and stderr go to
        a temporary file for `kill_and_collect`, instead of those of this process.
        """
        _late[:] = [process for process in _late if not process.is_reaped()]
        self._output: IO[bytes] | None = tempfile.TemporaryFile() if captures_output else None  # noqa: SIM115 - closed with the process
        try:
            ours, theirs = socket.socketpair()
        except OSError:
            self._close_output()
            raise
        try:
            for sock in (ours, theirs) if send_buffer_bytes is not None else ():
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer_bytes or 0)
            self.pid = spawn_interpreter(
                module, theirs, environ, None if self._output is None else self._output.fileno()
            )
        except OSError:
            ours.close()
            self._close_output()
            raise
        finally:
            theirs.close()
        self.exit_code: int | None = None
        splitter: FrameDecoder[T] = FrameDecoder(union)
        self.stream: MessageStream[T] = MessageStream(ours, splitter)

    def fileno(self) -> int:
        return self.stream.sock.fileno()

    def put(self, message: msgspec.Struct) -> None:
        """Queue the message for the next `flush`."""
        self.stream.put(message)

    def flush(self) -> bool:
        """Write what the socket takes; False when messages remain."""
        return self.stream.flush()

    def send(self, message: msgspec.Struct) -> None:
        """Queue the message and write what the socket takes."""
        self.put(message)
        self.flush()

    def request_stack_dump(self) -> None:
        """Send SIGABRT: the fault handler of the process writes its stack to the output and ends it, whatever Python code runs."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGABRT)

    def kill(self) -> None:
        """Kill the process and its process group, also after its own exit, and close the stream."""
        if self.exit_code is None:
            termination.kill_with_group(self.pid)
        self.stream.close()

    def wait(self, at_most_s: float) -> None:
        """Block until the process has ended, for `at_most_s` seconds at most."""
        termination.wait_for_exit(self.pid, at_most_s)

    def is_reaped(self) -> bool:
        """True once the process has ended. A killed process in a system call (a dead network drive) can take its time."""
        if self.exit_code is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                pid, status = self.pid, 0
            self.exit_code = os.waitstatus_to_exitcode(status) if pid else None
        return self.exit_code is not None

    def kill_and_collect(self) -> ProcessExit:
        """Kill the process and its group; return its exit code and the end of its captured output.

        The code is that of SIGKILL when the process has not ended after REAP_S; the start of the next host process reaps it then.
        """
        self.kill()
        self.wait(REAP_S)
        if not self.is_reaped():
            _late.append(self)
        code = -signal.SIGKILL if self.exit_code is None else self.exit_code
        if self._output is None:
            return ProcessExit(code, "")
        with self._output as output:
            output.seek(max(0, output.seek(0, os.SEEK_END) - OUTPUT_TAIL_BYTES))
            return ProcessExit(code, output.read().decode(errors="replace"))

    def _close_output(self) -> None:
        if self._output is not None:
            self._output.close()


_late: list[HostProcess[Any]] = []
"""Killed processes of this process that have not ended yet, as on a busy machine or in a system call: each would stay a zombie."""
