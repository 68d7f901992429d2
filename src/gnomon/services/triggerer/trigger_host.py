"""The event loop of a host: starts and ends triggers, and sends their ends to the triggerer in batches."""

from __future__ import annotations

import asyncio
import select
import socket
import threading
from collections import deque
from typing import Any

import msgspec
from msgspec.structs import replace

from gnomon.author_code.loading.class_loader import load_class
from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.message_stream import FrameDecoder, MessageStream
from gnomon.author_code.processes.task_api_messages import TaskApiResponse
from gnomon.authoring.sdk.connections import channel
from gnomon.authoring.sdk.deferral.triggers import BaseEventTrigger
from gnomon.authoring.sdk.serialization import value_codec
from gnomon.ground import log
from gnomon.model.deferral import DeferralResult
from gnomon.model.errors.error_text import describe_error, error_text
from gnomon.model.errors.product import GnomonError
from gnomon.services.triggerer.deferral_results import sanitize_result
from gnomon.services.triggerer.host_protocol import (
    CancelTriggers,
    Ping,
    Pong,
    StartTrigger,
    StopHost,
    ToTriggerHost,
    TriggerEnd,
    TriggersEnded,
    TriggersFinished,
    WatcherEventsStored,
)
from gnomon.services.triggerer.saved_events import SavedEvents
from gnomon.services.triggerer.shared_stream_groups import SharedStreamLimits, SharedStreams
from gnomon.services.triggerer.task_api_channel import TriggerApiChannel
from gnomon.services.triggerer.trigger_runner import (
    RunningTrigger,
    author_log,
    current_trigger,
    error_to_result,
    run_trigger,
    run_watcher,
)
from gnomon.services.triggerer.watcher_events import WatcherEventSender, open_asset_state_store

STARTS_PER_TURN = 100
"""Triggers constructed in one turn of the loop; running triggers continue between turns."""
ENDS_PER_MESSAGE = 500
"""Events in one message, so that the triggerer stores the first events while the host sends the rest."""
_log = log.get_logger("triggerer.host")


