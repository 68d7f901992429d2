"""`ti.log_url` of a standalone: the address of the try, in templates, in callbacks of tasks and of runs."""

from __future__ import annotations

from urllib.parse import quote

from tests.acceptance.product import product
from tests.patience import has_text

DAG = """
import pathlib
from airflow.sdk import DAG, task

HERE = pathlib.Path(__file__).parent.parent

def tell(name):
    return lambda context: (HERE / name).write_text(context["ti"].log_url)

with DAG("addresses", schedule=None, on_failure_callback=tell("of_run")):
    @task.bash(on_failure_callback=tell("of_task"))
    def fail():
        return "echo {{ ti.log_url }} > %s; exit 1" % (HERE / "of_template")

    fail()
"""


def test_a_standalone_knows_the_address_of_its_page() -> None:
    with product({"addresses.py": DAG}) as running:
        running.has_dag("addresses")
        running.do("dags", "unpause", "addresses")
        run = running.run("addresses")
        assert run["state"] == "failed"
        base = next(word for word in running.said.split() if word.startswith("http://")).rstrip(",.")
        expected = f"{base}/dags/addresses/runs/{quote(run['run_id'], safe='')}/tasks/fail?try=1"
        running.until(lambda: has_text(running.home / "of_run"), "the callback of the run was called")
        told = {name: (running.home / name).read_text().strip() for name in ("of_template", "of_task", "of_run")}
        assert told == dict.fromkeys(told, expected)
