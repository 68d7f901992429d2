"""Shared streams of watchers in one host: one source for equal keys, and what a producer is told about each event."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Hashable, Sequence
from typing import Any

import pytest

from gnomon.authoring.sdk.deferral.shared_stream import (
    AckTimeout,
    AdvanceItem,
    SharedStreamProducer,
    reject_shared_stream_event,
)
from gnomon.authoring.sdk.deferral.triggers import BaseEventTrigger, TriggerEvent
from gnomon.services.triggerer.shared_stream_groups import (
    SharedStreamEnded,
    SharedStreamLimits,
    SharedStreamOverflow,
    SharedStreams,
)

pytestmark = pytest.mark.pure


class Source(SharedStreamProducer):
    """A broker: events are put by the test; it notes how often it was opened and what it was told. None ends it."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Any] = asyncio.Queue()
        self.opened = self.closed = 0
        self.told: list[tuple[Any, int, int, int]] = []

    def put(self, *events: Any) -> None:
        for event in events:
            self.queue.put_nowait(event)

    async def events(self) -> AsyncIterator[Any]:
        self.opened += 1
        while (event := await self.queue.get()) is not None:
            yield event

    async def open_stream(self) -> AsyncIterator[tuple[Any, Any]]:
        async for event in self.events():
            yield event, f"payload of {event}"

    async def advance(self, batch: Sequence[AdvanceItem]) -> None:
        if batch[0].broker_payload == "payload of broken":
            raise ConnectionError("the broker has gone")
        self.told += [
            (item.broker_payload, item.outcome.acked, item.outcome.failed, item.outcome.rejected) for item in batch
        ]

    def get_advance_lane(self, broker_payload: Any) -> Hashable:
        return "slow" in broker_payload

    async def aclose(self) -> None:
        self.closed += 1


def make_subscriber(source: Source, *words: str, acknowledged: bool = True, once: bool = False) -> BaseEventTrigger:
    """A trigger that yields the events of these words (none: all), rejects "bad", and ends after an event with `once`."""

    class Subscriber(BaseEventTrigger):
        def serialize(self) -> tuple[str, dict[str, Any]]:
            return "x.Subscriber", {}

        def run(self) -> AsyncIterator[TriggerEvent]:
            raise AssertionError("a shared stream is used instead")

        @classmethod
        def open_shared_stream(cls, kwargs: dict[str, Any]) -> AsyncIterator[Any]:
            return source.events()

        async def filter_shared_stream(self, shared_stream: AsyncIterator[Any]) -> AsyncIterator[TriggerEvent]:
            async for event in shared_stream:
                if event == "bad":
                    reject_shared_stream_event()
                elif not words or event in words:
                    yield TriggerEvent(event)
                    if once:
                        return

    if acknowledged:
        Subscriber.create_shared_stream_producer = classmethod(lambda cls, kwargs: source)  # type: ignore[assignment]
    return Subscriber()


async def take(events: AsyncIterator[Any], count: int) -> list[Any]:
    return [(await anext(events)).payload for _ in range(count)]


async def turns() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize("acknowledged", [True, False])
def test_triggers_of_one_key_share_a_source_and_each_gets_its_own_events(acknowledged: bool) -> None:
    async def run() -> None:
        source, streams = Source(), SharedStreams(SharedStreamLimits())
        one = streams.open_events("key", make_subscriber(source, "a", acknowledged=acknowledged, once=True))
        two = streams.open_events("key", make_subscriber(source, "b", acknowledged=acknowledged))
        waiting = [asyncio.ensure_future(take(one, 2)), asyncio.ensure_future(take(two, 1))]
        await turns()
        source.put("a", "c", "b", "a")
        assert await asyncio.gather(*waiting) == [["a", "a"], ["b"]], (
            "a filter that ends after an event is called again and misses nothing"
        )
        assert source.opened == 1
        await one.aclose()  # type: ignore[attr-defined]
        await two.aclose()  # type: ignore[attr-defined]
        assert source.closed == (1 if acknowledged else 0)
        assert not streams._streams

    asyncio.run(run())


def test_a_producer_is_told_of_an_event_when_every_reader_has_gone_past_it() -> None:
    async def run() -> None:
        source, streams = Source(), SharedStreams(SharedStreamLimits())
        one, two = (streams.open_events("key", make_subscriber(source, word, "slow")) for word in ("a", "b"))
        waiting = [asyncio.ensure_future(take(one, 1)), asyncio.ensure_future(take(two, 1))]
        await turns()
        source.put("a", "bad", "b")
        await asyncio.gather(*waiting)
        await turns()
        assert source.told == [], "the first reader is still at its event, which may not be stored"
        rest = asyncio.ensure_future(take(one, 1))
        await turns()
        assert source.told == [("payload of a", 2, 0, 0), ("payload of bad", 0, 0, 2)], (
            "the second reader is still at b"
        )
        source.put("slow")
        assert await rest == ["slow"]
        await one.aclose()  # type: ignore[attr-defined]
        await two.aclose()  # type: ignore[attr-defined]
        assert sorted(source.told[2:]) == [("payload of b", 1, 1, 0), ("payload of slow", 0, 2, 0)], (
            "what a reader left behind failed for it"
        )

    asyncio.run(run())


