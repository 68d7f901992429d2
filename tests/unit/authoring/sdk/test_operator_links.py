"""The spec of a task names its links; what is not a link is a warning, and a link needs a process unless its URL is constant."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.authoring.operators.empty import EmptyOperator
from gnomon.authoring.sdk import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.tasks.operator_links import BaseOperatorLink
from gnomon.model.spec import ExtraLinkSpec, TaskSpec


class Page(BaseOperatorLink):
    name = "Page"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        return "https://page"


class Twin(Page):
    name = "Twin"
    xcom_key = "_link_Page"


class Docs(BaseOperatorLink):
    name = "Docs"
    static_url = "https://docs"


class Nameless(Page):
    name = ""


class Broken(Page):
    @property
    def name(self) -> Any:
        raise KeyError("name")


def describe(links: Any) -> tuple[TaskSpec, list[str]]:
    with DAG("d", schedule=None) as dag:
        type("Linked", (EmptyOperator,), {"operator_extra_links": links})(task_id="t")
    (task,) = build_dag_spec(dag, "/d.py").spec.tasks
    return task, list(dag.warnings)


def test_the_spec_names_the_links() -> None:
    task, warnings = describe([Page(), Docs()])
    assert task.extra_links == (
        ExtraLinkSpec(name="Docs", xcom_key="_link_Docs", static_url="https://docs"),
        ExtraLinkSpec(name="Page", xcom_key="_link_Page"),
    )
    assert task.runs_code and warnings == []


@pytest.mark.parametrize("links", [(), [], [Docs()]])
def test_a_task_without_a_url_to_compute_needs_no_process(links: Any) -> None:
    assert not describe(links)[0].runs_code


@pytest.mark.parametrize(
    ("links", "words"),
    [
        ([Page], "Page is a class; write Page(). It is left out"),
        ([object()], "an object of class object has no method get_link"),
        ([Nameless()], "Nameless has the name ''; give it a text"),
        ([Broken()], "Broken cannot be read (KeyError: 'name')"),
        (5, "cannot be read, so the links are not shown (TypeError"),
        (property(lambda task: 1 / 0), "cannot be read, so the links are not shown (ZeroDivisionError"),
        ([Page(), Twin()], "the links 'Page' and 'Twin' have one xcom_key, '_link_Page'"),
    ],
)
def test_a_mistake_is_a_warning_with_the_line(links: Any, words: str) -> None:
    _, (warning,) = describe(links)
    assert words in warning and "Task 't'" in warning and "test_operator_links.py" in warning


def test_a_link_without_get_link_says_what_to_override() -> None:
    with pytest.raises(NotImplementedError, match="overrides neither get_link nor static_url"):
        BaseOperatorLink().get_link(None, ti_key=None)
    assert Docs().get_link(None, ti_key=None) == "https://docs"
