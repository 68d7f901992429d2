"""DAG files of the tests of work and administration, and the state that the views show."""

from __future__ import annotations

from tests.acceptance.product import Product

FILES = {
    "asks.py": """
from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.sdk import DAG, Param

with DAG("asks", schedule=None):
    HITLOperator(
        task_id="approve", subject="Publish the report of March?", body="The totals differ by **3 %**.\\n<b>not markup</b>", options=["publish", "reject"],
        assigned_users=[{"id": "admin", "name": "admin"}],
    )
    HITLOperator(task_id="choose", subject="Which region?", options=["north", "south"], params={"note": Param("none", type="string"), "rows": Param(5, type="integer")})
""",
    "waits.py": """
from datetime import timedelta

from airflow.providers.standard.sensors.time_delta import TimeDeltaSensor
from airflow.providers.standard.triggers.file import FileTrigger
from airflow.sdk import DAG, BaseOperator


class WaitForFile(BaseOperator):
    def execute(self, context):
        self.defer(trigger=FileTrigger(filepath="/nowhere/data.csv", poke_interval=3600), method_name="done", timeout=timedelta(days=1))

    def done(self, context, event=None):
        return event


with DAG("waits", schedule=None):
    WaitForFile(task_id="file")
    TimeDeltaSensor(task_id="timer", delta=timedelta(days=2), deferrable=True)
""",
    "limited.py": """
import time

from airflow.sdk import DAG, task

with DAG("limited", schedule=None, max_active_runs=1):

    @task(pool="narrow", max_active_tis_per_dag=1)
    def hold(number):
        time.sleep(3600)

    hold.expand(number=[1, 2, 3])
""",
}

SLOW_TRIGGERS = """
import time

from airflow.triggers.base import BaseTrigger, TriggerEvent


class SleepingTrigger(BaseTrigger):
    def __init__(self, token):
        super().__init__()
        self.token = token

    def serialize(self):
        return "slow_triggers.SleepingTrigger", {"token": self.token}

    async def run(self):
        time.sleep(1.5)
        yield TriggerEvent("slept")
"""
"""A module of the plugins folder: a triggerer reads no DAG files."""
BLOCKS = """
from airflow.sdk import DAG, BaseOperator
from slow_triggers import SleepingTrigger


class Sleep(BaseOperator):
    def execute(self, context):
        self.defer(trigger=SleepingTrigger("very secret"), method_name="done")

    def done(self, context, event=None):
        return event


with DAG("blocks", schedule=None):
    Sleep(task_id="sleep")
"""


def settle(product: Product) -> None:
    """Runs whose tasks wait for people, triggers, timers, slots and limits."""
    for name, text in FILES.items():
        product.write(name, text)
    product.do("pools", "set", "narrow", "2", "two at a time")
    (product.home / "plugins").mkdir(exist_ok=True)
    (product.home / "plugins" / "slow_triggers.py").write_text(SLOW_TRIGGERS)
    product.write("blocks.py", BLOCKS)
    for dag_id in ("asks", "waits", "limited", "blocks"):
        product.has_dag(dag_id)
        product.do("dags", "trigger", dag_id, "--run-id", "now")
    product.do("dags", "trigger", "limited", "--run-id", "later")
    product.until(
        lambda: _find_states(product, "waits") == {"deferred"} and _find_states(product, "asks") == {"awaiting_input"},
        "the tasks wait",
    )
    product.ended("blocks", "now")


def _find_states(product: Product, dag_id: str) -> set[object]:
    return {row["state"] for row in product.tasks(dag_id, "now").values()}
