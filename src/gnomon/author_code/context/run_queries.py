"""Queries of a running task about other runs and task instances."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

import msgspec

from gnomon.author_code.context.runtime_dag_run import RuntimeDagRun
from gnomon.authoring.sdk.connections import channel as sdk_channel
from gnomon.authoring.sdk.connections.channel import Channel
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.instants import to_datetime, to_instant
from gnomon.model.task_api_requests import GetFirstReschedule, GetPreviousRun, GetRunState, GetTaskStates

if TYPE_CHECKING:
    import pendulum

States = dict[str, dict[str, str | None]]
"""Run id to {task id, or `task_id[map_index]`, to its state}."""


class RunQueries:
    """Methods of `ti` that query other runs, under the names of Airflow 3 (static methods) and Airflow 2 (methods)."""

    _attempt: Attempt
    _channel: Channel
    task: Any

    def get_previous_dagrun(self, state: str | None = None, session: Any = None) -> RuntimeDagRun | None:
        """Return the newest earlier run of this DAG (in `state` if given), or None."""
        question = GetPreviousRun(
            dag_id=self._attempt.run.dag_id,
            run_id=self._attempt.run.run_id,
            state=None if state is None else str(state),
        )
        facts = self._channel.ask(question)
        return (
            None if facts is None else RuntimeDagRun(msgspec.convert(facts, RunFacts), getattr(self.task, "_dag", None))
        )

    def get_previous_execution_date(self, state: str | None = None, session: Any = None) -> pendulum.DateTime | None:
        """Return the logical date of the newest earlier run, or None."""
        run = self.get_previous_dagrun(state)
        return None if run is None else run.logical_date

    def get_previous_start_date(self, state: str | None = None, session: Any = None) -> pendulum.DateTime | None:
        """Return the start of the newest earlier run, or None."""
        run = self.get_previous_dagrun(state)
        return None if run is None else run.start_date

    def get_first_reschedule_date(self, context: Any = None) -> datetime | None:
        """Return the first poke of this task instance if it was rescheduled since, else None; retries share that moment."""
        first_try = max(1, self._attempt.max_tries - int(getattr(self.task, "retries", 0) or 0) + 1)
        instant = self._channel.ask(GetFirstReschedule(first_try=first_try))
        return None if instant is None else to_datetime(cast(int, instant))

    @property
    def previous_execution_date_success(self) -> pendulum.DateTime | None:
        return self.get_previous_execution_date("success")

    @property
    def previous_start_date_success(self) -> pendulum.DateTime | None:
        return self.get_previous_start_date("success")

    @staticmethod
    def get_dagrun_state(dag_id: str, run_id: str) -> str | None:
        """Return the state of that run, or None when there is no such run."""
        return cast("str | None", sdk_channel.ask(GetRunState(dag_id=dag_id, run_id=run_id)))

    @staticmethod
    def get_task_states(
        dag_id: str,
        map_index: int | None = None,
        task_ids: Sequence[str] | None = None,
        task_group_id: str | None = None,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
    ) -> States:
        """Return the states of task instances by run id; only those of `map_index` if given."""
        question = GetTaskStates(
            dag_id=dag_id,
            run_ids=_to_tuple(run_ids),
            task_ids=_to_tuple(task_ids),
            logical_dates=None if logical_dates is None else tuple(map(to_instant, logical_dates)),
            group=task_group_id,
        )
        states = cast(States, sdk_channel.ask(question))
        return {
            run_id: {
                name: state for name, state in tasks.items() if map_index is None or _parse_map_index(name) == map_index
            }
            for run_id, tasks in states.items()
        }

    @staticmethod
    def get_ti_count(
        dag_id: str,
        map_index: int | None = None,
        task_ids: Sequence[str] | None = None,
        task_group_id: str | None = None,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
        states: Sequence[str | None] | None = None,
    ) -> int:
        """Return the number of task instances, only those in one of `states` if given."""
        by_run = RunQueries.get_task_states(dag_id, map_index, task_ids, task_group_id, logical_dates, run_ids)
        state_names = None if states is None else {None if state is None else str(state) for state in states}
        return sum(
            1 for tasks in by_run.values() for state in tasks.values() if state_names is None or state in state_names
        )

    @staticmethod
    def get_task_breadcrumbs(dag_id: str, run_id: str) -> list[dict[str, Any]]:
        """Return task_id, map_index and state of each task instance of the run that has a state."""
        tasks = RunQueries.get_task_states(dag_id, run_ids=[run_id]).get(run_id, {})
        return [
            {"task_id": name.partition("[")[0], "map_index": _parse_map_index(name), "state": state}
            for name, state in tasks.items()
            if state is not None
        ]


def _to_tuple(values: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)


def _parse_map_index(name: str) -> int:
    return int(name[name.index("[") + 1 : -1]) if name.endswith("]") else -1
