"""Published examples of the standard provider, unmodified: questions that people answer, and a DAG that triggers one of Airflow's core examples."""

from __future__ import annotations

import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.acceptance.product import Product, product
from tests.conformance.airflow_examples import compare, golden_lines, unpacked_examples
from tests.conformance.package_index import download_source
from tests.conformance.test_airflow_examples_scheduled import observe_run

from gnomon.author_code.loading import dagfile
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.storage.store import open_database
from gnomon.storage.store.dag_records import dag_runs

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's"),
]
SOURCE = "apache-airflow-providers-standard==1.21.0"
QUESTIONS, CONTROLLER, TARGET = "example_hitl_operator", "example_trigger_controller_dag", "example_trigger_target_dag"
ANSWERS = {
    "wait_for_input": ["--params", '{"information": "a text"}'],
    "wait_for_option": ["--option", "option 2"],
    "wait_for_multiple_options": ["--option", "option 4", "--option", "option 6"],
    "valid_input_and_options": ["--option", "Approve", "--user", "airflow"],
    "choose_a_branch_to_run": ["--option", "task_2"],
}
"""One task waits for a second and takes its default."""


@pytest.fixture(scope="module")
def provider_examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the provider's examples, without a package beside them."""
    folder = tmp_path_factory.mktemp("provider")
    with tarfile.open(download_source(SOURCE)) as archive:
        for member in archive.getmembers():
            if "/example_dags/" in member.name and member.isfile():
                member.name = member.name.partition("/example_dags/")[2]
                archive.extract(member, folder, filter="data")
    return folder


@pytest.fixture(scope="module")
def running(provider_examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    core = unpacked_examples(tmp_path_factory.mktemp("core"))
    files = [provider_examples / f"{QUESTIONS}.py", provider_examples / f"{CONTROLLER}.py", core / f"{TARGET}.py"]
    with product({file.name: file.read_text() for file in files}) as made:
        for file in files:
            made.has_dag(file.stem)
        made.do("dags", "unpause", *(file.stem for file in files))
        yield made


def test_every_example_of_the_provider_loads_without_the_package_that_it_imports(provider_examples: Path) -> None:
    files = sorted(provider_examples.glob("example_*.py"))
    assert len(files) == 20
    for file in files:
        for dag in dagfile.load_dag_file(file).dags.values():
            assert build_dag_spec(dag, file.stem).spec.tasks


def test_questions_of_the_example_are_answered_in_their_first_seconds(running: Product) -> None:
    """Airflow loses answers that come so early."""
    run_id = running.do("dags", "trigger", QUESTIONS).strip()
    for task_id, words in ANSWERS.items():
        waits = {"awaiting_input", "success"} if task_id == "wait_for_default_option" else {"awaiting_input"}
        running.until(
            lambda task_id=task_id, waits=waits: running.tasks(QUESTIONS, run_id)[task_id]["state"] in waits,
            f"{task_id} asks",
        )  # type: ignore[misc]
        running.do("tasks", "answer", QUESTIONS, run_id, task_id, *words)
    assert running.ended(QUESTIONS, run_id)["state"] == "success"
    ended = {task_id: (row["state"], row["try_number"]) for task_id, row in running.tasks(QUESTIONS, run_id).items()}
    asked = dict.fromkeys([*ANSWERS, "wait_for_default_option"], ("success", 1))
    assert ended == {**asked, "task_1": ("skipped", 0), "task_2": ("success", 1), "task_3": ("skipped", 0)}
    body = running.do("tasks", "logs", QUESTIONS, run_id, "valid_input_and_options")
    assert "Input: a text" in body and "['option 4', 'option 6']" in body and "['option 7']" in body


def test_the_run_that_a_task_of_another_example_triggers_ends_as_in_airflow(running: Product) -> None:
    recorded = [
        line for line in golden_lines() if line["dag_id"] == TARGET and line["run_type"] == "operator_triggered"
    ]
    running.until(lambda: bool(running.rows("runs", "list", TARGET)), "the schedule @once and its trigger")
    (row,) = running.rows("runs", "list", TARGET)
    running.ended(TARGET, row["run_id"])
    database = open_database(f"sqlite:///{running.home / 'gnomon.db'}")
    try:
        with database.read() as tx:
            run = dag_runs.find_stored_run(tx, TARGET, row["run_id"])
            assert run is not None and run.run_type.value == "operator_triggered"
            observed = observe_run(tx, run, TARGET)
    finally:
        database.close()
    assert [compare(line, observed) for line in recorded] == [[], []]
