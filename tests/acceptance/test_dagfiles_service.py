"""`gnomon dag-processor` as a process: what a user sees who saves, breaks and deletes files beside it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S

from gnomon.ground.config import load_config
from gnomon.storage import store
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.parsed_files import dag_files

DAG_FILE = """\
from airflow import DAG
from airflow.operators.empty import EmptyOperator

with DAG({dag_id!r}):
    EmptyOperator(task_id="only")
"""


class Running:
    """A dag-processor in a process of its own, and its database."""

    def __init__(self, home: Path, **options: object) -> None:
        self.home = home
        self.dags = home / "dags"
        self.dags.mkdir(parents=True, exist_ok=True)
        environ = {name: value for name, value in os.environ.items() if not name.startswith(("GNOMON__", "AIRFLOW__"))}
        environ |= {"GNOMON_HOME": str(home)} | {
            f"GNOMON__{name.upper()}": str(value) for name, value in options.items()
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gnomon", "dag-processor"],
            env=environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.said = b""
        self.hear("dag_processor_started")
        self.db = store.open_database(
            f"sqlite:///{home / 'gnomon.db'}", synchronous="OFF", cipher=store.load_cipher(load_config({}, home))
        )

    def write(self, name: str, text: str) -> Path:
        """The file is there, whole, at once."""
        path = self.dags / name
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.home / "draft"
        draft.write_text(textwrap.dedent(text))
        draft.rename(path)
        return path

    def hear(self, event: str) -> None:
        """Returns once the log says so."""
        ends_at = time.monotonic() + PATIENCE_S
        assert self.process.stderr is not None
        while event.encode() not in self.said:
            ready, _, _ = select.select([self.process.stderr], [], [], ends_at - time.monotonic())
            data = os.read(self.process.stderr.fileno(), 65536) if ready else b""
            assert data, f"no {event} in the log: {self.said.decode()}"
            self.said += data
        self.said = self.said.split(event.encode(), 1)[1]

    def active(self) -> list[str]:
        with self.db.read() as tx:
            return sorted(row.dag_id for row in dags.list_dags(tx) if row.active)

    def errors(self) -> dict[str, str]:
        with self.db.read() as tx:
            return {os.path.basename(row.path): row.kind for row in dag_files.list_import_errors(tx)}

    def family(self) -> list[int]:
        """The processes of this service that live."""
        found, todo = [], [self.process.pid]
        while todo:
            pid = todo.pop()
            found.append(pid)
            try:
                todo += [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
            except OSError:
                continue
        return found

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()
        if hasattr(self, "db"):
            self.db.close()


@pytest.fixture
def start(tmp_path):
    made: list[Running] = []

    def run(**options: object) -> Running:
        made.append(Running.__new__(Running))
        made[-1].__init__(tmp_path / "home", **options)
        return made[-1]

    yield run
    for one in made:
        one.close()


def test_files_that_come_change_break_and_go_are_followed_while_it_runs(start):
    one = start(dag_processor__refresh_interval=1)

    path = one.write("etl.py", DAG_FILE.format(dag_id="first"))
    one.hear("dag_file_parsed")
    assert one.active() == ["first"]

    one.write("etl.py", DAG_FILE.format(dag_id="second"))
    one.hear("dag_file_parsed")
    assert one.active() == ["second"]

    one.write("etl.py", "from airflow import DAG(\n")
    one.hear("dag_file_failed")
    assert (one.active(), one.errors()) == (["second"], {"etl.py": "syntax"})

    path.unlink()
    one.hear("files_removed")
    assert (one.active(), one.errors()) == ([], {})


def test_a_change_is_seen_long_before_the_next_listing(start):
    one = start(dag_processor__refresh_interval=3600)
    one.write("a.py", DAG_FILE.format(dag_id="a"))
    one.hear("dag_file_parsed")
    one.write("new_folder/b.py", DAG_FILE.format(dag_id="b"))
    one.hear("dag_file_parsed")

    assert one.active() == ["a", "b"]


def test_a_variable_is_answered_by_the_service(start):
    one = start()
    with one.db.write() as tx:
        store_variable(tx, "from_variable")

    one.write(
        "asks.py",
        """\
        from airflow import DAG
        from airflow.models import Variable
        dag = DAG(Variable.get("dag_id"))
    """,
    )
    one.hear("dag_file_parsed")

    assert one.active() == ["from_variable"]


def test_two_hundred_files_are_parsed_once_and_not_again_after_a_restart(start, tmp_path):
    (tmp_path / "home" / "dags").mkdir(parents=True)
    for number in range(200):
        (tmp_path / "home" / "dags" / f"d{number}.py").write_text(DAG_FILE.format(dag_id=f"d{number}"))
    one = start()
    for _ in range(200):
        one.hear("dag_file_parsed")
    assert len(one.active()) == 200
    assert one.stop() == 0

    again = start()
    again.write("last.py", DAG_FILE.format(dag_id="last"))
    again.hear("dag_file_parsed")

    assert b"dag_file_parsed" not in again.said
    assert len(again.active()) == 201


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_end_it_leaves_no_process(number, start):
    one = start()
    one.write(
        "sleeps.py",
        "import time\nprint('airflow dag')\nopen('/proc/self/comm', 'w').write('asleep')\ntime.sleep(3600)\n",
    )
    wait_until(lambda: len(one.family()) == 3)
    family = one.family()

    assert one.stop(number) == 0

    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family))


def test_when_the_service_is_killed_its_server_and_children_end(start):
    one = start()
    one.write("sleeps.py", "import time\n# airflow dag\ntime.sleep(3600)\n")
    wait_until(lambda: len(one.family()) == 3)
    family = one.family()

    one.stop(signal.SIGKILL)

    wait_until(lambda: not any(is_alive(pid) for pid in family))


def test_when_its_parse_server_is_killed_the_service_ends_to_be_started_anew(start):
    one = start()
    server = one.family()[1]

    os.kill(server, signal.SIGKILL)

    assert one.process.wait(PATIENCE_S) == 1
    one.hear("parse_server_exited")


def store_variable(tx, value: str) -> None:
    from gnomon.storage.store.admin import variables

    variables.set_variable(tx, "dag_id", value)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(holds) -> None:
    """Another process does what nobody is told of: looked at until it holds, or too long has passed."""
    ends_at = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < ends_at, "it did not happen"
        select.select([], [], [], 0.02)
