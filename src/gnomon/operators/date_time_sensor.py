"""Sensors that wait for a moment."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from typing import Any, ClassVar

from gnomon.operators.deferring import defer_until
from gnomon.operators.triggers.temporal import DateTimeTrigger
from gnomon.sdk import timezone
from gnomon.sdk.place import at
from gnomon.sdk.sensor import BaseSensorOperator
from gnomon.sdk.triggers import StartTriggerArgs

TIMER = f"{DateTimeTrigger.__module__}.{DateTimeTrigger.__qualname__}"
"""What a task that starts from its trigger names."""


class DateTimeSensor(BaseSensorOperator):
    """Waits until `target_time`: a datetime, or a text (a template too) that tells one."""

    template_fields: ClassVar[Collection[str]] = ("target_time",)

    def __init__(self, *, target_time: str | dt.datetime, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(target_time, str | dt.datetime):
            raise TypeError(
                f"Sensor {self.task_id!r}{at(self._place)}: target_time must be a text or a datetime, "
                f"not {type(target_time).__name__}."
            )
        self.target_time = target_time if isinstance(target_time, str) else target_time.isoformat()

    @property
    def moment(self) -> dt.datetime:
        """The rendered `target_time`, aware."""
        return timezone.parse(self.target_time)

    def poke(self, context: Any) -> bool:
        self.log.info("waiting for %s", self.target_time)
        return timezone.utcnow() >= self.moment


class DateTimeSensorAsync(DateTimeSensor):
    """The same without a worker while it waits.

    `start_from_trigger`: it needs none before its wait either; a `target_time` that is a template is rendered on a worker
    all the same. `end_from_trigger`: it needs none after its wait.
    """

    start_trigger_args = StartTriggerArgs(TIMER, "execute_complete", {"moment": "", "end_from_trigger": False})

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
                "moment": self.moment, "end_from_trigger": end_from_trigger, **(trigger_kwargs or {}),
            }
            self.start_trigger_args.timeout = dt.timedelta(seconds=self.timeout)

    def execute(self, context: Any) -> None:
        """It waits as a timer."""
        defer_until(self, self.moment, self.end_from_trigger)

    def execute_complete(self, context: Any, event: Any = None) -> None:
        """The moment has come."""
