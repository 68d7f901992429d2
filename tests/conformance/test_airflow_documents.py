"""What Airflow's documentation imports can be imported, or is absent on purpose with a reason that says what replaces it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.conformance.airflow_documents import iterate_names, list_documented_names

PROGRAM = """
import importlib, json, sys
from gnomon.author_code.loading import dialect
dialect.enable()
missing = {}
for module, name in json.load(sys.stdin):
    try:
        value = importlib.import_module(module)
        for part in () if name is None else (name,):
            value = getattr(value, part)
    except (ImportError, AttributeError) as error:
        missing[f"{module}:{name}"] = str(error)
print(json.dumps(missing))
"""
REASONED = "is not supported yet: "
NOT_IN_AIRFLOW = {
    "airflow.sdk:Sensor",
    "airflow.sdk:Trace",
    "airflow.providers.standard.sensors.time_sensor:TimeSensor",
}
"""Mistakes of the pages: Airflow has no such names either."""


def try_imports(names: list[tuple[str, str | None]]) -> dict[str, str]:
    """The message by `module:name` of what cannot be imported, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        input=json.dumps(names),
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_imports_and_references_of_a_page_are_found() -> None:
    page = """
.. code-block:: python

    from airflow.sdk import DAG, task  # both
    from airflow.sdk import (
        Asset,  # one
        Param,
    )
    import airflow.utils.timezone

See :class:`~airflow.sdk.BaseHook`.

.. autoapiclass:: airflow.sdk.Variable
"""
    assert list(iterate_names(page)) == [
        ("airflow.sdk", "DAG"),
        ("airflow.sdk", "task"),
        ("airflow.sdk", "Asset"),
        ("airflow.sdk", "Param"),
        ("airflow.utils.timezone", None),
        ("airflow.sdk", "BaseHook"),
        ("airflow.sdk", "Variable"),
    ]


@pytest.mark.soak
def test_each_name_of_the_documentation_can_be_imported_or_has_a_reason() -> None:
    names = [(one.module, one.name) for one in list_documented_names()]
    assert len(names) > 100
    missing = try_imports(names)
    unexplained = {name: message for name, message in missing.items() if REASONED not in message}
    assert unexplained.keys() == NOT_IN_AIRFLOW, unexplained


KNOWN_PLACES = [
    ("airflow.sdk.definitions.deadline", "AsyncCallback"),
    ("airflow.sdk.definitions.deadline", "SyncCallback"),
    ("airflow.sdk.definitions.deadline", "DeadlineAlert"),
    ("airflow.configuration", "AIRFLOW_HOME"),
    ("airflow.configuration", "AIRFLOW_CONFIG"),
    ("airflow.settings", "AIRFLOW_HOME"),
    ("airflow.utils.dag_cycle_tester", "check_cycle"),
    ("airflow.sdk.plugins_manager", "AirflowPlugin"),
    ("airflow.sdk.listener", "get_listener_manager"),
    ("airflow.sdk.bases.secrets_backend", "BaseSecretsBackend"),
    ("airflow.lineage.entities", "Tag"),
    ("airflow.lineage", "AUTO"),
    ("airflow.assets.manager", "AssetManager"),
]
"""Names of pages of Airflow's core documentation, which no source distribution has."""


def test_names_of_the_core_documentation_can_be_imported() -> None:
    assert try_imports(KNOWN_PLACES) == {}


@pytest.mark.parametrize(
    ("module", "remedy"),
    [
        ("airflow.sdk.coordinators.java", "run another language by BashOperator"),
        ("airflow.sentry", "call sentry_sdk.init()"),
        ("airflow.models.deadline", "give `DAG(deadline=DeadlineAlert(...))`"),
        ("airflow.executors.executor_loader", "executors are chosen by Gnomon's own options"),
        ("airflow.utils.entry_points", "use importlib.metadata.entry_points()"),
    ],
)
def test_what_is_absent_on_purpose_says_what_replaces_it(module: str, remedy: str) -> None:
    ((_, message),) = try_imports([(module, None)]).items()
    assert REASONED in message
    assert remedy in message


def test_the_cycle_tester_raises_for_a_cycle() -> None:
    program = """
from gnomon.author_code.loading import dialect
dialect.enable()
from airflow.exceptions import AirflowDagCycleException
from airflow.sdk import DAG
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.utils.dag_cycle_tester import check_cycle
with DAG("d", schedule=None) as dag:
    a, b = EmptyOperator(task_id="a"), EmptyOperator(task_id="b")
    a >> b
check_cycle(dag)
b >> a
try:
    check_cycle(dag)
except AirflowDagCycleException:
    print("cycle")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "cycle\n"
