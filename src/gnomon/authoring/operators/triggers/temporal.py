"""Triggers that wait for a time. The owner of the run keeps these timers, so no triggerer is needed.

This applies to these classes only, not to subclasses, which may do more in `run`. `run` is for subclasses and for
authors who await one trigger in another.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator
from typing import Any

from gnomon.authoring.sdk.arguments import converters
from gnomon.authoring.sdk.arguments.timezone import convert_to_utc, utcnow
from gnomon.authoring.sdk.deferral.triggers import BaseTrigger, TaskSuccessEvent, Timer, TriggerEvent
from gnomon.ground.clock import SystemClock
from gnomon.model.instants import SECOND, add_span, to_datetime, to_instant

SLEEP_MAX_S = 60.0
"""The longest single sleep: a change of the system clock is noticed within this time."""


class DateTimeTrigger(BaseTrigger):
    """Fires at a moment with the moment; with `end_from_trigger` it ends the task as succeeded instead.

    `target_time` gives the moment as ISO 8601 text, for example from a template. Raises TypeError or ValueError for a moment
    that is missing, naive or not valid.
    """

    def __init__(
        self,
        moment: dt.datetime | str | None = None,
        *,
        target_time: dt.datetime | str | None = None,
        end_from_trigger: bool = False,
    ) -> None:
        super().__init__()
        if (moment is None) == (target_time is None):
            raise TypeError(
                f"{type(self).__name__} needs one of moment= and target_time=, and got {'neither' if moment is None else 'both'}"
            )
        self.moment = _to_utc(type(self).__name__, moment if moment is not None else target_time)
        self.end_from_trigger = end_from_trigger

    def serialize(self) -> tuple[str, dict[str, Any]]:
        kwargs = {"moment": self.moment, "end_from_trigger": self.end_from_trigger}
        return _class_path(type(self)), kwargs

    async def run(self) -> AsyncIterator[TriggerEvent]:
        import asyncio  # operators import this module and do not run triggers

        clock, due_at = SystemClock(), to_instant(self.moment)
        while (remaining := due_at - clock.now()) > 0:  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(min(remaining / SECOND, SLEEP_MAX_S))
        yield TaskSuccessEvent() if self.end_from_trigger else TriggerEvent(convert_to_utc(self.moment))

    def _exact_timer(self) -> Timer:
        return Timer(self.moment, ends_task=self.end_from_trigger)


class TimeDeltaTrigger(DateTimeTrigger):
    """Fires a span of time after it was made.

    The span is `delta` (also as `moment=`), a timedelta or seconds, or the sum of `weeks=`, `days=`, `hours=`, `minutes=`,
    `seconds=`, `milliseconds=` and `microseconds=`. Raises TypeError unless exactly one span is given.
    """

    def __init__(
        self,
        delta: dt.timedelta | float | None = None,
        *,
        moment: dt.timedelta | float | None = None,
        end_from_trigger: bool = False,
        weeks: float = 0,
        days: float = 0,
        hours: float = 0,
        minutes: float = 0,
        seconds: float = 0,
        milliseconds: float = 0,
        microseconds: float = 0,
    ) -> None:
        units = dt.timedelta(
            weeks=weeks,
            days=days,
            hours=hours,
            minutes=minutes,
            seconds=seconds,
            milliseconds=milliseconds,
            microseconds=microseconds,
        )
        name = type(self).__name__
        spans = [converters.as_span("delta", span) for span in (delta, moment) if span is not None] + (
            [units] if units else []
        )
        if len(spans) != 1 or spans[0] is None:
            raise TypeError(f"{name} needs one span: delta=, or hours=, minutes=, ...")
        self.delta = spans[0]
        super().__init__(add_span(utcnow(), self.delta), end_from_trigger=end_from_trigger)

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Return a DateTimeTrigger for the moment, so that a restart does not begin the span again; a subclass keeps the span."""
        if type(self) is TimeDeltaTrigger:
            return _class_path(DateTimeTrigger), {"moment": self.moment, "end_from_trigger": self.end_from_trigger}
        return _class_path(type(self)), {"delta": self.delta, "end_from_trigger": self.end_from_trigger}

    def _exact_timer(self) -> Timer:
        return Timer(self.moment, self.delta, self.end_from_trigger)


def _class_path(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _to_utc(name: str, value: Any) -> dt.datetime:
    """Return the moment in UTC."""
    moment = converters.as_moment(f"the moment of {name}", value) if isinstance(value, str) else value
    if not isinstance(moment, dt.datetime):
        raise TypeError(f"the moment of {name} must be a datetime, not {value!r} ({type(value).__name__})")
    if moment.utcoffset() is None:
        raise ValueError(f"the moment of {name}, {moment}, has no time zone; give it one, for example tzinfo=UTC")
    try:
        return moment.astimezone(dt.UTC)
    except OverflowError:  # at an end of the calendar
        return to_datetime(to_instant(moment))
