"""`apache-airflow-client` from the package index, unmodified, against `gnomon standalone`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.acceptance.airflow_packages import require_client
from tests.acceptance.product import Product, product
from tests.conformance.api_operations import build_ours, list_operations, load_airflow
from tests.patience import PATIENCE_S

LETTERS = """
from gnomon import DAG, task

with DAG("letters", schedule=None, tags=["text"]):
    @task
    def count(params=None, dag_run=None):
        print("counted", dag_run.conf["n"])
        return {"n": dag_run.conf["n"]}

    @task
    def each(number):
        return number

    each.expand(number=[1, 2])
    count()
"""


ALL = """
from datetime import datetime

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.sdk import DAG, Asset, AssetAlias, TaskGroup, task

stock = Asset("stock", uri="s3://b/stock")

with DAG("letters", schedule=None, tags=["text"]):
    @task
    def count(dag_run=None):
        return {"n": dag_run.conf["n"]}

    @task
    def each(number):
        return number

    @task(outlets=[stock, AssetAlias("feed")])
    def write():
        pass

    each.expand(number=[1, 2])
    count() >> write()
    with TaskGroup("group"):
        EmptyOperator(task_id="inner")

with DAG("consume", schedule=[stock, Asset("never")]):
    EmptyOperator(task_id="only")

with DAG("asks", schedule=None):
    HITLOperator(task_id="ask", subject="Go on?", options=["yes", "no"])

with DAG("daily", schedule="@daily", start_date=datetime(2026, 1, 1), catchup=False):
    EmptyOperator(task_id="only")
"""


PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "use-the-api.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _address(gnomon: Product) -> str:
    return gnomon.said.split(" with its home")[0].removeprefix("Gnomon runs on ")


def _run(python: str, program: str) -> str:
    done = subprocess.run(
        [python, "-I", "-c", program], capture_output=True, text=True, timeout=3 * PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.network
def test_the_code_of_the_how_to_works() -> None:
    python = require_client()
    without_package, with_client = BLOCK.findall(PAGE.read_text())
    with product({"letters.py": LETTERS}) as gnomon:
        gnomon.has_dag("letters")
        gnomon.do("dags", "unpause", "letters")
        host, token = (
            _address(gnomon),
            gnomon.do("tokens", "create", "admin", "--name", "how-to", "--role", "user").strip(),
        )
        assert (
            _run(sys.executable, f"{without_package}\nprint(run_and_wait({host!r}, {token!r}, 'letters', {{'n': 3}}))")
            == "('success', {})\n"
        )
        (run,) = gnomon.rows("runs", "list", "letters")
        assert "counted 3\n" in _run(
            python, f"{with_client}\nprint_log({host!r}, {token!r}, 'letters', {run['run_id']!r}, 'count')"
        )


@pytest.mark.network
def test_a_client_of_airflow_lists_triggers_and_reads() -> None:
    python = require_client()
    with product({"letters.py": LETTERS, "broken.py": "from gnomon import DAG\nDAG(\n"}) as gnomon:
        gnomon.has_dag("letters")
        gnomon.until(lambda: bool(gnomon.rows("dags", "errors")), "the broken file is reported")
        token = gnomon.do("tokens", "create", "admin", "--name", "client", "--role", "user").strip()
        session = Path(__file__).parent / "airflow_client_session.py"
        done = subprocess.run(
            [python, "-I", str(session), _address(gnomon), str(PATIENCE_S), token],
            capture_output=True,
            text=True,
            timeout=3 * PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout) == {
        "version": "3.3.2",
        "scheduler": "healthy",
        "dags": [["letters", True, "text"]],
        "import_errors": 1,
        "created": ["by/hand", "manual", {"n": 2}, True],
        "state": "success",
        "runs": [["letters", "by/hand"]],
        "tasks": [["count", -1, "success", 1], ["each", 0, "success", 1], ["each", 1, "success", 1]],
        "xcoms": ["return_value"],
        "value": {"n": 2},
        "log": ["counted 2"],
        "token": None,
        "conflict": [409, True],
        "missing": 404,
    }


@pytest.mark.network
def test_a_client_of_airflow_calls_every_operation_that_is_claimed() -> None:
    """A claimed operation that the program does not call, or that is not answered, fails the test."""
    python = require_client()
    claimed = {
        f"{one.method} {one.path}" for one in list_operations(load_airflow(), build_ours()) if one.state == "yes"
    }
    files = {
        "all.py": ALL,
        "spare.py": "from gnomon import DAG\ndag = DAG('spare', schedule=None)\n",
        "broken.py": "from gnomon import DAG\nDAG(\n",
    }
    with product(files, {"GNOMON__CORE__TEST_CONNECTION": "Enabled"}) as gnomon:
        for dag_id in ("letters", "spare"):
            gnomon.has_dag(dag_id)
        gnomon.until(lambda: bool(gnomon.rows("dags", "errors")), "the broken file is reported")
        token = gnomon.do("tokens", "create", "admin", "--name", "operations", "--role", "admin").strip()
        session = Path(__file__).parent / "airflow_client_operations.py"
        done = subprocess.run(
            [python, "-I", str(session), _address(gnomon), str(PATIENCE_S), token],
            capture_output=True,
            text=True,
            timeout=5 * PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:] + gnomon.log()[-1000:]
    answered = set(json.loads(done.stdout))
    assert claimed - answered == set()
    assert answered - claimed == set()
    assert len(claimed) > 100
