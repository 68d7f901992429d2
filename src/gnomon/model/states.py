"""The states of runs and task instances, their codes in the store, and the sets of finished states.

Names and values are Airflow's (its `TaskInstanceState`, `DagRunState`, `DagRunType`). A code below 100 is
unfinished, a code from 100 on is final: CHECK constraints of the store depend on that.
"""

from __future__ import annotations

from datetime import datetime
from enum import Enum

FIRST_FINAL_CODE = 100


class TaskInstanceState(str, Enum):
    """The state of a task instance. A task instance without a state has `None`, as in Airflow."""

    SCHEDULED = "scheduled"
    QUEUED = "queued"
    RUNNING = "running"
    UP_FOR_RETRY = "up_for_retry"
    UP_FOR_RESCHEDULE = "up_for_reschedule"
    DEFERRED = "deferred"
    RESTARTING = "restarting"
    AWAITING_INPUT = "awaiting_input"
    SUCCESS = "success"
    FAILED = "failed"
    SKIPPED = "skipped"
    UPSTREAM_FAILED = "upstream_failed"
    REMOVED = "removed"

    def __str__(self) -> str:
        return self.value


class DagRunState(str, Enum):
    """The state of a DAG run."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCESS = "success"
    FAILED = "failed"

    def __str__(self) -> str:
        return self.value


class DagRunTriggeredByType(str, Enum):
    """What created a run."""

    CLI = "cli"
    OPERATOR = "operator"
    REST_API = "rest_api"
    UI = "ui"
    TEST = "test"
    TIMETABLE = "timetable"
    ASSET = "asset"
    DATASET = ASSET
    """The name in Airflow 2."""
    BACKFILL = "backfill"

    def __str__(self) -> str:
        return self.value


class DagRunType(str, Enum):
    """The origin of a DAG run."""

    SCHEDULED = "scheduled"
    MANUAL = "manual"
    BACKFILL_JOB = "backfill"
    BACKFILL = BACKFILL_JOB
    OPERATOR_TRIGGERED = "operator_triggered"
    ASSET_TRIGGERED = "asset_triggered"
    DATASET_TRIGGERED = ASSET_TRIGGERED
    """The name in Airflow 2."""
    ASSET_MATERIALIZATION = "asset_materialization"

    def __str__(self) -> str:
        return self.value

    def generate_run_id(self, suffix: str | datetime | None = None, *, logical_date: datetime | None = None) -> str:
        """The run id `<type>__<suffix>`. Airflow 2 passes `logical_date` instead of `suffix`; TypeError without either."""
        tail = logical_date if suffix is None else suffix
        if tail is None:
            raise TypeError("generate_run_id() needs a suffix, or a logical date")
        return f"{self.value}__{tail if isinstance(tail, str) else tail.isoformat()}"

    @staticmethod
    def from_run_id(run_id: str) -> DagRunType:
        """The type of the run id's prefix; MANUAL for any other prefix."""
        for run_type in DagRunType:
            if run_id.startswith(f"{run_type.value}__"):
                return run_type
        return DagRunType.MANUAL

    def find_reserved_type(self, run_id: str) -> DagRunType | None:
        """The other type for whose runs the prefix of the run id is reserved; None when a run of this type may have it."""
        named = DagRunType.from_run_id(run_id)
        return None if named in (DagRunType.MANUAL, self) else named


TRIGGERED_BY_RUN_TYPE = {
    DagRunType.SCHEDULED: DagRunTriggeredByType.TIMETABLE,
    DagRunType.BACKFILL: DagRunTriggeredByType.BACKFILL,
    DagRunType.ASSET_TRIGGERED: DagRunTriggeredByType.ASSET,
    DagRunType.OPERATOR_TRIGGERED: DagRunTriggeredByType.OPERATOR,
}
"""What created a run, by its type; a manual run may come from a command, the API or the page."""


def parse_triggering_user(created_by: str | None) -> str | None:
    """The account or user of the system that triggered a run: `ann` of `api:ann`; None for a run that a schedule, an asset or a task made."""
    origin, _, user = (created_by or "").partition(":")
    return user if user and origin in ("cli", "api") else None


TASK_STATE_CODES: dict[TaskInstanceState, int] = {
    TaskInstanceState.SCHEDULED: 1,
    TaskInstanceState.QUEUED: 2,
    TaskInstanceState.RUNNING: 3,
    TaskInstanceState.UP_FOR_RETRY: 4,
    TaskInstanceState.UP_FOR_RESCHEDULE: 5,
    TaskInstanceState.DEFERRED: 6,
    TaskInstanceState.RESTARTING: 7,
    TaskInstanceState.AWAITING_INPUT: 8,
    TaskInstanceState.SUCCESS: 100,
    TaskInstanceState.FAILED: 101,
    TaskInstanceState.SKIPPED: 102,
    TaskInstanceState.UPSTREAM_FAILED: 103,
    TaskInstanceState.REMOVED: 104,
}
NO_STATUS_CODE = 0
"""A task instance that was cleared: no state, but its try and attempt numbers continue."""

TASK_STATES_BY_CODE = {code: state for state, code in TASK_STATE_CODES.items()}

RUN_STATE_CODES: dict[DagRunState, int] = {
    DagRunState.QUEUED: 1,
    DagRunState.RUNNING: 2,
    DagRunState.SUCCESS: 100,
    DagRunState.FAILED: 101,
}
RUN_STATES_BY_CODE = {code: state for state, code in RUN_STATE_CODES.items()}

WITHOUT_PROCESS_STATES = (TaskInstanceState.DEFERRED, TaskInstanceState.AWAITING_INPUT)
"""The states of a task instance that waits without a process: its deferral says for what."""
BEGUN_STATES = frozenset(
    {
        TaskInstanceState.RUNNING,
        TaskInstanceState.RESTARTING,
        TaskInstanceState.UP_FOR_RESCHEDULE,
        *WITHOUT_PROCESS_STATES,
    }
)
"""The states of an unfinished task instance whose try has begun."""
FAILED_TASK_STATES = frozenset({TaskInstanceState.FAILED, TaskInstanceState.UPSTREAM_FAILED})
"""The states of a task instance that make its run fail."""
GOOD_TASK_STATES = frozenset({TaskInstanceState.SUCCESS, TaskInstanceState.SKIPPED})
"""The final states of a task instance that hold nothing up."""
UNFINISHED_RUN_STATES = frozenset({DagRunState.QUEUED, DagRunState.RUNNING})
FINISHED_TASK_STATES = frozenset(s for s, c in TASK_STATE_CODES.items() if c >= FIRST_FINAL_CODE)
FINISHED_RUN_STATES = frozenset(s for s, c in RUN_STATE_CODES.items() if c >= FIRST_FINAL_CODE)
