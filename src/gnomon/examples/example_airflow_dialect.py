"""A DAG file written for Apache Airflow, unmodified: imports, operators, templates, trigger rules."""

from __future__ import annotations

import pendulum
from airflow import DAG
from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.providers.standard.operators.python import PythonOperator


def report(ti, **context):
    print(f"extract returned {ti.xcom_pull(task_ids='extract')!r} in run {context['run_id']}")


with DAG(
    dag_id="example_airflow_dialect",
    schedule="0 * * * *",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    is_paused_upon_creation=False,
    tags=["example"],
) as dag:
    start = EmptyOperator(task_id="start")
    extract = BashOperator(task_id="extract", bash_command="echo rows of {{ ds }}", do_xcom_push=True)
    show = PythonOperator(task_id="show", python_callable=report)
    end = EmptyOperator(task_id="end", trigger_rule="none_failed")

    start >> extract >> show >> end
