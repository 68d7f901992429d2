"""Functions that are called after a failed try, and at the end of the run. The task fails once, on purpose.

`gnomon tasks logs` shows the output of the callbacks of a task, `gnomon runs logs` that of the callbacks of a run.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from gnomon import DAG, task


def report_retry(context: Any) -> None:
    """Runs in the process of the task, after its failed try."""
    print(f"{context['ti'].task_id} will be tried again: {context['exception']}")


def report_end(context: Any) -> None:
    """Runs in a process of its own after the end of the run was stored."""
    print(f"run {context['run_id']} ended: {context['reason']}")


with DAG(
    "example_callbacks",
    schedule="@once",
    start_date=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    is_paused_upon_creation=False,
    on_success_callback=report_end,
    on_failure_callback=report_end,
    tags=["example"],
):

    @task(retries=1, retry_delay=dt.timedelta(seconds=1), on_retry_callback=report_retry)
    def fail_once(ti: Any = None) -> None:
        if ti.try_number == 1:
            raise RuntimeError("the first try fails in this example")

    fail_once()
