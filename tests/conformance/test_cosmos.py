"""Cosmos makes DAGs and task groups of a dbt project, unmodified: models run on DuckDB, their tests after them; dag-factory makes DAGs of YAML.

Each installation has both packages with their plugins, so that their listeners are called for every run.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest
from tests.acceptance.product import Product, product
from tests.conformance.integrations import find_dbt, integration_environ

pytestmark = [pytest.mark.soak, pytest.mark.network]
PROJECT = {
    "dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: shop\nmodel-paths: [models]\nseed-paths: [seeds]\n",
    "profiles.yml": (
        "shop:\n  target: dev\n  outputs:\n    dev: {type: duckdb, path: \"{{ env_var('SHOP_DATABASE') }}\", threads: 1}\n"
    ),
    "seeds/raw_orders.csv": "id,customer,amount\n1,ada,10\n2,ben,20\n3,ada,5\n",
    "models/orders.sql": "select id, customer, amount + {{ var('extra', 0) }} as amount from {{ ref('raw_orders') }}\n",
    "models/customers.sql": "select customer, sum(amount) as total from {{ ref('orders') }} group by customer\n",
    "models/schema.yml": (
        "version: 2\nmodels:\n"
        "  - {name: orders, columns: [{name: id, data_tests: [unique, not_null]}]}\n"
        "  - {name: customers, columns: [{name: customer, data_tests: [unique]}, {name: total, data_tests: [{accepted_values: {arguments: {values: [15, 20]}}}]}]}\n"
    ),
}
DAGS = """
import os
from pathlib import Path
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, task
from cosmos import DbtDag, DbtRunLocalOperator, DbtTaskGroup, ExecutionConfig, ProfileConfig, ProjectConfig

def project(**variables):
    return ProjectConfig(os.environ["SHOP"], manifest_path=Path(os.environ["SHOP"], "target", "manifest.json"), dbt_vars=variables or None)

profile = ProfileConfig(profile_name="shop", target_name="dev", profiles_yml_filepath=Path(os.environ["SHOP"], "profiles.yml"))
execution = ExecutionConfig(dbt_executable_path=os.environ["DBT"])
common = dict(profile_config=profile, execution_config=execution)
options = dict(schedule=None, max_active_tasks=1, is_paused_upon_creation=False)  # DuckDB has one writer

shop = DbtDag(dag_id="shop", project_config=ProjectConfig(os.environ["SHOP"]), **common, **options)
wrong = DbtDag(dag_id="wrong", project_config=project(extra=1), **common, **options)

with DAG("grouped", **options):
    dbt = DbtTaskGroup(group_id="dbt", project_config=project(), **common)
    EmptyOperator(task_id="before") >> dbt >> EmptyOperator(task_id="after")

with DAG("mapped", **options):
    DbtRunLocalOperator.partial(
        task_id="run", project_dir=os.environ["SHOP"], profile_config=profile, dbt_executable_path=os.environ["DBT"], select=["orders"],
    ).expand(vars=[{"extra": 1}, {"extra": 2}])
"""
YAML = """
etl:
  default_args: {owner: ada, start_date: 2026-01-01}
  schedule: null
  is_paused_upon_creation: false
  tasks:
    - {task_id: extract, operator: airflow.providers.standard.operators.bash.BashOperator, bash_command: echo 1}
    - {task_id: each, operator: airflow.providers.standard.operators.bash.BashOperator, partial: {env: {A: b}, append_env: true}, expand: {bash_command: [echo 1, echo 2]}, dependencies: [extract]}
"""
FACTORY = """
from airflow.sdk import dag
from dagfactory import load_yaml_dags

