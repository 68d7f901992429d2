"""Many DAG files in a Git repository: the seconds from a commit that changes one file to tasks of it on every worker, and how often files are parsed.

    python -m bench.run git_bundle
    python -m bench.git_bundle 1000

The workers are of the CeleryExecutor where Redis answers at GNOMON_BENCH_REDIS (by default that of this machine): each has a home of its own, as on a host
of its own, and fetches the repository itself (for root on Linux: its folder of bundles is a mount of its own at the path that all hosts share). Else one
local worker, which shares the copies of the dag-processor. The database is PostgreSQL when
GNOMON_BENCH_POSTGRES is set, else SQLite.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.celery_rate import BROKERS, delete_queue, find_fault
from bench.deployment import GNOMON, Deployment, deployment, postgres
from bench.figures import median, show
from bench.processes import cpu_s, family

FILES = 10_000
WORKERS = 2
COMMITS = 3
REFRESH_S = 1
SLOTS = 4
LIMIT_S = 1800.0
IDLE_S = 20.0
CHANGED = "changing"
FILE = """from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG

with DAG("dag_{number:05d}", schedule=None):
    EmptyOperator(task_id="one") >> EmptyOperator(task_id="two")
"""
CHANGED_FILE = """import os
import time
from pathlib import Path

from airflow.sdk import DAG, task

with DAG("changing", schedule=None):
    for number in range({tasks}):
        @task(task_id=f"note_{{number}}")
        def note():
            Path({marks!r}, f"{word}.{{os.environ['BENCH_WORKER']}}").touch()
            time.sleep(0.5)
        note()
