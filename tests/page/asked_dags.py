"""The DAG files of the tests of what people asked of the pages of other schedulers."""

from __future__ import annotations

import pytest
from tests.acceptance.product import Product

LONG_NAME = "load_the_orders_of_all_customers_of_the_last_quarter_into_the_warehouse"
FILES = {
    "asked.py": f"""
from datetime import datetime, timezone

import pendulum

from airflow.sdk import DAG, TaskGroup, task

ABOUT = "# About\\n\\n**bold** <img src=x onerror=alert(1)> [good](https://example.org/a) [bad](javascript:alert(1))"

with DAG("asked_steps", doc_md=ABOUT, schedule=None, tags=["asked_team"], default_args={{"owner": "asked_ann"}}):
    with TaskGroup("load"):

        @task(queue="asked_queue", pool="asked_pool")
        def give():
            print("x" * 20_000)
            for number in range(4_000):
                print("row", number)

        @task
        def {LONG_NAME}():
            pass

        give() >> {LONG_NAME}()

    @task
    def each(number):
        if number == 7:
            raise RuntimeError("seven")

    @task(pool="asked_none")
    def wait():
        pass

    each.expand(number=list(range(150)))
    wait()

with DAG("asked_zone", schedule="30 6 * * *", start_date=pendulum.datetime(2026, 1, 1, tz="Asia/Tokyo"), catchup=False, is_paused_upon_creation=True):

    @task
    def greet():
        pass

    greet()

with DAG("asked_late", schedule="0 * * * *", start_date=datetime(2026, 1, 1, tzinfo=timezone.utc), catchup=True, max_active_runs=1):

    @task(pool="asked_none")
    def hold():
        pass

    hold()
""",
    "asked_big.py": """
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, TaskGroup

with DAG("asked_big", schedule=None):
    before = None
    for group in range(30):
        with TaskGroup(f"part_{group}") as part:
            for number in range(20):
                EmptyOperator(task_id=f"step_{number}")
        if before:
            before >> part
        before = part
""",
}
"""By name: their texts."""


@pytest.fixture(scope="session")
def asked(product: Product) -> Product:
    """The DAGs of these tests: a run that has a failed, an ended and a waiting part, one whose next runs are late, and one without runs."""
    for name, slots in (("asked_pool", "4"), ("asked_none", "0")):
        product.do("pools", "set", name, slots, "of these tests")
    for name, text in FILES.items():
        product.write(name, text)
    for dag_id in ("asked_steps", "asked_zone", "asked_late", "asked_big"):
        product.has_dag(dag_id)
    product.do("dags", "trigger", "asked_steps", "--run-id", "one")
    product.until(lambda: _count_ended(product) == 152, "all but one task have ended")
    return product


def _count_ended(product: Product) -> int:
    return sum(row["state"] in ("success", "failed") for row in product.rows("tasks", "states", "asked_steps", "one"))
