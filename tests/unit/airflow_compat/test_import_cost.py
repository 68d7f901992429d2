"""What the imports of a simple DAG file load, and that every path of a class gives the same class."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

ENABLE = "from gnomon.author_code.loading import dialect; dialect.enable(); import sys; before = set(sys.modules)"


def loaded_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{ENABLE}\n{code}\nprint(*(set(sys.modules) - before))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.ordinary
def test_importing_dag_loads_no_files_archives_or_network() -> None:
    found = loaded_after("import airflow; from airflow.sdk import DAG")
    assert (
        found & {"importlib.resources", "tempfile", "shutil", "random", "logging", "socket", "inspect", "msgspec"}
        == set()
    )


@pytest.mark.ordinary
def test_the_usual_operators_load_no_assets_and_no_virtual_environments() -> None:
    found = loaded_after(
        "from airflow.sdk import DAG, task\nfrom airflow.operators.python import PythonOperator\n"
        "from airflow.providers.standard.operators.python import PythonOperator\nfrom airflow.providers.standard.operators.bash import BashOperator"
    )
    assert {
        name
        for name in found
        if name.startswith(
            ("gnomon.authoring.sdk.assets", "gnomon.authoring.operators.virtualenv", "urllib.request", "http", "ssl")
        )
    } == set()


@pytest.mark.parametrize(
    ("name", "modules"),
    [
        (
            "PythonOperator",
            "airflow.operators.python airflow.operators.python_operator airflow.providers.standard.operators.python",
        ),
        (
            "PythonVirtualenvOperator",
            "airflow.operators.python airflow.operators.python_operator airflow.providers.standard.operators.python",
        ),
        ("get_current_context", "airflow.operators.python airflow.providers.standard.operators.python airflow.sdk"),
        (
            "BashOperator",
            "airflow.operators.bash airflow.operators.bash_operator airflow.providers.standard.operators.bash",
        ),
        ("EmptyOperator", "airflow.operators.empty airflow.providers.standard.operators.empty"),
        ("DAG", "airflow airflow.models airflow.models.dag airflow.sdk airflow.sdk.definitions.dag"),
        ("BaseOperator", "airflow.models airflow.models.baseoperator airflow.sdk airflow.sdk.bases.operator"),
        ("TaskGroup", "airflow.utils.task_group airflow.sdk airflow.sdk.definitions.taskgroup"),
    ],
)
def test_a_class_is_the_same_by_every_path(name: str, modules: str) -> None:
    found = [getattr(import_module(module), name) for module in modules.split()]
    assert all(one is found[0] for one in found)


def test_names_that_load_late_are_imported_by_a_star_too() -> None:
    namespace: dict[str, object] = {}
    exec("from airflow.operators.python import *", namespace)
    assert {
        "PythonOperator",
        "ExternalPythonOperator",
        "ShortCircuitOperator",
        "get_current_context",
    } <= namespace.keys()
