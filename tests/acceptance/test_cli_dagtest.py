"""`gnomon dags test` as a person uses it: a process of its own, DAG files, the real scheduler and worker."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.patience import PATIENCE_S

from gnomon.ground.config import load_config
from gnomon.storage.store import load_cipher, migrations, open_database
from gnomon.storage.store.admin import variables
from gnomon.storage.store.dag_records import dags

TWO_TASKS = """
from airflow.sdk import DAG, task

print("printed while it is imported")
with DAG("two", params={"n": 2}):
    @task
    def make(params):
        print("printed by a task")
        return params["n"]

    @task
    def check(n):
        assert n == 5, f"n is {n}"

    check(make())
"""
SLEEPER = """
import pathlib
from airflow.sdk import DAG, task

with DAG("sleeper"):
    @task
    def sleep():
        import os, time
        pathlib.Path(r"{diary}").write_text(str(os.getpid()))
        time.sleep(600)

    sleep()
"""
STUBBORN = """
import pathlib
from airflow.sdk import DAG, task

with DAG("stubborn"):
    @task
    def sleep():
        import os, signal, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            pathlib.Path(r"{diary}").write_text(str(os.getpid()))
        while True:
            time.sleep(600)

    sleep()
"""
NEVER = """
import asyncio, os, pathlib
from airflow.triggers.base import BaseTrigger

class Never(BaseTrigger):
    def serialize(self):
        return "never.Never", {{}}

    async def run(self):
        pathlib.Path(r"{diary}").write_text(str(os.getpid()))
        await asyncio.sleep(600)
        yield None
"""
DEFERRED = """
from airflow.sdk import DAG, BaseOperator
from never import Never

class Waits(BaseOperator):
    def execute(self, context, event=None):
        self.defer(trigger=Never(), method_name="execute")

with DAG("deferred"):
    Waits(task_id="sleep")
"""
ASKS = """
from airflow.sdk import DAG, task

with DAG("asks"):
    @task
    def asks():
        import os, time
        print("may I end?", flush=True)
        while not os.path.exists(r"{go}"):
            time.sleep(0.01)
        print("I end")

    asks()
"""


class Ended(NamedTuple):
    code: int
    out: str
    err: str


Test = Callable[..., Ended]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path: sockets are made below it."""
    with tempfile.TemporaryDirectory(prefix="g-") as name:
        (Path(name) / "home" / "dags").mkdir(parents=True)
        yield Path(name)


@pytest.fixture
def dag_test(folder: Path) -> Test:
    """Runs `gnomon dags test`."""

    def run(*args: str) -> Ended:
        done = subprocess.run(
            [sys.executable, "-m", "gnomon", "dags", "test", *args],
            env=_environment(folder),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "GNOMON_HOME": str(folder / "home"), "TMPDIR": str(folder)}


def _write(folder: Path, text: str, name: str = "file.py") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def test_the_document_has_exactly_its_fields_and_stdout_nothing_else(folder: Path, dag_test: Test) -> None:
    code, out, err = dag_test(
        _write(folder, TWO_TASKS), "--conf", '{"n": 5}', "--logical-date", "2026-01-01", "-o", "json"
    )
    assert code == 0, err
    found = json.loads(out)
    assert list(found) == ["run_id", "state", "tasks"] and found["state"] == "success"
    assert [(t["task_id"], t["map_index"], t["state"], t["try_number"]) for t in found["tasks"]] == [
        ("make", -1, "success", 1),
        ("check", -1, "success", 1),
    ]
    assert all(
        list(t) == ["task_id", "map_index", "state", "try_number", "start_date", "end_date"] for t in found["tasks"]
    )
    assert all(t["start_date"].endswith("+00:00") and "." in t["start_date"] for t in found["tasks"])
    assert "make | printed by a task" in err and "make success" in err and not (folder / "home" / "gnomon.db").exists()
    assert err.index("make | printed by a task") < err.index("make success")
    assert not list(folder.glob("gnomon-test-*"))


def test_a_failure_is_exit_code_1_with_the_log_of_the_task_on_stderr(folder: Path, dag_test: Test) -> None:
    code, out, err = dag_test(_write(folder, TWO_TASKS))
    assert code == 1
    assert re.search(r"^check +failed", out, re.MULTILINE) and "AssertionError: n is 2" in out
    assert "make | printed by a task" in err and "check | Traceback" in err
    assert err.count("Traceback") == 1


