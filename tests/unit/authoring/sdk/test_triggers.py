"""The contract of triggers, as an author meets it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from gnomon.authoring.sdk.deferral.triggers import (
    BaseEventTrigger,
    BaseTaskEndEvent,
    BaseTrigger,
    StartTriggerArgs,
    TaskFailedEvent,
    TaskFailureEvent,
    TaskSkippedEvent,
    TaskSuccessEvent,
    TriggerEvent,
)
from gnomon.model.states import TaskInstanceState


class Counts(BaseTrigger):
    template_fields = ("word", "absent")

    def __init__(self, word: str = "") -> None:
        self.word = word

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.Counts", {"word": self.word}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield TriggerEvent(self.word)
        yield TriggerEvent("second")


async def first(trigger: BaseTrigger) -> TriggerEvent:
    return await anext(aiter(trigger.run()))


def test_a_trigger_yields_events() -> None:
    assert asyncio.run(first(Counts("one"))) == TriggerEvent("one")
    assert TriggerEvent("one") != TriggerEvent("two")
    assert repr(TriggerEvent({"a": 1})) == "TriggerEvent<{'a': 1}>"


def test_what_an_author_does_not_write_is_there() -> None:
    trigger = Counts()
    assert (trigger.trigger_id, trigger.task_instance, trigger.supports_triggerer_queue) == (None, None, True)
    asyncio.run(trigger.cleanup())
    asyncio.run(trigger.on_kill())
    assert trigger.log.name.endswith("Counts")


@pytest.mark.parametrize("method", ["run", "serialize"])
def test_what_an_author_has_to_write_is_asked_for(method: str) -> None:
    others = {name: getattr(Counts, name) for name in ("run", "serialize") if name != method}
    with pytest.raises(TypeError, match=f"abstract method '?{method}"):
        type("Half", (BaseTrigger,), others)()


def test_a_trigger_is_shown_by_what_makes_it_again() -> None:
    assert repr(Counts("x")) == f"<{__name__}.Counts word=x>"
    assert BaseTrigger.repr("a.B", {"x": 1, "y": "z"}) == "<a.B x=1, y=z>"


def test_template_fields_are_rendered_where_it_has_them() -> None:
    trigger = Counts("{{ ds }}")
    trigger.render_template_fields({"ds": "2030-01-02"})
    assert trigger.word == "2030-01-02"


@pytest.mark.parametrize(
    ("cls", "state"),
    [
        (TaskSuccessEvent, TaskInstanceState.SUCCESS),
        (TaskFailedEvent, TaskInstanceState.FAILED),
        (TaskFailureEvent, TaskInstanceState.FAILED),
        (TaskSkippedEvent, TaskInstanceState.SKIPPED),
    ],
)
def test_events_that_end_the_task_say_how_and_what_it_pushes(
    cls: type[BaseTaskEndEvent], state: TaskInstanceState
) -> None:
    event = cls(xcoms={"k": 1})
    assert (event.task_instance_state, event.xcoms, event.payload) == (state, {"k": 1}, str(state))
    assert cls().xcoms is None
    with pytest.raises(TypeError):
        cls("payload")  # type: ignore[call-arg, misc]


def test_a_watcher_is_known_by_class_and_arguments() -> None:
    one = BaseEventTrigger.hash("a.B", {"x": 1, "y": {2}})
    assert one == BaseEventTrigger.hash("a.B", {"y": {2}, "x": 1})
    assert one not in (
        BaseEventTrigger.hash("a.C", {"x": 1, "y": {2}}),
        BaseEventTrigger.hash("a.B", {"x": 2, "y": {2}}),
    )
    assert not BaseEventTrigger.supports_triggerer_queue


class Watches(BaseEventTrigger):
    """As an author writes one that shares its source."""

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.Watches", {}

    def shared_stream_key(self) -> tuple[str, str]:
        return "queue", "q"

    @classmethod
    async def open_shared_stream(cls, kwargs: dict[str, Any]) -> AsyncIterator[Any]:
        yield kwargs["word"]

    async def filter_shared_stream(self, shared_stream: AsyncIterator[Any]) -> AsyncIterator[TriggerEvent]:
        async for item in shared_stream:
            yield TriggerEvent(item)

    async def run(self) -> AsyncIterator[TriggerEvent]:
        async for event in self.filter_shared_stream(self.open_shared_stream({"word": "hello"})):
            yield event


def test_a_trigger_of_events_runs_as_any_other_and_says_which_method_of_a_shared_stream_is_missing() -> None:
    trigger = Watches()
    assert asyncio.run(first(trigger)) == TriggerEvent("hello")
    assert trigger.asset_state_store is None
    with pytest.raises(
        NotImplementedError, match=r"Watches has a shared_stream_key\(\) but no create_shared_stream_producer\(\)"
    ):
        Watches.create_shared_stream_producer({})
    with pytest.raises(NotImplementedError, match="open_shared_stream"):
        BaseEventTrigger.open_shared_stream({})
    with pytest.raises(NotImplementedError, match="filter_shared_stream"):
        BaseEventTrigger.filter_shared_stream(trigger, trigger.run())


def test_the_arguments_of_a_start_keep_the_dialects_order() -> None:
    args = StartTriggerArgs("a.B", "go_on", {"x": 1}, {"y": 2}, None)
    assert (args.trigger_cls, args.next_method, args.trigger_kwargs, args.next_kwargs, args.timeout) == (
        "a.B",
        "go_on",
        {"x": 1},
        {"y": 2},
        None,
    )
