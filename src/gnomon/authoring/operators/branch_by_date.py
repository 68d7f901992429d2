"""Branches by the time, by the day of the week, and for the latest run only."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

from gnomon.authoring.sdk.arguments import timezone
from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.schedules.weekday import WeekDay, as_week_days
from gnomon.authoring.sdk.tasks.branching import BaseBranchOperator
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.model.states import DagRunType

Bound = dt.datetime | dt.time | None


class BranchDateTimeOperator(BaseBranchOperator):
    """Follows `follow_task_ids_if_true` from `target_lower` to `target_upper`, both included, else the other tasks.

    A bound is a time of day, a moment, or None for no bound. The current time is compared, or with `use_task_logical_date` the logical date
    (`run_after` of a run without one). If the upper bound is an earlier time of day than the lower bound, it is on the next day.
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
        now = _date_of_run(context) if self.use_task_logical_date else timezone.coerce_datetime(timezone.utcnow())
        lower, upper = target_times_as_dates(now, self.target_lower, self.target_upper)
        inside = (lower is None or lower <= now) and (upper is None or now <= upper)
        return self.follow_task_ids_if_true if inside else self.follow_task_ids_if_false


class BranchDayOfWeekOperator(BaseBranchOperator):
    """Follows `follow_task_ids_if_true` on `week_day` (a name, a WeekDay, or several), else the other tasks.

    The current day in the time zone of the DAG is compared, or with `use_task_logical_date` the day in UTC of the logical date (`run_after` of a run
    without one).
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
        self._week_day_num = as_week_days(f"Task {self.task_id!r}{format_location(self._location)}", week_day)

    def choose_branch(self, context: Any) -> str | Iterable[str]:
        moment = (
            _date_of_run(context) if self.use_task_logical_date else timezone.utcnow().astimezone(self.dag.timezone)
        )
        return (
            self.follow_task_ids_if_true if moment.isoweekday() in self._week_day_num else self.follow_task_ids_if_false
        )


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


def _date_of_run(context: Any) -> dt.datetime:
    """Return the logical date of the run, or `run_after` if it has none."""
    date: dt.datetime = context.get("logical_date") or context["dag_run"].run_after
    return date


class LatestOnlyOperator(BaseBranchOperator):
    """Skips the tasks directly after it unless this run is the newest run that is due.

    In a run that was triggered manually it skips nothing. Runs of backfills, assets and other DAGs are compared as scheduled ones.
    """

    ui_color = "#e9ffdb"

    def choose_branch(self, context: Any) -> str | Iterable[str] | None:
        run = context["dag_run"]
        if run.run_type == DagRunType.MANUAL or self._is_newest(run):
            return list(self.get_direct_relative_ids(upstream=False))
        self.log.info(
            "Not the latest run: a newer run is due, or this one is not due yet. Skipping the downstream tasks."
        )
        return []

    def _is_newest(self, run: Any) -> bool:
        """Return whether now is after the start of the run's interval and at most the end of the next one, or there is no next one."""
        date = run.logical_date or run.run_after
        interval = DataInterval(run.data_interval_start or date, run.data_interval_end or date)
        before = TimeRestriction(earliest=None, latest=interval.end - dt.timedelta(microseconds=1), catchup=True)
        after = TimeRestriction(earliest=interval.end, latest=None, catchup=True)
        following = self.dag.timetable.next_dagrun_info(last_automated_data_interval=interval, restriction=after)
        if following is None:
            return True
        overlapping = self.dag.timetable.next_dagrun_info(last_automated_data_interval=interval, restriction=before)
        start = interval.start if overlapping is None else _end_of(overlapping)
        return start < timezone.utcnow() <= _end_of(following)


def _end_of(info: DagRunInfo) -> dt.datetime:
    """Return the end of the data interval; of a run without one, the time when it is due."""
    return info.run_after if info.data_interval is None else info.data_interval.end
