"""`RunningSimulations`: the processes of the simulations that were asked for at this api-server. What they find is in the database, for every api-server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.model.sentences import render, say
from gnomon.storage.store import Database
from gnomon.storage.store.alert_records import simulation_jobs
from gnomon.storage.store.errors import DatabaseUnavailable

_log = log.get_logger("api")


class ComputingProcess(Protocol):
    """The process of a simulation."""

    def wait(self) -> int:
        """Return its exit code when it has ended."""

    def read_errors(self) -> str:
        """What it has written to its standard error."""

    def kill(self) -> None:
        """End it, with its children."""

    def close(self) -> None:
        """Release what belongs to an ended process."""


StartSimulation = Callable[[str], ComputingProcess]
"""Starts the process of the job with this id."""


class RunningSimulations:
    """Starts processes, sees their ends, and ends all of them with the server. Each has a thread that sleeps until it ends."""

    def __init__(self, start: StartSimulation, find_database: Callable[[], Database], clock: Clock) -> None:
        self._start = start
        self._find_database = find_database
        self._clock = clock
        self._processes: dict[str, ComputingProcess] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._is_closed = False
        self._guard = threading.Lock()

    @property
    def count(self) -> int:
        """How many run now."""
        return len(self._processes)

    def start(self, simulation_id: str) -> None:
        """Start the process of a job."""
        with self._guard:
            if self._is_closed:
                return
            process = self._start(simulation_id)
            thread = threading.Thread(
                target=self._await_end, args=(simulation_id, process), name="simulation", daemon=True
            )
            self._processes[simulation_id], self._threads[simulation_id] = process, thread
            thread.start()

    def end(self, simulation_id: str) -> None:
        """End the process of a job, if it is one of this server; that of another server sees in its row that it is not needed any more."""
        with self._guard:
            process = self._processes.get(simulation_id)
            if process is not None:
                process.kill()

    def close(self, wait_s: float) -> None:
        """End all processes."""
        with self._guard:
            self._is_closed = True
            threads = list(self._threads.values())
            for process in self._processes.values():
                process.kill()
        for thread in threads:
            thread.join(wait_s)

    def _await_end(self, simulation_id: str, process: ComputingProcess) -> None:
        code = process.wait()
        errors = process.read_errors()
        try:
            if code:
                _log.warning("simulation_process_ended", code=code, errors=errors)
            self._write_end(simulation_id, code, errors)
        except DatabaseUnavailable:
            pass  # whoever reads the row sees that nothing was heard for long
        finally:
            with self._guard:
                del self._processes[simulation_id], self._threads[simulation_id]
                process.close()

    def _write_end(self, simulation_id: str, code: int, errors: str) -> None:
        """A job whose process said nothing has failed."""
        last = errors.rpartition("\n")[2] or f"exit code {code}"
        why = say("simulation_lost_its_server") if self._is_closed else say("simulation_process_ended", error=last)
        with self._find_database().write() as tx:
            job = simulation_jobs.find_job(tx, simulation_id)
            if job is not None:
                simulation_jobs.put_error(tx, simulation_id, job.samples_done, render(why), self._clock.now())
