"""A package that is installed while everything runs: its file is parsed soon, and its tasks run."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from tests.acceptance.product import product

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
FLOW = """
from airflow.sdk import DAG, task
from airflow.providers.that_come_late.hooks.words import WORD

with DAG("needs_a_provider"):
    @task
    def says():
        return WORD
    says()
"""


def test_the_first_provider_package_is_found_by_parses_and_by_tasks(tmp_path: Path) -> None:
    site = tmp_path / "python" / "site-packages"
    environ = {
        "PYTHONPATH": str(site),
        "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "GNOMON__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "36000",
    }
    with product({"flow.py": FLOW}, environ) as running:
        running.until(lambda: "dag_file_failed" in running.log(), "the package is missed")
        (site / "airflow" / "providers" / "that_come_late" / "hooks").mkdir(parents=True)
        (site / "airflow" / "providers" / "that_come_late" / "hooks" / "words.py").write_text("WORD = 'found'\n")
        began = time.monotonic()
        running.has_dag("needs_a_provider")
        print(f"the DAG was there {time.monotonic() - began:.1f} s after its package")
        assert running.run("needs_a_provider", "--run-id", "r")["state"] == "success"
