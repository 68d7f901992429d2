"""The DAG files of the tests of dependencies, schedules, assets and backfills. The runs of yesterday exist."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.acceptance.product import Product

YESTERDAY = (datetime.now(UTC) - timedelta(days=1)).date()
STRANGE = "strange <img src=x onerror=\"document.title='broken'\"> " + "x" * 300
"""The name of an asset that is no markup."""
_HEAD = f"""
from datetime import UTC, datetime

from gnomon import DAG, After, Asset, task
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator

START = datetime({YESTERDAY.year}, {YESTERDAY.month}, {YESTERDAY.day}, tzinfo=UTC)
"""
FILES = {
    "across/days.py": f"""{_HEAD}
with DAG("across_loads", schedule="0 4,5,12 * * *", start_date=START, catchup=True, tags=["across"]):
    EmptyOperator(task_id="load")

with DAG("across_report", schedule="0 6,13 * * *", start_date=START, catchup=True, depends_on=After("across_loads")):
    EmptyOperator(task_id="write")

with DAG("across_mail", schedule="0 14 * * *", start_date=START, catchup=True, depends_on=After("across_report")):
    EmptyOperator(task_id="send")

with DAG("across_ticks", schedule="* * * * *", start_date=START, is_paused_upon_creation=True):
    EmptyOperator(task_id="tick")

with DAG("across_minutes", schedule="* * * * *", start_date=START, is_paused_upon_creation=True, depends_on=After("across_ticks")):
    EmptyOperator(task_id="count")

with DAG("across_starter", schedule=None):
    TriggerDagRunOperator(task_id="start", trigger_dag_id="across_loads")
""",
    "across/assets.py": f"""{_HEAD}
orders, customers = Asset("across_orders", uri="s3://warehouse/orders"), Asset("across_customers")
strange = Asset({STRANGE!r})
ring, back = Asset("across_ring"), Asset("across_back")

with DAG("across_write_orders", schedule=None):
    EmptyOperator(task_id="write", outlets=[orders])

with DAG("across_write_customers", schedule=None):
    EmptyOperator(task_id="write", outlets=[customers, strange])

with DAG("across_sales", schedule=orders & customers):
    EmptyOperator(task_id="sum")

with DAG("across_ring_one", schedule=ring, is_paused_upon_creation=True):
    EmptyOperator(task_id="turn", outlets=[back])

with DAG("across_ring_two", schedule=back, is_paused_upon_creation=True):
    EmptyOperator(task_id="turn", outlets=[ring])
""",
    "across/history.py": f"""{_HEAD}
with DAG("across_history", schedule="@daily", start_date=datetime(2026, 1, 1, tzinfo=UTC), catchup=False, is_paused_upon_creation=True):

    @task(pool="none_free")
    def recount():
        print("recounted")

    recount()
""",
}
"""By name: their texts."""


def write_across(product: Product) -> None:
    """Write the files, and wait until their DAGs are there."""
    (product.dags / "across").mkdir(exist_ok=True)
    for name, text in FILES.items():
        product.write(name, text)
    (product.home / "gnomon.toml").write_text(
        '[calendars.across]\ndates = ["2026-12-24", "2026-12-25"]\nweekend = ["saturday", "sunday"]\nuntil = "2028-12-31"\n'
    )
    wanted = {"across_mail", "across_sales", "across_history"}
    product.until(lambda: wanted <= {row["dag_id"] for row in product.rows("dags", "list")}, f"{wanted} are listed")
