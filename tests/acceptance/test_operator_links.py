"""Links of operators in a running product, as `gnomon tasks links` shows them."""

from __future__ import annotations

import sys

import pytest
from tests.acceptance.product import product

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")

PLUGIN = """
from airflow.plugins_manager import AirflowPlugin
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import BaseOperatorLink

class Page(BaseOperatorLink):
    name = "Page"
    operators = [EmptyOperator]
    def get_link(self, operator, *, ti_key):
        return f"https://page/{operator.task_id}"

class Docs(BaseOperatorLink):
    name = "Docs"
    static_url = "https://docs"

class Links(AirflowPlugin):
    name = "links"
    operator_extra_links = [Page()]
    global_operator_extra_links = [Docs()]
"""
FILE = """
from datetime import timedelta
from airflow.models import XCom
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.providers.standard.triggers.temporal import TimeDeltaTrigger
from airflow.sdk import DAG, BaseOperator, BaseOperatorLink

class Job(BaseOperatorLink):
    name = "Job"
    def get_link(self, operator, *, ti_key):
        return f"https://jobs/{operator.size}/" + XCom.get_value(ti_key=ti_key, key="return_value")

class Bad(BaseOperatorLink):
    name = "Bad"
    def get_link(self, operator, *, ti_key):
        raise ValueError("no job")

class Load(BaseOperator):
    operator_extra_links = (Job(), Bad())
    def __init__(self, size=1, **kwargs):
        super().__init__(**kwargs)
        self.size = size
    def execute(self, context):
        return "done"

class JobOfKey(BaseOperatorLink):
    name = "Job"
    def get_link(self, operator, *, ti_key):
        return "https://jobs/" + XCom.get_value(ti_key=ti_key, key="job")

class Wait(BaseOperator):
    operator_extra_links = (JobOfKey(),)
    def __init__(self, wait, timeout=None, **kwargs):
        super().__init__(**kwargs)
        self.trigger, self.timeout = TimeDeltaTrigger(wait, end_from_trigger=True), timeout
    def execute(self, context):
        context["ti"].xcom_push("job", f"of-{self.task_id}")
        self.defer(trigger=self.trigger, method_name="go_on", timeout=self.timeout)
    def go_on(self, context, event=None):
        raise AssertionError("the trigger ends the task")

with DAG("links", schedule=None, is_paused_upon_creation=False):
    Wait(task_id="ended", wait=timedelta(seconds=1)) >> EmptyOperator(task_id="after")
    Wait(task_id="timed_out", wait=timedelta(hours=1), timeout=timedelta(seconds=1)) >> EmptyOperator(task_id="rest", trigger_rule="all_done")
    Load.partial(task_id="load").expand(size=[4, 5])
    EmptyOperator(task_id="empty")
"""


def test_links_of_operators_and_plugins_are_shown() -> None:
    with product({"../plugins/links_plugin.py": PLUGIN, "links.py": FILE}) as made:
        made.has_dag("links")
        run = made.run("links")
        assert run["state"] == "success", "a link that raises changes no outcome"
        run_id = run["run_id"]

        def shown(task: str) -> dict[str, str | None]:
            return {row["name"]: row["url"] for row in made.rows("tasks", "links", "links", run_id, task)}

        assert shown("load[1]") == {"Bad": None, "Docs": "https://docs", "Job": "https://jobs/5/done"}
        for task in ("ended", "timed_out"):
            assert shown(task) == {"Docs": "https://docs", "Job": f"https://jobs/of-{task}"}, (
                "as the attempt that deferred computed them"
            )
        assert shown("empty") == {"Docs": "https://docs", "Page": "https://page/empty"}
        assert "link 'Bad' of task load failed; the outcome stays" in made.do(
            "tasks", "logs", "links", run_id, "load[0]"
        )
        keys = {row["key"] for row in made.rows("xcom", "list", "links", run_id, "load[0]")}
        assert keys == {"return_value", "_link_Job"}
        for task, words in (
            ("load", "task 'load' is mapped: name one of its 2 instances"),
            ("load[9]", "task 'load' has no map index 9"),
            ("lod", "did you mean 'load'?"),
        ):
            ended = made.cli("tasks", "links", "links", run_id, task)
            assert ended.code == 1 and words in ended.err
