"""Assets as authors use them: real tasks record events with extras, and what they trigger reads them, also in templates."""

from __future__ import annotations

import sys

import pytest
from tests.acceptance.product import product

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")

PRODUCERS = """
from airflow.datasets import Dataset
from airflow.sdk import DAG, Asset, AssetAlias, Metadata, asset, task
from airflow.providers.standard.operators.empty import EmptyOperator

orders = Asset("orders", uri="s3://b/orders/")

with DAG("load", schedule=None, is_paused_upon_creation=False):
    @task(outlets=[orders])
    def by_yield():
        yield Metadata(orders, {"rows": 5})

    @task(outlets=[AssetAlias("daily")])
    def by_alias(*, outlet_events):
        outlet_events[AssetAlias("daily")].add(Asset("s3://b/2026"), extra={"day": 1})

    @task.branch(outlets=[Dataset("s3://b/branch")])
    def branch(outlet_events):
        outlet_events["s3://b/branch"].extra = {"chosen": "marked"}
        return "marked"

    [by_yield(), by_alias()] >> branch() >> [EmptyOperator(task_id="marked", outlets=[Asset("marked")]), EmptyOperator(task_id="other", outlets=[Asset("other")])]

@asset(schedule=orders, is_paused_upon_creation=False)
def derived(self, context, orders):
    return f"{self.name} from {orders.uri} because of {context['triggering_asset_events'][orders][0].extra}"
"""
CONSUMERS = """
from airflow.sdk import DAG, Asset, AssetAlias, task
from airflow.providers.standard.operators.bash import BashOperator

everything = Asset("derived") & AssetAlias("daily") & Asset.ref(uri="s3://b/branch") & Asset.ref(name="marked")

with DAG("report", schedule=everything, is_paused_upon_creation=False):
    @task(inlets=[Asset("orders", uri="s3://b/orders")])
    def read(*, triggering_asset_events, inlet_events, dag_run, outlets):
        assert len(dag_run.consumed_asset_events) == 4
        return {
            "triggering": {asset.name: [event.extra for event in events] for asset, events in triggering_asset_events.items()},
            "inlet": inlet_events[0][-1].extra,
            "source": inlet_events[0][-1].source_task_id,
        }

    BashOperator(
        task_id="template",
        bash_command="echo {{ triggering_asset_events.for_asset_alias(name='daily')[0].extra.day }} {{ run_id.split('__')[0] }}",
    )
    read()

with DAG("never", schedule=[Asset("marked"), Asset("other")], is_paused_upon_creation=False):
    BashOperator(task_id="t", bash_command="true")
"""


def test_events_of_real_tasks_trigger_dags_of_another_file() -> None:
    with product({"producers.py": PRODUCERS, "consumers.py": CONSUMERS}) as made:
        made.until(
            lambda: {row["dag_id"] for row in made.rows("dags", "list")} >= {"load", "derived", "report", "never"},
            "every DAG is listed",
        )
        load = made.run("load")
        assert load["state"] == "success"
        made.until(lambda: bool(made.rows("runs", "list", "report")), "a run of report")
        (run,) = made.rows("runs", "list", "report")
        ended = made.ended("report", run["run_id"])
        log = made.task_log("report", run["run_id"], "read")
        assert (ended["run_type"], ended["state"]) == ("asset_triggered", "success"), log
        assert "'derived': [{}]" in log
        assert "'daily': [{'day': 1}]" in log
        assert "'s3://b/branch': [{'chosen': 'marked'}]" in log
        assert "'inlet': {'rows': 5}, 'source': 'by_yield'" in log
        assert "1 asset_triggered" in made.task_log("report", run["run_id"], "template")
        (derived,) = made.rows("runs", "list", "derived")
        assert "derived from s3://b/orders because of {'rows': 5}" in made.task_log(
            "derived", derived["run_id"], "derived"
        )
        assert made.rows("runs", "list", "never") == []
        assert "still lacks an event of: asset other" in made.do("explain", "never")
