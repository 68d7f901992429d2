"""The open DAG and timetables, as Airflow 2's `airflow.models.dag` handed them out."""

from __future__ import annotations

import datetime as dt
from typing import Any

from gnomon.sdk import current
from gnomon.sdk.dag import DAG
from gnomon.sdk.schedule import timetable_of


class DagContext:
    """The stack of open DAGs."""

    @classmethod
    def push_context_managed_dag(cls, dag: DAG) -> None:
        """New tasks belong to `dag` until it is popped."""
        current.push_dag(dag)

    @classmethod
    def pop_context_managed_dag(cls) -> DAG | None:
        """The DAG pushed last, open no more."""
        return current.pop_dag() if current.current_dag() is not None else None

    @classmethod
    def get_current_context_dag(cls) -> DAG | None:
        """The open DAG."""
        return current.current_dag()

    get_current_dag = get_current_context_dag


def create_timetable(interval: Any, timezone: dt.tzinfo) -> Any:
    """The timetable that `schedule=interval` means in that zone."""
    return timetable_of(interval, timezone)
