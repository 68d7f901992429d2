"""The waits of sensors (ExternalTaskSensor) for runs of other DAGs, as the spec stores them for people: the scheduler does not use them."""

from __future__ import annotations

import msgspec


class SensorWait(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a sensor, or an instance of a mapped one, waits for; spans in seconds."""

    dag_id: str | None = None
    """None: it is known only when the task runs."""
    template: str = ""
    """The template of the DAG id; empty with an unknown DAG id: the id comes from other tasks."""
    task_ids: tuple[str, ...] = ()
    """Empty: the whole run, or the group."""
    group_id: str | None = None
    delta_s: float = 0.0
    """How much earlier the logical date of the upstream run is."""
    has_date_function: bool = False
    """A function of the author returns the logical dates."""
    accepts_failure: bool = False
    """A failed upstream run or task ends the wait too."""
    fails_with_upstream: bool = False
    """The sensor fails when the upstream run or task fails."""
    timeout_s: float | None = None
    """Where the author gave one."""
