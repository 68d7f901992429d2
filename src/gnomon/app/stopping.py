"""How a process in the foreground is told to stop."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class StopFlag:
    """Becomes true with the first SIGTERM, Ctrl-C or hang-up; `times` counts them. `wake` ends a sleep of the main loop."""

    def __init__(self, wake: Callable[[], object] = lambda: None) -> None:
        self.times = 0
        self._wake = wake

    def __call__(self) -> bool:
        return self.times > 0

    def listen(self) -> StopFlag:
        """This process's stop signals set the flag from now on."""
        for number in STOP_SIGNALS:
            signal.signal(number, self._on_signal)
        return self

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.times += 1
        self._wake()


def forget_signals() -> None:
    """A forked child answers to signals as a new process would, and has no one else's wake-up descriptor."""
    signal.set_wakeup_fd(-1)
    for number in (*STOP_SIGNALS, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
