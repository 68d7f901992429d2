"""Streams that triggers of watchers share in one host: one source for all triggers with an equal key, a queue for each of them.

The triggers that share a stream when an event comes are its readers. A reader has ended an event when it reads the next one; before that, a
host waits until what it yielded is stored. When all readers have ended an event, the producer may acknowledge it (`advance`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Hashable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from gnomon.authoring.sdk.deferral.shared_stream import (
    AckTimeout,
    AdvanceItem,
    AdvanceOutcome,
    SharedStreamProducer,
    current_reject,
)
from gnomon.authoring.sdk.deferral.triggers import BaseEventTrigger
from gnomon.ground import log
from gnomon.model.errors.error_text import describe_error

CLOSE_S = 10.0
"""How long a stream without readers may take to end after its cancellation; later it is reported, and its next event ends it."""
_log = log.get_logger("triggerer.host")


class SharedStreamEnded(Exception):
    """The source of a shared stream has ended, which it must not, or its producer does not acknowledge events in time."""


class SharedStreamOverflow(Exception):
    """A trigger read its shared stream too slowly: more events wait than `[triggerer] shared_stream_subscriber_queue_size` allows."""


@dataclass(frozen=True, slots=True)
class SharedStreamLimits:
    """The options of shared streams; times in seconds."""

    queue_size: int = 1024
    """Events that may wait for one trigger."""
    ack_timeout_s: float = 300.0
    """How long one trigger may take for one event of a producer."""
    close_s: float = CLOSE_S
    """How long a stream may take for its end once it was cancelled."""
    grace_s: float = 0.0
    """A new stream opens its source after this time, so that triggers that start together share it from its first event."""


@dataclass(eq=False, slots=True)
class _SharedEvent:
    """An event of a producer that is not acknowledged yet."""

    event: Any
    broker_payload: Any = None
    came_at: float = 0.0
    pending: set[SharedStreamReader] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=lambda: {"acked": 0, "failed": 0, "rejected": 0})

    def resolve(self, reader: SharedStreamReader, how: str) -> bool:
        """Record how the reader has ended the event, once; True when it was the last one."""
        if reader not in self.pending:
            return False
        self.pending.discard(reader)
        self.counts[how] += 1
        return not self.pending


class SharedStreamReader:
    """The stream as one trigger reads it: `async for event in reader`. It stays open when a filter ends before the stream."""

    def __init__(self, stream: SharedStream) -> None:
        self._stream = stream
        self._waiting: deque[_SharedEvent] = deque()
        self._ready = asyncio.Event()
        self._current: _SharedEvent | None = None
        self._failure: Exception | None = None

    def __aiter__(self) -> SharedStreamReader:
        return self

    async def __anext__(self) -> Any:
        self._end_current("acked")
        await self._ready.wait()
        if self._failure is not None:
            raise self._failure
        self._current = self._waiting.popleft()
        if not self._waiting:
            self._ready.clear()
        current_reject.set(self._reject if self._stream.is_acknowledged else None)
        return self._current.event

    def offer(self, event: _SharedEvent, size: int) -> bool:
        """Queue the event; False when too many wait already."""
        if len(self._waiting) >= size:
            return False
        self._waiting.append(event)
        self._ready.set()
        return True

    def fail(self, error: Exception) -> None:
        """The next read raises `error`; what waits is not read."""
        if self._failure is None:
            self._failure = error
            self._ready.set()
            self._drop("failed")

    def close(self) -> None:
        """The trigger has ended: an event that it has not ended failed for it, so that the broker delivers it again."""
        self._stream.remove(self)
        self._drop("failed")

    def _drop(self, how: str) -> None:
        self._end_current(how)
        while self._waiting:
            self._stream.resolve(self._waiting.popleft(), self, how)

    def _end_current(self, how: str) -> None:
        current, self._current = self._current, None
        current_reject.set(None)
        if current is not None:
            self._stream.resolve(current, self, how)

    def _reject(self) -> None:
        if self._current is not None:
            self._stream.resolve(self._current, self, "rejected")

    def is_late(self, before: float) -> bool:
        """Whether the reader has not ended an event that came before that time of the loop."""
        current = () if self._current is None else (self._current,)
        return any(event.came_at < before for event in (*current, *islice(self._waiting, 1)) if self in event.pending)


class SharedStream:
    """One source and its readers."""

    def __init__(
        self,
        key: Hashable,
        trigger: BaseEventTrigger,
        limits: SharedStreamLimits,
        on_end: Callable[[SharedStream], None],
    ) -> None:
        self.key = key
        self._class = type(trigger)
        self._kwargs = trigger.serialize()[1]
        self._limits = limits
        self._on_end = on_end
        self._readers: dict[SharedStreamReader, None] = {}
        self._lanes: dict[Hashable, deque[_SharedEvent]] = {}
        self._resolved = asyncio.Event()
        self._is_closed = False
        self.is_acknowledged = _has_producer(self._class)
        """A producer gets what became of each event."""
        self.task = asyncio.get_running_loop().create_task(self._run())

    @property
    def is_unread(self) -> bool:
        """No trigger reads the stream."""
        return not self._readers

    def add_reader(self) -> SharedStreamReader:
        """A reader of the events from now on."""
        reader = SharedStreamReader(self)
        self._readers[reader] = None
        return reader

    def remove(self, reader: SharedStreamReader) -> None:
        """The reader gets no more events."""
        self._readers.pop(reader, None)

    def resolve(self, event: _SharedEvent, reader: SharedStreamReader, how: str) -> None:
        """The reader has ended the event."""
        if event.resolve(reader, how):
            self._resolved.set()

    async def close(self) -> None:
        """Cancel the source and wait for its end, for at most `close_s`; a source that ignores this is reported, and ends with its next event."""
        self._is_closed = True
        self.task.cancel()
        _, running = await asyncio.wait((self.task,), timeout=self._limits.close_s)
        if running:
            self._report_unresponsive(self._limits.close_s)

    def _report_unresponsive(self, after_s: float) -> None:
        _log.warning(
            "shared_stream_unresponsive",
            key=repr(self.key),
            trigger=f"{self._class.__module__}.{self._class.__qualname__}",
            after_s=after_s,
            remedy="its source ignores its cancellation: let asyncio.CancelledError pass; `gnomon triggerer reload` ends it",
        )

    async def _run(self) -> None:
        error: Exception
        try:
            await asyncio.sleep(self._limits.grace_s)
            if self.is_acknowledged:
                await self._run_producer(self._class.create_shared_stream_producer(self._kwargs))
            else:
                async for event in self._class.open_shared_stream(self._kwargs):
                    if self._is_closed:
                        return
                    self._send(_SharedEvent(event))
            error = SharedStreamEnded(
                f"the shared stream {self.key!r} has ended; its source must go on for ever, or raise"
            )
        except Exception as raised:
            error = raised
            _log.warning("shared_stream_failed", key=repr(self.key), error=f"{describe_error(raised)}")
        self._fail_all(error)

    def _fail_all(self, error: Exception) -> None:
        """Without an await between: a trigger that comes now gets a new stream."""
        self._on_end(self)
        for reader in list(self._readers):
            reader.fail(error)

    async def _run_producer(self, producer: SharedStreamProducer) -> None:
        loop = asyncio.get_running_loop()
        reading = loop.create_task(self._read(producer, producer.open_stream()))
        advancing = loop.create_task(self._advance(producer))
        try:
            await asyncio.wait((reading, advancing), return_when=asyncio.FIRST_COMPLETED)
            for task in (advancing, reading):
                if task.done():
                    task.result()
        finally:
            for task in (reading, advancing):
                task.cancel()
            _, running = await asyncio.wait((reading, advancing), timeout=self._limits.close_s / 2)
            if running:
                self._report_unresponsive(self._limits.close_s / 2)
            with contextlib.suppress(Exception):
                await self._advance_resolved(producer, self._limits.close_s / 2)
            try:
                await producer.aclose()
            except Exception as raised:
                _log.warning("shared_stream_close_failed", key=repr(self.key), error=f"{describe_error(raised)}")

    async def _read(self, producer: SharedStreamProducer, source: AsyncIterator[tuple[Any, Any]]) -> None:
        async for event, broker_payload in source:
            if self._is_closed:
                return  # not acknowledged: the broker delivers it again
            item = _SharedEvent(event, broker_payload, asyncio.get_running_loop().time(), set(self._readers))
            self._lanes.setdefault(producer.get_advance_lane(broker_payload), deque()).append(item)
            self._send(item)
            if not item.pending:
                self._resolved.set()

    def _send(self, event: _SharedEvent) -> None:
        for reader in list(self._readers):
            if not reader.offer(event, self._limits.queue_size):
                self.remove(reader)
                self.resolve(event, reader, "failed")
                reader.fail(
                    SharedStreamOverflow(
                        f"the trigger reads the shared stream {self.key!r} too slowly: more than {self._limits.queue_size} events wait; make "
                        "filter_shared_stream() faster, or raise [triggerer] shared_stream_subscriber_queue_size"
                    )
                )

    async def _advance(self, producer: SharedStreamProducer) -> None:
        """Acknowledge what all readers have ended, and fail readers that are late."""
        loop = asyncio.get_running_loop()
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(0.01, self._limits.ack_timeout_s / 10)):
                    await self._resolved.wait()
            self._resolved.clear()
            for reader in [
                reader for reader in self._readers if reader.is_late(loop.time() - self._limits.ack_timeout_s)
            ]:
                self.remove(reader)
                reader.fail(
                    AckTimeout(
                        f"the trigger did not finish an event of the shared stream {self.key!r} within {self._limits.ack_timeout_s:g} s"
                    )
                )
            await self._advance_resolved(producer, self._limits.ack_timeout_s)

    async def _advance_resolved(self, producer: SharedStreamProducer, within_s: float) -> None:
        """Acknowledge what all readers have ended. Raises SharedStreamEnded when a call of `advance` takes longer: events would pile up."""
        for lane in list(self._lanes):
            events, batch = self._lanes[lane], []
            while events and not events[0].pending:
                event = events.popleft()
                batch.append(AdvanceItem(event.broker_payload, AdvanceOutcome(**event.counts)))
            if not events:
                del self._lanes[lane]
            if batch:
                await self._advance_batch(producer, batch, within_s)

    async def _advance_batch(self, producer: SharedStreamProducer, batch: list[AdvanceItem], within_s: float) -> None:
        try:
            async with asyncio.timeout(within_s) as limit:
                await producer.advance(batch)
        except TimeoutError:
            if not limit.expired():
                raise
            raise SharedStreamEnded(
                f"advance() of the shared stream {self.key!r} took longer than {within_s:g} s; make it faster, or raise [triggerer] shared_stream_ack_timeout"
            ) from None


def _has_producer(trigger_class: type[BaseEventTrigger]) -> bool:
    """Whether the class overrides `create_shared_stream_producer`, as a class method or a static method."""
    own, inherited = trigger_class.create_shared_stream_producer, BaseEventTrigger.create_shared_stream_producer
    return getattr(own, "__func__", own) is not getattr(inherited, "__func__", inherited)


class SharedStreams:
    """The shared streams of one host."""

    def __init__(self, limits: SharedStreamLimits) -> None:
        self._limits = limits
        self._streams: dict[Hashable, SharedStream] = {}

    async def open_events(self, key: Hashable, trigger: BaseEventTrigger) -> AsyncIterator[Any]:
        """The events of this trigger from the stream of its key. A filter that ends after an event is called again on the same stream."""
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = SharedStream(key, trigger, self._limits, self._forget)
        reader = stream.add_reader()
        try:
            has_fired = True
            while has_fired:
                has_fired = False
                async for event in trigger.filter_shared_stream(reader):
                    has_fired = True
                    yield event
        finally:
            reader.close()
            if stream.is_unread:
                self._forget(stream)
                await stream.close()

    def _forget(self, stream: SharedStream) -> None:
        if self._streams.get(stream.key) is stream:
            del self._streams[stream.key]
