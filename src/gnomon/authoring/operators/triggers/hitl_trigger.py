"""The trigger with which tasks wait for a person in Airflow 3.1 and 3.2.

The scheduler keeps such a wait itself, as it does for TaskAwaitingInput, so that no triggerer runs this class.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator
from typing import Any, ClassVar, TypedDict

from gnomon.authoring.sdk.deferral.triggers import BaseTrigger, TriggerEvent
from gnomon.authoring.sdk.runtime.human_input import HITLUser


class HITLTriggerEventSuccessPayload(TypedDict, total=False):
    """The event that a task resumes with after an answer, or after its defaults were taken."""

    chosen_options: list[str]
    params_input: dict[str, Any]
    responded_by_user: HITLUser | None
    responded_at: dt.datetime
    timedout: bool


class HITLTriggerEventFailurePayload(TypedDict):
    """The event that a task resumes with when nobody answered. `error_type`: timeout, unknown or validation."""

    error: str
    error_type: str


class HITLTrigger(BaseTrigger):
    """Waits for the answer to the question of the task instance `ti_id`, until `timeout_datetime`."""

    awaits_input: ClassVar[bool] = True
    """The runner makes a wait of the scheduler of it."""

    def __init__(
        self,
        *,
        ti_id: Any,
        options: list[str],
        params: dict[str, Any] | None = None,
        defaults: list[str] | None = None,
        multiple: bool = False,
        timeout_datetime: dt.datetime | None = None,
        poke_interval: float = 5.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.ti_id = ti_id
        self.options = options
        self.params = params or {}
        self.defaults = defaults
        self.multiple = multiple
        self.timeout_datetime = timeout_datetime
        self.poke_interval = poke_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        arguments = {
            "ti_id": str(self.ti_id),
            "options": self.options,
            "params": self.params,
            "defaults": self.defaults,
            "multiple": self.multiple,
            "timeout_datetime": self.timeout_datetime,
            "poke_interval": self.poke_interval,
        }
        return f"{HITLTrigger.__module__}.{HITLTrigger.__qualname__}", arguments

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Raise RuntimeError: an answer reaches the scheduler, not a trigger."""
        events: list[TriggerEvent] = []
        for event in events:
            yield event
        raise RuntimeError(
            "A HITLTrigger waits only as the trigger of a deferral; it cannot be awaited in another trigger."
        )
