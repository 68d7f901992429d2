"""Deferrable sensors and operators of published provider packages, unmodified: an Airflow 3 release, and one that asks for Airflow 2.8.

They run in a standalone against a server of this process. Their connections are stored, so that triggers ask for them.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.acceptance.product import Product, product
from tests.conformance.package_index import installed
from tests.keys import CIPHER, KEY

from gnomon.storage.store import open_database
from gnomon.storage.store.admin import connections
from gnomon.storage.store.admin.connections import StoredConnection

pytestmark = pytest.mark.network
NEW = (
    "apache-airflow-providers-http==6.3.0",
    "apache-airflow-providers-common-compat==1.23.0",
    "apache-airflow-providers-common-sql==2.4.0",
    "apache-airflow-providers-sqlite==4.3.4",
)
OLD = ("apache-airflow-providers-http==4.13.3",)
NEEDS = (
    "aiohappyeyeballs==2.7.1",
    "aiohttp==3.14.5",
    "aiosignal==1.4.0",
    "annotated-types==0.8.0",
    "asgiref==3.13.0",
    "attrs==26.1.0",
    "certifi==2026.10.18",
    "charset-normalizer==3.5.2",
    "deprecated==1.3.1",
    "frozenlist==1.8.0",
    "idna==3.20",
    "methodtools==0.4.7",
    "more-itertools==11.2.1",
    "multidict==7.2.1",
    "packaging==26.3",
    "propcache==0.5.4",
    "pydantic==2.14.3",
    "pydantic-core==2.50.4",
    "requests==2.34.2",
    "requests-toolbelt==1.0.0",
    "sqlparse==0.6.1",
    "tenacity==9.2.1",
    "typing-inspection==0.4.5",
    "urllib3==2.8.0",
    "wirerope==1.0.0",
    "wrapt==2.5.2",
    "yarl==1.25.1",
)
"""What the packages import and Gnomon does not bring."""
ABSENT = 3
"""So often a page is not there yet: for the first look of the task, and for looks of its trigger."""
WEB = """
from airflow import DAG
from airflow.decorators import task
from airflow.providers.http.operators.http import HttpOperator
from airflow.providers.http.sensors.http import HttpSensor

with DAG("web", schedule=None, is_paused_upon_creation=False):
    HttpSensor(task_id="appears", http_conn_id="web", endpoint="page", deferrable=True, poke_interval=0.1)
    HttpOperator(task_id="refused", http_conn_id="web", endpoint="refused", method="GET", deferrable=True)
    HttpOperator(task_id="unknown", http_conn_id="unknown", endpoint="page", method="GET", deferrable=True)
    fetched = HttpOperator(
        task_id="fetched", http_conn_id="web", endpoint="echo", method="POST", data="of {{ run_id }}",
        headers={"X-From": "{{ dag.dag_id }}"}, deferrable=True, response_filter=lambda response: response.text.split(", "),
    )

    @task
    def judge(answer):
        assert answer == ["POST", "of r", "web"], answer

    judge(fetched.output)
"""
TRANSFER = """
from airflow.providers.common.sql.operators.generic_transfer import GenericTransfer
from airflow.sdk import DAG

with DAG("transfer", schedule=None, is_paused_upon_creation=False):
    GenericTransfer(
        task_id="copy", sql="SELECT n FROM numbers ORDER BY n", source_conn_id="numbers", destination_conn_id="numbers",
        destination_table="copies", page_size=2, deferrable=True,
    )
"""


class Site(BaseHTTPRequestHandler):
    """`/page` is there after ABSENT looks, `/echo` says what it got, the rest is refused."""

    looks = 0
    wbufsize = -1
    """Head and body go together: the older release reads the body when it has closed the connection."""

    def do_GET(self) -> None:
        Site.looks += self.path == "/page"
        if self.path == "/page" and self.command != "HEAD":
            self._answer(200 if Site.looks > ABSENT else 404, "the page")
        else:
            self._answer(403, "no")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer(200, f"POST, {body}, {self.headers['X-From']}")

    def _answer(self, status: int, body: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Tests are quiet."""


@contextmanager
def site() -> Iterator[int]:
    """The port of a new site."""
    Site.looks = 0
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture(scope="module", params=["new", "old"])
def running(request: pytest.FixtureRequest) -> Iterator[Product]:
    packages = {"new": NEW, "old": OLD}[request.param]
    path = f"{installed('providers', *packages)}:{installed('needs-of-providers', *NEEDS)}"
    files = {"web.py": WEB, **({"transfer.py": TRANSFER} if request.param == "new" else {})}
    with site() as port, product(files, {"PYTHONPATH": path, "GNOMON__CORE__FERNET_KEY": KEY}) as here:
        database = open_database(f"sqlite:///{here.home / 'gnomon.db'}", cipher=CIPHER)
        with database.write() as tx:
            connections.set_connection(tx, StoredConnection("web", "http", host=f"http://127.0.0.1:{port}"))
            connections.set_connection(tx, StoredConnection("numbers", "sqlite", host=str(here.home / "numbers.db")))
        database.close()
        here.has_dag("web")
        yield here


def test_deferrable_sensors_and_operators_of_a_package_wait_and_go_on(running: Product) -> None:
    run_id = running.run("web", "--run-id", "r")["run_id"]
    tasks = running.tasks("web", run_id)
    assert {task_id: (task["state"], task["try_number"]) for task_id, task in tasks.items()} == {
        "appears": ("success", 1),
        "fetched": ("success", 1),
        "judge": ("success", 1),
        "refused": ("failed", 1),
        "unknown": ("failed", 1),
    }, {task_id: task["reason"] for task_id, task in tasks.items()}
    logs = {task_id: running.task_log("web", run_id, task_id) for task_id in tasks}
    assert all("deferred to Http" in logs[task_id] for task_id in tasks if task_id != "judge")
    assert "/page failed" in logs["appears"], "what its trigger logs"
    assert "403:Forbidden" in tasks["refused"]["reason"]
    assert "The conn_id 'unknown' isn't defined" in tasks["unknown"]["reason"]


@pytest.mark.parametrize("running", ["new"], indirect=True)
def test_an_operator_defers_page_by_page_and_its_trigger_finds_the_hook_by_the_type_of_its_connection(
    running: Product,
) -> None:
    running.has_dag("transfer")
    with sqlite3.connect(running.home / "numbers.db") as numbers:
        numbers.executescript("CREATE TABLE numbers (n INTEGER); CREATE TABLE copies (n INTEGER)")
        numbers.executemany("INSERT INTO numbers VALUES (?)", [(n,) for n in range(5)])
    run = running.run("transfer", "--run-id", "r")
    log = running.task_log("transfer", "r", "copy")
    assert run["state"] == "success", log
    assert log.count("deferred to SQLExecuteQueryTrigger") >= 3, "two rows at a time"
    with sqlite3.connect(running.home / "numbers.db") as numbers:
        assert [n for (n,) in numbers.execute("SELECT n FROM copies ORDER BY n")] == list(range(5))
