"""Values that Airflow 3.3.2 stored are read here with their types, and what is stored in Airflow's form is read by Airflow.

Both products run in environments that this test makes, with the same libraries: pandas with pyarrow, deltalake, pydantic, attrs. The tables of Iceberg and
frames of polars, which Airflow 3.3.2 does not read back or does not store, are stored and read by Gnomon alone.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest
from bench.airflow_env import airflow_python, install
from tests.conformance.package_index import CACHE

import gnomon

pytestmark = [pytest.mark.soak, pytest.mark.network]
HERE = Path(__file__).parent / "xcom_values"
LIBRARIES = (
    "attrs==26.1.0",
    "deltalake==1.6.6",
    "kubernetes==37.0.1",
    "numpy==2.4.6",
    "pandas==3.1.1",
    "polars==2.1.0",
    "pyarrow==26.0.1",
    "pydantic==2.14.4",
    "pyiceberg[sql-sqlite]==0.12.0",
)
TIMEOUT_S = 300
OWN_FORM = {
    "moment",
    "moment in utc",
    "moment in a zone",
    "pendulum moment",
    "date",
    "span",
    "zone",
    "decimal",
    "uuid",
    "tuple",
    "set",
    "frozenset",
    "nested",
}
"""What Gnomon stores in a form of its own, which keeps what Airflow's form loses."""


@pytest.fixture(scope="module")
def ours() -> Path:
    """The interpreter of an environment with the libraries, and the tested Gnomon."""
    place = CACHE / "xcom-libraries"
    python, complete = place / "bin" / "python", place / "complete"
    if not complete.exists() or complete.read_text() != "\n".join(LIBRARIES):
        venv.create(place, with_pip=True, clear=True)
        install(python, *LIBRARIES)
        complete.write_text("\n".join(LIBRARIES))
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(place), "platbase": str(place)}))
    (packages / "tested_gnomon.pth").write_text(f"{Path(gnomon.__file__).parent.parent}\n")
    return python


@pytest.fixture(scope="module")
def theirs() -> Path:
    """The interpreter of Airflow's environment, with the libraries."""
    python = airflow_python()
    install(python, *(one for one in LIBRARIES if not one.startswith(("kubernetes", "polars", "pyiceberg"))))
    return python


def run_script(python: Path, script: str, *words: str, asked: object = None, home: Path) -> str:
    inherited = {
        name: text for name, text in os.environ.items() if not name.startswith(("GNOMON_", "AIRFLOW_", "PYTHON"))
    }
    environ = {
        **inherited,
        "GNOMON_HOME": str(home),
        "AIRFLOW_HOME": str(home),
        "PYTHONPATH": str(HERE),
        "TZ": "UTC",
        "AIRFLOW__CORE__ALLOWED_DESERIALIZATION_CLASSES": "airflow.* stored_classes.*",
        "PYTHONDONTWRITEBYTECODE": "1",
        "AIRFLOW__CORE__FERNET_KEY": base64.urlsafe_b64encode(b"k" * 32).decode(),
    }
    done = subprocess.run(
        [python, HERE / script, *words],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        env=environ,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()[-1]


def test_what_one_product_stored_the_other_reads(ours: Path, theirs: Path, tmp_path: Path) -> None:
    written = {
        name: json.loads(run_script(python, "exchange.py", name, str(tmp_path), asked={"write": True}, home=tmp_path))
        for name, python in (("airflow", theirs), ("gnomon", ours))
    }
    asked = {name: text for name, (text, _) in written["airflow"].items()}
    read = json.loads(run_script(ours, "exchange.py", "gnomon", str(tmp_path), asked={"read": asked}, home=tmp_path))
    expected = {name: description for name, (_, description) in written["airflow"].items()}
    assert read == expected
    asked = {name: text for name, (text, _) in written["gnomon"].items() if name not in OWN_FORM}
    read = json.loads(run_script(theirs, "exchange.py", "airflow", str(tmp_path), asked={"read": asked}, home=tmp_path))
    assert read == {name: expected[name] for name in asked}
    other_form = {
        name
        for name in asked
        if not name.startswith("asset")
        and json.loads(written["gnomon"][name][0]) != json.loads(written["airflow"][name][0])
    }
    assert other_form == set()


def test_gnomon_reads_what_it_stored(ours: Path, tmp_path: Path) -> None:
    written = json.loads(run_script(ours, "exchange.py", "gnomon", str(tmp_path), asked={"write": True}, home=tmp_path))
    asked = {name: text for name, (text, _) in written.items()}
    read = json.loads(run_script(ours, "exchange.py", "gnomon", str(tmp_path), asked={"read": asked}, home=tmp_path))
    assert read == {name: description for name, (_, description) in written.items()}


def test_tables_and_frames_come_back_and_secrets_of_tables_are_refused(ours: Path, tmp_path: Path) -> None:
    assert json.loads(run_script(ours, "libraries.py", str(tmp_path), home=tmp_path)) == {
        "iceberg": [{"a": 1}, {"a": 2}],
        "iceberg secret": "'token'",
        "delta": [{"a": 1}, {"a": 2}],
        "delta secret": "'AWS_SECRET_ACCESS_KEY'",
        "configured catalog": True,
        "pandas": True,
        "pandas refusal": "['rows'][0] has no JSON form. pyarrow cannot write it as Parquet",
        "polars": True,
        "pod": True,
    }
