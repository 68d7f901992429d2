"""`dag_run` in the template context: the fields of Airflow 3, and the names that some of them have in Airflow 2."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from gnomon.context.asset_event_accessors import AssetEventView, decode_events
from gnomon.errors.authoring import AirflowException
from gnomon.model.attempts import RunFacts
from gnomon.model.states import TRIGGERED_BY_RUN_TYPE, DagRunType
from gnomon.model.task_api_requests import GetConsumedAssetEvents
from gnomon.sdk.runtime import channel as sdk_channel
from gnomon.sdk.schedules.timezone import to_pendulum

if TYPE_CHECKING:
    import pendulum


class RuntimeDagRun:
    """A DAG run, as a running task sees it; read only. Moments are pendulum DateTimes in UTC."""

    note: str | None = None
    triggering_user_name: str | None = None

    def __init__(self, facts: RunFacts, dag: Any = None) -> None:
        self._facts = facts
        self.dag = dag
        """The DAG, in the run that is the process's own; None in other runs."""
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

    def __repr__(self) -> str:
        return f"<DagRun {self.dag_id} {self.run_id}: {self.run_type}, {self.state}>"
