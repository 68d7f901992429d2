"""Runs a command in its own process group and logs its output line by line."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple


class SubprocessResult(NamedTuple):
    """The result of a command: its exit code (negative: the number of the signal that killed it) and its last line of output."""

    exit_code: int
    output: str


class SubprocessHook:
    """Runs commands, one at a time."""

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self.log = logger or logging.getLogger(__name__)
        self.sub_process: subprocess.Popen[bytes] | None = None
        self._terminated = False

    def run_command(
        self,
        command: Sequence[str],
        env: Mapping[str, str] | None = None,
        output_encoding: str = "utf-8",
        cwd: str | None = None,
    ) -> SubprocessResult:
        """Run the command to its end, log its standard output and error, and return the result.

        With `env` None it gets the environment of this process. Without `cwd` it runs in a temporary folder, which is deleted
        afterwards.
        """
        self._terminated = False
        with working_directory(cwd) as folder:
            self.log.info("Running command: %s", list(command))
            self.sub_process = subprocess.Popen(
                list(command),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd=folder,
                env=None if env is None else dict(env),
                start_new_session=True,
            )
            if self._terminated:  # send_sigterm was called before the process existed
                self.send_sigterm()
            line = self._log_output(self.sub_process, output_encoding)
            exit_code = self.sub_process.wait()
        self.log.info("Command exited with return code %s", exit_code)
        return SubprocessResult(exit_code, line)

    def _log_output(self, process: subprocess.Popen[bytes], encoding: str) -> str:
        """Log each line of output and return the last line.

        The pipe stays open when a timeout of the task, which is no Exception, ends the call: `send_sigterm` comes afterwards, and a
        TERM trap of the command that writes into a closed pipe would die of SIGPIPE.
        """
        line = ""
        assert process.stdout is not None
        try:
            for raw in process.stdout:
                line = raw.decode(encoding, errors="backslashreplace").rstrip()
                self.log.info("%s", line)
        except Exception:
            process.stdout.close()
            raise
        process.stdout.close()
        return line

    def send_sigterm(self) -> None:
        """Send SIGTERM to the process group of the command; a command that is starting gets it after its start."""
        self._terminated = True
        process = self.sub_process
        if process is None or process.poll() is not None:
            return
        self.log.info("Sending SIGTERM to the process group of the command")
        try:
            os.killpg(process.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass


@contextmanager
def working_directory(cwd: str | None = None) -> Iterator[str]:
    """Yield `cwd`, or a temporary folder that is deleted at the end of the block."""
    if cwd is not None:
        yield cwd
        return
    with tempfile.TemporaryDirectory(prefix="gnomon-") as folder:
        yield folder
