"""The DAG files of the browser tests."""

HOSTILE = (
    "<script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">\u202ereversed " + "x" * 300
)
FILES = {
    "nightly.py": """
from pathlib import Path

from airflow.sdk import DAG, Param, task

with DAG("nightly", schedule="0 2 * * *", catchup=False, params={"day": Param(3, type="integer")}, tags=["finance"], description="Loads the day"):

    @task
    def extract(params=None):
        print("reading day", params["day"])
        if not Path(__file__).with_name("source.csv").exists():
            raise FileNotFoundError("source.csv has not arrived")

    @task
    def load(day):
        print("loaded")

    load(extract())
""",
    "gated.py": """
from airflow.sdk import DAG, task

with DAG("gated", schedule=None):

    @task(pool="none_free")
    def wait_for_slot():
        print("ran")

    wait_for_slot()
""",
    "hostile.py": f"""
from airflow.sdk import DAG, task

TEXT = {HOSTILE!r}

with DAG("hostile", schedule=None, description=TEXT, dag_display_name=TEXT, tags=[TEXT[:80]], owner_links={{}}, default_args={{"owner": TEXT}}):

    @task(task_display_name=TEXT)
    def say():
        print(TEXT)
        raise RuntimeError(TEXT)

    say()
""",
    "mapped.py": """
from airflow.sdk import DAG, task

with DAG("mapped", schedule=None):

    @task
    def double(number):
        print("doubled", number * 2)

    double.expand(number=[1, 2, 3])
""",
    "in_tokyo.py": """
import pendulum

from airflow.sdk import DAG, task

with DAG("in_tokyo", schedule="30 6 * * *", start_date=pendulum.datetime(2026, 1, 1, tz="Asia/Tokyo"), catchup=False):

    @task
    def greet():
        print("ohayo")

    greet()
""",
    "broken.py": "from airflow.sdk import DAG\nthis is no Python\n",
}
"""By name: their texts."""
