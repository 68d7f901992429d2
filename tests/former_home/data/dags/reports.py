"""A DAG without a schedule: one run waits, and another is queued behind it."""

from datetime import timedelta

from gnomon import DAG, task
from gnomon.operators import TimeDeltaSensorAsync

AGES = timedelta(days=36500)

with DAG("reports", schedule=None, max_active_runs=1):

    @task
    def read():
        from gnomon import BaseHook

        return BaseHook.get_connection("warehouse").host

    read() >> TimeDeltaSensorAsync(task_id="settled", delta=timedelta(hours=6), timeout=AGES)
