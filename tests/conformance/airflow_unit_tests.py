"""Airflow's own unit tests of the authoring surface: downloads them, runs them through Gnomon's `airflow` modules, reads the outcomes.

They come from the source distributions and are never part of this project; they stay in the checkout's cache folder.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.conformance.package_index import CACHE, download_source, installed

from gnomon.author_code.loading import dialect

HERE = Path(__file__).parent
FIXTURES = HERE / "airflow_unit"
KNOWN_FAILURES = HERE / "airflow_unit" / "known_failures.txt"
SOURCES = {"task-sdk": "apache-airflow-task-sdk==1.3.2", "standard": "apache-airflow-providers-standard==1.21.0"}
NEEDS = (
    "annotated-types==0.8.0",
    "apache-airflow-providers-common-compat==1.23.0",
    "asgiref==3.13.0",
    "attrs==26.1.0",
    "httpx==0.28.1",
    "kgb==7.3",
    "lazy-object-proxy==1.13.0",
    "methodtools==0.4.7",
    "opentelemetry-api==1.45.2",
    "packaging==26.3",
    "psutil==7.2.2",
    "pydantic==2.14.3",
    "pydantic-core==2.50.4",
    "pytest-asyncio==1.5.0",
    "pytest-mock==3.17.0",
    "python-slugify==9.2.0",
    "sqlalchemy==2.1.9",
    "structlog==26.1.0",
    "tenacity==9.2.1",
    "text-unidecode==1.3",
    "typing-extensions==4.16.0",
    "typing-inspection==0.4.5",
    "uuid6==2025.0.1",
    "wirerope==1.0.0",
    "wrapt==2.5.2",
)
"""What the tests import and Gnomon does not bring."""
TIMEOUT_S = 1500
CERTIFICATES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""Where a machine's certificates are: tests of HTTP clients state which ones are used when nothing is said."""


class Outcome(NamedTuple):
    """How a test ended: passed, skipped, failed, or `not importable` for a whole file."""

    test: str
    """`task-sdk/definitions/test_dag.py::TestDag::test_x`"""
    outcome: str
    error: str


def unpacked(requirement: str, is_removed: Callable[[Path], bool] = lambda conftest: True) -> Path:
    """The folder with the tests of that source distribution, without the conftest files that are removed (paths below the folder)."""
    place = CACHE / "airflow-unit-tests" / requirement.replace("==", "-")
    if not place.exists():
        archive = download_source(requirement)
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as draft, tarfile.open(archive) as tar:
            tar.extractall(draft, filter="data")
            (folder,) = (Path(draft) / name for name in os.listdir(draft))
            for conftest in (folder / "tests").rglob("conftest.py"):
                if is_removed(conftest.relative_to(folder / "tests")):
                    conftest.unlink()
            try:
                shutil.move(folder / "tests", place)
            except OSError:
                assert place.exists(), "another test process was faster"
    return place


def run(source: str, files: Iterable[str], home: Path) -> list[Outcome]:
    """Run these files (all: `["."]`), relative to the folder of the tests, in a process of their own."""
    prefix = {"task-sdk": "task_sdk", "standard": "unit/standard"}[source]
    packages = [installed("needs-of-airflow-unit-tests", *NEEDS)]
    outcomes = run_pytest(
        unpacked(SOURCES[source]), [f"{prefix}/{file}" for file in files], packages, ["gnomon_fixtures"], home
    )
    return [outcome._replace(test=f"{source}/{outcome.test.removeprefix(prefix + '/')}") for outcome in outcomes]


def run_pytest(
    root: Path,
    files: Iterable[str],
    packages: Iterable[Path],
    plugins: Sequence[str],
    home: Path,
    variables: Mapping[str, str] | None = None,
) -> list[Outcome]:
    """Run these files below `root` in a process of their own that sees only these packages and Gnomon's, with these variables in addition."""
    result = home / "outcomes.json"
    environ = {
        **{
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GNOMON_", "AIRFLOW_", "PYTEST_")) and name not in CERTIFICATES
        },
        "PYTHONPATH": os.pathsep.join([dialect.TREE, str(FIXTURES), *map(str, packages)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "GNOMON_HOME": str(home),
        "OUTCOMES": str(result),
        "TZ": "UTC",
        **(variables or {}),
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        *(word for plugin in plugins for word in ("-p", plugin)),
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:gnomon",
        "-c",
        os.devnull,
        "--rootdir",
        str(root),
        "-q",
        "--continue-on-collection-errors",
        "--tb=short",
        "-W",
        "default",
        *(str(root / file) for file in files),
    ]
    ended = subprocess.run(
        command,
        cwd=root,
        env=environ,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        start_new_session=True,
    )
    (home / "output.txt").write_text(ended.stdout)
    assert result.exists(), f"pytest ended with {ended.returncode}:\n{ended.stdout[-2000:]}\n{ended.stderr[-2000:]}"
    return [Outcome(name, *rest) for name, *rest in json.loads(result.read_text())]
