"""Paths of Airflow 1.10 lead to installed provider packages, and names are where modules of Airflow import them."""

from __future__ import annotations

import importlib
import importlib.util
import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gnomon.airflow_compat import coverage, old_names
from gnomon.author_code.loading.provider_names import find_package
from gnomon.ground.config import load_config, set_current_config

CASES = Path(__file__).parents[2] / "conformance" / "cases" / "real-code"
PACKAGES = {  # the modules and names of the packages that old_provider_paths.py asks for
    "docker.operators.docker": "DockerOperator",
    "postgres.operators.postgres": "PostgresOperator",
    "postgres.hooks.postgres": "PostgresHook",
    "http.hooks.http": "HttpHook",
    "amazon.aws.hooks.s3": "S3Hook",
    "common.sql.hooks.sql": "DbApiHook",
    "common.sql.operators.sql": "SQLCheckOperator",
    "common.sql.sensors.sql": "SqlSensor",
    "google.cloud.transfers.gcs_to_bigquery": "GCSToBigQueryOperator",
    "cncf.kubernetes.operators.pod": "KubernetesPodOperator",
}


@pytest.fixture
def airflow_2(tmp_path: Path) -> None:
    set_current_config(load_config({"GNOMON__CORE__AIRFLOW_DIALECT": "2"}, tmp_path))


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path with small packages in place of published ones. Other tests may have imported `airflow.providers`, which has read the path then."""
    for module, name in PACKAGES.items():
        _write_provider(tmp_path, module, f"class {name}:\n    def __init__(self, **kwargs): self.kwargs = kwargs\n")
    monkeypatch.syspath_prepend(tmp_path)
    known = set(sys.modules)
    providers = importlib.import_module("airflow.providers")
    monkeypatch.setattr(providers, "__path__", [*providers.__path__, str(tmp_path / "airflow" / "providers")])
    yield tmp_path
    for name in sys.modules.keys() - known:
        if name.startswith("airflow."):
            del sys.modules[name]


def _write_provider(folder: Path, module: str, text: str) -> None:
    path = folder / "airflow" / "providers" / f"{module.replace('.', '/')}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _get(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def test_old_paths_lead_to_the_installed_packages(
    airflow_2: None, packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(CASES / "old_provider_paths.py"))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 13
    assert [line for line in lines if not line.startswith("ok ")] == []


def test_an_old_name_is_the_class_of_the_package(airflow_2: None, packages: Path) -> None:
    assert _get("airflow.contrib.operators.gcs_to_bq", "GoogleCloudStorageToBigQueryOperator") is _get(
        "airflow.providers.google.cloud.transfers.gcs_to_bigquery", "GCSToBigQueryOperator"
    )
    import airflow.contrib.operators as package

    assert (
        importlib.import_module("airflow.contrib.operators.kubernetes_pod_operator") is package.kubernetes_pod_operator
    )


def test_sql_names_of_the_core_are_those_of_the_package_in_both_dialects(
    packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(CASES / "dbapi_refused.py"))
    assert "SQLCheckOperator object" in capsys.readouterr().out
    for module in ("airflow.hooks.dbapi", "airflow.hooks.dbapi_hook"):
        assert _get(module, "DbApiHook") is _get("airflow.providers.common.sql.hooks.sql", "DbApiHook")


def test_an_old_path_without_its_package_says_what_to_install(airflow_2: None) -> None:
    with pytest.raises(
        ModuleNotFoundError,
        match=r"DockerOperator stands for airflow\.providers\.docker\.operators\.docker\.DockerOperator.*"
        r"gnomon providers install docker`",
    ):
        _get("airflow.operators.docker_operator", "DockerOperator")


def test_an_old_path_to_a_name_that_a_newer_package_lost_says_so(airflow_2: None, packages: Path) -> None:
    _write_provider(packages, "postgres.operators.postgres", "")
    with pytest.raises(
        ImportError,
        match=r"the installed package does not have.*An older version of apache-airflow-providers-postgres has it",
    ):
        _get("airflow.operators.postgres_operator", "PostgresOperator")


@pytest.mark.parametrize(
    ("module", "home"),
    [
        ("airflow.operators.docker_operator", "airflow.providers.docker.operators.docker"),
        ("airflow.contrib.operators.gcs_to_bq", "airflow.providers.google.cloud.transfers.gcs_to_bigquery"),
        ("airflow.kubernetes.secret", "airflow.providers.cncf.kubernetes.secret"),
    ],
)
def test_in_the_dialect_of_airflow_3_the_error_names_the_new_path(module: str, home: str, packages: Path) -> None:
    with pytest.raises(
        ModuleNotFoundError,
        match=rf"{re.escape(module)}: since Airflow 2, .*{re.escape(home)}.*\[core\] airflow_dialect = 2",
    ):
        importlib.import_module(module)


def test_every_old_path_leads_to_a_package_or_to_a_name_that_gnomon_has(airflow_2: None) -> None:
    for module, names in old_names.read_old_paths().items():
        for name, path in names.items():
            if find_package(path) is None:
                assert _get(module, name) is _get(*path.rsplit(".", 1))


def test_context_can_be_imported_from_the_module_of_task_instances() -> None:
    runpy.run_path(str(CASES / "old_context_import.py"))
    assert _get("airflow.models.taskinstance", "Context") is _get("airflow.utils.context", "Context")


@pytest.mark.ordinary  # modules of others start a process when they are imported
def test_every_name_that_a_module_only_imports_is_the_one_of_its_home() -> None:
    for module, names in old_names.read_reexports().items():
        for name, home in names.items():
            assert coverage.find_row(module, name) is None, f"{module}.{name} stands in the coverage table too"
            place, colon, other = home.partition(":")
            if (
                importlib.util.find_spec(place.partition(".")[0]) is None
            ):  # a package that this installation does not need
                with pytest.raises(ModuleNotFoundError, match=f"No module named '{place.partition('.')[0]}'"):
                    _get(module, name)
                continue
            found = importlib.import_module(place)
            assert _get(module, name) is (found if colon and not other else getattr(found, other or name)), (
                f"{module}.{name}"
            )
