"""The process that makes forecasts for the monitor: asked for one, asked whether it is done, and killed when it takes too long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from gnomon.ground.config import Config
from gnomon.ground.config.environment import environment

MODULE = "gnomon.entry.projection.forecast_main"
"""A name, because this part may not import it: it would join the memory of the monitor."""
EXTRA_S = 120.0
"""How much longer than [forecast] max_time a forecast may take: it reads the store first, and one future is drawn in any case."""


class ForecastProcess:
    """One forecast at a time. Its answer goes to a file, so that nothing waits for a reader.

    The process ends after a forecast, or waits for the next one, as it likes.
    """

    def __init__(self, cfg: Config, command: Sequence[str] = ("-m", MODULE)) -> None:
        """`command`: what Python is to run; the file descriptor is its last argument."""
        self._command = command
        self.limit_s = cfg.number("forecast", "max_time") + EXTRA_S
        self._home = str(cfg.home)
        self._process: subprocess.Popen[bytes] | None = None
        self._is_waiting = False
        """The process has answered, and makes another forecast when it is asked."""

    def start(self) -> ForecastProcess:
        """Ask for a forecast."""
        if not self._ask_again():
            self.end()
            self._begin()
        self._is_waiting = False
        return self

    def _ask_again(self) -> bool:
        process = self._process
        if process is None or not self._is_waiting or process.poll() is not None:
            return False
        try:
            os.write(self._asks, b".")
        except BrokenPipeError:  # it has just ended
            return False
        return True

    def _begin(self) -> None:
        self._answer = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `end`
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        asked, self._asks = os.pipe()
        self._ready, ready = os.pipe()
        os.set_blocking(self._ready, False)
        self._process = subprocess.Popen(
            [sys.executable, *self._command, str(ready)],
            stdin=asked,
            stdout=self._answer,
            stderr=self._errors,
            pass_fds=(ready,),
            env={**environment(), "GNOMON_HOME": self._home},
            start_new_session=True,
        )
        os.close(asked)
        os.close(ready)

    def poll(self) -> int | None:
        """The exit code, or 0 if it waits for the next forecast; None while it runs."""
        if self._process is None:
            return 1
        code = self._process.poll()
        if code is None and not self._is_waiting:
            try:
                self._is_waiting = bool(os.read(self._ready, 1))
            except BlockingIOError:
                pass
        return 0 if self._is_waiting else code

    def read(self) -> tuple[bytes, str]:
        """What it has written, and its errors."""
        self._answer.seek(0)
        self._errors.seek(0)
        return self._answer.read(), self._errors.read().decode(errors="replace").strip()

    def close(self) -> None:
        """End the forecast, and the process unless it waits for the next one."""
        if not self._is_waiting:
            self.end()

    def end(self) -> None:
        """End the process, with its children."""
        process, self._process, self._is_waiting = self._process, None, False
        if process is None:
            return
        if process.poll() is None:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        os.close(self._asks)
        os.close(self._ready)
        self._answer.close()
        self._errors.close()
