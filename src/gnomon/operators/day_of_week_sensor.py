"""A sensor that waits for a day of the week."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

from gnomon.sdk import timezone
from gnomon.sdk.sensor import BaseSensorOperator
from gnomon.sdk.weekday import WeekDay


class DayOfWeekSensor(BaseSensorOperator):
    """Waits until it is `week_day` (a name, a WeekDay, or several) in the time zone of its DAG.

    With `use_task_logical_date` it asks the logical date instead of the clock (a run without one: its `run_after`).
    """

    def __init__(
        self,
        *,
        week_day: str | Iterable[str] | WeekDay | Iterable[WeekDay],
        use_task_logical_date: bool = False,
        use_task_execution_day: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.week_day = week_day
        self.use_task_logical_date = use_task_logical_date or use_task_execution_day
        self._week_day_num = WeekDay.validate_week_day(week_day)

    def poke(self, context: Any) -> bool:
        moment: dt.datetime = timezone.utcnow()
        if self.use_task_logical_date:
            moment = context.get("logical_date") or context["dag_run"].run_after
        return moment.astimezone(self.dag.timezone).isoweekday() in self._week_day_num
