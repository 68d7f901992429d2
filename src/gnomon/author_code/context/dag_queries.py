"""Methods of Airflow's `DAG` that read its runs: in a task, a callback or a trigger they are answered over the channel.

`sdk.dags.foreground_runner` calls `find_method` by its import path, for an attribute that a DAG does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, cast

import msgspec

from gnomon.author_code.context.runtime_dag_run import RuntimeDagRun
from gnomon.author_code.context.stored_task_instance import StoredTaskInstance, list_task_instances
from gnomon.authoring.sdk.arguments.timezone import coerce_datetime
from gnomon.authoring.sdk.connections import channel as sdk_channel
from gnomon.model.attempts import RunFacts
from gnomon.model.instants import to_instant
from gnomon.model.states import DagRunState, DagRunType
from gnomon.model.task_api_requests import GetDag, ListRuns

RUNS_MAX = 1000
"""How many runs an answer has (`taskapi.run_queries.RUNS_MAX`). A query that needs more is refused."""
_NOT_TRIGGERED = tuple(
    run_type.value for run_type in (DagRunType.SCHEDULED, DagRunType.ASSET_TRIGGERED, DagRunType.BACKFILL)
)
"""The types of runs for which `external_trigger` is False."""


def find_method(dag: Any, name: str) -> Any:
    """The method of that name, or the value of the property; raises KeyError for another name. `session=` has no effect: there is none."""
    if name in _PROPERTIES:
        return _PROPERTIES[name](dag)
    method = _METHODS[name]

    def call(*args: Any, **kwargs: Any) -> Any:
        kwargs.pop("session", None)
        return method(dag, *args, **kwargs)

    return call


def list_runs(dag: Any, state: DagRunState | None = None) -> list[RuntimeDagRun]:
    """All runs of the DAG in that state, newest first. Raises AirflowException when there are more than RUNS_MAX."""
    return _ask(
        dag, ListRuns(dag_id=dag.dag_id, state=None if state is None else state.value, limit=RUNS_MAX, needs_all=True)
    )


def _list_between(dag: Any, first: datetime | None, last: datetime | None) -> list[RuntimeDagRun]:
    """All runs with a logical date from the first to the last, both inclusive, earliest first. Raises AirflowException when there are more than RUNS_MAX."""
    newest_first = _ask(
        dag,
        ListRuns(
            dag_id=dag.dag_id,
            by_logical_date=True,
            first_logical_at=_read(first),
            last_logical_at=_read(last),
            limit=RUNS_MAX,
            needs_all=True,
        ),
    )
    return newest_first[::-1]


def _read(date: datetime | None) -> int | None:
    return None if date is None else to_instant(coerce_datetime(date))


def _ask(dag: Any, question: ListRuns) -> list[RuntimeDagRun]:
    return [RuntimeDagRun(facts, dag) for facts in msgspec.convert(sdk_channel.ask(question), list[RunFacts])]


def get_dagrun(dag: Any, execution_date: datetime | None = None, run_id: str | None = None) -> RuntimeDagRun | None:
    """The run with that id or that logical date; None when there is none."""
    runs = [] if run_id is None else _ask(dag, ListRuns(dag_id=dag.dag_id, run_id=run_id, limit=1))
    if not runs and execution_date is not None:
        at = _read(execution_date)
        runs = _ask(
            dag, ListRuns(dag_id=dag.dag_id, by_logical_date=True, first_logical_at=at, last_logical_at=at, limit=1)
        )
    return next(iter(runs), None)


def get_last_dagrun(dag: Any, include_externally_triggered: bool = False) -> RuntimeDagRun | None:
    """The run with the latest logical date; manual runs only with `include_externally_triggered`."""
    types = None if include_externally_triggered else _NOT_TRIGGERED
    return next(iter(_ask(dag, ListRuns(dag_id=dag.dag_id, by_logical_date=True, run_types=types, limit=1))), None)


def get_dagruns_between(dag: Any, start_date: datetime, end_date: datetime) -> list[RuntimeDagRun]:
    """The runs with a logical date from `start_date` to `end_date`, both inclusive, earliest first. Raises AirflowException when there are more than RUNS_MAX."""
    return _list_between(dag, start_date, end_date)


def get_active_runs(dag: Any) -> list[datetime]:
    """The logical dates of the running runs, earliest first."""
    return sorted(run.logical_date for run in list_runs(dag, DagRunState.RUNNING) if run.logical_date is not None)


def get_num_active_runs(dag: Any, external_trigger: bool | None = None, only_running: bool = True) -> int:
    """The number of running runs, with `only_running=False` of queued ones too."""
    runs = list_runs(dag, DagRunState.RUNNING) + ([] if only_running else list_runs(dag, DagRunState.QUEUED))
    return sum(1 for run in runs if external_trigger is None or run.external_trigger == external_trigger)


def get_latest_execution_date(dag: Any) -> datetime | None:
    """The latest logical date of a run; None when there is none."""
    run = get_last_dagrun(dag, include_externally_triggered=True)
    return None if run is None else run.logical_date


def has_dag_runs(dag: Any, include_externally_triggered: bool = True) -> bool:
    """Whether there is a run with a logical date; manual runs count with `include_externally_triggered`."""
    return get_last_dagrun(dag, include_externally_triggered=include_externally_triggered) is not None


def get_task_instances(
    dag: Any,
    start_date: datetime | None = None,
    end_date: datetime | None = None,
    state: Iterable[str | None] | str | None = None,
) -> list[StoredTaskInstance]:
    """The task instances of the runs with a logical date from `start_date` to `end_date`, both inclusive, earliest first; `state`: in these states.

    Raises AirflowException when there are more than RUNS_MAX runs.
    """
    states = None if state is None else {state} if isinstance(state, str) else set(state)
    instances = [ti for run in _list_between(dag, start_date, end_date) for ti in list_task_instances(run)]
    return [ti for ti in instances if states is None or ti.state in states]


def get_num_task_instances(
    dag: Any, task_ids: Iterable[str] | None = None, states: Iterable[str | None] | None = None
) -> int:
    """The number of task instances of these tasks in these states."""
    names = None if task_ids is None else set(task_ids)
    return sum(1 for ti in get_task_instances(dag, state=states) if names is None or ti.task_id in names)


def get_is_paused(dag: Any) -> bool:
    """Whether the DAG is paused."""
    return bool(_get_record(dag).get("paused"))


def get_is_active(dag: Any) -> bool:
    """Whether a file defines the DAG."""
    return bool(_get_record(dag).get("active"))


def _get_record(dag: Any) -> dict[str, Any]:
    return cast("dict[str, Any] | None", sdk_channel.ask(GetDag(dag_id=dag.dag_id))) or {}


_METHODS: dict[str, Callable[..., Any]] = {
    "get_dagrun": get_dagrun,
    "get_last_dagrun": get_last_dagrun,
    "get_dagruns_between": get_dagruns_between,
    "get_active_runs": get_active_runs,
    "get_num_active_runs": get_num_active_runs,
    "get_latest_execution_date": get_latest_execution_date,
    "has_dag_runs": has_dag_runs,
    "get_task_instances": get_task_instances,
    "get_num_task_instances": get_num_task_instances,
    "get_is_paused": get_is_paused,
    "get_is_active": get_is_active,
}
_PROPERTIES: dict[str, Callable[[Any], Any]] = {
    "latest_execution_date": get_latest_execution_date,
    "is_paused": get_is_paused,
    "is_active": get_is_active,
}