load_yaml_dags(globals(), config_filepath={file!r})
"""
DBT_S = 900
"""So long may what dbt does take: each of its commands takes seconds of the processor."""
PATIENT = {"GNOMON__CORE__DAGBAG_IMPORT_TIMEOUT": "300", "GNOMON__DAG_PROCESSOR__DAG_FILE_PROCESSOR_TIMEOUT": "300"}
TESTED = ["raw_orders_seed", "orders.run", "orders.test", "customers.run", "customers.test"]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp("shop")
    for name, text in PROJECT.items():
        (folder / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "project" / name).write_text(text)
    (folder / "etl.yml").write_text(YAML)
    places = {
        "SHOP": str(folder / "project"),
        "SHOP_DATABASE": str(folder / "shop.duckdb"),
        "DBT": str(find_dbt()),
        "TMPDIR": str(folder),
    }
    done = subprocess.run(
        [places["DBT"], "parse", "--profiles-dir", "."],
        cwd=places["SHOP"],
        env={**os.environ, **places},
        capture_output=True,
        text=True,
        timeout=DBT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    files = {"shop.py": DAGS, "factory.py": FACTORY.format(file=str(folder / "etl.yml"))}
    with product(files, {**integration_environ(), **places, **PATIENT}, interpreter=True) as made:
        made.until(
            lambda: (
                {"shop", "wrong", "grouped", "mapped", "etl"} <= {row["dag_id"] for row in made.rows("dags", "list")}
            ),
            "all DAGs are there",
            DBT_S,
        )
        yield made


def run_to_end(running: Product, dag_id: str) -> str:
    """Run the DAG, wait for the end of the run `r`, and return its state."""
    running.do("dags", "trigger", dag_id, "--run-id", "r")
    states: list[str] = []

    def is_over() -> bool:
        states[:] = [row["state"] for row in running.rows("runs", "list", dag_id)]
        return states[0] in ("success", "failed")

    running.until(is_over, f"the run of {dag_id} has ended", DBT_S)
    return states[0]


def test_no_file_failed_and_no_listener_did(running: Product) -> None:
    assert running.rows("dags", "errors") == []
    plugins = running.rows("plugins", "list")
    assert [row["error"] for row in plugins if row["error"]] == [] and sum(
        "listeners" in row["brings"] for row in plugins
    ) == 2


def test_a_dag_of_a_dbt_project_runs_the_models_and_after_each_its_tests(running: Product) -> None:
    state = run_to_end(running, "shop")
    tasks = running.tasks("shop", "r")
    assert state == "success" and sorted(tasks) == sorted(TESTED), running.log()[-3000:]
    starts = [tasks[task_id]["start_date"] for task_id in TESTED]
    assert starts == sorted(starts), "each after that on which it depends"
    assert "PASS=2" in running.task_log("shop", "r", "customers.test")
    assert any(row["key"].startswith("cosmos_cache__") for row in running.rows("variables", "list")), (
        "its import writes the list of dbt into a Variable"
    )


def test_a_test_of_dbt_that_fails_ends_the_run_as_failed_and_stops_what_comes_after(running: Product) -> None:
    state = run_to_end(running, "wrong")
    states = {task_id: task["state"] for task_id, task in running.tasks("wrong", "r").items()}
    assert state == "failed" and states == {**dict.fromkeys(TESTED, "success"), "customers.test": "failed"}


def test_a_group_of_a_dbt_project_stands_between_other_tasks(running: Product) -> None:
    state = run_to_end(running, "grouped")
    tasks = running.tasks("grouped", "r")
    assert state == "success" and sorted(tasks) == sorted(
        ["before", "after", *(f"dbt.{task_id}" for task_id in TESTED)]
    )
    assert tasks["after"]["start_date"] >= tasks["dbt.customers.test"]["end_date"]


def test_a_dbt_operator_is_mapped_with_the_arguments_of_its_shared_class(running: Product) -> None:
    assert run_to_end(running, "mapped") == "success"
    assert [row["state"] for row in running.rows("tasks", "states", "mapped", "r")] == ["success", "success"]


def test_a_dag_of_a_yaml_file_runs_and_its_listener_is_called(running: Product) -> None:
    assert run_to_end(running, "etl") == "success"
    assert sorted((row["task_id"], row["map_index"]) for row in running.rows("tasks", "states", "etl", "r")) == [
        ("each", 0),
        ("each", 1),
        ("extract", -1),
    ]


def test_the_listeners_of_both_packages_were_called_and_none_failed(running: Product) -> None:
    logs = "".join(path.read_text() for path in running.home.rglob("*.log"))
    assert "could not be loaded" not in logs and "the outcome stays" not in logs
