"""One host process, from the side that asks: started, spoken to, ended."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import tempfile
from collections.abc import Mapping

import msgspec

from gnomon.userhost.messages import FromHost
from gnomon.wire.frames import Splitter
from gnomon.wire.hostprocess import HostProcess

MODULE = "gnomon.userhost.child"
REAP_S = 0.2
"""How long the end of a process that was killed is waited for."""
WORDS_MAX = 8_000
"""Bytes of its output that explain how it ended."""


class AskedProcess(HostProcess[FromHost]):
    """A host process that answers questions; its output explains its end."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """It starts now; OSError when the machine refuses."""
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        splitter: Splitter[FromHost] = Splitter(FromHost)
        try:
            super().__init__(MODULE, environ, socket.socketpair(), splitter, self._output.fileno())
        except OSError:
            self._output.close()
            raise

    def say(self, message: msgspec.Struct) -> None:
        """It is on its way."""
        self.put(message)
        self.flush()

    def explain_yourself(self) -> None:
        """It writes where it is, and ends: a signal that no Python code can hold up."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGABRT)

    def end(self) -> tuple[int, str]:
        """It and what it started are killed; its exit code (negative: a signal) and its last words.

        The code is that of the signal which will end it, when it does not end within REAP_S.
        """
        self.kill()
        self.wait(REAP_S)
        self.is_reaped()
        with self._output:
            size = self._output.seek(0, os.SEEK_END)
            self._output.seek(max(0, size - WORDS_MAX))
            words = self._output.read().decode(errors="replace")
        return -signal.SIGKILL if self.exit_code is None else self.exit_code, words
