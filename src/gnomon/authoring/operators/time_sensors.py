"""Sensors that wait for a time: a moment, a time of day, a span, a day of the week."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Collection, Iterable
from typing import Any, ClassVar, NoReturn

from gnomon.authoring.operators.triggers.temporal import DateTimeTrigger, TimeDeltaTrigger
from gnomon.authoring.sdk.arguments import timezone
from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.arguments.option_defaults import resolve_deferrable
from gnomon.authoring.sdk.deferral.triggers import StartTriggerArgs
from gnomon.authoring.sdk.schedules.weekday import WeekDay, as_week_days
from gnomon.authoring.sdk.tasks.sensor import SLEEP_MAX_S, BaseSensorOperator
from gnomon.model.instants import add_span

DATE_TIME_TRIGGER_PATH = f"{DateTimeTrigger.__module__}.{DateTimeTrigger.__qualname__}"
"""The path of the trigger for tasks that start from their trigger."""


class DateTimeSensor(BaseSensorOperator):
    """Waits until `target_time`: a datetime, or a text or template that gives one."""

    template_fields: ClassVar[Collection[str]] = ("target_time",)

    def __init__(self, *, target_time: str | dt.datetime, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(target_time, str | dt.datetime):
            raise TypeError(
                f"Sensor {self.task_id!r}{format_location(self._location)}: target_time must be a text or a datetime, "
                f"not {type(target_time).__name__}."
            )
        self.target_time = target_time if isinstance(target_time, str) else target_time.isoformat()

    @property
    def moment(self) -> dt.datetime:
        """The rendered `target_time` as an aware datetime."""
        return timezone.parse(self.target_time)

    def poke(self, context: Any) -> bool:
        self.log.info("waiting for %s", self.target_time)
        return timezone.utcnow() >= self.moment


class DateTimeSensorAsync(DateTimeSensor):
    """DateTimeSensor that needs no worker while it waits.

    With `start_from_trigger` it needs no worker before its wait, unless `target_time` is a template. With `end_from_trigger` it
    needs no worker after its wait.
    """

    start_trigger_args = StartTriggerArgs(
        DATE_TIME_TRIGGER_PATH, "execute_complete", {"moment": "", "end_from_trigger": False}
    )

    def __init__(
        self,
        *,
        start_from_trigger: bool = False,
        end_from_trigger: bool = False,
        trigger_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.end_from_trigger = end_from_trigger
        self.start_from_trigger = start_from_trigger and "{" not in self.target_time
        if self.start_from_trigger and self.start_trigger_args is not None:
            self.start_trigger_args.trigger_kwargs = {
                "moment": self.moment,
                "end_from_trigger": end_from_trigger,
                **(trigger_kwargs or {}),
            }
            self.start_trigger_args.timeout = dt.timedelta(seconds=self.timeout)

    def execute(self, context: Any) -> None:
        """Defer until the moment."""
        defer_until_moment(self, self.moment, self.end_from_trigger)

    def execute_complete(self, context: Any, event: Any = None) -> None:
        """Called when the moment has come; does nothing."""


class TimeSensor(BaseSensorOperator):
    """Waits until `target_time` on the day on which the task starts, in the time zone of its DAG.

    With `start_from_trigger` it still starts on a worker, because the day is not known when the file is parsed.
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
        self.deferrable = resolve_deferrable(deferrable) or start_from_trigger
        self.end_from_trigger = end_from_trigger

    @property
    def target_datetime(self) -> dt.datetime:
        """`target_time` on the current day, in UTC."""
        return self._on_the_day_of(timezone.utcnow())

    def poke(self, context: Any) -> bool:
        target = self._target(context)
        self.log.info("waiting for %s", target.isoformat())
        return timezone.utcnow() >= target

    def execute(self, context: Any) -> Any:
        """Return when the time has come; a deferrable sensor waits by a timer."""
        target = self._target(context)
        if not self.deferrable:
            return super().execute(context)
        if timezone.utcnow() < target:
            defer_until_moment(self, target, self.end_from_trigger)
        return True

    def execute_complete(self, context: Any, event: Any = None) -> None:
        """Called when the time has come; does nothing."""

    def _target(self, context: Any) -> dt.datetime:
        """Return the target on the day of the first poke: a wait past midnight keeps its target."""
        target: dt.datetime | None = self.__dict__.get("_waits_for")
        if target is None:
            first = getattr(context["ti"], "get_first_reschedule_date", None)
            begun = (first(context) if first is not None and self.reschedule else None) or timezone.utcnow()
            target = self.__dict__["_waits_for"] = self._on_the_day_of(begun)
        return target

    def _on_the_day_of(self, moment: dt.datetime) -> dt.datetime:
        zone = self.dag.timezone
        day = moment.astimezone(zone).date()
        return timezone.convert_to_utc(dt.datetime.combine(day, self.target_time, self.target_time.tzinfo or zone))


