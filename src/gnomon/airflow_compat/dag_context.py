"""The functions of Airflow 2's `airflow.models.dag` for the current DAG context and for timetables."""

from __future__ import annotations

import datetime as dt
from typing import Any, cast

from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.authoring.sdk.nodes.authoring_state import set_current_context
from gnomon.authoring.sdk.schedules.schedule_argument import parse_schedule


class DagContext:
    """The stack of open DAGs."""

    @classmethod
    def push_context_managed_dag(cls, dag: DAG) -> None:
        """Make `dag` the DAG of new tasks until it is popped."""
        authoring_state.push_dag(dag)

    @classmethod
    def pop_context_managed_dag(cls) -> DAG | None:
        """Pop and return the DAG pushed last; None without an open DAG."""
        return cast("DAG", authoring_state.pop_dag()) if authoring_state.current_dag() is not None else None

    @classmethod
    def get_current_context_dag(cls) -> DAG | None:
        """The DAG of new tasks; None without an open DAG."""
        return cast("DAG | None", authoring_state.current_dag())

    get_current_dag = get_current_context_dag


def create_timetable(interval: Any, timezone: dt.tzinfo) -> Any:
    """The timetable that `schedule=interval` means in that zone."""
    return parse_schedule(interval, timezone)


__all__ = ["set_current_context"]
