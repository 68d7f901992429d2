"""Sensors that wait for a span."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Collection
from typing import Any, ClassVar

from gnomon.operators.deferring import defer_until, is_deferred
from gnomon.operators.triggers.temporal import TimeDeltaTrigger
from gnomon.sdk import timezone
from gnomon.sdk.sensor import BaseSensorOperator


class TimeDeltaSensor(BaseSensorOperator):
    """Waits until `delta` after the end of the run's data interval; for a run without one, after its `run_after`.

    A number, which is what a template gives, counts minutes.
    """

    template_fields: ClassVar[Collection[str]] = ("delta",)

    def __init__(
        self, *, delta: dt.timedelta | float | str, deferrable: bool | None = None, end_from_trigger: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.delta = delta
        self.deferrable = is_deferred(deferrable)
        self.end_from_trigger = end_from_trigger

    def target(self, context: Any) -> dt.datetime:
        """The moment it waits for."""
        base: dt.datetime = context.get("data_interval_end") or context["dag_run"].run_after
        return base + _span(self.delta)

    def poke(self, context: Any) -> bool:
        target = self.target(context)
        self.log.info("waiting for %s", target.isoformat())
        return timezone.utcnow() >= target

    def execute(self, context: Any) -> Any:
        """True at once when the moment is past; else it waits, as a timer when it is deferrable."""
        if not self.deferrable:
            return super().execute(context)
        target = self.target(context)
        if timezone.utcnow() < target:
            defer_until(self, target, self.end_from_trigger)
        return True

    def execute_complete(self, context: Any, event: Any = None) -> None:
        """The moment has come."""


class TimeDeltaSensorAsync(TimeDeltaSensor):
    """TimeDeltaSensor that is deferrable."""

    def __init__(self, *, end_from_trigger: bool = False, delta: dt.timedelta | float | str, **kwargs: Any) -> None:
        kwargs["deferrable"] = True
        super().__init__(delta=delta, end_from_trigger=end_from_trigger, **kwargs)


class WaitSensor(BaseSensorOperator):
    """Waits for `time_to_wait` (a timedelta, or minutes; a template gives minutes) from its start."""

    template_fields: ClassVar[Collection[str]] = ("time_to_wait",)

    def __init__(
        self, time_to_wait: dt.timedelta | float | str, deferrable: bool | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.time_to_wait = time_to_wait
        self.deferrable = is_deferred(deferrable)

    def execute(self, context: Any) -> None:
        """The span is over; when it is deferrable, a timer ends the task."""
        span = _span(self.time_to_wait)
        if self.deferrable:
            self.defer(trigger=TimeDeltaTrigger(span, end_from_trigger=True), method_name="execute_complete")
        time.sleep(span.total_seconds())

    def execute_complete(self, context: Any, event: Any = None) -> None:
        """The span is over."""


def _span(value: dt.timedelta | float | str) -> dt.timedelta:
    """The span; a number, or a text that is one, counts minutes."""
    return value if isinstance(value, dt.timedelta) else dt.timedelta(minutes=float(value))