class TimeSensorAsync(TimeSensor):
    """TimeSensor that is deferrable."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs["deferrable"] = True
        super().__init__(**kwargs)


class TimeDeltaSensor(BaseSensorOperator):
    """Waits until `delta` after the end of the data interval of the run, or after its `run_after` without a data interval.

    A number, also from a template, is in minutes.
    """

    template_fields: ClassVar[Collection[str]] = ("delta",)

    def __init__(
        self,
        *,
        delta: dt.timedelta | float | str,
        deferrable: bool | None = None,
        end_from_trigger: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.delta = delta
        self.deferrable = resolve_deferrable(deferrable)
        self.end_from_trigger = end_from_trigger

    def target(self, context: Any) -> dt.datetime:
        """Return the moment for which the sensor waits."""
        base: dt.datetime = context.get("data_interval_end") or context["dag_run"].run_after
        return add_span(base, _to_timedelta(self.delta))

    def poke(self, context: Any) -> bool:
        target = self.target(context)
        self.log.info("waiting for %s", target.isoformat())
        return timezone.utcnow() >= target

    def execute(self, context: Any) -> Any:
        """Return when the moment has passed; a deferrable sensor waits by a timer."""
        if not self.deferrable:
            return super().execute(context)
        target = self.target(context)
        if timezone.utcnow() < target:
            defer_until_moment(self, target, self.end_from_trigger)
        return True

    def execute_complete(self, context: Any, event: Any = None) -> None:
        """Called when the moment has come; does nothing."""


class TimeDeltaSensorAsync(TimeDeltaSensor):
    """TimeDeltaSensor that is deferrable."""

    def __init__(self, *, end_from_trigger: bool = False, delta: dt.timedelta | float | str, **kwargs: Any) -> None:
        kwargs["deferrable"] = True
        super().__init__(delta=delta, end_from_trigger=end_from_trigger, **kwargs)


class WaitSensor(BaseSensorOperator):
    """Waits for `time_to_wait` from its start: a timedelta, or a number of minutes, also from a template."""

    template_fields: ClassVar[Collection[str]] = ("time_to_wait",)

    def __init__(self, time_to_wait: dt.timedelta | float | str, deferrable: bool | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.time_to_wait = time_to_wait
        self.deferrable = resolve_deferrable(deferrable)

    def execute(self, context: Any) -> None:
        """Wait for the span; the timer of a deferrable sensor ends the task."""
        span = _to_timedelta(self.time_to_wait)
        if self.deferrable:
            self.defer(trigger=TimeDeltaTrigger(span, end_from_trigger=True), method_name="execute_complete")
        time.sleep(min(span.total_seconds(), SLEEP_MAX_S))

    def execute_complete(self, context: Any, event: Any = None) -> None:
        """Called when the span is over; does nothing."""


def _to_timedelta(value: dt.timedelta | float | str) -> dt.timedelta:
    """Return the span; a number, also as text, is in minutes."""
    return value if isinstance(value, dt.timedelta) else dt.timedelta(minutes=float(value))


class DayOfWeekSensor(BaseSensorOperator):
    """Waits until the day of the week is `week_day` (a name, a WeekDay, or several) in the time zone of its DAG.

    With `use_task_logical_date` the logical date is used instead of the current time (or `run_after` without a logical date).
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
        self._week_day_num = as_week_days(f"Task {self.task_id!r}{format_location(self._location)}", week_day)

    def poke(self, context: Any) -> bool:
        moment: dt.datetime = timezone.utcnow()
        if self.use_task_logical_date:
            moment = context.get("logical_date") or context["dag_run"].run_after
        return moment.astimezone(self.dag.timezone).isoweekday() in self._week_day_num


def defer_until_moment(sensor: BaseSensorOperator, moment: dt.datetime, end_from_trigger: bool) -> NoReturn:
    """Defer the sensor to a timer; `execute_complete` is called afterwards unless the timer ends the task."""
    sensor.defer(
        trigger=DateTimeTrigger(moment=moment, end_from_trigger=end_from_trigger),
        method_name="execute_complete",
        timeout=sensor.timeout,
    )
