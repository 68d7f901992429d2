"""Environments with packages that build DAGs or listen to them: Cosmos with dbt, dag-factory, OpenLineage."""

from __future__ import annotations

from pathlib import Path

from tests.conformance.provider_environment import build_venv, build_with_packages, find_site_packages, pip_install

PACKAGES = (
    "astronomer-cosmos==1.15.1",
    "dag-factory==1.1.0",
    "openlineage==2.20.3",
    "http==6.3.0",
    "common-sql==2.4.0",
    "sqlite==4.3.4",
    "common-io==1.11.0",
)
DBT = ("dbt-core==1.10.23", "dbt-duckdb==1.11.1")
QUIET = {
    "AIRFLOW__COSMOS__ENABLE_TELEMETRY": "False",
    "AIRFLOW__DAG_FACTORY__ENABLE_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "SCARF_NO_ANALYTICS": "1",
}
"""The packages send no figures of use to their authors."""


def integration_environ() -> dict[str, str]:
    """Variables with which a process of Gnomon has the packages: its plugins, policies and modules."""
    return {"PYTHONPATH": str(find_site_packages(build_with_packages(*PACKAGES))), **QUIET}


def find_dbt() -> Path:
    """The program dbt, in an environment of its own."""
    return build_venv(DBT, lambda folder: pip_install(folder, *DBT)) / "bin" / "dbt"
