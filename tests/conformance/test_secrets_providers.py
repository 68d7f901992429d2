"""Published provider packages, unmodified: a hook of postgres uses a connection that the command line has stored, and Vault is a secrets backend."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from psycopg import conninfo
from tests.conformance.package_index import installed
from tests.patience import PATIENCE_S
from tests.postgres import server_url

pytestmark = pytest.mark.network
COMMON = ("apache-airflow-providers-common-compat==1.23.0", "apache-airflow-providers-common-sql==2.4.0")
POSTGRES = ("apache-airflow-providers-postgres==7.1.1", *COMMON)
VAULT = ("apache-airflow-providers-hashicorp==4.8.4", *COMMON)
NEEDS = (
    "asgiref==3.13.0",
    "certifi==2026.10.18",
    "charset-normalizer==3.5.2",
    "deprecated==1.3.1",
    "hvac==2.4.0",
    "idna==3.20",
    "methodtools==0.4.7",
    "more-itertools==11.2.1",
    "packaging==26.3",
    "psycopg2-binary==2.9.13",
    "requests==2.34.2",
    "sqlparse==0.6.1",
    "urllib3==2.8.0",
    "wirerope==1.0.0",
    "wrapt==2.5.2",
)
FLOW = """
from airflow.sdk import DAG, task, Variable, BaseHook

with DAG("reads", schedule=None):
    @task
    def query():
        from airflow.providers.postgres.hooks.postgres import PostgresHook

        connection = BaseHook.get_connection("db")
        print("the password is", connection.password)
        assert PostgresHook("db").get_first("SELECT 41 + 1") == (42,)

    @task
    def ask_vault():
        connection = BaseHook.get_connection("web")
        assert (connection.conn_type, connection.host, connection.password) == ("http", "vault.test", "from-the-vault")
        print("the password is", connection.password)
        assert Variable.get("greeting") == "hello from the vault"
        assert Variable.get("other", default="none") == "none"
"""
"""Each test calls one of the tasks."""


class FakeVault(BaseHTTPRequestHandler):
    """The part of Vault's HTTP API that reads secrets of the second version of the key-value engine."""

    SECRETS = {
        "/v1/secret/data/connections/web": {"conn_uri": "http://me:from-the-vault@vault.test"},
        "/v1/secret/data/variables/greeting": {"value": "hello from the vault"},
    }

    def do_GET(self) -> None:
        secret = self.SECRETS.get(urlsplit(self.path).path)
        is_known = self.headers.get("X-Vault-Token") == "token-of-vault"
        if self.path == "/v1/auth/token/lookup-self" and is_known:
            self._answer(200, {"data": {"id": "token"}})
        elif is_known and secret is not None:
            self._answer(200, {"data": {"data": secret, "metadata": {"version": 1}}})
        else:
            self._answer(404 if is_known else 403, {"errors": []})

    def _answer(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Tests are quiet."""


@contextmanager
def fake_vault() -> Iterator[str]:
    """The address of a new server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), FakeVault) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class Installation:
    """A home, and commands in it with the packages on the path."""

    def __init__(self, folder: Path, name: str, packages: tuple[str, ...]) -> None:
        self.folder = folder
        path = f"{installed(f'provider-of-{name}', *packages)}:{installed('needs-of-secrets-providers', *NEEDS)}"
        self.environ = {**os.environ, "GNOMON_HOME": str(folder / "home"), "PYTHONPATH": path}

    def run(self, *words: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        """A command with these variables."""
        return subprocess.run(
            [sys.executable, "-m", "gnomon", *words],
            env=self.environ | more,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def run_task(self, task: str, **more: str) -> subprocess.CompletedProcess[str]:
        """A trial run of a DAG with one task."""
        (self.folder / "reads.py").write_text(f"{FLOW}\n    {task}()\n")
        return self.run("dags", "test", str(self.folder / "reads.py"), **more)


def test_the_hook_of_postgres_uses_a_stored_connection(tmp_path: Path) -> None:
    server = conninfo.conninfo_to_dict(server_url())
    gnomon = Installation(tmp_path, "postgres", POSTGRES)
    assert gnomon.run("db", "migrate").returncode == 0
    password = "p@ss/w:rd with 100% space"
    login, host = quote(str(server.get("user", "postgres"))), quote(str(server.get("host", "localhost")), safe="")
    uri = f"postgres://{login}:{quote(password, safe='')}@{host}:{server.get('port', 5432)}/{server.get('dbname', 'postgres')}"
    added = gnomon.run("connections", "add", "db", "--conn-uri", "-", stdin=uri + "\n")
    assert (added.returncode, added.stdout, added.stderr) == (0, "added connection db\n", "")
    tested = gnomon.run("connections", "test", "db")
    assert (tested.returncode, tested.stdout) == (0, "connection db: Connection successfully tested\n"), tested.stderr
    ended = gnomon.run_task("query")
    assert ended.returncode == 0, ended.stderr
    assert "the password is ***" in ended.stdout + ended.stderr
    assert gnomon.run("connections", "set", "db", "--conn-port", "1").returncode == 0
    refused = gnomon.run("connections", "test", "db")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("gnomon: connection db failed its test: ") and password not in refused.stderr


def test_vault_is_a_secrets_backend(tmp_path: Path) -> None:
    gnomon = Installation(tmp_path, "vault", VAULT)
    with fake_vault() as address:
        kwargs = json.dumps(
            {"url": address, "token": "token-of-vault", "mount_point": "secret", "connections_path": "connections"}
        )
        backend = {
            "GNOMON__SECRETS__BACKEND": "airflow.providers.hashicorp.secrets.vault.VaultBackend",
            "GNOMON__SECRETS__BACKEND_KWARGS": kwargs,
        }
        ended = gnomon.run_task("ask_vault", **backend)
        assert ended.returncode == 0, ended.stderr
        assert "the password is ***" in ended.stdout + ended.stderr
        wrong = gnomon.run_task(
            "ask_vault",
            **backend | {"GNOMON__SECRETS__BACKEND_KWARGS": kwargs.replace("token-of-vault", "wrong-token")},
        )
    assert wrong.returncode == 1
    assert (
        "[secrets] backend (GNOMON__SECRETS__BACKEND): the backend airflow.providers.hashicorp"
        in wrong.stdout + wrong.stderr
    )
    assert "wrong-token" not in wrong.stdout + wrong.stderr
