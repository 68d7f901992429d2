"""Links of operators are computed at the end of an attempt and become XComs; none of them changes the outcome."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gnomon.author_code.loading import plugin_links
from gnomon.author_code.runner import link_calls, run_attempt
from gnomon.authoring.operators.triggers.temporal import TimeDeltaTrigger
from gnomon.authoring.sdk import DAG, BaseOperator
from gnomon.authoring.sdk.connections.channel import install_channel
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.runtime.xcom import BaseXCom as XCom
from gnomon.authoring.sdk.tasks.operator_links import BaseOperatorLink
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts

FACTS = RunFacts(run_pk=7, dag_id="d", run_id="r", run_type="manual", run_after=0, logical_at=0)


class Silent:
    def ask(self, question: object) -> object:
        return [] if type(question).__name__ == "GetXComs" else None


@pytest.fixture(autouse=True)
def home(tmp_path: Path) -> Iterator[Path]:
    set_current_config(load_config({}, tmp_path))
    (tmp_path / "plugins").mkdir()
    plugin_links.forget_plugin_links()
    yield tmp_path
    plugin_links.forget_plugin_links()
    install_channel(None)


class Job(BaseOperatorLink):
    name = "Job"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        returned = XCom.get_value(ti_key=ti_key, key="return_value")
        pushed = XCom.get_value(ti_key=ti_key, key="pushed")
        return f"https://jobs/{operator.size}/{pushed}/{returned}/{ti_key.try_number}/{ti_key.map_index}"


class Old(BaseOperatorLink):
    name = "Old"
    xcom_key = "old"

    def get_link(self, operator: Any, dttm: Any) -> str:  # type: ignore[override]
        return f"https://old/{operator.task_id}/{dttm:%Y}"


class Raising(BaseOperatorLink):
    name = "Raising"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        raise SystemExit(3)


class Slow(BaseOperatorLink):
    name = "Slow"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        time.sleep(60)
        return "https://late"


class Number(BaseOperatorLink):
    name = "Number"

    def get_link(self, operator: Any, *, ti_key: Any) -> Any:
        return 5


class Empty(BaseOperatorLink):
    name = "Empty"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        return ""


class Load(BaseOperator):
    operator_extra_links = (Raising(), Slow(), Number(), Empty(), Job(), Old())
    template_fields = ("size",)

    def __init__(self, *, size: Any = 1, fails: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size, self.fails = size, fails

    def execute(self, context: Any) -> str:
        context["ti"].xcom_push("pushed", "p")
        if self.fails:
            raise ValueError("no rows")
        return "done"


def run(dag: DAG, task_id: str = "t", **fields: Any) -> AttemptResult:
    given = {"computes_links": True, **fields}
    return run_attempt(
        dag,
        Attempt(attempt_id="a", group_no=3, epoch=1, run=FACTS, task_id=task_id, task_no=5, file="/d.py", **given),
        Silent(),
    )


def xcoms(result: AttemptResult) -> dict[str, object]:
    return {item.key: json.loads(item.value) for item in result.xcoms}


def make(operator: type[BaseOperator] = Load, **arguments: Any) -> DAG:
    with DAG("d", schedule=None) as dag:
        operator(task_id="t", **arguments)
    return dag


def test_the_urls_become_xcoms_and_what_fails_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(link_calls, "LINK_TIMEOUT_S", 0.05)
    with caplog.at_level(logging.ERROR):
        result = run(make(size="{{ ds }}"))
    assert result.outcome == "success"
    assert xcoms(result) == {
        "pushed": "p",
        "return_value": "done",
        "_link_Job": "https://jobs/1970-01-01/p/done/1/-1",
        "old": "https://old/t/1970",
    }
    logged = [record.getMessage() for record in caplog.records]
    assert logged == [
        "link 'Raising' of task t failed; the outcome stays",
        "link 'Slow' of task t took longer than 0.05 s and was ended; the outcome stays",
        "link 'Number' of task t failed; the outcome stays",
    ]
    assert "get_link returned an object of class int" in caplog.text


class Quick(Load):
    operator_extra_links = [Job()]


def test_a_failed_attempt_has_links_too() -> None:
    result = run(make(Quick, fails=True))
    assert result.outcome == "failed" and xcoms(result)["_link_Job"] == "https://jobs/1/p/None/1/-1"


class Deferring(BaseOperator):
    operator_extra_links = [Job()]
    size = 1

    def execute(self, context: Any) -> None:
        context["ti"].xcom_push("pushed", "p")
        self.defer(trigger=TimeDeltaTrigger(timedelta(hours=1)), method_name="go_on")

    def go_on(self, context: Any, event: Any = None) -> None: ...


def test_an_attempt_that_defers_has_links_from_then_on() -> None:
    result = run(make(Deferring))
    assert result.outcome == "deferred" and xcoms(result)["_link_Job"] == "https://jobs/1/p/None/1/-1"


def test_an_attempt_whose_task_has_no_links_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_calls, "push_links", lambda *_: pytest.fail("called"))
    assert "_link_Job" not in xcoms(run(make(Quick), computes_links=False))


def test_each_instance_of_a_mapped_operator_has_links_of_its_own() -> None:
    with DAG("d", schedule=None) as dag:
        Quick.partial(task_id="t").expand(size=[4, 5])
    (task,) = build_dag_spec(dag, "/d.py").spec.tasks
    assert [link.name for link in task.extra_links] == ["Job"]
    result = run(dag, map_index=1, expanded_count=2, factor_lengths=((2,),))
    assert xcoms(result)["_link_Job"] == "https://jobs/5/p/done/1/1"


def test_a_success_callback_pulls_what_the_task_returned() -> None:
    seen: list[object] = []
    run(
        make(Quick, on_success_callback=lambda context: seen.append(context["ti"].xcom_pull(task_ids="t"))),
        computes_links=False,
    )
    assert seen == ["done"]


PLUGIN = """
from airflow.plugins_manager import AirflowPlugin
from airflow.sdk import BaseOperatorLink
from airflow.providers.standard.operators.empty import EmptyOperator
from tests.unit.author_code.runner.test_link_calls import Quick

