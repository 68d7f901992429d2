"""The product as a user runs it: a home with DAG files, `gnomon standalone`, and the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tests.commands import run_command, start_interpreter, start_service
from tests.patience import PATIENCE_S

from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.storage.store import open_database
from gnomon.storage.store.dag_records import dag_runs, dags

T = TypeVar("T")
LOOK_S = 0.1
"""The shortest pause in seconds between two polls for the effect of another process. One that takes longer, as a command does on
a busy machine, is followed by a pause of its own length: the waiting takes no more of the machine than what it waits for."""

Row = dict[str, Any]


class Ended(NamedTuple):
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str


class Product:
    """A home with a running standalone. The home's path is short, and another for each."""

    def __init__(self, home: Path, environ: Mapping[str, str], *, interpreter: bool = False) -> None:
        """`interpreter`: it is started by `python -m gnomon`, and not forked from a process that has imported the modules of services."""
        self.home = home
        self._start_service = start_interpreter if interpreter else start_service
        self.dags = home / "dags"
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GNOMON_", "AIRFLOW_"))}
        # All processors are busy while tests run: requests do not wait for their share of them.
        self.env = {
            **inherited,
            "GNOMON_HOME": str(home),
            "GNOMON__WORKERS__SHUTDOWN_GRACE": "0",
            "GNOMON__DATABASE__SYNCHRONOUS": "NORMAL",
            "GNOMON__API__BUSY_PROCESSOR_PERCENT": "100",
            **environ,
        }
        self._start()

    def _start(self) -> None:
        with (self.home / "standalone.log").open("a") as log:
            self.process = self._start_service(
                "standalone", "--port", "0", env=self.env, stdout=subprocess.PIPE, stderr=log
            )
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        """Its first line: that it runs, and where."""

    def restart(self) -> None:
        """Stop the standalone and start it again."""
        self.stop()
        self._start()

    def log(self) -> str:
        """The log of the services so far."""
        return (self.home / "standalone.log").read_text()

    def cli(self, *words: str) -> Ended:
        """Run a command to its end."""
        done = run_command(*words, env=self.env)
        return Ended(done.returncode, done.stdout, done.stderr)

    def do(self, *words: str) -> str:
        """Run a command that must succeed; returns its output."""
        ended = self.cli(*words)
        assert ended.code == 0, f"gnomon {' '.join(words)}: {ended.err}"
        return ended.out

    def rows(self, *words: str) -> list[Row]:
        """The records that a listing command prints as JSON."""
        found: list[Row] = json.loads(self.do(*words, "-o", "json"))
        return found

    def write(self, name: str, text: str) -> Path:
        """Write a file into the DAGs folder in one atomic step."""
        path = self.dags / name
        draft = self.home / "draft"
        draft.write_text(text)
        draft.rename(path)
        return path

    def has_dag(self, dag_id: str) -> None:
        """Wait until the DAG is listed."""
        self.until(
            lambda: (
                self._read(dags.find_dag_row, dag_id) is not None
                and dag_id in {row["dag_id"] for row in self.rows("dags", "list")}
            ),
            f"DAG {dag_id} is listed",
        )

    def run(self, dag_id: str, *words: str) -> Row:
        """Trigger a run and wait for its end; returns it as `runs list` shows it."""
        run_id = self.do("dags", "trigger", dag_id, *words).strip()
        return self.ended(dag_id, run_id)

    def ended(self, dag_id: str, run_id: str) -> Row:
        """Wait for the end of the run, and return it."""
        found: list[Row] = []

        def over() -> bool:
            run = self._read(dag_runs.find_stored_run, dag_id, run_id)
            if run is not None and run.state in FINISHED_RUN_STATES:
                found[:] = [row for row in self.rows("runs", "list", dag_id) if row["run_id"] == run_id]
            return bool(found) and found[0]["state"] in ("success", "failed")

        self.until(over, f"run {run_id} of {dag_id} has ended")
        return found[0]

    def _read(self, find: Callable[..., T], *arguments: str) -> T:
        """What the store says: a look at it takes a twentieth of the processor time of a command."""
        database = open_database(
            self.env.get("GNOMON__DATABASE__SQL_ALCHEMY_CONN", f"sqlite:///{self.home / 'gnomon.db'}")
        )
        try:
            with database.read() as tx:
                return find(tx, *arguments)
        finally:
            database.close()

    def tasks(self, dag_id: str, run_id: str) -> dict[str, Row]:
        """The task instances of a run without mapped tasks, by task id."""
        return {row["task_id"]: row for row in self.rows("tasks", "states", dag_id, run_id)}

    def task_log(self, dag_id: str, run_id: str, task_id: str) -> str:
        """The log of the last try."""
        return self.do("tasks", "logs", dag_id, run_id, task_id)

    def until(self, holds: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> None:
        """Poll until the condition holds; for effects of other processes that send no notification."""
        ends_at = time.monotonic() + patience_s
        began_at = time.monotonic()
        while not holds():
            assert self.process.poll() is None, f"the standalone ended: {self.log()}"
            now = time.monotonic()
            assert now < ends_at, f"not within {patience_s:g} s: {what}\n{self.log()[-3000:]}"
            time.sleep(max(LOOK_S, now - began_at))
            began_at = time.monotonic()

    def stop(self) -> None:
        """Stop the standalone and wait until all of its processes have ended."""
        self.process.send_signal(signal.SIGTERM)
        try:
            assert self.process.wait(PATIENCE_S) == 0, self.log()[-3000:]
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
            if self.process.stdout is not None:
                self.process.stdout.close()


@contextmanager
def product(
    files: Mapping[str, str],
    environ: Mapping[str, str] | None = None,
    *,
    address: bool = False,
    interpreter: bool = False,
) -> Iterator[Product]:
    """A new home with these files in `dags/`, run by a standalone until the end of the block.

    `address`: its environment says where the database is, though it is where it would be anyway. `interpreter`: for tests of what processes import and say.
    """
    with tempfile.TemporaryDirectory(prefix="g-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        (home / "dags").mkdir()
        for name, text in files.items():
            (home / "dags" / name).parent.mkdir(exist_ok=True)
            (home / "dags" / name).write_text(text)
        where = {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home / 'gnomon.db'}"} if address else {}
        made = Product(home, {**(environ or {}), **where}, interpreter=interpreter)
        try:
            assert made.said.startswith("Gnomon runs on"), made.said + made.log()
            yield made
        finally:
            made.stop()
