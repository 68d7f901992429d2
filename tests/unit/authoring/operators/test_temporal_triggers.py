"""Triggers that wait for a time: their arguments, what they are stored as, and that they also run by themselves."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

import pendulum
import pytest

from gnomon.authoring.operators.triggers import DateTimeTrigger, FailureTrigger, SuccessTrigger, TimeDeltaTrigger
from gnomon.authoring.sdk.arguments.timezone import utcnow
from gnomon.authoring.sdk.deferral.deferral_checks import is_timer, read_timer
from gnomon.authoring.sdk.deferral.triggers import BaseTrigger, TaskSuccessEvent, TriggerEvent

WHEN = dt.datetime(2020, 1, 2, 3, tzinfo=dt.timezone(dt.timedelta(hours=1)))
PATH = "gnomon.authoring.operators.triggers.temporal."


async def events(trigger: BaseTrigger) -> list[TriggerEvent]:
    return [event async for event in trigger.run()]


def test_a_moment_that_has_come_fires_at_once_and_is_carried() -> None:
    (event,) = asyncio.run(events(DateTimeTrigger(WHEN)))
    assert event.payload == pendulum.instance(WHEN) and event.payload.timezone_name == "UTC"
    assert asyncio.run(events(DateTimeTrigger(moment=WHEN, end_from_trigger=True))) == [TaskSuccessEvent()]


def test_a_span_fires_once_it_is_over() -> None:
    trigger = TimeDeltaTrigger(dt.timedelta(milliseconds=20))
    (event,) = asyncio.run(events(trigger))
    assert event.payload == trigger.moment <= utcnow()


@pytest.mark.parametrize(
    "given",
    [
        {"moment": "2020-01-02T02:00:00Z"},
        {"target_time": "2020-01-02 03:00:00+01:00"},
        {"moment": pendulum.instance(WHEN)},
    ],
)
def test_a_moment_may_be_text_with_a_zone(given: dict[str, Any]) -> None:
    assert DateTimeTrigger(**given).moment == WHEN


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "needs one of moment= and target_time="),
        ({"moment": WHEN, "target_time": WHEN}, "needs one of"),
        ({"moment": 5}, "must be a datetime, not 5"),
        ({"moment": WHEN.replace(tzinfo=None)}, "has no time zone"),
    ],
)
def test_a_moment_that_is_none_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        DateTimeTrigger(**given)


def test_a_span_goes_on_as_the_moment_that_it_has_become() -> None:
    trigger = TimeDeltaTrigger(hours=1, end_from_trigger=True)
    path, kwargs = trigger.serialize()
    assert (path, kwargs) == (f"{PATH}DateTimeTrigger", {"moment": trigger.moment, "end_from_trigger": True})
    timer = read_timer(trigger)
    assert timer is not None and (timer.moment, timer.after, timer.ends_task) == (
        trigger.moment,
        dt.timedelta(hours=1),
        True,
    )


class Later(TimeDeltaTrigger):
    """An author's own."""


def test_only_the_exact_classes_are_timers() -> None:
    assert is_timer(DateTimeTrigger) and is_timer(TimeDeltaTrigger)
    assert not is_timer(Later) and read_timer(Later(hours=1)) is None
    assert Later(minutes=1).serialize() == (
        f"{__name__}.Later",
        {"delta": dt.timedelta(minutes=1), "end_from_trigger": False},
    )


def test_triggers_for_tests_succeed_and_fail() -> None:
    assert asyncio.run(events(SuccessTrigger())) == [TriggerEvent(True)]
    with pytest.raises(ValueError, match="Deliberate trigger failure"):
        asyncio.run(events(FailureTrigger()))


def test_the_dialects_paths_give_the_same_classes() -> None:
    from gnomon.author_code.loading.class_loader import load_class

    for module in ("airflow.triggers.temporal", "airflow.providers.standard.triggers.temporal"):
        assert load_class(f"{module}.DateTimeTrigger") is DateTimeTrigger
        assert load_class(f"{module}.TimeDeltaTrigger") is TimeDeltaTrigger
    assert load_class("airflow.triggers.testing.SuccessTrigger") is SuccessTrigger
    assert load_class("airflow.triggers.base.BaseTrigger") is BaseTrigger
