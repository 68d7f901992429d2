"""The smallest DAG: one task, and one run as soon as the file is loaded."""

from __future__ import annotations

import datetime as dt

from gnomon import DAG, task

with DAG(
    "example_hello",
    schedule="@once",
    start_date=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    is_paused_upon_creation=False,
    tags=["example"],
):

    @task
    def greet() -> str:
        """The return value becomes the task's XCom."""
        print("Hello from a process of its own.")
        return "hello"

    greet()
