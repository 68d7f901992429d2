"""A thread of the host that sees when the loop does not turn, and who holds it up."""

from __future__ import annotations

import asyncio
import os
import selectors
import sys
import threading
import traceback
from collections.abc import Callable
from types import FrameType

from gnomon import log
from gnomon.clock import Clock
from gnomon.triggerer.host import Host
from gnomon.triggerer.messages import Blocked

LOOK_S = 0.2
"""Between two looks at the loop."""
SURE_S = 0.05
"""Who is seen twice, so long apart, holds it up."""
AGAIN_S = 5.0
"""A loop that stays blocked is reported again."""
FRAMES_MAX = 30
"""Of a stack that is shown, the innermost."""
_OURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
_log = log.get("triggerer.host")


class Sleeper(selectors.DefaultSelector):
    """A selector that tells whether its loop sleeps in it: such a loop is held up by nobody, and need not be woken to say so."""

    is_asleep = False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.is_asleep = timeout is None or timeout > 0
        try:
            return super().select(timeout)
        finally:
            self.is_asleep = False


def watched_loop() -> tuple[asyncio.AbstractEventLoop, Sleeper]:
    """An event loop, and what tells whether it sleeps."""
    sleeper = Sleeper()
    return asyncio.SelectorEventLoop(sleeper), sleeper


class BlockWatch(threading.Thread):
    """Asks a loop that is awake to answer, over and over; names what runs when it does not."""

    def __init__(
        self, host: Host, ask: Callable[[Callable[[], None]], object], clock: Clock, late_s: float, sleeper: Sleeper,
    ) -> None:
        """`ask` has the loop call something; `late_s`: how late it may be without a word."""
        super().__init__(name="block-watch", daemon=True)
        self._sleeper = sleeper
        self._host = host
        self._ask = ask
        self._clock = clock
        self._late_s = late_s
        self._main = threading.get_ident()
        self._parent = os.getppid()
        self._answered = threading.Event()
        self._done = threading.Event()

    def run(self) -> None:
        while not self._done.wait(LOOK_S):
            if os.getppid() != self._parent:
                os._exit(1)  # the keeper is gone, and the loop may never notice
            if self._sleeper.is_asleep:
                continue
            self._answered.clear()
            began = self._clock.monotonic()
            try:
                self._ask(self._answered.set)
            except RuntimeError:
                return  # the loop is closed
            if not self._answered.wait(self._late_s):
                self._follow(began)

    def end(self) -> None:
        """It looks no more."""
        self._done.set()

    def _follow(self, began: float) -> None:
        """The loop is late: it is said who holds it up, and when it turns again. Many that are due at once are nobody's fault."""
        before = self._host.busy_with()
        while not self._answered.wait(SURE_S):
            now = self._host.busy_with()
            if now is before:
                break
            before = now
        else:
            return
        report = self._report(began)
        self._say(report)
        while not self._answered.wait(AGAIN_S):
            if os.getppid() != self._parent:
                os._exit(1)
            report = self._report(began)
            self._say(report)
        after = Blocked(
            seconds=self._clock.monotonic() - began, number=report.number, classpath=report.classpath, task=report.task,
            stack=report.stack, over=True,
        )
        self._say(after)

    def _say(self, report: Blocked) -> None:
        what = report.classpath or "something"
        _log.warning(
            "loop_blocked" if not report.over else "loop_unblocked", trigger=what, task=report.task,
            seconds=round(report.seconds, 2), stack=report.stack,
            remedy="a trigger awaits; what blocks belongs into asyncio.to_thread",
        )
        self._host.say_from_thread(report)

    def _report(self, began: float) -> Blocked:
        running = self._host.busy_with()
        frame = sys._current_frames().get(self._main)
        stack = "" if frame is None else _stack(frame)
        return Blocked(
            seconds=self._clock.monotonic() - began,
            number=None if running is None else running.number,
            classpath=None if running is None else running.classpath,
            task=None if running is None else running.told.named(),
            stack=stack,
        )


def _stack(frame: FrameType) -> str:
    """Where the loop is, from the author's code on."""
    frames = traceback.extract_stack(frame)
    ours = [index for index, one in enumerate(frames) if one.filename.startswith(_OURS)]
    return "".join(traceback.format_list(frames[ours[-1] + 1 if ours and ours[-1] + 1 < len(frames) else 0 :][-FRAMES_MAX:]))