"""


class Change(NamedTuple):
    """What one commit caused."""

    recorded_s: float
    """From the commit until the next run takes it."""
    used_s: float
    """From the commit until a task of it began on the last worker."""
    parses: int
    cpu_s: float
    """Of all services until then."""


class Found(NamedTuple):
    """The figures of one installation."""

    first_s: float
    """From the start until all files were parsed and recorded."""
    changes: list[Change]
    idle_percent: float
    """Of one processor, while nothing is committed, at one refresh in REFRESH_S."""


def git_bundle(files: int = FILES) -> None:
    with postgres() as database:
        redis = BROKERS["Redis"] if not find_fault(BROKERS["Redis"]) else None
        workers = f"{WORKERS} Celery workers" if redis else "a local worker"
        name = f"Git bundle of {files:,} files, {'SQLite' if database is None else 'PostgreSQL'}, {workers}"
        found = measure(files, redis, WORKERS if redis else 1, database or {}, idle_s=IDLE_S)
    show(f"{name}: first parse", f"{found.first_s:.0f} s")
    show(
        "a commit that changes one file: the next run takes it",
        f"{median([one.recorded_s for one in found.changes]):.1f} s",
        "",
        "",
    )
    show("... a task of it runs on every worker", " ".join(f"{one.used_s:.1f} s" for one in found.changes))
    show("... files parsed", " ".join(str(one.parses) for one in found.changes), "1")
    show("... processor time of all services", f"{median([one.cpu_s for one in found.changes]):.1f} s")
    show(f"no commit, a refresh each {REFRESH_S} s", f"{found.idle_percent:.1f} % of a core")


def measure(
    files: int,
    broker_url: str | None,
    workers: int,
    options: dict[str, str],
    *,
    commits: int = COMMITS,
    idle_s: float = 0.0,
) -> Found:
    """Commit `files` files, then `commits` times a change of one of them. Without a broker the only worker is that of the standalone."""
    with tempfile.TemporaryDirectory(prefix="gnomon-bench-git-") as name, ExitStack() as stack:
        folder = Path(name)
        (folder / "marks").mkdir()
        repository = Repository(folder / "origin", CHANGED_FILE, folder / "marks", tasks=4 * SLOTS * workers)
        repository.commit_files(files)
        bundle = {
            "name": "many",
            "classpath": "airflow.providers.git.bundles.git.GitDagBundle",
            "kwargs": {
                "tracking_ref": "main",
                "subdir": "dags",
                "repo_url": str(repository.folder),
                "refresh_interval": REFRESH_S,
            },
        }
        chosen = {
            **options,
            "GNOMON__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": json.dumps([bundle]),
            "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
            "GNOMON__LOGGING__STYLE": "json",
            "GNOMON__CORE__MAX_ACTIVE_TASKS_PER_DAG": "1000",
            "BENCH_WORKER": "0",
        }
        queue = f"gnomon-bench-{uuid.uuid4().hex[:12]}"
        if broker_url is not None:
            chosen |= {
                "GNOMON__CORE__EXECUTOR": "CeleryExecutor",
                "GNOMON__CELERY__BROKER_URL": broker_url,
                "GNOMON__OPERATORS__DEFAULT_QUEUE": queue,
            }
            stack.callback(delete_queue, broker_url, queue)
        began = time.time()
        running = stack.enter_context(deployment([], **chosen))
        log = ServiceLog(running.home / "standalone.log")
        log.wait_for(lambda event: event.get("event") == "bundle_version_recorded")
        first_s = time.time() - began
        pids = [running.process.pid] if running.process is not None else []
        if broker_url is not None:
            pids += [stack.enter_context(celery_worker(running, queue, number)).pid for number in range(workers)]
        changes = [
            _change(repository, running, log, pids, number, workers, f"word{number}") for number in range(commits)
        ]
        before, at = _read_cpu(pids), time.time()
        time.sleep(idle_s)
        return Found(first_s, changes, 100 * (_read_cpu(pids) - before) / (time.time() - at) if idle_s else 0.0)


def _change(
    repository: Repository, running: Deployment, log: ServiceLog, pids: list[int], number: int, workers: int, word: str
) -> Change:
    log.take()
    before, began = _read_cpu(pids), time.time()
    commit = repository.commit_change(word)
    parses = log.wait_for(lambda event: event.get("event") == "bundle_version_recorded" and event["version"] == commit)
    recorded_s = time.time() - began
    running.cli("dags", "trigger", CHANGED, "--run-id", f"run{number}")
    deadline = time.monotonic() + LIMIT_S
    while len(list(repository.marks.glob(f"{word}.*"))) < workers:
        if time.monotonic() > deadline:
            raise TimeoutError(f"the commit was not used by {workers} workers; see {running.home}/standalone.log")
        time.sleep(0.01)
    used_s = time.time() - began
    while next(
        run["state"] for run in running.json("runs", "list", CHANGED) if run["run_id"] == f"run{number}"
    ) not in ("success", "failed"):
        time.sleep(0.2)
    return Change(recorded_s, used_s, parses, _read_cpu(pids) - before)


class Repository:
    """A repository with many DAG files, of which one changes."""

    def __init__(self, folder: Path, changed_file: str, marks: Path, tasks: int) -> None:
        self.folder, self.marks = folder, marks
        self._changed_file, self._tasks = changed_file, tasks

    def commit_files(self, count: int) -> None:
        """Make it, in folders of 100 files, as teams have them."""
        for number in range(count - 1):
            path = self.folder / "dags" / f"team_{number // 100:03d}" / f"dag_{number:05d}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(FILE.format(number=number))
        (self.folder / "dags").mkdir(exist_ok=True, parents=True)
        self._git("init", "--quiet", "--initial-branch=main")
        self.commit_change("first")

    def commit_change(self, word: str) -> str:
        """Change one file; returns the commit."""
        (self.folder / "dags" / f"{CHANGED}.py").write_text(
            self._changed_file.format(word=word, marks=str(self.marks), tasks=self._tasks)
        )
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message=bench")
        return self._git("rev-parse", "HEAD")

    def _git(self, *words: str) -> str:
        names = {
            f"GIT_{who}_{what}": "bench@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        environment = {**os.environ, **names, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["git", *words], cwd=self.folder, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()


class ServiceLog:
    """The JSON lines of the services, read as they come."""

    def __init__(self, path: Path) -> None:
        self._path, self._read = path, 0

    def take(self) -> list[dict[str, object]]:
        """The whole lines since the last call."""
        with self._path.open("rb") as file:
            file.seek(self._read)
            whole, separator, _ = file.read().rpartition(b"\n")
        self._read += len(whole) + len(separator)
        return [json.loads(line) for line in whole.splitlines() if line.startswith(b"{")]

    def wait_for(self, wanted: Callable[[dict[str, object]], bool]) -> int:
        """Wait for an event; returns how many files were parsed up to it, since the last call."""
        parses, deadline = 0, time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            events = self.take()
            parses += sum(event.get("event") == "dag_file_parsed" for event in events)
            if any(wanted(event) for event in events):
                return parses
            time.sleep(0.05)
        raise TimeoutError(f"the event did not come; see {self._path}")


@contextmanager
def celery_worker(running: Deployment, queue: str, number: int) -> Iterator[subprocess.Popen[bytes]]:
    """A worker with a home of its own."""
    home = Path(tempfile.mkdtemp(prefix="gnomon-bench-worker-"))
    environ = {key: value for key, value in running.environ.items() if "DATABASE" not in key} | {
        "GNOMON_HOME": str(home),
        "BENCH_WORKER": str(number),
        "GNOMON__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{running.environ['GNOMON__API__PORT']}/execution",
    }
    storage = running.home / "dag_bundles"
    environ["GNOMON__DAG_PROCESSOR__DAG_BUNDLE_STORAGE_PATH"] = str(storage)
    command = [*GNOMON, "celery", "worker", "-q", queue, "-c", str(SLOTS), "-H", f"bench{number}@%h"]
    if has_mounts():
        own = home / "own_bundles"
        own.mkdir()
        command = [
            "unshare",
            "--mount",
            "sh",
            "-c",
            'mount --bind "$0" "$1" && shift && exec "$@"',
            str(own),
            str(storage),
            *command,
        ]
    with (home / "worker.log").open("ab") as log:
        worker = subprocess.Popen(command, env=environ, stdout=log, stderr=log)
    try:
        yield worker
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(60)
        shutil.rmtree(home, ignore_errors=True)


def has_mounts() -> bool:
    """Whether a process may have mounts of its own here."""
    try:
        return subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode == 0
    except OSError:
        return False


def _read_cpu(pids: list[int]) -> float:
    return sum(cpu_s(family(pid)) for pid in pids)


if __name__ == "__main__":
    git_bundle(int(sys.argv[1]) if len(sys.argv) > 1 else FILES)