def test_what_a_task_prints_is_shown_while_it_runs(folder: Path) -> None:
    command = [sys.executable, "-m", "gnomon", "dags", "test", _write(folder, ASKS.format(go=folder / "go"))]
    with subprocess.Popen(
        command, env=_environment(folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        lines = iter(running.stderr)
        assert any(line == "asks | may I end?\n" for line in lines)
        (folder / "go").touch()
        rest = list(lines)
    assert running.returncode == 0 and rest.index("asks | I end\n") < rest.index("asks success\n")


def test_a_dag_of_the_home_is_found_by_id_with_its_variables_and_nothing_is_written_there(
    folder: Path, dag_test: Test
) -> None:
    (folder / "home" / "dags" / "v.py").write_text(
        "from airflow.sdk import DAG, task, Variable\n"
        "with DAG('v', schedule='@daily', is_paused_upon_creation=True):\n"
        "    @task(pool='nowhere', retries=1, retry_delay=__import__('datetime').timedelta(seconds=0))\n"
        "    def use(ti):\n"
        "        Variable.set('key', Variable.get('key') + '!')\n"
        "        assert ti.try_number == 2\n"
        "    use()\n"
    )
    cfg = load_config({}, folder / "home")
    migrations.upgrade_schema(cfg.database_url)
    db = open_database(cfg.database_url, cipher=load_cipher(cfg))
    try:
        with db.write() as tx:
            variables.set_variable(tx, "key", "value")
        code, out, err = dag_test("v", "-o", "json")
        assert code == 0, err
        assert [(t["state"], t["try_number"]) for t in json.loads(out)["tasks"]] == [("success", 2)]
        with db.read() as tx:
            assert variables.get_variable(tx, "key") == "value" and dags.list_dags(tx) == []
    finally:
        db.close()


def test_a_file_writes_a_variable_while_it_is_imported_and_is_told_what_only_tasks_may_do(
    folder: Path, dag_test: Test
) -> None:
    (folder / "writes.py").write_text(
        "from airflow.sdk import DAG, task, Variable\n"
        "Variable.set('key', {'n': 2}, serialize_json=True)\n"
        "with DAG('writes', schedule=None):\n"
        "    @task\n"
        "    def use():\n"
        "        assert Variable.get('key', deserialize_json=True) == {'n': 2}\n"
        "    use()\n"
    )
    code, _, err = dag_test(str(folder / "writes.py"))
    assert code == 0, err
    (folder / "asks.py").write_text(
        "from airflow.sdk import DAG, TaskInstance\nTaskInstance.get_dagrun_state('d', 'r')\nDAG('d', schedule=None)\n"
    )
    code, _, err = dag_test(str(folder / "asks.py"))
    assert (
        code == 1
        and "line 2" in err
        and "GetRunState is for tasks only" in err
        and "internal error" not in err
        and "Traceback" not in err
    )


@pytest.mark.parametrize(
    ("text", "args", "said"),
    [
        ("x = (", [], "line 1: '(' was never closed"),
        (
            "from airflow.sdk import DAG\na = DAG('one')\nb = DAG('two')\n",
            [],
            "defines 2 DAGs; choose one with --dag-id: one, two",
        ),
        (
            "from airflow.sdk import DAG\na = DAG('one')\n",
            ["--dag-id", "onne"],
            "there is no DAG 'onne'; did you mean 'one'?",
        ),
        ("x = 1\n", [], "defines no DAG"),
        (TWO_TASKS, ["--conf", '{"n": {}}', "--dag-id", "three"], "there is no DAG 'three'"),
    ],
)
def test_what_cannot_run_is_exit_code_1_with_a_sentence(
    text: str, args: list[str], said: str, folder: Path, dag_test: Test
) -> None:
    code, out, err = dag_test(_write(folder, text), *args)
    assert (code, out) == (1, "") and said in err and 'File "' not in err


def test_an_unknown_id_is_answered_with_the_nearest_of_the_folder(folder: Path, dag_test: Test) -> None:
    (folder / "home" / "dags" / "two.py").write_text(TWO_TASKS)
    code, out, err = dag_test("twoo")
    assert (code, out) == (1, "") and "there is no DAG 'twoo'; did you mean 'two'?" in err


@pytest.mark.parametrize("text", ["SLEEPER", "STUBBORN", "DEFERRED"])
def test_ctrl_c_ends_it_and_its_task(folder: Path, text: str) -> None:
    """The task has no further time to end by itself, as it would have if a worker of a deployment stopped, and nothing of it is left when the command ends."""
    diary = folder / "pid"
    (folder / "home" / "plugins").mkdir(exist_ok=True)
    (folder / "home" / "plugins" / "never.py").write_text(NEVER.format(diary=diary))
    command = [sys.executable, "-m", "gnomon", "dags", "test", _write(folder, globals()[text].format(diary=diary))]
    running = subprocess.Popen(
        command, env=_environment(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        pid = int(_eventually(lambda: diary.exists() and diary.read_text()))
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=PATIENCE_S)
    finally:
        running.kill()
        running.communicate()
    assert running.returncode == 130, err
    assert out == "" and "Traceback" not in err and "Gnomon stops" not in err
    assert _eventually(lambda: not Path(f"/proc/{pid}").exists())
    assert not list(folder.glob("gnomon-test-*"))


def _eventually(look: Callable[[], object]) -> str:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = look()
        if found:
            return str(found)
        time.sleep(0.02)
    raise AssertionError(f"not within {PATIENCE_S:g} s")
