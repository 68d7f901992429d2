"""A DAG keeps its warnings as codes with arguments: no file that is loaded for a task needs the words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.ordinary
FILE = """
import datetime as dt
from gnomon import DAG, task
with DAG("d", start_date=dt.datetime(2026, 1, 1), schedule=None) as dag:
    @task(resources={"cpus": 1}, email=[None])
    def t(): pass
    t()
"""
CODE = f"""
import sys
from gnomon.ground.config import load_config, set_current_config
from pathlib import Path

import pytest
set_current_config(load_config({{}}, Path(sys.argv[1])))
exec({FILE!r})
print("gnomon.model.sentences.catalogue" in sys.modules, len(dag.warning_sentences))
print(*dag.warnings, sep="\\n")
print("gnomon.model.sentences.catalogue" in sys.modules)
"""


def test_a_dag_with_warnings_is_made_without_the_catalogue(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CODE, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, *texts, last = done.stdout.splitlines()
    assert (first, last) == ("False 3", "True")
    assert "start_date 2026-01-01 00:00:00 has no time zone and is read as UTC" in texts[0]
    assert texts[1].endswith("resources= has no effect: Gnomon places no task by its resources.")
    assert texts[2].endswith("email= has None among its addresses, which gets no mail.")
