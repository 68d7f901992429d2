"""The run as a task sees it: Airflow 3's fields, and the names that Airflow 2 had for some of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from gnomon.model.attempts import RunFacts
from gnomon.model.states import DagRunType
from gnomon.sdk.schedules.timezone import to_pendulum

if TYPE_CHECKING:
    import pendulum


class RuntimeDagRun:
    """One DAG run, read only. Moments are pendulum DateTimes in UTC."""

    partition_key: str | None = None
    partition_date: pendulum.DateTime | None = None
    note: str | None = None
    triggering_user_name: str | None = None

    def __init__(self, facts: RunFacts) -> None:
        self._facts = facts
        self.dag_id = facts.dag_id
        self.run_id = facts.run_id
        self.run_type = DagRunType(facts.run_type)
        self.state = facts.state
        self.conf: dict[str, Any] = dict(facts.conf)
        self.clear_number = facts.clear_number
        self.consumed_asset_events: list[Any] = []

    @cached_property
    def logical_date(self) -> pendulum.DateTime | None:
        """What the run is about; None for a run about no date."""
        return to_pendulum(self._facts.logical_at)

    @cached_property
    def data_interval_start(self) -> pendulum.DateTime | None:
        return to_pendulum(self._facts.interval_start)

    @cached_property
    def data_interval_end(self) -> pendulum.DateTime | None:
        return to_pendulum(self._facts.interval_end)

    @cached_property
    def run_after(self) -> pendulum.DateTime | None:
        """The run did not start before this."""
        return to_pendulum(self._facts.run_after)

    @cached_property
    def queued_at(self) -> pendulum.DateTime | None:
        return to_pendulum(self._facts.queued_at)

    @cached_property
    def start_date(self) -> pendulum.DateTime | None:
        """When the run began to run."""
        return to_pendulum(self._facts.started_at)

    @cached_property
    def end_date(self) -> pendulum.DateTime | None:
        return to_pendulum(self._facts.ended_at)

    # Airflow 2's names

    @property
    def execution_date(self) -> pendulum.DateTime | None:
        """The logical date."""
        return self.logical_date

    @property
    def external_trigger(self) -> bool:
        """Whether somebody, and not the schedule, made the run."""
        return self.run_type not in (DagRunType.SCHEDULED, DagRunType.BACKFILL)

    @property
    def is_backfill(self) -> bool:
        return self.run_type == DagRunType.BACKFILL

    def get_state(self) -> str:
        """The state of the run when this task was started."""
        return self.state

    def __repr__(self) -> str:
        return f"<DagRun {self.dag_id} {self.run_id}: {self.run_type}, {self.state}>"
