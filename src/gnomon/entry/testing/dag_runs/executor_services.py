"""`dag.test(use_executor=True)`: a worker and a triggerer as processes of their own, for the store of one test run."""

from __future__ import annotations

import select
import subprocess
import sys
from pathlib import Path

from gnomon.author_code.processes.exit_reasons import describe_exit
from gnomon.entry.testing.dag_runs.private_home import to_environment
from gnomon.ground.config import Config, run_folder
from gnomon.ground.config.environment import environment
from gnomon.ground.wakeups import Listener
from gnomon.model.errors.product import ResourceUnavailable
from gnomon.model.sentences import say
from gnomon.services.executors.local import LocalExecutor

END_S = 10.0
"""How long a service may take to end after SIGTERM before it is killed."""


class ExecutorServices:
    """Starts the worker at once, and the triggerer when a task is deferred to a trigger. The output of both goes to a file of the home."""

    def __init__(self, cfg: Config) -> None:
        self._cfg = cfg
        self._output = Path(cfg.home) / "services.log"
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.listener = Listener(run_folder(cfg.home), "dag-test")
        """Receives the notifications to the scheduler."""
        self._start("worker")

    def start_triggerer(self) -> None:
        """Start the triggerer, unless it runs."""
        if "triggerer" not in self._processes:
            self._start("triggerer")

    def wait(self, executor: LocalExecutor, seconds: float) -> None:
        """Wait for a message of the worker or a notification. Raises ResourceUnavailable when a service has ended."""
        for name, process in self._processes.items():
            if process.poll() is not None:
                output = self._output.read_text(errors="replace").strip()
                raise ResourceUnavailable(
                    say(
                        "process_of_dag_test_ended",
                        process_kind=name,
                        reason=describe_exit(process.returncode),
                        text=output or "nothing",
                    )
                )
        select.select([*executor.read_filenos(), self.listener.fileno()], executor.write_filenos(), [], seconds)

    def close(self) -> None:
        """End the services."""
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.listener.close()

    def _start(self, name: str) -> None:
        variables = {**environment(), **to_environment(self._cfg), "GNOMON_HOME": str(self._cfg.home)}
        with self._output.open("ab") as output:
            self._processes[name] = subprocess.Popen(
                [sys.executable, "-m", "gnomon", name],
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
