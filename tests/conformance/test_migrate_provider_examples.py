"""`gnomon migrate check` over the published example DAGs of twenty-one provider packages: each verdict, and the packages that they need."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from tests.conformance.package_index import download_source

from gnomon.airflow_compat.migration.repository.repository_check import CheckSettings, check_repository, list_verdicts
from gnomon.author_code.loading.provider_names import PREFIX, shorten
from gnomon.model.instants import SECOND

pytestmark = pytest.mark.network
NOW = 1_772_434_800 * SECOND
SOURCES = {
    "airbyte==6.2.0": (1, {"airbyte"}), "amazon==9.39.0": (88, {"amazon", "common-messaging", "common-sql", "duckdb", "google"}),
    "apache-kafka==2.1.0": (4, {"apache-kafka", "common-messaging"}), "apache-livy==4.6.4": (1, {"apache-livy"}),
    "cncf-kubernetes==10.25.0": (9, {"cncf-kubernetes"}), "common-sql==2.4.0": (8, {"common-sql"}), "databricks==7.23.0": (6, {"databricks"}),
    "dbt-cloud==4.11.1": (1, {"dbt-cloud"}), "docker==4.6.1": (4, {"docker"}), "ftp==3.16.1": (1, {"ftp"}), "github==2.12.1": (1, {"github"}),
    "http==6.3.0": (1, {"http"}), "influxdb==2.13.0": (3, {"influxdb"}), "jenkins==4.2.7": (1, {"jenkins"}), "postgres==7.1.1": (1, {"common-sql"}),
    "redis==4.7.1": (2, {"common-messaging", "redis"}), "slack==9.11.1": (4, {"slack"}), "sqlite==4.3.4": (1, {"common-sql", "sqlite"}),
    "standard==1.21.0": (20, set()), "telegram==4.10.1": (1, {"telegram"}), "trino==6.7.1": (2, {"common-sql", "trino"}),
}  # fmt: skip
"""Package to the number of its examples that run, and the providers that they import."""
MISSING = {"example_kinesis_analytics.py", "example_sagemaker_unified_studio_notebook.py"}
"""Examples that open a session of Airflow's database."""


@pytest.mark.parametrize("source", SOURCES)
def test_each_example_runs_but_those_that_open_a_session_of_the_database(source: str, tmp_path: Path) -> None:
    with tarfile.open(download_source(PREFIX + source)) as archive:
        archive.extractall(
            tmp_path,
            [one for one in archive.getmembers() if "example" in one.name and one.name.endswith(".py")],
            filter="data",
        )
    report = check_repository(tmp_path, CheckSettings(NOW, airflow_version=3))
    verdicts = {Path(path).name: verdict for path, verdict in list_verdicts(report.files).items()}
    assert {name for name, verdict in verdicts.items() if verdict not in ("runs", "no airflow")} == MISSING & set(
        verdicts
    )
    count, providers = SOURCES[source]
    assert list(verdicts.values()).count("runs") == count
    assert {shorten(name) for name in report.providers} == providers
