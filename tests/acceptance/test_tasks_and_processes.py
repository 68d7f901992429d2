"""What tasks may do to their processes, and files to the processes that import them: one standalone runs it all."""

from __future__ import annotations

import http.server
import json
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.acceptance.product import Product, Row, product
from tests.keys import KEY

from gnomon.model.serde import loads
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.storage.store import Transaction, open_database
from gnomon.storage.store.dag_records import dag_runs, xcom_values

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
HEAD = """
import os, signal, subprocess, sys, time
from datetime import timedelta
from airflow.exceptions import AirflowException
from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, task
"""
ENDS = """
with DAG("ends"):
    @task
    def leaves(): os._exit(3)

    @task
    def killed(): os.kill(os.getpid(), signal.SIGKILL)

    @task
    def crashes(): signal.raise_signal(signal.SIGSEGV)

    @task(execution_timeout=timedelta(seconds=0.3))
    def slow(): time.sleep(600)

    @task
    def unspeakable(): return {"rows": [object()]}

    @task(retries=1, retry_delay=timedelta(seconds=1))
    def at_second_try(ti=None):
        if ti.try_number == 1:
            raise AirflowException("not yet")
        return ti.try_number

    leaves(), killed(), crashes(), slow(), unspeakable(), at_second_try()
    BashOperator(task_id="bash", bash_command="sleep 599 & echo child=$!; echo me=$$; wait",
                 execution_timeout=timedelta(seconds=3))
"""
DAEMON = """
with DAG("daemon"):
    @task
    def starts():
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(600)
            os._exit(0)
        os.wait()
        (daemon,) = open(f"/proc/self/task/{os.getpid()}/children").read().split()
        print(f"daemon={daemon}", flush=True)

    starts()
"""
PLACES = """
with DAG("places"):
    @task
    def one(): return os.getppid()

    one() >> EmptyOperator(task_id="nothing")
with DAG("reused", attempts_per_child=10, max_active_tasks=1):
    @task
    def pid(n): return os.getpid()

    pid.override(task_id="a")(1) >> pid.override(task_id="b")(2) >> pid.override(task_id="c")(3)
with DAG("asked", fresh_import=True):
    @task
    def two(): return os.getppid()

    two()
"""
THREADS = """
import threading
threading.Thread(target=threading.Event().wait, daemon=True, name="poller").start()
with DAG("threads"):
    @task
    def one(): return os.getppid()

    one()
"""
SESSION = """
import http.client
session = http.client.HTTPConnection("127.0.0.1", {port})
session.request("GET", "/at-import")
session.getresponse().read()
with DAG("session"):
    @task
    def asks():
        session.request("GET", "/in-task")
        return session.getresponse().read().decode()

    asks()
"""
LIBRARIES = """
import numpy
import polars

TABLE = polars.DataFrame({"n": numpy.arange(4)})
with DAG("libraries"):
    @task
    def adds(): return int(TABLE.select(polars.col("n").sum()).item())

    @task
    def multiplies(): return float((numpy.ones((200, 200)) @ numpy.ones((200, 200))).sum())

    [adds(), multiplies()]
"""
NUMPY = """
import numpy
ONES = numpy.ones((300, 300)) @ numpy.ones((300, 300))
with DAG("numpy_alone"):
    @task
    def rolls():
        assert float((ONES @ ONES).sum()) == 300.0**5
        return float(numpy.random.rand())

    [rolls.override(task_id=f"t{n}")() for n in range(3)]
"""
LOOK = """
import json
from airflow.configuration import conf

def seen():
    def asked(section, key):
        try:
            return conf.get(section, key)
        except Exception as error:
            return f"{type(error).__name__}"
    links = {}
    for number in os.listdir("/proc/self/fd"):
        try:
            links[number] = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            pass
    return {
        "pid": os.getpid(), "argv": sys.argv, "cmdline": open("/proc/self/cmdline").read(), "links": links,
        "environ": dict(os.environ), "initial": open("/proc/self/environ").read(),
        "modules": [name for name in sys.modules if name.startswith("gnomon.storage.store") or name in ("sqlalchemy", "psycopg", "sqlite3")],
        "services": [name for name in sys.modules if name.startswith(("gnomon.services.scheduler", "gnomon.api"))],
        "conn": asked("database", "sql_alchemy_conn"), "fernet": asked("core", "fernet_key"),
        "old_conn": asked("core", "sql_alchemy_conn"), "parallelism": conf.getint("core", "parallelism"),
    }

with open(os.path.join(os.path.dirname(__file__), "imports.jsonl"), "a") as diary:
    diary.write(json.dumps(seen()) + "\\n")
with DAG("looks"):
    @task
    def from_inside(): return json.dumps(seen())

    from_inside()
"""


