"""schemathesis sends what it invents to every operation of /openapi.json: no server error, and every answer is as the document says.

Left out are the two operations that stay open on purpose: `/wait` (until the run has ended) and `/api/gnomon/v1/events` (a stream).
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.acceptance.airflow_packages import require_schemathesis
from tests.conformance.fuzzed_api import fuzzed_api

pytestmark = pytest.mark.network
CHECKS = "not_a_server_error,response_schema_conformance,content_type_conformance,status_code_conformance"
STREAMS = "(/wait|/api/gnomon/v1/events)$"
CONFIGURATION = '[checks.not_a_server_error]\nexpected-statuses = ["2xx", "3xx", "4xx", 501]\n'
"""501 is an answer with a reason: Gnomon does not have it."""
OPERATIONS_MIN = 135
"""So many operations are tested; fewer means that the document has lost some."""
SOAK_S = 20 * 60
SHORT_TIMEOUT_S = 600
REQUEST_TIMEOUT_S = 60


@pytest.mark.parametrize(("mode", "examples", "seed"), [("positive", 1, 1), ("negative", 1, 2)])
def test_a_few_requests_of_each_operation_find_no_fault(tmp_path: Path, mode: str, examples: int, seed: int) -> None:
    report = _run(
        tmp_path,
        SHORT_TIMEOUT_S,
        "--phases",
        "fuzzing",
        "--mode",
        mode,
        "--max-examples",
        str(examples),
        "--seed",
        str(seed),
    )
    assert mode == "negative" or _count_tested(report) >= OPERATIONS_MIN, report[-3000:]


@pytest.mark.soak
def test_twenty_minutes_of_requests_find_no_fault(tmp_path: Path) -> None:
    """The edge cases of each parameter and body first, then what the seed invents, until the time is over."""
    report = _run(tmp_path, 2 * SOAK_S, "--phases", "coverage,fuzzing", "--max-time", str(SOAK_S), "--seed", "20")
    assert _count_tested(report) >= OPERATIONS_MIN, report[-3000:]


def _run(folder: Path, timeout_s: float, *words: str) -> str:
    """The report of schemathesis, which must have found nothing."""
    python = require_schemathesis()
    configuration = folder / "schemathesis.toml"
    configuration.write_text(CONFIGURATION)
    with fuzzed_api(folder) as api:
        api.request(
            "GET", "/openapi.json"
        )  # made once, which can take longer on a busy machine than schemathesis waits
        done = subprocess.run(
            [
                python,
                "-m",
                "schemathesis.cli",
                "--config-file",
                str(configuration),
                "run",
                f"http://127.0.0.1:{api.port}/openapi.json",
                "--checks",
                CHECKS,
                "--exclude-path-regex",
                STREAMS,
                "--no-shrink",
                "--continue-on-failure",
                "--warnings",
                "off",
                "--generation-database",
                "none",
                "--header",
                f"Authorization: {api.headers['Authorization']}",
                "--request-timeout",
                str(REQUEST_TIMEOUT_S),
                "--no-color",
                *words,
            ],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        api.get("/connections")
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-3000:]
    return done.stdout


def _count_tested(report: str) -> int:
    """The number in the line `Tested: 138` of the report."""
    return next(int(line.split(":")[1]) for line in report.splitlines() if line.strip().startswith("Tested:"))
