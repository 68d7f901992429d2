"""The argument `allowed_run_types` of a DAG: the types that its runs may have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gnomon.model.states import DagRunType


def as_run_types(name: str, value: Any) -> frozenset[DagRunType] | None:
    """Return the types of runs, given as one type or several; None: every type. Raises TypeError or ValueError for another value."""
    if value is None:
        return None
    if not isinstance(value, str | Iterable):
        raise TypeError(f"{name} must be a list of DagRunType, not {value!r} ({type(value).__name__})")
    try:
        return frozenset(DagRunType(run_type) for run_type in ([value] if isinstance(value, str) else value))
    except ValueError as error:
        raise ValueError(f"{name}: {error}. Use some of: {', '.join(kind.value for kind in DagRunType)}") from None


def check_run_types(allowed: frozenset[DagRunType] | None, timetable: Any) -> None:
    """Raise ValueError when the runs that the schedule of the DAG creates are not allowed.

    A schedule of assets and times must allow those of assets, as in Airflow; `excludes_scheduled_runs` says whether it has the others.
    """
    if not allowed:
        return
    if getattr(timetable, "asset_condition", None) is not None:
        needed, reason = DagRunType.ASSET_TRIGGERED, "is scheduled by assets"
    elif timetable.can_be_scheduled:
        needed, reason = DagRunType.SCHEDULED, "has a schedule"
    else:
        needed, reason = DagRunType.MANUAL, "has no schedule"
    if needed not in allowed:
        raise ValueError(
            f"allowed_run_types must include {needed.name}, because the DAG {reason}; add DagRunType.{needed.name}"
        )


def excludes_scheduled_runs(allowed: frozenset[DagRunType] | None, timetable: Any) -> bool:
    """Whether a schedule of assets and times creates no runs at its times, because they are not allowed."""
    return bool(allowed) and DagRunType.SCHEDULED not in (allowed or ()) and bool(timetable.can_be_scheduled)


def encode_run_types(allowed: frozenset[DagRunType] | None) -> tuple[str, ...]:
    """Return the types as the spec stores them; empty: every type."""
    return tuple(sorted(kind.value for kind in allowed or ()))
