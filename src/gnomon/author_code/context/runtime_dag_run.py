"""`dag_run` in the template context: the fields of Airflow 3, and the names that some of them have in Airflow 2."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import msgspec

from gnomon.author_code.context.asset_event_accessors import AssetEventView, decode_events
from gnomon.authoring.sdk.arguments.timezone import to_pendulum
from gnomon.authoring.sdk.connections import channel as sdk_channel
from gnomon.model.attempts import RunFacts
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.states import TRIGGERED_BY_RUN_TYPE, DagRunType
from gnomon.model.task_api_requests import GetConsumedAssetEvents, GetPreviousRun, GetRunRemarks

if TYPE_CHECKING:
    import pendulum

    from gnomon.author_code.context.stored_task_instance import StoredTaskInstance


class RuntimeDagRun:
    """A DAG run, as a running task sees it; read only. Moments are pendulum DateTimes in UTC."""

    creating_job_id: int | None = None
    """None: Airflow 2 keeps the id of its scheduler's job here, and Gnomon has no jobs."""
    dag_hash: str | None = None
    """None: Gnomon keeps versions of DAGs, and no hash that Airflow would recognize."""

    def __init__(self, facts: RunFacts, dag: Any = None) -> None:
        """`dag`: the DAG, when it is loaded in this process."""
        self._facts = facts
        self.dag = dag
        self.dag_id = facts.dag_id
        self.run_id = facts.run_id
        self.run_type = DagRunType(facts.run_type)
        self.state = facts.state
        self.conf: dict[str, Any] = dict(facts.conf)
        self.clear_number = facts.clear_number
        self.partition_key = facts.partition_key
        self.triggered_by = TRIGGERED_BY_RUN_TYPE.get(self.run_type)
        """What created the run; None for a manual run: a command, the API or the page."""

    @cached_property
    def consumed_asset_events(self) -> list[AssetEventView]:
        """The events that the run consumed when it was created; none for a run that was not triggered by assets."""
        if self.run_type is not DagRunType.ASSET_TRIGGERED:
            return []
        return decode_events(sdk_channel.ask(GetConsumedAssetEvents()))

    @cached_property
    def _remarks(self) -> dict[str, str | None]:
        answer = (
            sdk_channel.ask(GetRunRemarks(dag_id=self.dag_id, run_id=self.run_id))
            if sdk_channel.has_channel()
            else None
        )
        return cast("dict[str, str | None]", answer or {})

    def read_remarks(self) -> None:
        """Ask for the note of the run, and who triggered it, once: code that forks before it looks at them could not ask."""
        _ = self._remarks

    @property
    def note(self) -> str | None:
        """The note of the run, as it was at the first access."""
        return self._remarks.get("note")

    @property
    def triggering_user_name(self) -> str | None:
        """The account or user of the system that triggered the run; None when nobody did."""
        return self._remarks.get("triggering_user_name")

    @cached_property
    def logical_date(self) -> pendulum.DateTime | None:
        """The logical date; None for a run without one."""
        return to_pendulum(self._facts.logical_at)

    @cached_property
    def data_interval_start(self) -> pendulum.DateTime | None:
        return to_pendulum(self._facts.interval_start)

    @cached_property
    def data_interval_end(self) -> pendulum.DateTime | None:
        return to_pendulum(self._facts.interval_end)

    @cached_property
    def run_after(self) -> pendulum.DateTime | None:
        """The earliest start of the run."""
        return to_pendulum(self._facts.run_after)

    @cached_property
    def queued_at(self) -> pendulum.DateTime | None:
        return to_pendulum(self._facts.queued_at)

    @cached_property
    def start_date(self) -> pendulum.DateTime | None:
        """The start of the run."""
        return to_pendulum(self._facts.started_at)

    @cached_property
    def end_date(self) -> pendulum.DateTime | None:
        return to_pendulum(self._facts.ended_at)

    @cached_property
    def partition_date(self) -> pendulum.DateTime | None:
        """The start of the period that the partition key names; None when it names none."""
        return to_pendulum(self._facts.partition_date)

    # Names of Airflow 2

    @property
    def execution_date(self) -> pendulum.DateTime | None:
        """The logical date."""
        return self.logical_date

    @property
    def external_trigger(self) -> bool:
        """Whether the run was triggered, and not made by the schedule, by assets or a backfill."""
        return self.run_type not in (DagRunType.SCHEDULED, DagRunType.ASSET_TRIGGERED, DagRunType.BACKFILL)

    @property
    def is_backfill(self) -> bool:
        return self.run_type == DagRunType.BACKFILL

    def get_dag(self) -> Any:
        """Return the DAG of the run that this task, callback or listener is about. Raises AirflowException for another run."""
        if self.dag is None:
            raise AirflowException(
                f"The DAG of run {self.run_id!r} of {self.dag_id!r} is not in this process. In a task, a callback or a listener, "
                "context['dag_run'], ti.dag_run and the listener's dag_run have theirs."
            )
        return self.dag

    @staticmethod
    def _get_partial_task_ids(dag: Any) -> list[str] | None:
        """The ids of the tasks when `dag` is a part of a DAG (`partial_subset`), else None. Packages that report runs ask the class for it."""
        return list(dag.task_ids) if dag is not None and dag.partial else None

    def get_state(self) -> str:
        """Return the state of the run at the start of this task."""
        return self.state

    def get_task_instances(self, state: Iterable[str | None] | str | None = None, session: Any = None) -> list[Any]:
        """Return the task instances of the run (`StoredTaskInstance`) as they are now, in topological order; only those in `state`, one or several, if given."""
        states = None if state is None else {state} if isinstance(state, str) else set(state)
        return [ti for ti in _list_task_instances(self) if states is None or ti.state in states]

    def get_task_instance(self, task_id: str, session: Any = None, *, map_index: int = -1) -> Any:
        """Return that task instance as it is now; None when there is none."""
        return next(
            (ti for ti in _list_task_instances(self) if (ti.task_id, ti.map_index) == (task_id, map_index)), None
        )

    def get_previous_dagrun(self, state: str | None = None, session: Any = None) -> RuntimeDagRun | None:
        """Return the newest earlier run of the DAG (in `state` if given), or None."""
        facts = sdk_channel.ask(
            GetPreviousRun(dag_id=self.dag_id, run_id=self.run_id, state=None if state is None else str(state))
        )
        return None if facts is None else RuntimeDagRun(msgspec.convert(facts, RunFacts), self.dag)

    def get_previous_scheduled_dagrun(self, session: Any = None) -> RuntimeDagRun | None:
        """Return the newest earlier run that its schedule made, or None."""
        run = self.get_previous_dagrun()
        while run is not None and run.run_type is not DagRunType.SCHEDULED:
            run = run.get_previous_dagrun()
        return run

    def __repr__(self) -> str:
        return f"<DagRun {self.dag_id} {self.run_id}: {self.run_type}, {self.state}>"


def _list_task_instances(dag_run: RuntimeDagRun) -> list[StoredTaskInstance]:
    from gnomon.author_code.context.stored_task_instance import (
        list_task_instances,  # start-up cost: few tasks ask for others
    )

    return list_task_instances(dag_run)
