"""The loop of the host: triggers are started, ended and told of; the keeper hears from it in batches."""

from __future__ import annotations

import asyncio
import select
import socket
import threading
from collections import deque
from typing import Any

import msgspec
from msgspec.structs import replace

from gnomon import log, serde
from gnomon.errors.product import GnomonError
from gnomon.loading.classes import load_class
from gnomon.model.deferral import Fired
from gnomon.sdk import channel
from gnomon.triggerer.events import sayable
from gnomon.triggerer.messages import Cancel, Ended, Ends, Gone, Ping, Pong, Start, Stop, ToHost
from gnomon.triggerer.questions import Questions
from gnomon.triggerer.running import Running, author_log, current, failed, live
from gnomon.wire.frames import Splitter
from gnomon.wire.links import Link
from gnomon.wire.messages import Answer

STARTS_MAX = 100
"""Triggers made in one turn of the loop; what waits in it goes on between."""
ENDS_MAX = 500
"""Events of one message: the keeper stores the first while the host tells the others."""
_log = log.get("triggerer.host")


class Host:
    """Runs triggers until the keeper says stop, or is gone."""

    def __init__(self, sock: socket.socket, on_kill_s: float) -> None:
        self._link: Link[ToHost] = Link(sock, Splitter(ToHost))
        self.on_kill_s = on_kill_s
        self._loop = asyncio.get_running_loop()
        self._starts: deque[Start] = deque()
        self._running: dict[int, Running] = {}
        self._classes: dict[str, type] = {}
        self._ends: list[Ended] = []
        self._gone: list[int] = []
        self._is_flush_due = False
        self._is_writing = False
        self._guard = threading.Lock()
        """The watch speaks to the keeper too, while this thread is stuck in author code."""
        self._over = asyncio.Event()
        self._questions = Questions(self._say, self._listen)
        self._unheard: list[ToHost] = []
        """Orders that came while the loop stood still for an answer."""
        self.making: Running | None = None
        """The trigger whose class is being imported or called."""

    async def serve(self) -> None:
        """Returns when all is over and told."""
        channel.install(self._questions)
        self._loop.add_reader(self._link.sock, self._hear)
        self._say(Pong(number=0, running=0))
        await self._over.wait()
        self._flush()
        self._loop.remove_reader(self._link.sock)

    # ---- what it hears ----------------------------------------------------------------------------------------------
    def _hear(self) -> None:
        unheard, self._unheard = self._unheard, []
        for message in (*unheard, *self._link.receive()):
            match message:
                case Start():
                    if not self._starts:
                        self._loop.call_soon(self._make_some)
                    self._starts.append(message)
                case Cancel():
                    self._cancel(message)
                case Answer():
                    self._questions.answered(message)
                case Ping(number=number):
                    self._say(Pong(number=number, running=len(self._running)))
                case Stop(within_s=within_s):
                    self._ending = self._loop.create_task(self._stop(within_s))
        if self._link.ended:
            self._over.set()

    def _listen(self, seconds: float) -> bool:
        """Answers of the keeper are heard while the loop stands still, orders in its next turn; False when nothing came."""
        self._write()
        writers = [self._link.sock] if self._is_writing else []
        readable, writable, _ = select.select([self._link.sock], writers, [], seconds)
        for message in self._link.receive() if readable else ():
            if isinstance(message, Answer):
                self._questions.answered(message)
                continue
            if not self._unheard:
                self._loop.call_soon(self._hear)
            self._unheard.append(message)
        return bool(readable or writable) and not self._link.ended

    def _make_some(self) -> None:
        for _ in range(min(STARTS_MAX, len(self._starts))):
            self._make(self._starts.popleft())
        if self._starts:
            self._loop.call_soon(self._make_some)

    def _make(self, start: Start) -> None:
        running = self.making = Running(start.number, start.classpath, start.told)
        token = current.set(running)
        try:
            trigger = self._class_of(start.classpath)(**_arguments(start))
            trigger.trigger_id = start.trigger_id
            trigger.task_instance = start.told
            running.trigger = trigger
            running.stopped = running.killed = start.killed
            self._running[start.number] = running
            name = running.named() if self._loop.get_debug() else None  # asyncio's own warnings name the task
            running.task = self._loop.create_task(live(running, self), name=name)
        except GnomonError as error:
            self._not_made(running, Fired(outcome="error", reason=str(error)))
        except BaseException as error:
            self._not_made(running, failed(error))
        finally:
            current.reset(token)
            self.making = None

    def _not_made(self, running: Running, fired: Fired) -> None:
        self._gone.append(running.number)
        self.fired(running, fired)

    def _class_of(self, classpath: str) -> Any:
        found = self._classes.get(classpath)
        if found is None:
            found = self._classes[classpath] = load_class(classpath)
        return found

    def _cancel(self, order: Cancel) -> None:
        numbers = set(order.numbers)
        waiting = {start.number for start in self._starts if start.number in numbers} if self._starts else set()
        if waiting and order.on_kill:
            self._starts = deque(replace(start, killed=True) if start.number in waiting else start for start in self._starts)
            numbers -= waiting
        elif waiting:
            self._starts = deque(start for start in self._starts if start.number not in waiting)
        for number in sorted(numbers):
            running = self._running.get(number)
            if running is None or running.task is None:
                self._gone.append(number)
                self._flush_soon()
                continue
            if not running.stopped:
                running.stopped, running.killed = True, order.on_kill
                if running.begun:
                    running.task.cancel()

    async def _stop(self, within_s: float) -> None:
        self._cancel(Cancel(numbers=[start.number for start in self._starts] + list(self._running)))
        tasks = [one.task for one in self._running.values() if one.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=within_s)
        self._over.set()

    # ---- what it tells ----------------------------------------------------------------------------------------------
    def fired(self, running: Running, fired: Fired) -> None:
        """How its wait ended is on its way to the keeper; nothing that comes later counts."""
        fired = sayable(fired)
        self._ends.append(Ended(number=running.number, fired=fired))
        running.stopped = True
        if fired.traceback is not None:
            _log.warning("trigger_failed", trigger=running.named(), error=fired.reason)
            if running.told.log is not None:
                author_log.error("the trigger failed\n%s", fired.traceback.rstrip())
        if len(self._ends) >= ENDS_MAX:
            self._flush()
        else:
            self._flush_soon()

    def gone(self, running: Running) -> None:
        """Nothing of it runs any more, and the keeper hears of it."""
        del self._running[running.number]
        self._gone.append(running.number)
        self._flush_soon()

    def _flush_soon(self) -> None:
        if not self._is_flush_due:
            self._is_flush_due = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._is_flush_due = False
        if self._ends:
            ends, self._ends = self._ends, []
            self._say(Ends(ends=ends), now=False)
        if self._gone:
            gone, self._gone = self._gone, []
            self._say(Gone(numbers=gone), now=False)
        self._write()

    def _say(self, message: msgspec.Struct, *, now: bool = True) -> None:
        with self._guard:
            self._link.put(message)
        if now:
            self._write()

    def _write(self) -> None:
        with self._guard:
            done = self._link.flush()
        if self._link.ended:
            self._over.set()
        elif done == self._is_writing:
            self._is_writing = not done
            if done:
                self._loop.remove_writer(self._link.sock)
            else:
                self._loop.add_writer(self._link.sock, self._write)

    def say_from_thread(self, message: msgspec.Struct) -> None:
        """On its way, even while the loop is stuck."""
        with self._guard:
            self._link.put(message)
            done = self._link.flush()
        if not done:
            self._loop.call_soon_threadsafe(self._write)

    def busy_with(self) -> Running | None:
        """The trigger that holds the loop up, as seen from another thread."""
        if self.making is not None:
            return self.making
        task = asyncio.current_task(self._loop)
        return next((one for one in list(self._running.values()) if one.task is task), None) if task is not None else None


def _arguments(start: Start) -> dict[str, Any]:
    found = serde.loads(start.kwargs)
    if not isinstance(found, dict):
        raise TypeError(f"the arguments of {start.classpath} are no keyword arguments but {type(found).__name__}")
    return found


