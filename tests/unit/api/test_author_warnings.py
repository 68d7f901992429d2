"""Warnings of a DAG file are stored with codes and arguments: the page and the commands say them in the language of the reader."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.authoring.sdk import DAG, BaseOperator
from gnomon.model.sentences import StoredSentence, store_sentence
from gnomon.storage.store.parsed_files import dag_files

ENGLISH = "resources= has no effect: Gnomon places no task by its resources."
CHINESE = "resources= 不起作用：Gnomon 不按资源分配任务。"
OLD = (
    "DAG 'a': its depends_on has no effect, because it has no schedule: a run that is triggered waits for no other DAG."
)


@pytest.fixture
def site(api: Client, deployment: Deployment) -> Client:
    with DAG("a", schedule=None) as dag:
        BaseOperator(task_id="t", resources={"cpus": 1})
    (warning,) = map(store_sentence, dag.warning_sentences)
    deployment.add(spec_of("a", timetable=HOURLY), warnings=(warning, OLD, "/dags/a.py:3: UserWarning: X9"))
    return api


@pytest.mark.parametrize(("language", "texts"), [("en", (ENGLISH, OLD)), ("zh", (CHINESE, "它的 depends_on 不起作用"))])
def test_the_page_has_the_warnings_in_the_language_of_the_reader(
    site: Client, language: str, texts: tuple[str, ...]
) -> None:
    def ask(path: str) -> Any:
        return site.request("GET", f"/api/gnomon/v1{path}", headers={"Gnomon-Language": language}).json()

    (overview,) = ask("/dags")["dags"]
    for warnings in (ask("/dags/a/settings")["warnings"], overview["problems"]):
        assert [text in warning for text, warning in zip(texts, warnings, strict=False)] == [True, True], warnings
        assert warnings[2] == "/dags/a.py:3: UserWarning: X9"


def test_a_warning_is_stored_with_its_code(site: Client, deployment: Deployment) -> None:
    with deployment.db.read() as tx:
        ((warning, *others),) = dag_files.list_warnings(tx).values()
    assert isinstance(warning, StoredSentence) and warning.code == "warning_of_dag"
    assert warning.arguments["message"]["code"] == "warning_of_task"
    assert others == [OLD, "/dags/a.py:3: UserWarning: X9"]