class TriggerHost:
    """Runs triggers until the triggerer sends StopHost or closes the socket."""

    def __init__(
        self, sock: socket.socket, on_kill_s: float, shared_stream_limits: SharedStreamLimits, saved_events: SavedEvents
    ) -> None:
        self._link: MessageStream[ToTriggerHost] = MessageStream(sock, FrameDecoder(ToTriggerHost))
        self.on_kill_s = on_kill_s
        self._loop = asyncio.get_running_loop()
        self._starts: deque[StartTrigger] = deque()
        self._running: dict[int, RunningTrigger] = {}
        self._classes: dict[str, type] = {}
        self._pending_ends: list[TriggerEnd] = []
        self._pending_finished: list[int] = []
        self._is_flush_due = False
        self._is_writing = False
        self._lock = threading.Lock()
        """LoopWatchdog sends from its own thread while the loop's thread is blocked in author code."""
        self._stopped = asyncio.Event()
        self._api_channel = TriggerApiChannel(self._send, self._wait_for_answer)
        self._watcher_events = WatcherEventSender(self._send, saved_events)
        self._shared_streams = SharedStreams(shared_stream_limits)
        self._deferred_messages: list[ToTriggerHost] = []
        """Messages received while the loop was blocked waiting for an answer."""
        self.constructing: RunningTrigger | None = None
        """The trigger whose class is being imported or called."""

    async def serve(self) -> None:
        """Run the host; returns when it is stopped and all ends are sent."""
        channel.install_channel(self._api_channel)
        self._loop.add_reader(self._link.sock, self._on_readable)
        self._send(Pong(number=0, running=0))
        await self._stopped.wait()
        self._flush()
        self._loop.remove_reader(self._link.sock)

    # ---- messages received ------------------------------------------------------------------------------------------
    def _on_readable(self) -> None:
        deferred, self._deferred_messages = self._deferred_messages, []
        for message in (*deferred, *self._link.receive()):
            match message:
                case StartTrigger():
                    if not self._starts:
                        self._loop.call_soon(self._construct_batch)
                    self._starts.append(message)
                case CancelTriggers():
                    self._cancel(message)
                case TaskApiResponse():
                    self._api_channel.resolve_answer(message)
                case WatcherEventsStored(numbers=numbers):
                    for number in numbers:
                        self._watcher_events.on_stored(number)
                case Ping(number=number):
                    self._send(Pong(number=number, running=len(self._running)))
                case StopHost(within_s=within_s):
                    self._stop_task = self._loop.create_task(self._stop(within_s))
        if self._link.ended:
            self._stopped.set()

    def _wait_for_answer(self, seconds: float) -> bool:
        """Handle answers while the loop is blocked, and keep other messages for its next turn; False when nothing was received."""
        self._write()
        writers = [self._link.sock] if self._is_writing else []
        readable, writable, _ = select.select([self._link.sock], writers, [], seconds)
        for message in self._link.receive() if readable else ():
            if isinstance(message, TaskApiResponse):
                self._api_channel.resolve_answer(message)
                continue
            if not self._deferred_messages:
                self._loop.call_soon(self._on_readable)
            self._deferred_messages.append(message)
        return bool(readable or writable) and not self._link.ended

    def _construct_batch(self) -> None:
        for _ in range(min(STARTS_PER_TURN, len(self._starts))):
            self._construct(self._starts.popleft())
        if self._starts:
            self._loop.call_soon(self._construct_batch)

    def _construct(self, start: StartTrigger) -> None:
        running = self.constructing = RunningTrigger(start.number, start.classpath, start.task_instance)
        token = current_trigger.set(running)
        try:
            trigger = self._class_of(start.classpath)(**_decode_arguments(start))
            is_watcher = start.task_instance.watched is not None
            trigger.trigger_id = abs(start.trigger_id)
            trigger.task_instance = None if is_watcher else start.task_instance
            if is_watcher:
                trigger.asset_state_store = open_asset_state_store(self._api_channel, start.task_instance)
            running.trigger = trigger
            running.is_stopped = running.is_killed = start.is_on_kill_only
            self._running[start.number] = running
            name = (
                running.describe() if self._loop.get_debug() else None
            )  # asyncio's warnings show the name of the task
            run = run_watcher if is_watcher else run_trigger
            running.task = self._loop.create_task(run(running, self), name=name)
        except GnomonError as error:
            self._on_construct_error(running, DeferralResult(outcome="error", reason=error_text(error)))
        except BaseException as error:
            self._on_construct_error(running, error_to_result(error))
        finally:
            current_trigger.reset(token)
            self.constructing = None

    def _on_construct_error(self, running: RunningTrigger, result: DeferralResult) -> None:
        self._pending_finished.append(running.number)
        self.on_result(running, result)

    def _class_of(self, classpath: str) -> Any:
        cls = self._classes.get(classpath)
        if cls is None:
            cls = self._classes[classpath] = load_class(classpath)
        return cls

    def _cancel(self, order: CancelTriggers) -> None:
        numbers = set(order.numbers)
        waiting = {start.number for start in self._starts if start.number in numbers} if self._starts else set()
        if waiting and order.on_kill:
            self._starts = deque(
                replace(start, is_on_kill_only=True) if start.number in waiting else start for start in self._starts
            )
            numbers -= waiting
        elif waiting:
            self._starts = deque(start for start in self._starts if start.number not in waiting)
        for number in sorted(numbers):
            running = self._running.get(number)
            if running is None or running.task is None:
                self._pending_finished.append(number)
                self._flush_soon()
                continue
            if not running.is_stopped:
                running.is_stopped, running.is_killed = True, order.on_kill
                if running.is_entered:
                    running.cancel(self._loop)

    async def _stop(self, within_s: float) -> None:
        self._cancel(CancelTriggers(numbers=[start.number for start in self._starts] + list(self._running)))
        tasks = [running.task for running in self._running.values() if running.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=within_s)
        self._stopped.set()

    # ---- messages sent ----------------------------------------------------------------------------------------------
    async def publish_event(self, running: RunningTrigger, event: Any) -> None:
        """Send the event of a watcher; returns when it is stored."""
        await self._watcher_events.publish(running.number, running.trigger.trigger_id, running.task_instance, event)

    def open_events(self, running: RunningTrigger) -> Any:
        """The events of a watcher: of the stream that it shares, or of its `run`."""
        if not isinstance(
            running.trigger, BaseEventTrigger
        ):  # such as the trigger of a message queue, which MessageQueueTrigger names
            return running.trigger.run()
        try:
            key = running.trigger.shared_stream_key()
            hash(key)
        except Exception as error:
            author_log.warning("shared_stream_key() raised %s; the trigger shares no stream", describe_error(error))
            key = None
        return running.trigger.run() if key is None else self._shared_streams.open_events(key, running.trigger)

    def on_result(self, running: RunningTrigger, result: DeferralResult) -> None:
        """Send the result of the wait; later events of this start are ignored."""
        result = sanitize_result(result)
        self._pending_ends.append(TriggerEnd(number=running.number, result=result))
        running.is_stopped = True
        if result.traceback is not None:
            _log.warning("trigger_failed", trigger=running.describe(), error=result.reason)
            if running.task_instance.log is not None:
                author_log.error("the trigger failed\n%s", result.traceback.rstrip())
        if len(self._pending_ends) >= ENDS_PER_MESSAGE:
            self._flush()
        else:
            self._flush_soon()

    def on_finished(self, running: RunningTrigger) -> None:
        """The start is over, cleanup included: tell the triggerer."""
        del self._running[running.number]
        self._pending_finished.append(running.number)
        self._flush_soon()

    def _flush_soon(self) -> None:
        if not self._is_flush_due:
            self._is_flush_due = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._is_flush_due = False
        if self._pending_ends:
            ends, self._pending_ends = self._pending_ends, []
            self._send(TriggersEnded(ends=ends), now=False)
        if self._pending_finished:
            finished, self._pending_finished = self._pending_finished, []
            self._send(TriggersFinished(numbers=finished), now=False)
        self._write()

    def _send(self, message: msgspec.Struct, *, now: bool = True) -> None:
        with self._lock:
            self._link.put(message)
        if now:
            self._write()

    def _write(self) -> None:
        author_forks.end_fork()  # one that called no hooks (`fork_guard.py`)
        with self._lock:
            is_flushed = self._link.flush()
        if self._link.ended:
            self._stopped.set()
        elif is_flushed == self._is_writing:
            self._is_writing = not is_flushed
            if is_flushed:
                self._loop.remove_writer(self._link.sock)
            else:
                self._loop.add_writer(self._link.sock, self._write)

    def send_from_thread(self, message: msgspec.Struct) -> None:
        """Send from another thread, also while the loop is blocked."""
        with self._lock:
            self._link.put(message)
            is_flushed = self._link.flush()
        if not is_flushed:
            self._loop.call_soon_threadsafe(self._write)

    def find_blocking_trigger(self) -> RunningTrigger | None:
        """The trigger that runs in the loop now; called from another thread. None when none does."""
        if self.constructing is not None:
            return self.constructing
        task = asyncio.current_task(self._loop)
        return (
            next((running for running in list(self._running.values()) if running.task is task), None)
            if task is not None
            else None
        )


def _decode_arguments(start: StartTrigger) -> dict[str, Any]:
    arguments = value_codec.loads(start.kwargs)
    if not isinstance(arguments, dict):
        raise TypeError(f"the arguments of {start.classpath} must be keyword arguments, not {type(arguments).__name__}")
    return arguments
