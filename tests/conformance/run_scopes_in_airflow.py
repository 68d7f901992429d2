"""Run by an interpreter that has Airflow: each line of the input describes a DAG, each line of the output the states of its run.

{"number": 3, "tasks": [{"task_id", "upstream", "group", "kind", "rule", "fails_run", "is_empty", "retries", "ends": {"0": "failed"}}], "groups": {"g": null}, "lengths": {"g": 2}}
{"number": 3, "states": [["t0", -1, "success"]], "run": "success"}
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.dag_processing.bundles.manager import DagBundlesManager
from airflow.dag_processing.collection import update_dag_parsing_results_in_db
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, TaskGroup, task_group
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException
from airflow.serialization.serialized_objects import LazyDeserializedDAG
from airflow.utils.session import create_session


def end_as_told(ends: dict[str, str], ti: Any = None) -> None:
    """End the task instance with the state that its map index has in `ends`."""
    state = ends[str(ti.map_index)]
    if state == "failed":
        raise AirflowFailException
    if state == "skipped":
        raise AirflowSkipException


class Builder:
    """Builds the DAG of one line."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.told = told
        self.made: dict[str, Any] = {}

    def build(self) -> DAG:
        """The DAG, with its tasks in their groups."""
        with DAG(f"dag_{self.told['number']}", schedule=None, start_date=datetime(2024, 1, 1, tzinfo=UTC)) as dag:
            self._build_group(None)
            for row in self.told["tasks"]:
                for above in row["upstream"]:
                    self.made[above] >> self.made[row["task_id"]]
        return dag

    def _build_group(self, name: str | None) -> None:
        for row in self.told["tasks"]:
            if row["group"] == name:
                self.made[row["task_id"]] = self._build_task(row)
        for inner, outer in self.told["groups"].items():
            if outer == name:
                self._build_mapped(inner)

    def _build_mapped(self, name: str) -> None:
        @task_group(group_id=name, prefix_group_id=False)
        def body(value: int) -> None:
            self._build_group(name)

        made = body.expand(value=list(range(self.told["lengths"][name])))
        assert isinstance(made, TaskGroup)

    def _build_task(self, row: dict[str, Any]) -> Any:
        given: dict[str, Any] = {"task_id": row["task_id"], "retries": row["retries"], "retry_delay": timedelta(0)}
        if row["kind"] != "teardown":
            given["trigger_rule"] = row["rule"]
        task = (
            EmptyOperator(**given)
            if row["is_empty"]
            else PythonOperator(**given, python_callable=end_as_told, op_kwargs={"ends": row["ends"]})
        )
        if row["kind"] == "setup":
            task.as_setup()
        elif row["kind"] == "teardown":
            task.as_teardown(on_failure_fail_dagrun=row["fails_run"])
        return task


def store(dags: list[DAG]) -> None:
    """Store the DAGs as the DAG processor does: `dag.test()` asks for their versions."""
    DagBundlesManager().sync_bundles_to_db()
    with create_session() as session:
        update_dag_parsing_results_in_db(
            "dags-folder", None, [LazyDeserializedDAG.from_dag(dag) for dag in dags], {}, None, set(), session=session
        )


def main() -> None:
    """Run the DAGs."""
    logging.disable(logging.CRITICAL)
    out, sys.stdout = sys.stdout, sys.stderr
    told = [json.loads(line) for line in sys.stdin]
    dags = [Builder(one).build() for one in told]
    store(dags)
    for one, dag in zip(told, dags, strict=True):
        answer: dict[str, Any] = {"number": one["number"]}
        try:
            run = dag.test()
            answer |= {
                "run": str(run.state),
                "states": [[ti.task_id, ti.map_index, str(ti.state)] for ti in run.get_task_instances()],
            }
        except Exception as error:
            answer["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main()
