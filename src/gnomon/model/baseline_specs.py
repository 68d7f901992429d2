"""`BaselineSpec`: a promise that DAGs or tasks are done by a local time. A module of its own: options are read without msgspec."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineSpec:
    """A promise: at each due time all runs of the local day are done."""

    name: str
    of: tuple[str, ...]
    """What must be done: `dag_id` or `dag_id.task_id`."""
    by: str
    """The time of day, `HH:MM`."""
    days: int = 0
    """So many days after the day of the runs."""
    timezone: str = "UTC"
    """Of one in a DAG file: empty for the zone of the DAG."""
    margin_s: float = 0.0
    """The end is wanted so many seconds before the due time."""
    at_risk: float = 0.2
    """The probability of a breach above which the baseline is at risk."""
    weekdays: tuple[int, ...] = ()
    """Days of the runs on which it holds, Monday is 0; empty: all."""
    owner: str = ""
    place: str = ""
    """Where it is written: a file and line, or a DAG."""


def name_for_dag(spec: BaselineSpec, dag_id: str, timezone: str) -> BaselineSpec:
    """The baseline of a DAG file, which is written about the DAG itself: with the ids of the DAG and of its tasks."""
    return replace(
        spec,
        name=spec.name or dag_id,
        of=tuple(f"{dag_id}.{task_id}" for task_id in spec.of) or (dag_id,),
        timezone=spec.timezone or timezone,
        place=f"DAG {dag_id}",
    )
