"""What a DAG file depends on changes between two runs: the next task sees it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

import pytest
from tests.acceptance.product import Product, product

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
HELPED = """
from airflow.sdk import DAG, task
from words import WORD

with DAG("helped"):
    @task
    def says(): print(f"it says {WORD}")

    says()
"""
GENERATED = """
import pathlib, yaml
from airflow.sdk import DAG, task

for name, word in yaml.safe_load(pathlib.Path(__file__).with_name("flows.yaml").read_text()).items():
    with DAG(f"flow_{name}"):
        @task
        def says(word): print(f"it says {word}")

        says(word)
"""
ASKS = """
from airflow.sdk import DAG, Variable, task

WORD = Variable.get("word", default="nothing")
with DAG("asks", tags=[WORD]):
    @task
    def says(): print(f"it says {WORD}, and now {Variable.get('word', default='nothing')}")

    says()
"""
FILES = {
    "words.py": 'WORD = "before"\n',
    "helped.py": HELPED,
    "flows.yaml": "one: before\n",
    "generated.py": GENERATED,
    "asks.py": ASKS,
}
ENVIRON = {
    "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
    "GNOMON__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "1",
}


@pytest.fixture(scope="module")
def running() -> Iterator[Product]:
    with product(FILES, ENVIRON) as made:
        for dag_id in ("helped", "flow_one", "asks"):
            made.has_dag(dag_id)
        yield made


def said(running: Product, dag_id: str) -> str:
    """What the task of one more run says."""
    run = running.run(dag_id)
    assert run["state"] == "success", running.do("explain", dag_id, run["run_id"])
    log = running.task_log(dag_id, run["run_id"], "says")
    return log.partition("it says ")[2].splitlines()[0]


def test_a_helper_module_that_changed_is_seen_by_the_next_task(running: Product) -> None:
    assert said(running, "helped") == "before"
    running.write("words.py", 'WORD = "after"\n')
    running.until(lambda: said(running, "helped") == "after", "a task sees the changed helper")


def test_a_yaml_file_that_changed_makes_other_dags_with_other_tasks(running: Product) -> None:
    assert said(running, "flow_one") == "before"
    running.write("flows.yaml", "one: after\ntwo: new\n")
    running.has_dag("flow_two")
    assert said(running, "flow_two") == "new"
    running.until(lambda: said(running, "flow_one") == "after", "a task sees the changed YAML file")
    running.write("flows.yaml", "two: new\n")
    running.until(
        lambda: "flow_one" not in {row["dag_id"] for row in running.rows("dags", "list")},
        "a DAG that is no more is gone",
    )


def test_a_variable_asked_for_at_import_is_seen_when_it_changes(running: Product) -> None:
    assert said(running, "asks") == "nothing, and now nothing"
    for word in ("first", "second"):
        running.do("variables", "set", "word", word)
        running.until(partial(is_tagged, running, word), "the DAG is made with the Variable")
        running.until(partial(says, running, "asks", f"{word}, and now {word}"), "a task sees it")


def says(running: Product, dag_id: str, words: str) -> bool:
    return said(running, dag_id) == words


def is_tagged(running: Product, tag: str) -> bool:
    (row,) = [row for row in running.rows("dags", "list") if row["dag_id"] == "asks"]
    return bool(row["tags"] == [tag])
