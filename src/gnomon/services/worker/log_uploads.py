"""The worker's side of remote logs: it marks logs, and keeps the process alive that uploads them. No method waits for the network."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from gnomon.author_code.processes.termination import wait_for_exit
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.storage.remote_logs.upload_spool import UploadSpool

MODULE = "gnomon.storage.remote_logs.uploader_main"
RESTART_S = 5.0
"""The pause before an uploader that has ended is started again."""
events = log.get_logger("worker")


class LogUploads:
    """The marks of a worker and its uploader. Errors are logged: an attempt never waits for its log, nor fails with it."""

    def __init__(self, logs_folder: Path, environ: Mapping[str, str], clock: Clock) -> None:
        """`environ`: the environment of the uploader. Raises OSError when the folder of logs cannot be written."""
        self._spool = UploadSpool(logs_folder)
        self._environ = {**environ, "GNOMON__LOGGING__BASE_LOG_FOLDER": os.path.abspath(logs_folder)}
        self._clock = clock
        self._process: subprocess.Popen[bytes] | None = None
        self._start_at = clock.monotonic()

    @property
    def pid(self) -> int | None:
        """The process id of the uploader; None while there is none."""
        return None if self._process is None else self._process.pid

    def mark_open(self, name: str) -> None:
        """An attempt is about to write this log."""
        try:
            self._spool.mark_open(name)
        except OSError as error:
            events.warning(
                "log_not_marked_for_upload", log=name, error=str(error), next="the log stays on this machine"
            )

    def mark_ready(self, name: str) -> None:
        """The log is complete."""
        try:
            self._spool.mark_ready(name)
        except OSError as error:
            events.warning(
                "log_not_marked_for_upload",
                log=name,
                error=str(error),
                next="the log is uploaded after the end of this worker",
            )
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):  # full: it is about to look anyway; broken: it has ended
                os.write(self._process.stdin.fileno(), b"\n")

    def tick(self) -> None:
        """Start the uploader if there is none."""
        if self._process is not None or self._clock.monotonic() < self._start_at:
            return
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", MODULE, self._spool.spool_id],
                env=self._environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            events.warning("log_uploader_not_started", error=str(error), again_in_s=RESTART_S)
            self._start_at = self._clock.monotonic() + RESTART_S
            return
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)

    def on_exit(self, pid: int, code: int) -> None:
        """A child of the worker was reaped: if it is the uploader, another is started soon."""
        if self._process is None or pid != self._process.pid:
            return
        events.warning(
            "log_uploader_ended",
            code=code,
            again_in_s=RESTART_S,
            kept="the logs stay on this machine until they are uploaded",
        )
        self._forget(code)
        self._start_at = self._clock.monotonic() + RESTART_S

    def finish(self, at_most_s: float) -> None:
        """The worker ends: the uploader tries what is left once, within this time. Marks of logs that are left stay for the next worker."""
        process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()
            wait_for_exit(process.pid, at_most_s)
            if process.poll() is None:
                process.kill()
                process.wait()
        self._process = None
        self._spool.close()

    def _forget(self, code: int) -> None:
        assert self._process is not None
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.returncode = code
        self._process = None
