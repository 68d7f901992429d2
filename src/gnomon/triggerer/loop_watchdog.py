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
from gnomon.processes.child_setup import exit_if_orphaned
from gnomon.triggerer.host_protocol import LoopBlocked
from gnomon.triggerer.trigger_host import TriggerHost

CHECK_EVERY_S = 0.2
"""Between two looks at the loop."""
CONFIRM_AFTER_S = 0.05
"""Who is seen twice, so long apart, holds it up."""
REPORT_AGAIN_S = 5.0
"""A loop that stays blocked is reported again."""
FRAMES_MAX = 30
"""Of a stack that is shown, the innermost."""
_OWN_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
_log = log.get_logger("triggerer.host")


class SleepAwareSelector(selectors.DefaultSelector):
    """A selector that tells whether its loop sleeps in it: such a loop is held up by nobody, and need not be woken to say so."""

    is_asleep = False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.is_asleep = timeout is None or timeout > 0
        try:
            return super().select(timeout)
        finally:
            self.is_asleep = False


def create_watched_loop() -> tuple[asyncio.AbstractEventLoop, SleepAwareSelector]:
    """An event loop, and what tells whether it sleeps."""
    sleeper = SleepAwareSelector()
    return asyncio.SelectorEventLoop(sleeper), sleeper


class LoopWatchdog(threading.Thread):
    """Asks a loop that is awake to answer, over and over; names what runs when it does not."""

    def __init__(
        self, host: TriggerHost, ask: Callable[[Callable[[], None]], object], clock: Clock, late_s: float, sleeper: SleepAwareSelector,
    ) -> None:
        """`ask` has the loop call something; `late_s`: how late it may be without a word."""
        super().__init__(name="block-watch", daemon=True)
        self._sleeper = sleeper
        self._host = host
        self._call_in_loop = ask
        self._clock = clock
        self._late_s = late_s
        self._main = threading.get_ident()
        self._parent = os.getppid()
        self._has_answered = threading.Event()
        self._is_stopped = threading.Event()

    def run(self) -> None:
        while not self._is_stopped.wait(CHECK_EVERY_S):
            exit_if_orphaned(self._parent)  # the loop may never notice
            if self._sleeper.is_asleep:
                continue
            self._has_answered.clear()
            began = self._clock.monotonic()
            try:
                self._call_in_loop(self._has_answered.set)
            except RuntimeError:
                return  # the loop is closed
            if not self._has_answered.wait(self._late_s):
                self._report_block(began)

    def stop(self) -> None:
        """It looks no more."""
        self._is_stopped.set()

    def _report_block(self, began: float) -> None:
        """The loop is late: it is said who holds it up, and when it turns again. Many that are due at once are nobody's fault."""
        before = self._host.find_blocking_trigger()
        while not self._has_answered.wait(CONFIRM_AFTER_S):
            now = self._host.find_blocking_trigger()
            if now is before:
                break
            before = now
        else:
            return
        report = self._create_report(began)
        self._send_report(report)
        while not self._has_answered.wait(REPORT_AGAIN_S):
            exit_if_orphaned(self._parent)
            report = self._create_report(began)
            self._send_report(report)
        after = LoopBlocked(
            seconds=self._clock.monotonic() - began, number=report.number, classpath=report.classpath, task=report.task,
            stack=report.stack, is_over=True,
        )
        self._send_report(after)

    def _send_report(self, report: LoopBlocked) -> None:
        what = report.classpath or "something"
        _log.warning(
            "loop_blocked" if not report.is_over else "loop_unblocked", trigger=what, task=report.task,
            seconds=round(report.seconds, 2), stack=report.stack,
            remedy="a trigger awaits; what blocks belongs into asyncio.to_thread",
        )
        self._host.send_from_thread(report)

    def _create_report(self, began: float) -> LoopBlocked:
        running = self._host.find_blocking_trigger()
        frame = sys._current_frames().get(self._main)
        stack = "" if frame is None else _format_author_stack(frame)
        return LoopBlocked(
            seconds=self._clock.monotonic() - began,
            number=None if running is None else running.number,
            classpath=None if running is None else running.classpath,
            task=None if running is None else running.task_instance.describe(),
            stack=stack,
        )


def _format_author_stack(frame: FrameType) -> str:
    """Where the loop is, from the author's code on."""
    frames = traceback.extract_stack(frame)
    ours = [index for index, one in enumerate(frames) if one.filename.startswith(_OWN_FOLDER)]
    return "".join(traceback.format_list(frames[ours[-1] + 1 if ours and ours[-1] + 1 < len(frames) else 0 :][-FRAMES_MAX:]))
