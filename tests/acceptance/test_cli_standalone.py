"""A day with the command line: beside a starting standalone, then a run triggered, read, cleared, explained."""

from __future__ import annotations

import json
import os
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

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
DAG_FILE = """
import pathlib
from airflow.sdk import DAG, task

with DAG("etl", description="Extract and load."):
    @task
    def extract():
        print("extracting", flush=True)
        return 3

    @task
    def load(n):
        assert pathlib.Path(__file__).with_name("ready").exists(), "not ready"
        print(f"loaded {n}")

    load(extract())
"""


class Ended(NamedTuple):
    code: int
    out: str
    err: str


class Product:
    """A home with a running standalone and a command line."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        (self.home / "dags").mkdir(parents=True)
        (self.home / "dags" / "etl.py").write_text(DAG_FILE)
        self.env = {**os.environ, "GNOMON_HOME": str(self.home)}
        with (folder / "log").open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gnomon", "standalone", "--port", "0"], env=self.env, stdout=log, stderr=log
            )
        self.first = self._first_answers()

    def cli(self, *words: str) -> Ended:
        done = subprocess.run(
            [sys.executable, "-m", "gnomon", *words], env=self.env, capture_output=True, text=True, timeout=PATIENCE_S
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def json(self, *words: str) -> list[dict[str, object]]:
        ended = self.cli(*words, "-o", "json")
        assert ended.code == 0, ended.err
        rows: list[dict[str, object]] = json.loads(ended.out)
        return rows

    def states(self) -> list[tuple[object, object]]:
        return [(row["state"], row["try_number"]) for row in self.json("tasks", "states", "etl", "r")]

    def until(self, look: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not look():
            assert time.monotonic() < deadline, self.cli("explain", "etl").out
            time.sleep(0.05)

    def _first_answers(self) -> list[Ended]:
        """What commands answer from the moment that the standalone starts until the DAG is there."""
        found: list[Ended] = []

        def listed() -> bool:
            found.append(self.cli("dags", "list", "-o", "json"))
            return found[-1].code == 0 and json.loads(found[-1].out) != []

        self.until(listed)
        return found


@pytest.fixture(scope="module")
def product() -> Iterator[Product]:
    with tempfile.TemporaryDirectory(prefix="g-", ignore_cleanup_errors=True) as folder:
        made = Product(Path(folder))
        yield made
        made.process.send_signal(signal.SIGTERM)
        assert made.process.wait(PATIENCE_S) == 0


def test_a_command_beside_a_starting_standalone_answers_or_says_that_there_is_no_database(product: Product) -> None:
    for code, _, err in product.first:
        assert code == 0 or (code == 1 and "there is no Gnomon database" in err), err


def test_a_run_is_triggered_read_cleared_and_explained(product: Product) -> None:
    assert product.cli("dags", "show", "etl").out.splitlines()[1].endswith("Extract and load.")
    assert product.cli("dags", "trigger", "etl", "--run-id", "r").out == "r\n"
    assert "DAG etl is paused" in product.cli("explain", "etl", "r").out
    assert product.cli("dags", "unpause", "etl").code == 0
    product.until(lambda: product.json("runs", "list", "etl")[0]["state"] == "failed")
    assert product.states() == [("success", 1), ("failed", 1)]
    assert "load: it ended in state failed in try 1" in product.cli("explain", "etl", "r").out
    assert "AssertionError: not ready" in product.cli("tasks", "logs", "etl", "r", "load").out
    (product.home / "dags" / "ready").touch()
    assert product.cli("tasks", "clear", "etl", "r", "load").out.startswith("1 task instance cleared\n")
    product.until(lambda: product.json("runs", "list", "etl")[0]["state"] == "success")
    assert product.states() == [("success", 1), ("success", 2)]
    assert "loaded 3" in product.cli("tasks", "logs", "etl", "r", "load").out
    assert "not ready" in product.cli("tasks", "logs", "etl", "r", "load", "--try", "1").out


def test_a_broken_file_keeps_its_dag_and_shows_its_error(product: Product) -> None:
    file = product.home / "dags" / "etl.py"
    file.write_text(DAG_FILE + "\nx = (\n")
    product.until(lambda: product.json("dags", "errors") != [])
    (error,) = product.json("dags", "errors")
    assert (error["file"], error["kind"]) == (str(file), "syntax") and "Correct that line" in str(error["message"])
    assert [row["dag_id"] for row in product.json("dags", "list")] == ["etl"]
    assert "cannot be loaded, so its last good version is used" in product.cli("explain", "etl").out
    file.write_text(DAG_FILE)
    product.until(lambda: product.json("dags", "errors") == [])


def test_ten_commands_at_once_all_succeed(product: Product) -> None:
    commands = [
        ["dags", "list"],
        ["dags", "trigger", "etl"],
        ["runs", "list", "etl"],
        ["pools", "set", "p", "3"],
        ["variables", "set", "k", "v"],
    ]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "gnomon", *command],
            env=product.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for command in commands * 2
    ]
    for process in running:
        _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, err
