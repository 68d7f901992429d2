"""A thread of the host that detects a blocked event loop and names the trigger that blocks it."""

from __future__ import annotations

import asyncio
import os
import selectors
import sys
import threading
import traceback
from collections.abc import Callable
from types import FrameType

from gnomon.author_code.processes.child_setup import exit_if_orphaned
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.services.triggerer.host_protocol import LoopBlocked
from gnomon.services.triggerer.trigger_host import TriggerHost

CHECK_EVERY_S = 0.2
"""Interval between two checks of the loop."""
CONFIRM_AFTER_S = 0.05
"""A trigger that is seen running twice at this distance blocks the loop."""
REPORT_AGAIN_S = 5.0
"""Interval between reports while the loop stays blocked."""
FRAMES_MAX = 30
"""Innermost frames that a report shows."""
_OWN_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
_log = log.get_logger("triggerer.host")


class SleepAwareSelector(selectors.DefaultSelector):
    """A selector that records whether its loop sleeps in it: a sleeping loop is not blocked and is not woken for a check."""

    is_asleep = False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.is_asleep = timeout is None or timeout > 0
        try:
            return super().select(timeout)
        finally:
            self.is_asleep = False


def create_watched_loop() -> tuple[asyncio.AbstractEventLoop, SleepAwareSelector]:
    """An event loop, and its selector, which knows whether the loop sleeps."""
    sleeper = SleepAwareSelector()
    return asyncio.SelectorEventLoop(sleeper), sleeper


class LoopWatchdog(threading.Thread):
    """Calls into a loop that is awake, again and again; reports the running trigger when the loop does not answer."""

    def __init__(
        self,
        host: TriggerHost,
        call_in_loop: Callable[[Callable[[], None]], object],
        clock: Clock,
        late_s: float,
        selector: SleepAwareSelector,
    ) -> None:
        """`call_in_loop` has the loop call a function; `late_s`: seconds that the loop may be late before a report."""
        super().__init__(name="block-watch", daemon=True)
        self._selector = selector
        self._host = host
        self._call_in_loop = call_in_loop
        self._clock = clock
        self._late_s = late_s
        self._main = threading.get_ident()
        self._parent = os.getppid()
        self._has_answered = threading.Event()
        self._is_stopped = threading.Event()

    def run(self) -> None:
        while not self._is_stopped.wait(CHECK_EVERY_S):
            exit_if_orphaned(self._parent)  # the loop may never notice
            if self._selector.is_asleep:
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
        """End the thread at its next check."""
        self._is_stopped.set()

    def _report_block(self, began: float) -> None:
        """Report the trigger that blocks the loop, and the end of the block. Many triggers that are due at once are not reported."""
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
            seconds=self._clock.monotonic() - began,
            number=report.number,
            classpath=report.classpath,
            task=report.task,
            stack=report.stack,
            is_over=True,
        )
        self._send_report(after)

    def _send_report(self, report: LoopBlocked) -> None:
        name = report.classpath or "something"
        _log.warning(
            "loop_blocked" if not report.is_over else "loop_unblocked",
            trigger=name,
            task=report.task,
            seconds=round(report.seconds, 2),
            stack=report.stack,
            remedy="use `await` in the trigger, and asyncio.to_thread for code that blocks",
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
    """The stack of the loop's thread, from the author's code on."""
    frames = traceback.extract_stack(frame)
    ours = [index for index, entry in enumerate(frames) if entry.filename.startswith(_OWN_FOLDER)]
    return "".join(
        traceback.format_list(frames[ours[-1] + 1 if ours and ours[-1] + 1 < len(frames) else 0 :][-FRAMES_MAX:])
    )
