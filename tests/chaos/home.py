"""One installation under test: a home with DAG files, a standalone that runs in it, and its database for reading."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.chaos.processes import kill, of_home, roles, until
from tests.commands import run_command
from tests.conformance.storeworld import check_newest_runs
from tests.patience import PATIENCE_S

from gnomon.model.records import AttemptRecord, RunRecord, TaskRecord
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.storage.store import Database, migrations, open_database
from gnomon.storage.store.dag_records import dag_runs, dags

GONE_S = 10.0
"""All processes end within so many seconds after SIGTERM, on an idle machine."""
BUSY = 3
"""A machine that the tests share with others may take so many times as long."""
LAST_WORDS = 6000
"""Characters of the log that a failed test shows; CHAOS_KEEP=1 keeps the whole home beside it."""


class Home:
    """A folder, and at most one standalone that this test started in it."""

    def __init__(self, folder: Path, url: str | None = None, options: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.url = url or f"sqlite:///{folder}/gnomon.db"
        self.env = {
            **os.environ,
            "GNOMON_HOME": str(folder),
            "GNOMON__LOGGING__STYLE": "json",
            "GNOMON__WORKERS__SHUTDOWN_GRACE": "0",
            "GNOMON__API__IDLE_TIMEOUT": "0",  # all services are there to be killed
            **(options or {}),
        }
        self.journal = folder / "journal"
        """The file in which tasks record their starts and ends."""
        self.said_in = folder / "stderr"
        self.env["CHAOS_JOURNAL"] = str(self.journal)
        if url is not None:
            self.env["GNOMON__DATABASE__SQL_ALCHEMY_CONN"] = url
        self.process: subprocess.Popen[str] | None = None
        self.dags = folder / "dags"
        self.dags.mkdir(exist_ok=True)

    # ---- standalone --------------------------------------------------------------------------------------------------
    def start(self) -> float:
        """Start a standalone; returns after how many seconds it reported that it runs."""
        started = time.monotonic()
        self.process = self.spawn("gnomon", "standalone", "--port", "0")
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("Gnomon runs on "), line + self.said()[-2000:]
        return time.monotonic() - started

    def spawn(self, module: str, *words: str) -> subprocess.Popen[str]:
        """Run a module in a session of its own; its stderr is in `said`."""
        with self.said_in.open("a") as errors:
            return subprocess.Popen(
                [sys.executable, "-m", module, *words],
                env=self.env,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )

    def stop(self, number: int = signal.SIGTERM, *, group: bool = False) -> float:
        """Stop the standalone and wait until all processes of the home have ended; returns how many seconds that took."""
        assert self.process is not None
        asked = time.monotonic()
        if group:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)
        self.process.communicate(timeout=PATIENCE_S)
        took = time.monotonic() - asked
        left = of_home(self.folder)
        assert not left, f"left after {took:.1f} s: {left}"
        assert took < BUSY * GONE_S, f"the end took {took:.1f} s"
        return took

    def bury(self) -> None:
        """Reap the standalone that the test killed; its services may still be running."""
        assert self.process is not None
        self.process.communicate(timeout=PATIENCE_S)

    def end(self) -> None:
        """Kill every process of this home."""
        for process in of_home(self.folder):
            kill(process)
        if self.process is not None:
            self.process.communicate(timeout=PATIENCE_S)
        until(lambda: not [kill(pid) for pid in of_home(self.folder)], "the end of killed processes")

    def said(self) -> str:
        """Everything on stderr so far."""
        return self.said_in.read_text(errors="replace") if self.said_in.exists() else ""

    def events(self, event: str) -> list[dict[str, object]]:
        """The log events of that name."""
        found = [json.loads(line) for line in self.said().splitlines() if f'"event": "{event}"' in line]
        return [line for line in found if line["event"] == event]

    def pids(self, role: str) -> list[int]:
        """The processes with that role now."""
        return roles(self.folder).get(role, [])

    def one(self, role: str) -> int:
        """The one process with that role; waits until there is one."""
        return until(lambda: self.pids(role), f"a {role}")[0]

    def cli(self, *words: str, limit_s: float = PATIENCE_S) -> subprocess.CompletedProcess[str]:
        """Run a command of the command line."""
        return run_command(*words, env=self.env, timeout_s=limit_s)

    # ---- files and store ---------------------------------------------------------------------------------------------
    def dag_file(self, name: str, text: str) -> None:
        """Write a DAG file with this text."""
        (self.dags / f"{name}.py").write_text(text)

    @contextmanager
    def store(self) -> Iterator[Database]:
        """The open database, for reading."""
        database = open_database(self.url)
        try:
            yield database
        finally:
            database.close()

    def prepare(self) -> None:
        """The database exists before anything runs."""
        migrations.upgrade_schema(self.url)

    def runs(self, *dag_ids: str) -> list[tuple[str, RunRecord]]:
        """Every run of these DAGs, or of all; nothing before there is a database."""
        with self.store() as database, database.read() as tx:
            names = dag_ids or [dag.dag_id for dag in dags.list_dags(tx)]
            return [
                (name, run)
                for name in names
                if dags.find_dag_row(tx, name)
                for run in dag_runs.list_runs(tx, name, limit=100_000)
            ]

    def unfinished(self, *dag_ids: str) -> list[str]:
        """The runs of these DAGs that have not ended."""
        return [f"{dag} {run.run_id}" for dag, run in self.runs(*dag_ids) if run.state not in FINISHED_RUN_STATES]

    def finish(self, name: str, text: str, limit_s: float = PATIENCE_S) -> None:
        """The DAGs of this file have lost their schedule, the runs that were under way have ended, and the store knows the newest of each DAG."""
        daily = set(re.findall(r'DAG\("(\w+)", schedule="@daily"', text))
        self.dag_file(name, text.replace('"@daily"', "None"))
        until(lambda: not daily & self._scheduled(), "DAGs without a schedule", limit_s)
        until(lambda: not self.unfinished(), "the end of the runs that are under way", limit_s)
        with self.store() as database:
            check_newest_runs(database)

    def _scheduled(self) -> set[str]:
        return {
            row["dag_id"]
            for row in json.loads(self.cli("dags", "list", "-o", "json").stdout)
            if row["schedule"] != "None"
        }

    def records(self, run_pks: Sequence[int]) -> tuple[dict[int, list[TaskRecord]], list[AttemptRecord]]:
        """Task instances by run, and all attempts."""
        with self.store() as database, database.read() as tx:
            found = {run_pk: dag_runs.list_task_states(tx, run_pk) for run_pk in run_pks}
            return found, [attempt for run_pk in run_pks for attempt in dag_runs.list_attempts(tx, run_pk)]


@contextmanager
def home(url: str | None = None, options: Mapping[str, str] | None = None) -> Iterator[Home]:
    """A new home in a folder of its own; its processes and then its files are removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="gnc"))
    made = Home(folder, url, options)
    try:
        yield made
    except BaseException:
        print(f"the last words in {folder}:", made.said()[-LAST_WORDS:], sep="\n")
        if os.environ.get("CHAOS_KEEP"):
            shutil.copytree(folder, f"{folder}.kept", symlinks=True, ignore=shutil.ignore_patterns("run"))
        raise
    finally:
        made.end()
        shutil.rmtree(folder, ignore_errors=True)
