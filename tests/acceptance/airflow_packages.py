"""Published packages in folders below `.cache`: Airflow's clients and schemathesis in environments of their own, and Airflow's OpenAPI document."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.conformance import package_index

VERSION = "3.3.2"
AIRFLOWCTL_VERSION = "0.1.5"
SCHEMATHESIS_VERSION = "4.32.5"
CACHE = package_index.CACHE / f"airflow-api-{VERSION}"
DOCUMENT = "airflow/api_fastapi/core_api/openapi/v2-rest-api-generated.yaml"
PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input", "-q")


def require_client() -> str:
    """The Python of an environment that has `apache-airflow-client` and nothing of Gnomon; skips the test without the package index."""
    return _require_environment("client", f"apache-airflow-client=={VERSION}")


def require_airflowctl() -> str:
    """The Python of an environment that has `apache-airflow-ctl` and nothing of Gnomon; skips the test without the package index."""
    return _require_environment("airflowctl", f"apache-airflow-ctl=={AIRFLOWCTL_VERSION}")


def require_schemathesis() -> str:
    """The Python of an environment that has `schemathesis` and nothing of Gnomon; skips the test without the package index."""
    return _require_environment(f"schemathesis-{SCHEMATHESIS_VERSION}", f"schemathesis=={SCHEMATHESIS_VERSION}")


def require_document() -> Path:
    """Airflow's OpenAPI document; skips the test without the package index."""
    found = CACHE / "v2-rest-api.yaml"
    if not found.exists():
        wheels = CACHE / "wheels"
        package_index.pip(
            "download", "--dest", str(wheels), f"apache-airflow-core=={VERSION}", what="apache-airflow-core"
        )
        with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
            text = wheel.read(DOCUMENT)
        draft = found.with_suffix(".draft")
        draft.write_bytes(text)
        draft.rename(found)
    return found


def _require_environment(name: str, requirement: str) -> str:
    """One test process builds it, the others wait for that; the lock ends with the process that has it."""
    folder = CACHE / name
    python = folder / "bin" / "python"
    mark = folder / "complete"
    if not mark.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with (CACHE / f"{name}.lock").open("w") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            if not mark.exists():
                _run(sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder))
                _run(sys.executable, *PIP, "--python", str(python), "install", "--no-compile", requirement)
                mark.touch()
    return str(python)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        reason = f"{command[-1]} could not be installed: {done.stderr.strip()[-300:]}"
        pytest.fail(reason) if os.environ.get("CI", "").lower() == "true" else pytest.skip(reason)
