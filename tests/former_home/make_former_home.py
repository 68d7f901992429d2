"""Makes `data/<dialect>.sql`: the database of a home that Gnomon had made before its schema became revision 1.

    git worktree add --detach FORMER e6a6dea8
    PYTHONPATH=FORMER/src python tests/former_home/make_former_home.py sqlite
    PYTHONPATH=FORMER/src python tests/former_home/make_former_home.py postgresql postgresql://user@host/empty_database

It runs that Gnomon, schema 0031, with the DAG files and the plugin of `data` on a clock that stands at 7 January 2025, until all runs wait for
something, and writes the database as statements of SQL. `tests/acceptance/test_former_home.py` lets the Gnomon of today continue the runs.
Paths below the home are written as {HOME}. Needs a C compiler, and pg_dump for PostgreSQL.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

DATA = Path(__file__).with_name("data")
NOW = datetime(2025, 1, 7, 12, 30, tzinfo=UTC)
KEY = base64.urlsafe_b64encode(b"the key of a home for the tests.").decode()
WAITING = {
    "orders": {"extract": "success", "double": "success", "closed": "deferred"},
    "inventory": {"delivered": "deferred", "flagged": "deferred"},
    "reports": {"read": "success", "settled": "deferred"},
}
"""What the unfinished runs wait in."""
_TRIES = 600
_NOT_OF_THE_SCHEMA = ("--", "\\", "SET ", "SELECT pg_catalog.set_config(")


def main(words: list[str]) -> None:
    dialect = words[0]
    sys.path.insert(0, str(Path(__file__).parents[2]))
    with tempfile.TemporaryDirectory(prefix="former-") as folder:
        home = Path(folder) / "home"
        shutil.copytree(DATA, home, ignore=shutil.ignore_patterns("*.sql", "__pycache__"))
        library = importlib.import_module("tests.shifted_clock").compiled(
            Path(folder), round(NOW.timestamp() - time.time())
        )
        url = f"sqlite:///{home}/gnomon.db" if dialect == "sqlite" else words[1]
        environ = os.environ | {
            "LD_PRELOAD": str(library),
            "TZ": "UTC",
            "GNOMON_HOME": str(home),
            "GNOMON__CORE__FERNET_KEY": KEY,
            "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "false",
            "GNOMON__DATABASE__SQL_ALCHEMY_CONN": url,
        }
        _run_until_all_waits(home, environ)
        text = _dump_sqlite(home / "gnomon.db") if dialect == "sqlite" else _dump_postgresql(url)
        (DATA / f"{dialect}.sql").write_text(text.replace(str(home), "{HOME}"))


def _run_until_all_waits(home: Path, environ: dict[str, str]) -> None:
    def gnomon(*arguments: str) -> str:
        command = [sys.executable, "-m", "gnomon", *arguments]
        return subprocess.run(command, env=environ, check=True, capture_output=True, text=True).stdout

    gnomon("db", "migrate")
    gnomon("variables", "set", "shelves", "21")
    gnomon("variables", "set", "home", str(home))
    gnomon("connections", "add", "warehouse", "--conn-uri", "postgres://ada:s3cret@warehouse.example:5432/stock")
    gnomon("users", "create", "ada", "--role", "operator", "--password", "correct horse battery")
    with (home / "log").open("w") as log:
        service = subprocess.Popen(
            [sys.executable, "-m", "gnomon", "standalone", "--port", "0"], env=environ, stdout=log, stderr=log
        )
        try:
            _wait(lambda: len(json.loads(gnomon("dags", "list", "-o", "json"))) == len(WAITING))
            for run_id in ("first", "second"):
                gnomon("dags", "trigger", "reports", "--run-id", run_id)
            _wait(lambda: all(_waits(gnomon, dag_id) for dag_id in WAITING))
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait()


def _waits(gnomon: object, dag_id: str) -> bool:
    assert callable(gnomon)
    runs = json.loads(gnomon("runs", "list", dag_id, "-o", "json"))
    active = [run["run_id"] for run in runs if run["state"] == "running"]
    if len(active) != 1:
        return False
    tasks = json.loads(gnomon("tasks", "states", dag_id, active[0], "-o", "json"))
    found = {task["task_id"]: task["state"] for task in tasks}
    return all(found.get(name) == state for name, state in WAITING[dag_id].items())


def _wait(is_reached: object) -> None:
    assert callable(is_reached)
    for _ in range(_TRIES):
        if is_reached():
            return
        time.sleep(0.2)
    raise SystemExit("the runs do not wait as they should")


def _dump_sqlite(file: Path) -> str:
    with closing(sqlite3.connect(file)) as connection:
        return "\n".join(connection.iterdump()) + "\n"


def _dump_postgresql(url: str) -> str:
    command = ["pg_dump", "--no-owner", "--no-privileges", "--inserts", url]
    dumped = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    kept = [line for line in dumped.splitlines() if line and not line.startswith(_NOT_OF_THE_SCHEMA)]
    return re.sub(r"\bpublic\.", "", "\n".join(kept)) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
