"""The guides for moving from Airflow: each command in the order of the page, from an empty folder, with the folder and the database of an Airflow."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from tests.acceptance.product import Product

GUIDES = Path(__file__).parents[2] / "docs" / "how-to"
BLOCK = re.compile(r"^ *```(?P<language>sh|toml)\n(?P<code>.*?)^ *```$", re.MULTILINE | re.DOTALL)
FOREIGN_ADDRESS = re.compile(r"(?<=--database )\S+")
EXPORTS = {
    "connections.json": '{"web": {"conn_type": "http", "host": "example.org"}}',
    "variables.json": '{"v": "other", "w": "1"}',
    "pools.json": '{"narrow": {"slots": 2, "description": ""}}',
}
DAG = """
import pendulum
from airflow import DAG
from airflow.operators.bash import BashOperator

with DAG("reports", {schedule}="0 6 * * *", start_date=pendulum.datetime(2026, 1, 1, tz="UTC"), catchup=False):
    BashOperator(task_id="tell", bash_command="echo {{{{ ds }}}}")
"""


def make_airflow(user: Path, schedule: str) -> None:
    """The DAG folder, the export files, the database and the key of an Airflow, where the guides say."""
    (user / "airflow" / "dags").mkdir(parents=True)
    (user / "airflow" / "dags" / "reports.py").write_text(DAG.format(schedule=schedule))
    for name, text in EXPORTS.items():
        (user / name).write_text(text)
    key = Fernet.generate_key()
    (user / "airflow-fernet.key").write_bytes(key + b"\n")
    with sqlite3.connect(user / "airflow.db") as db:
        db.execute(
            "CREATE TABLE connection (conn_id, conn_type, description, host, schema, login, password, port, is_encrypted, is_extra_encrypted, extra)"
        )
        db.execute("CREATE TABLE variable (key, val, description, is_encrypted)")
        db.execute("CREATE TABLE slot_pool (pool, slots, description, include_deferred)")
        db.execute("INSERT INTO variable VALUES ('hidden', ?, NULL, true)", (Fernet(key).encrypt(b"value").decode(),))


class Reader:
    """Follows a page in a folder of its own. `gnomon standalone` stays running; all commands have the variables that the page exports."""

    def __init__(self, user: Path, opened: ExitStack) -> None:
        self._user, self._opened = user, opened
        self._exports: list[str] = []
        self.running: Product | None = None

    def follow(self, page: str) -> Iterator[str]:
        """Do what each block says; yields the output of each command."""
        for block in BLOCK.finditer(page):
            if block["language"] == "toml":
                if block["code"].startswith("# gnomon.toml"):
                    (self.home / "gnomon.toml").write_text(block["code"])
                continue
            for line in block["code"].splitlines():
                yield self._do(line.strip())

    @property
    def home(self) -> Path:
        return self._user / "gnomon"

    def _do(self, line: str) -> str:
        if line.startswith("gnomon providers install"):  # from a package index
            return ""
        if line.startswith("export "):
            self._exports.append(line)
        if line == "gnomon standalone":
            self.running = Product(self.home, {"HOME": str(self._user)})
            self._opened.callback(self.running.stop)
            self.running.has_dag("reports")
            return ""
        line = FOREIGN_ADDRESS.sub(f"sqlite:///{self._user}/airflow.db", line)
        function = f'gnomon() {{ "{sys.executable}" -m gnomon "$@"; }}'
        done = subprocess.run(
            ["bash", "-ec", "\n".join([function, *self._exports, line])],
            cwd=self._user,
            env={"HOME": str(self._user), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}:\n{done.stdout}{done.stderr}"
        return done.stdout


@pytest.mark.parametrize(
    ("guide", "schedule"), [("move-from-airflow-2", "schedule_interval"), ("move-from-airflow-3", "schedule")]
)
def test_the_steps_of_the_guide_work_in_their_order_from_a_new_home(tmp_path: Path, guide: str, schedule: str) -> None:
    make_airflow(tmp_path, schedule)
    with ExitStack() as opened:
        reader = Reader(tmp_path, opened)
        printed = list(reader.follow((GUIDES / f"{guide}.md").read_text()))
        assert "stored 4 of 4 records" in "".join(printed), "the export files"
        assert "stored 1 of 1 records" in "".join(printed), "the encrypted Variable of the database"
        assert reader.running is not None
        assert reader.running.do("variables", "get", "hidden").strip() == "value"
        shown = {row["dag_id"]: row for row in reader.running.rows("dags", "list")}["reports"]
        assert shown["paused"] is False
