"""Sensors that wait for a time of day."""

from __future__ import annotations

import datetime as dt
from typing import Any

from gnomon.operators.deferring import defer_until, is_deferred
from gnomon.sdk import timezone
from gnomon.sdk.sensor import BaseSensorOperator


class TimeSensor(BaseSensorOperator):
    """Waits until `target_time` of the day on which the task starts, in the time zone of its DAG.

    With `start_from_trigger` it still starts on a worker: which day it is, is known then and not when the file is parsed.
    """

    def __init__(
        self,
        *,
        target_time: dt.time,
        deferrable: bool | None = None,
        start_from_trigger: bool = False,
        end_from_trigger: bool = False,
        trigger_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.target_time = target_time
        self.deferrable = is_deferred(deferrable) or start_from_trigger
        self.end_from_trigger = end_from_trigger

    @property
    def target_datetime(self) -> dt.datetime:
        """`target_time` of today, in UTC."""
        return self._on_the_day_of(timezone.utcnow())

    def poke(self, context: Any) -> bool:
        target = self._target(context)
        self.log.info("waiting for %s", target.isoformat())
        return timezone.utcnow() >= target

    def execute(self, context: Any) -> Any:
        """The time has come; when it is deferrable, a timer waits for it."""
        target = self._target(context)
        if not self.deferrable:
            return super().execute(context)
        if timezone.utcnow() < target:
            defer_until(self, target, self.end_from_trigger)
        return True

    def execute_complete(self, context: Any, event: Any = None) -> None:
        """The time has come."""

    def _target(self, context: Any) -> dt.datetime:
        """Of the day of the first poke: one that waits past midnight waits for no other day."""
        known: dt.datetime | None = self.__dict__.get("_waits_for")
        if known is None:
            first = getattr(context["ti"], "get_first_reschedule_date", None)
            begun = (first(context) if first is not None and self.reschedule else None) or timezone.utcnow()
            known = self.__dict__["_waits_for"] = self._on_the_day_of(begun)
        return known

    def _on_the_day_of(self, moment: dt.datetime) -> dt.datetime:
        zone = self.dag.timezone
        day = moment.astimezone(zone).date()
        return timezone.convert_to_utc(dt.datetime.combine(day, self.target_time, self.target_time.tzinfo or zone))


class TimeSensorAsync(TimeSensor):
    """TimeSensor that is deferrable."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs["deferrable"] = True
        super().__init__(**kwargs)
