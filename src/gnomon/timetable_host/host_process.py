"""One host process, from the side that asks: started, spoken to, ended."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import tempfile
from collections.abc import Mapping

import msgspec

from gnomon.processes.host_process import HostProcess
from gnomon.processes.message_stream import FrameDecoder
from gnomon.timetable_host.protocol import FromTimetableHost

HOST_MODULE = "gnomon.timetable_host.host_main"
REAP_S = 0.2
"""How long the end of a process that was killed is waited for."""
OUTPUT_TAIL_BYTES = 8_000
"""Bytes of its output that explain how it ended."""


class TimetableHostProcess(HostProcess[FromTimetableHost]):
    """A host process that answers questions; its output explains its end."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """It starts now; OSError when the machine refuses."""
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        splitter: FrameDecoder[FromTimetableHost] = FrameDecoder(FromTimetableHost)
        try:
            super().__init__(HOST_MODULE, environ, socket.socketpair(), splitter, self._output.fileno())
        except OSError:
            self._output.close()
            raise

    def send(self, message: msgspec.Struct) -> None:
        """It is on its way."""
        self.put(message)
        self.flush()

    def request_stack_dump(self) -> None:
        """It writes where it is, and ends: a signal that no Python code can hold up."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGABRT)

    def kill_and_collect(self) -> tuple[int, str]:
        """It and what it started are killed; its exit code (negative: a signal) and its last words.

        The code is that of the signal which will end it, when it does not end within REAP_S.
        """
        self.kill()
        self.wait(REAP_S)
        self.is_reaped()
        with self._output:
            size = self._output.seek(0, os.SEEK_END)
            self._output.seek(max(0, size - OUTPUT_TAIL_BYTES))
            words = self._output.read().decode(errors="replace")
        return -signal.SIGKILL if self.exit_code is None else self.exit_code, words
