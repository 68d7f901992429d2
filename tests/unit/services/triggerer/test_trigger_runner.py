"""The end of a trigger's generator: at once where nothing is awaited, as `await` has it otherwise, and within its time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

import pytest

from gnomon.services.triggerer import trigger_runner as running_module
from gnomon.services.triggerer.host_protocol import TriggerTaskInstance
from gnomon.services.triggerer.trigger_runner import RunningTrigger, run_trigger

pytestmark = pytest.mark.pure

Heard = list[str]


class Trigger:
    """Yields once; `at_the_end` is awaited when its generator is closed."""

    def __init__(self, heard: Heard, at_the_end: Callable[[Heard], object]) -> None:
        self._heard = heard
        self._at_the_end = at_the_end

    async def run(self) -> AsyncGenerator[object, None]:
        try:
            yield "no event, which is told as an error"
        finally:
            self._heard.append("closed")
            found = self._at_the_end(self._heard)
            if found is not None:
                await found  # type: ignore[misc]

    async def cleanup(self) -> None:
        self._heard.append("cleaned up")


class Listener:
    on_kill_s = 1.0

    def __init__(self, heard: Heard) -> None:
        self._heard = heard

    def on_result(self, running: RunningTrigger, fired: object) -> None:
        self._heard.append("fired")

    def on_finished(self, running: RunningTrigger) -> None:
        self._heard.append("gone")


async def two_pauses(heard: Heard) -> None:
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    heard.append("paused twice")


async def for_ever(heard: Heard) -> None:
    try:
        await asyncio.get_running_loop().create_future()
    except asyncio.CancelledError:
        heard.append("cancelled")
        raise


async def raises_later(heard: Heard) -> None:
    await asyncio.sleep(0)
    raise ValueError("late")


def raises(heard: Heard) -> None:
    raise ValueError("at once")


def future(heard: Heard) -> asyncio.Future[None]:
    found = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(found.set_result, None)
    return found


@pytest.mark.parametrize(
    ("at_the_end", "said"),
    [
        (lambda heard: None, []),
        (two_pauses, ["paused twice"]),
        (for_ever, ["cancelled"]),
        (raises_later, []),
        (raises, []),
        (future, []),
    ],
)
def test_a_trigger_that_has_fired_is_closed_and_cleaned_up(
    monkeypatch: pytest.MonkeyPatch, at_the_end: Callable[[Heard], object], said: list[str]
) -> None:
    monkeypatch.setattr(running_module, "CLEANUP_S", 0.01 if at_the_end is for_ever else 60.0)
    heard: Heard = []
    running = RunningTrigger(1, "m.Trigger", TriggerTaskInstance(dag_id="d", run_id="r", task_id="t"))
    running.trigger = Trigger(heard, at_the_end)
    asyncio.run(run_trigger(running, Listener(heard)))
    assert heard == ["fired", "closed", *said, "cleaned up", "gone"]


@pytest.mark.parametrize(
    ("cleanup", "said"),
    [
        (raises, "cleanup() of the trigger raised after the trigger had ended\nTraceback"),
        (for_ever, "cleanup() of the trigger had not ended after 0.01 s and was cancelled"),
    ],
)
@pytest.mark.parametrize("log", ["d/t.log", None])
def test_a_cleanup_that_fails_is_told_in_the_log_of_its_task(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    cleanup: Callable[[Heard], object],
    said: str,
    log: str | None,
) -> None:
    monkeypatch.setattr(running_module, "CLEANUP_S", 0.01)
    heard: Heard = []
    running = RunningTrigger(1, "m.Trigger", TriggerTaskInstance(dag_id="d", run_id="r", task_id="t", log=log))
    running.trigger = Trigger(heard, lambda _: None)
    monkeypatch.setattr(running.trigger, "cleanup", lambda: cleanup(heard))
    asyncio.run(run_trigger(running, Listener(heard)))
    found = [record.getMessage() for record in caplog.records if record.name == "airflow.triggers"]
    assert ([message for message in found if message.startswith(said)] != []) == (log is not None)
