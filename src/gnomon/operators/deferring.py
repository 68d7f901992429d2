"""How operators wait: on a worker or not, and for a moment."""

from __future__ import annotations

import datetime as dt
from typing import NoReturn

from gnomon.operators.triggers.temporal import DateTimeTrigger
from gnomon.sdk import options
from gnomon.sdk.sensor import BaseSensorOperator


def is_deferred(given: bool | None) -> bool:
    """What was given as `deferrable`, else the option [operators] default_deferrable."""
    return options.boolean("operators", "default_deferrable") if given is None else bool(given)


def defer_until(sensor: BaseSensorOperator, moment: dt.datetime, end_from_trigger: bool) -> NoReturn:
    """The sensor waits as a timer, and goes on in its `execute_complete` unless the timer ends it."""
    sensor.defer(
        trigger=DateTimeTrigger(moment=moment, end_from_trigger=end_from_trigger), method_name="execute_complete", timeout=sensor.timeout
    )
