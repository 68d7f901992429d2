"""How a wait ends, from what a trigger yields or raises."""

from __future__ import annotations

import asyncio

import numpy as np
import pendulum
import pytest

from gnomon.authoring.sdk.deferral.triggers import TaskSuccessEvent, TriggerEvent
from gnomon.authoring.sdk.serialization.value_codec import loads
from gnomon.model.attempts import XCOM_MAX_BYTES
from gnomon.model.errors.authoring import NotSerializable
from gnomon.services.triggerer.deferral_results import event_to_result
from gnomon.services.triggerer.trigger_runner import error_to_result

pytestmark = pytest.mark.pure


def test_an_event_that_carries_too_much_is_told_with_its_size_and_a_remedy() -> None:
    largest = event_to_result(TriggerEvent("x" * (XCOM_MAX_BYTES - 2)))
    assert (largest.outcome, len(largest.payload)) == ("event", XCOM_MAX_BYTES)
    refused = event_to_result(TriggerEvent("x" * (XCOM_MAX_BYTES - 1)))
    assert (refused.outcome, refused.payload) == ("error", "null")
    assert refused.reason == (
        f"the payload of the trigger's event takes {XCOM_MAX_BYTES + 1} bytes, the limit is {XCOM_MAX_BYTES} bytes; store the data elsewhere and yield its address"
    )


def test_the_limit_of_an_event_counts_bytes_of_text_that_is_not_ascii() -> None:
    half = XCOM_MAX_BYTES // 2
    assert event_to_result(TriggerEvent("é" * (half - 1))).outcome == "event"
    refused = event_to_result(TriggerEvent("é" * half))
    assert refused.outcome == "error" and f"takes {XCOM_MAX_BYTES + 2} bytes" in (refused.reason or "")


async def _group() -> None:
    async def broken() -> None:
        raise ConnectionError("the far end hung up\nand more")

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(broken())


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("one\ntwo"), "ValueError: one"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (
            BaseExceptionGroup("outer", [BaseExceptionGroup("inner", [SystemExit(3), ValueError()])]),
            "BaseExceptionGroup: outer (1 sub-exception): BaseExceptionGroup: inner (2 sub-exceptions): SystemExit: 3",
        ),
    ],
)
def test_the_reason_is_the_first_line_of_the_error_and_of_what_a_group_holds(error: BaseException, reason: str) -> None:
    assert error_to_result(error).reason == reason


def test_the_reason_of_a_task_group_names_what_broke_in_it() -> None:
    with pytest.raises(ExceptionGroup) as raised:
        asyncio.run(_group())
    reason = error_to_result(raised.value).reason
    assert reason is not None and reason.endswith(": ConnectionError: the far end hung up")


def test_an_event_and_its_xcoms_carry_values_beyond_json() -> None:
    read = loads(event_to_result(TriggerEvent({"n": np.int64(5), "rows": np.arange(3)})).payload)
    assert isinstance(read, dict) and (type(read["n"]), read["rows"].tolist()) == (np.int64, [0, 1, 2])
    ended = event_to_result(TaskSuccessEvent(xcoms={"day": pendulum.date(2024, 1, 1)}))
    assert loads(ended.xcoms["day"]) == pendulum.date(2024, 1, 1)


def test_a_value_of_an_event_that_cannot_be_stored_is_named() -> None:
    with pytest.raises(NotSerializable, match=r"The payload of the event cannot be stored: a .* at \['x'\]"):
        event_to_result(TriggerEvent({"x": object()}))
