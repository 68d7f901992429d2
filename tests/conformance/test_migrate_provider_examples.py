"""`gnomon migrate check` over the published example DAGs of provider packages: each verdict, and the packages that they need."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from tests.conformance.package_index import download_source

from gnomon.migration.providers.provider_names import PREFIX, shorten
from gnomon.migration.repository.repository_check import CheckSettings, check_repository, list_verdicts
from gnomon.model.instants import SECOND

pytestmark = pytest.mark.network
NOW = 1_772_434_800 * SECOND
SOURCES = {
    "amazon==9.39.0": {"amazon", "common-messaging", "common-sql", "duckdb", "google"}, "common-sql==2.4.0": {"common-sql"}, "ftp==3.16.1": {"ftp"},
    "http==6.3.0": {"http"}, "postgres==7.1.1": {"common-sql"}, "redis==4.7.1": {"common-messaging", "redis"}, "slack==9.11.1": {"slack"},
    "sqlite==4.3.4": {"common-sql", "sqlite"}, "standard==1.21.0": set(),
}
"""Package to the providers that its examples import."""
MISSING = {"example_kinesis_analytics.py", "example_sagemaker_unified_studio_notebook.py"}
"""Examples that open a session of Airflow's database."""


@pytest.mark.parametrize("source", SOURCES)
def test_each_example_runs_but_those_that_open_a_session_of_the_database(source: str, tmp_path: Path) -> None:
    with tarfile.open(download_source(PREFIX + source)) as archive:
        archive.extractall(tmp_path, [one for one in archive.getmembers() if "example" in one.name and one.name.endswith(".py")], filter="data")
    report = check_repository(tmp_path, CheckSettings(NOW, airflow_version=3))
    verdicts = {Path(path).name: verdict for path, verdict in list_verdicts(report.files).items()}
    assert {name for name, verdict in verdicts.items() if verdict not in ("runs", "no airflow")} == MISSING & set(verdicts)
    assert verdicts
    assert {shorten(name) for name in report.providers} == SOURCES[source]
