"""The process that computes a simulation for an api-server: started by it, watched by it, and gone with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile

from gnomon.ground.config import Config
from gnomon.ground.config.environment import environment

MODULE = "gnomon.entry.projection.what_if.simulation_main"
"""A name, because this part may not import it: it would join the memory of the api-server."""
ERRORS_MAX = 2_000


class SimulationProcess:
    """One simulation. Its answer goes to its row; its standard input ends with the process that started it."""

    def __init__(self, cfg: Config, simulation_id: str) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `close`
        self._process = subprocess.Popen(
            [sys.executable, "-m", MODULE, simulation_id],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env={**environment(), "GNOMON_HOME": str(cfg.home)},
            start_new_session=True,
        )

    def wait(self) -> int:
        """Return its exit code when it has ended."""
        return self._process.wait()

    def read_errors(self) -> str:
        """The end of what it has written to its standard error."""
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - ERRORS_MAX))
        return self._errors.read().decode(errors="replace").strip()

    def kill(self) -> None:
        """End it, with its children, at once."""
        if self._process.poll() is None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def close(self) -> None:
        """Release what belongs to an ended process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._errors.close()