@pytest.mark.parametrize(("event", "error"), [(None, SharedStreamEnded), ("broken", ConnectionError)])
def test_an_end_of_the_source_is_the_failure_of_every_reader_and_the_next_one_gets_a_new_stream(
    event: Any, error: type[Exception]
) -> None:
    async def run() -> None:
        source, streams = Source(), SharedStreams(SharedStreamLimits())
        readers = [streams.open_events("key", make_subscriber(source, "x")) for _ in range(2)]
        waiting = [asyncio.ensure_future(anext(reader)) for reader in readers]  # type: ignore[arg-type]
        await turns()
        source.put(event)
        for one in waiting:
            with pytest.raises(error):
                await one
        assert not streams._streams
        again = streams.open_events("key", make_subscriber(source, "x"))
        source.put("x")
        assert await take(again, 1) == ["x"]
        assert source.opened == 2
        await again.aclose()  # type: ignore[attr-defined]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("limits", "error"),
    [
        (SharedStreamLimits(queue_size=1), SharedStreamOverflow),
        (SharedStreamLimits(ack_timeout_s=0.05), AckTimeout),
    ],
)
def test_a_reader_that_is_too_slow_fails_alone(limits: SharedStreamLimits, error: type[Exception]) -> None:
    async def run() -> None:
        source, streams = Source(), SharedStreams(limits)
        slow, fast = (streams.open_events("key", make_subscriber(source)) for _ in range(2))
        waiting = [asyncio.ensure_future(take(slow, 1)), asyncio.ensure_future(take(fast, 1))]
        await turns()
        source.put("a")
        await asyncio.gather(*waiting)
        for word in ("b", "c", "d"):
            waits = asyncio.ensure_future(take(fast, 1))
            await turns()
            source.put(word)
            assert await waits == [word]
        more = asyncio.ensure_future(take(fast, 1))
        await asyncio.sleep(0.1)
        with pytest.raises(error):
            await anext(slow)
        await turns()
        assert ("payload of a", 1, 1, 0) in source.told
        source.put("e")
        assert await more == ["e"]
        await slow.aclose()  # type: ignore[attr-defined]
        await fast.aclose()  # type: ignore[attr-defined]

    asyncio.run(run())


def test_a_reader_that_hangs_after_a_rejection_fails_for_the_event_that_waits_behind_it() -> None:
    async def run() -> None:
        source, streams = Source(), SharedStreams(SharedStreamLimits(ack_timeout_s=0.05))
        hanging = make_subscriber(source)

        async def reject_and_hang(shared_stream: AsyncIterator[Any]) -> AsyncIterator[TriggerEvent]:
            async for event in shared_stream:
                reject_shared_stream_event()
                await asyncio.sleep(0.5)
                yield TriggerEvent(event)

        hanging.filter_shared_stream = reject_and_hang  # type: ignore[method-assign]
        events = streams.open_events("key", hanging)
        reading = asyncio.ensure_future(anext(events))  # type: ignore[arg-type]
        await turns()
        source.put("a", "b")
        await asyncio.sleep(0.2)
        assert source.told == [("payload of a", 0, 0, 1), ("payload of b", 0, 1, 0)]
        reading.cancel()
        await asyncio.wait((reading,))

    asyncio.run(run())


def test_a_producer_from_a_static_method_is_told_of_events() -> None:
    async def run() -> None:
        source, streams = Source(), SharedStreams(SharedStreamLimits())
        trigger = make_subscriber(source, acknowledged=False)
        type(trigger).create_shared_stream_producer = staticmethod(lambda kwargs: source)  # type: ignore[assignment]
        events = streams.open_events("key", trigger)
        waiting = asyncio.ensure_future(take(events, 2))
        await turns()
        source.put("a", "b")
        assert await waiting == ["a", "b"]
        await events.aclose()  # type: ignore[attr-defined]
        assert source.told == [("payload of a", 1, 0, 0), ("payload of b", 0, 1, 0)] and source.closed == 1

    asyncio.run(run())


@pytest.mark.parametrize("acknowledged", [True, False])
def test_a_stream_that_ignores_its_cancellation_delays_no_end_for_long_and_stops_at_its_next_event(
    acknowledged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    class Stubborn(Source):
        ended = False

        async def events(self) -> AsyncIterator[Any]:
            try:
                while True:
                    try:
                        yield await self.queue.get()
                    except asyncio.CancelledError:
                        self.opened += 1
            finally:
                self.ended = True

    async def run() -> None:
        source, streams = Stubborn(), SharedStreams(SharedStreamLimits(close_s=0.02))
        events = streams.open_events("key", make_subscriber(source, acknowledged=acknowledged))
        waiting = asyncio.ensure_future(take(events, 1))
        await turns()
        source.put("a")
        await waiting
        await events.aclose()  # type: ignore[attr-defined]
        assert source.opened >= 1 and not source.ended and not streams._streams
        source.put("late")
        for _ in range(200):
            await asyncio.sleep(0.001)
            if source.ended:
                break
        assert source.ended, "it is not read any more"
        assert source.told == ([("payload of a", 0, 1, 0)] if acknowledged else []), (
            "what came later is not acknowledged"
        )

    with caplog.at_level("WARNING"):
        asyncio.run(run())
    assert "shared_stream_unresponsive" in caplog.text


def test_a_producer_whose_acknowledgement_hangs_fails_its_readers() -> None:
    class Hanging(Source):
        async def advance(self, batch: Sequence[AdvanceItem]) -> None:
            await asyncio.sleep(600)

    async def run() -> None:
        source, streams = Hanging(), SharedStreams(SharedStreamLimits(ack_timeout_s=0.02, close_s=0.02))
        events = streams.open_events("key", make_subscriber(source, "a"))
        waiting = asyncio.ensure_future(take(events, 1))
        await turns()
        source.put("none")
        with pytest.raises(SharedStreamEnded, match=r"advance\(\) of the shared stream 'key' took longer than 0.02 s"):
            await waiting

    asyncio.run(run())