class Replaced(BaseOperatorLink):
    name = "Job"
    operators = [Quick]
    def get_link(self, operator, *, ti_key):
        return "https://plugin/job"

class Everywhere(BaseOperatorLink):
    name = "Everywhere"
    def get_link(self, operator, *, ti_key):
        return f"https://plugin/{operator.task_id}"

class Covered(Everywhere):
    name = "Job"

class Links(AirflowPlugin):
    name = "links"
    operator_extra_links = [Replaced()]
    global_operator_extra_links = [Everywhere(), Covered()]
"""


def test_links_of_plugins_are_added_and_come_before_those_of_the_operator(home: Path) -> None:
    (home / "plugins" / "link_plugin.py").write_text(PLUGIN)
    assert xcoms(run(make(Quick))) == {
        "pushed": "p",
        "return_value": "done",
        "_link_Replaced": "https://plugin/job",
        "_link_Everywhere": "https://plugin/t",
    }
    class_without = type("Without", (Load,), {"operator_extra_links": [Old()]})
    (spec,) = build_dag_spec(make(class_without), "/d.py", plugin_links=plugin_links.get_plugin_links()).spec.tasks
    assert {link.name: link.xcom_key for link in spec.extra_links} == {
        "Everywhere": "_link_Everywhere",
        "Job": "_link_Covered",
        "Old": "old",
    }


def test_a_plugin_with_a_link_that_is_not_valid_keeps_its_other_links(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    text = PLUGIN.replace("[Everywhere(), Covered()]", "[Everywhere, Covered()]").replace(
        'name = "links"', 'name = "half"'
    )
    (home / "plugins" / "half_plugin.py").write_text(text)
    found = plugin_links.get_plugin_links()
    assert [type(link).__name__ for link in (*found.of_all, *found.of_operators)] == ["Covered", "Replaced"]
    assert "plugin half: global_operator_extra_links: Everywhere is a class; write Everywhere()" in caplog.text
