"""The published common.io provider, unmodified: its XCom backend keeps what reaches the threshold in files, compressed, and the rest as it is."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conformance.package_index import installed
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.network
PROVIDER = ("apache-airflow-providers-common-io==1.11.0", "apache-airflow-providers-common-compat==1.23.0")
NEEDS = ("packaging==26.3", "methodtools==0.4.7", "wirerope==1.0.0", "wrapt==2.5.2")
THRESHOLD = 100
FLOW = """
from airflow.sdk import DAG, task

with DAG("keeps", schedule=None):
    @task
    def make(size):
        return "x" * size

    @task
    def measure(values):
        print("measured", [len(value) for value in values])

    measure(make.expand(size=[10, 97, 98, 5000]))
"""


@pytest.mark.parametrize("compression", [None, "gzip"])
def test_values_from_the_threshold_on_are_files_and_all_are_read_back(tmp_path: Path, compression: str | None) -> None:
    path = f"{installed('common-io-provider', *PROVIDER)}:{installed('needs-of-common-io-provider', *NEEDS)}"
    (tmp_path / "keeps.py").write_text(FLOW)
    environ = {
        **os.environ,
        "GNOMON_HOME": str(tmp_path / "home"),
        "PYTHONPATH": path,
        "AIRFLOW__CORE__XCOM_BACKEND": "airflow.providers.common.io.xcom.backend.XComObjectStorageBackend",
        "AIRFLOW__COMMON.IO__XCOM_OBJECTSTORAGE_PATH": f"file://{tmp_path}/xcoms",
        "AIRFLOW__COMMON.IO__XCOM_OBJECTSTORAGE_THRESHOLD": str(THRESHOLD),
        **({"AIRFLOW__COMMON.IO__XCOM_OBJECTSTORAGE_COMPRESSION": compression} if compression else {}),
    }
    ended = subprocess.run(
        [sys.executable, "-m", "gnomon", "dags", "test", str(tmp_path / "keeps.py")],
        env=environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr + ended.stdout
    assert "measured [10, 97, 98, 5000]" in ended.stdout + ended.stderr
    read = gzip.decompress if compression else bytes
    files = sorted(json.loads(read(file.read_bytes())) for file in (tmp_path / "xcoms").rglob("*") if file.is_file())
    assert [len(value) for value in files] == [98, 5000], "98 characters and two quotation marks are the threshold"
