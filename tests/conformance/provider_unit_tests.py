"""The unit tests of published provider packages: downloads their source distributions, runs them against Gnomon, counts the outcomes.

The packages and what they need are in folders of their own in the checkout's cache, never in the environment of these tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.conformance.airflow_unit_tests import FIXTURES, Outcome, run_pytest, unpacked
from tests.conformance.package_index import installed
from tests.postgres import server_url

from gnomon.author_code.loading.provider_names import PREFIX

KNOWN_FAILURES = FIXTURES / "provider_failures.txt"
COUNTS = FIXTURES / "provider_counts.txt"
VERSIONS = {
    "http": "6.3.0",
    "sqlite": "4.3.4",
    "common-sql": "2.4.0",
    "postgres": "7.1.1",
    "ftp": "3.16.1",
    "ssh": "7.0.1",
    "redis": "4.7.1",
    "smtp": "3.2.0",
    "slack": "9.11.1",
    "amazon": "9.39.0",
}
SHORT = ("http", "sqlite", "redis", "ftp")
"""The packages that `make test` runs; `make soak` runs all."""
NEED_POSTGRES = ("common-sql", "postgres")
"""Their tests use the PostgreSQL server that the other tests use."""
PARTS = {
    "amazon": (
        "hooks/test_sqs.py",
        "hooks/test_sns.py",
        "operators/test_sqs.py",
        "operators/test_sns.py",
        "sensors/test_sqs.py",
        "notifications",
        "secrets",
    )
}
"""What is run of a large package, below `aws`: tests that need only mocks or moto, and little time."""
NOT_APPLICABLE = "not applicable: "
"""The reasons of tests that no other program than Airflow, or not this machine, could pass begin so."""


def run_provider(package: str, home: Path) -> list[Outcome]:
    """Run the unit tests of the package; the ids begin with its name: `http/hooks/test_http.py::...`."""
    root = unpacked(f"{PREFIX}{package}=={VERSIONS[package]}", lambda conftest: conftest.parts == ("conftest.py",))
    folder = f"unit/{package.replace('-', '/')}"
    places = [f"{folder}/aws/{part}" for part in PARTS[package]] if package in PARTS else [folder]
    packages = [installed("provider-unit-tests-short", *read_pins("short"))]
    if package not in SHORT:
        packages.append(installed("provider-unit-tests", *read_pins("others")))
    environ = {"POSTGRES_SERVER": server_url()} if package in NEED_POSTGRES else {}
    outcomes = run_pytest(root, places, packages, ["gnomon_fixtures", "provider_fixtures"], home, environ)
    return [outcome._replace(test=f"{package}/{outcome.test.removeprefix(folder + '/')}") for outcome in outcomes]


def read_pins(name: str) -> list[str]:
    """The requirements of `provider_pins_NAME.txt`."""
    lines = (FIXTURES / f"provider_pins_{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def count(outcomes: Iterable[Outcome], reasons: Mapping[str, str | None]) -> str:
    """`153 passed, 2 failed, 7 not applicable, 1 skipped`. `reasons`: the test to the reason why it does not pass."""
    counts = Counter(_sort(outcome, reasons) for outcome in outcomes)
    return ", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "failed", "not applicable", "skipped"))


def _sort(outcome: Outcome, reasons: Mapping[str, str | None]) -> str:
    if outcome.outcome in ("passed", "skipped"):
        return outcome.outcome
    return "not applicable" if (reasons.get(outcome.test) or "").startswith(NOT_APPLICABLE) else "failed"


def read_counts() -> dict[str, str]:
    """Package to the counts that are committed: lines `http 6.3.0: 153 passed, ...`."""
    lines = [line for line in COUNTS.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {line.partition(" ")[0]: line.partition(": ")[2] for line in lines}
