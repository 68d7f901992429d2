"""Branches by the time, by the day of the week, and for the latest run only."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

from gnomon.errors.authoring import AirflowException
from gnomon.model.slots import DataInterval, TimeRestriction
from gnomon.model.states import DagRunType
from gnomon.sdk.schedules import timezone
from gnomon.sdk.schedules.weekday import WeekDay
from gnomon.sdk.tasks.branching import BaseBranchOperator

Bound = dt.datetime | dt.time | None


class BranchDateTimeOperator(BaseBranchOperator):
    """Follows `follow_task_ids_if_true` from `target_lower` to `target_upper`, both included, else the other tasks.

    A bound is a time of day, a moment, or None for no bound. The current time is compared, or the logical date with
    `use_task_logical_date`. If the upper bound is an earlier time of day than the lower bound, it is on the next day.
    """

    def __init__(
        self,
        *,
        follow_task_ids_if_true: str | Iterable[str],
        follow_task_ids_if_false: str | Iterable[str],
        target_lower: Bound,
        target_upper: Bound,
        use_task_logical_date: bool = False,
        use_task_execution_date: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if target_lower is None and target_upper is None:
            raise AirflowException(
                f"Task {self.task_id!r}: both target_upper and target_lower are None. At least one needs to be defined."
            )
        self.target_lower = target_lower
        self.target_upper = target_upper
        self.follow_task_ids_if_true = follow_task_ids_if_true
        self.follow_task_ids_if_false = follow_task_ids_if_false
        self.use_task_logical_date = use_task_logical_date or use_task_execution_date

    def choose_branch(self, context: Any) -> str | Iterable[str]:
        now = _choose_moment(context, self.use_task_logical_date)
        lower, upper = target_times_as_dates(now, self.target_lower, self.target_upper)
        inside = (lower is None or lower <= now) and (upper is None or now <= upper)
        return self.follow_task_ids_if_true if inside else self.follow_task_ids_if_false


class BranchDayOfWeekOperator(BaseBranchOperator):
    """Follows `follow_task_ids_if_true` on `week_day` (a name, a WeekDay, or several), else the other tasks.

    The current day is compared, or the day of the logical date with `use_task_logical_date`.
    """

    def __init__(
        self,
        *,
        follow_task_ids_if_true: str | Iterable[str],
        follow_task_ids_if_false: str | Iterable[str],
        week_day: str | Iterable[str] | WeekDay | Iterable[WeekDay],
        use_task_logical_date: bool = False,
        use_task_execution_day: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.follow_task_ids_if_true = follow_task_ids_if_true
        self.follow_task_ids_if_false = follow_task_ids_if_false
        self.week_day = week_day
        self.use_task_logical_date = use_task_logical_date or use_task_execution_day
        self._week_day_num = WeekDay.validate_week_day(week_day)

    def choose_branch(self, context: Any) -> str | Iterable[str]:
        today = _choose_moment(context, self.use_task_logical_date).isoweekday()
        return self.follow_task_ids_if_true if today in self._week_day_num else self.follow_task_ids_if_false


def target_times_as_dates(
    base_date: dt.datetime, lower: Bound, upper: Bound
) -> tuple[dt.datetime | None, dt.datetime | None]:
    """Return the bounds as moments on the day of `base_date`; an upper time of day before the lower one is on the next day."""
    low, high = _to_moment(base_date, lower), _to_moment(base_date, upper)
    if low is not None and high is not None and high < low and isinstance(upper, dt.time):
        high += dt.timedelta(days=1)
    return low, high


def _to_moment(base_date: dt.datetime, bound: Bound) -> dt.datetime | None:
    if isinstance(bound, dt.datetime):
        return timezone.coerce_datetime(bound)
    if isinstance(bound, dt.time):
        return timezone.coerce_datetime(dt.datetime.combine(base_date, bound))
    return None


def _choose_moment(context: Any, logical: bool) -> dt.datetime:
    """Return the logical date if `logical` is true and the run has one, else the current moment."""
    moment: dt.datetime | None = context.get("logical_date") if logical else None
    return moment if moment is not None else timezone.coerce_datetime(timezone.utcnow())


_ANY_TIME = TimeRestriction(earliest=None, latest=None, catchup=True)


class LatestOnlyOperator(BaseBranchOperator):
    """Skips the tasks directly after it unless this run is the newest run that is due.

    In a run that was triggered manually it skips nothing.
    """

    ui_color = "#e9ffdb"

    def choose_branch(self, context: Any) -> str | Iterable[str] | None:
        run = context["dag_run"]
        if run.run_type != DagRunType.SCHEDULED or self._is_newest(run):
            return list(self.get_direct_relative_ids(upstream=False))
        self.log.info("Not the latest run: a newer run is due. Skipping the downstream tasks.")
        return []

    def _is_newest(self, run: Any) -> bool:
        """Return whether the next run is not due yet, or there is no next run."""
        interval = None
        if run.data_interval_start is not None and run.data_interval_end is not None:
            interval = DataInterval(run.data_interval_start, run.data_interval_end)
        info = self.dag.timetable.next_dagrun_info(last_automated_data_interval=interval, restriction=_ANY_TIME)
        return info is None or timezone.utcnow() < info.run_after
