"""The process that makes a forecast for the monitor: started, asked whether it has ended, and killed when it takes too long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile

from gnomon.ground.config import Config
from gnomon.ground.config.environment import environment

MODULE = "gnomon.entry.projection.forecast_main"
"""A name, because this part may not import it: it would join the memory of the monitor."""
EXTRA_S = 120.0
"""How much longer than [forecast] max_time it may take: it reads the store first, and one future is drawn in any case."""


class ForecastProcess:
    """One forecast. Its answer goes to a file, so that nothing waits for a reader."""

    def __init__(self, cfg: Config) -> None:
        self.limit_s = cfg.number("forecast", "max_time") + EXTRA_S
        self._answer = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `close`
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.DEVNULL,
            stdout=self._answer,
            stderr=self._errors,
            env={**environment(), "GNOMON_HOME": str(cfg.home)},
            start_new_session=True,
        )

    def poll(self) -> int | None:
        """The exit code; None while it runs."""
        return self._process.poll()

    def read(self) -> tuple[bytes, str]:
        """What it has written, and its errors."""
        self._answer.seek(0)
        self._errors.seek(0)
        return self._answer.read(), self._errors.read().decode(errors="replace").strip()

    def close(self) -> None:
        """End it, with its children."""
        if self._process.poll() is None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self._process.wait()
        self._answer.close()
        self._errors.close()