class Server(http.server.ThreadingHTTPServer):
    """Remembers which connection asked what."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.asked: list[tuple[str, int]] = []


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        assert isinstance(self.server, Server)
        self.server.asked.append((self.path, self.client_address[1]))
        body = self.path.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def running(server: Server) -> Iterator[Product]:
    texts = {
        "ends": ENDS,
        "daemon": DAEMON,
        "places": PLACES,
        "threads": THREADS,
        "libraries": LIBRARIES,
        "numpy_alone": NUMPY,
        "session": SESSION.format(port=server.server_address[1]),
        "looks": LOOK,
    }
    files = {f"{name}.py": HEAD + text for name, text in texts.items()}
    environ = {"GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False", "GNOMON__CORE__FERNET_KEY": KEY}
    with product(files, environ, address=True, interpreter=True) as made:
        for dag_id in (*texts, "reused", "asked"):
            made.has_dag(dag_id)
        yield made


@pytest.fixture(scope="module")
def ends(running: Product) -> dict[str, Row]:
    """The task instances of the DAG whose tasks end badly."""
    run = running.run("ends", "--run-id", "r")
    assert run["state"] == "failed"
    return running.tasks("ends", "r")


@pytest.mark.parametrize(
    ("task_id", "words"),
    [
        ("leaves", "exited with code 3 without a result"),
        ("killed", "killed by signal 9 (SIGKILL), probably out of memory"),
        ("crashes", "killed by signal 11 (SIGSEGV), a crash inside a compiled library"),
        ("slow", "execution_timeout of 0.3 s"),
        ("bash", "execution_timeout of 3 s"),
        ("unspeakable", "XCom"),
    ],
)
def test_how_a_task_ended_is_said_in_words(ends: dict[str, Row], task_id: str, words: str) -> None:
    assert (ends[task_id]["state"], ends[task_id]["try_number"]) == ("failed", 1)
    assert words in ends[task_id]["reason"]


def test_an_xcom_that_is_no_json_names_its_type_and_its_place(ends: dict[str, Row]) -> None:
    reason = ends["unspeakable"]["reason"]
    assert "object" in reason and "rows" in reason and "return_value" in reason, reason


def test_a_retry_comes_after_its_delay(ends: dict[str, Row], running: Product) -> None:
    assert (ends["at_second_try"]["state"], ends["at_second_try"]["try_number"]) == ("success", 2)
    assert "not yet" in running.do("tasks", "logs", "ends", "r", "at_second_try", "--try", "1")
    first, second = (_instants(running, number) for number in (1, 2))
    assert second[0] - first[1] >= 1_000_000, "the delay is a second"


def test_what_bash_had_started_is_gone_after_its_timeout(ends: dict[str, Row], running: Product) -> None:
    said = running.task_log("ends", "r", "bash")
    pids = [int(pid) for pid in re.findall(r"\b(?:child|me)=(\d+)", said)]
    assert len(pids) == 2, said
    running.until(lambda: not any(map(_lives, pids)), "bash and its child are gone")


def test_a_daemon_that_a_task_starts_does_not_outlive_it(running: Product) -> None:
    run = running.run("daemon")
    assert run["state"] == "success"
    said = running.task_log("daemon", run["run_id"], "starts")
    (pid,) = [int(found) for found in re.findall(r"\bdaemon=(\d+)", said)]
    running.until(lambda: not _lives(pid), "the daemon is gone")


def test_an_operator_without_code_costs_no_process(running: Product) -> None:
    run = running.run("places")
    nothing = running.tasks("places", run["run_id"])["nothing"]
    assert (nothing["state"], nothing["reason"]) == ("success", None)
    logs = running.home / "logs" / "dag_id=places"
    assert [path.name for path in logs.rglob("*.log")] == ["task_id=one.attempt=1.log"], "a process would have a log"


def test_a_dag_may_share_one_process_among_its_tasks(running: Product) -> None:
    run = running.run("reused")
    assert run["state"] == "success"
    assert len({_returned(running, "reused", run["run_id"], task_id) for task_id in "abc"}) == 1
    assert "up to 10 tasks" in running.do("dags", "show", "reused")


@pytest.mark.parametrize(
    ("dag_id", "task_id", "words"),
    [
        ("asked", "two", "fresh_import=True"),
        ("threads", "one", "poller"),
        ("session", "asks", "connection"),
    ],
)
def test_a_file_that_cannot_be_forked_has_a_new_interpreter_for_each_task_and_says_why(
    running: Product, dag_id: str, task_id: str, words: str
) -> None:
    run = running.run(dag_id)
    assert run["state"] == "success", running.do("explain", dag_id, run["run_id"])
    shown = running.do("dags", "show", dag_id)
    assert "a new interpreter for each task" in shown and words in shown
    if dag_id != "asked":
        assert words in running.do("explain", dag_id)


def test_a_connection_made_at_import_is_shared_by_no_two_processes(running: Product, server: Server) -> None:
    run_ids = [running.do("dags", "trigger", "session").strip() for _ in range(2)]
    for run_id in run_ids:
        assert running.ended("session", run_id)["state"] == "success"
        assert _returned(running, "session", run_id, "asks") == "/in-task"
    used = [port for path, port in server.asked if path == "/in-task"]
    assert len(used) == len(set(used)) >= 2
    assert set(used) <= {port for path, port in server.asked if path == "/at-import"}


def test_files_that_import_numpy_and_polars_work(running: Product) -> None:
    run = running.run("libraries")
    assert run["state"] == "success", running.do("explain", "libraries", run["run_id"])
    assert _returned(running, "libraries", run["run_id"], "adds") == 6
    assert _returned(running, "libraries", run["run_id"], "multiplies") == 200.0**3
    assert "imports polars" in running.do("dags", "show", "libraries")


def test_tasks_of_one_file_do_not_draw_the_same_random_numbers(running: Product) -> None:
    run = running.run("numpy_alone")
    assert run["state"] == "success"
    assert len({_returned(running, "numpy_alone", run["run_id"], f"t{n}") for n in range(3)}) == 3
    assert "a fork for each task" in running.do("dags", "show", "numpy_alone")


def test_a_task_and_an_import_see_no_way_to_the_database(running: Product) -> None:
    run = running.run("looks")
    inside = json.loads(str(_returned(running, "looks", run["run_id"], "from_inside")))
    imports = [json.loads(line) for line in (running.dags / "imports.jsonl").read_text().splitlines()]
    assert len(imports) >= 2, "by the dag-processor, and by the worker"
    address = str(running.home / "gnomon.db")
    for seen in (inside, *imports):
        assert not [target for target in seen["links"].values() if target.startswith(address)]
        assert {"GNOMON__DATABASE__SQL_ALCHEMY_CONN", "GNOMON__CORE__FERNET_KEY"}.isdisjoint(seen["environ"])
        assert address not in str(seen["environ"]) and KEY not in str(seen["environ"])
        assert seen["modules"] == []
        assert (seen["conn"], seen["old_conn"], seen["fernet"]) == ("AirflowConfigException",) * 3
        assert seen["parallelism"] == 32
    assert address not in inside["initial"] and "very-secret" not in inside["initial"], (
        "nor in what its process began with"
    )


def test_author_code_runs_in_no_service(running: Product) -> None:
    running.run("looks")
    imports = [json.loads(line) for line in (running.dags / "imports.jsonl").read_text().splitlines()]
    services = _services(running)
    assert len(services) >= 4
    for seen in imports:
        assert seen["pid"] not in services
        assert seen["services"] == [], "the modules of the scheduler and the page are not even there"


def _services(running: Product) -> set[int]:
    """The supervisor and its direct children."""
    pid = running.process.pid
    return {pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())}


def _returned(running: Product, dag_id: str, run_id: str, task_id: str) -> object:
    with _store(running) as tx:
        run = dag_runs.find_stored_run(tx, dag_id, run_id)
        assert run is not None
        found = [row.value for row in xcom_values.read_xcoms(tx, run, "return_value", [task_id])]
    return loads(found[0]) if found else None


def _instants(running: Product, number: int) -> tuple[int, int]:
    """When the try of the task with a retry began and ended, in microseconds."""
    with _store(running) as tx:
        run = dag_runs.find_stored_run(tx, "ends", "r")
        assert run is not None
        task_no = find_dag(tx, "ends").task_numbers["at_second_try"]
        (one,) = [each for each in dag_runs.list_attempts(tx, run.run_pk, task_no) if each.try_number == number]
    assert one.started_at is not None and one.ended_at is not None
    return one.started_at, one.ended_at


@contextmanager
def _store(running: Product) -> Iterator[Transaction]:
    database = open_database(f"sqlite:///{running.home / 'gnomon.db'}")
    try:
        with database.read() as tx:
            yield tx
    finally:
        database.close()


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
