"""The DAG files of the tests of the home page and of the lists. Each run says in its conf whether it fails."""

from __future__ import annotations

import pytest
from tests.acceptance.product import Product

_FAILS_BY_CONF = """
from airflow.sdk import DAG, task

with DAG({dag_id!r}, schedule={schedule!r}, tags={tags!r}, default_args={{"owner": {owner!r}}}, catchup=False):

    @task
    def check_source(dag_run=None):
        if dag_run.conf.get("fails"):
            raise RuntimeError("the source is empty")

    check_source()
"""
FILES = {
    "home_broken.py": _FAILS_BY_CONF.format(dag_id="home_broken", schedule=None, tags=["home_red"], owner="home_ann"),
    "home_healed.py": _FAILS_BY_CONF.format(
        dag_id="home_healed", schedule=None, tags=["home_red", "home_green"], owner="home_bob"
    ),
    "home_dense.py": _FAILS_BY_CONF.format(
        dag_id="home_dense", schedule="*/10 * * * *", tags=["home_dense"], owner="home_ann"
    ),
    "home_again.py": _FAILS_BY_CONF.format(dag_id="home_again", schedule=None, tags=["home_green"], owner="home_ann"),
    "home_line.py": "from airflow.sdk import DAG\n\nvalue = 1 / 0\n",
}
RUNS = (
    ("home_broken", "fine", False),
    ("home_broken", "bad", True),
    ("home_healed", "bad_once", True),
    ("home_healed", "good_since", False),
)


@pytest.fixture(scope="session")
def home_dags(product: Product) -> Product:
    """The product with these DAGs and their runs."""
    for name, text in FILES.items():
        product.write(name, text)
    for dag_id in ("home_broken", "home_healed", "home_again", "home_dense"):
        product.has_dag(dag_id)
    for dag_id, run_id, fails in RUNS:
        product.run(dag_id, "--run-id", run_id, "--conf", '{"fails": true}' if fails else "{}")
    return product
