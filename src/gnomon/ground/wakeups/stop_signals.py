"""The stop flag of a process: set by signals, with a descriptor that ends a sleep."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from types import FrameType

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class StopFlag:
    """Becomes true with the first SIGTERM, SIGINT or SIGHUP; `signal_count` counts them.

    The descriptor is readable from then on. `wake` is also called, for a main loop that sleeps on something else.
    """

    def __init__(self, wake: Callable[[], object] = lambda: None) -> None:
        self.signal_count = 0
        self._wake = wake
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)

    def __call__(self) -> bool:
        return self.signal_count > 0

    def fileno(self) -> int:
        return self._reading

    def install_handlers(self, signals: Iterable[signal.Signals] = STOP_SIGNALS) -> StopFlag:
        """Install handlers so that these signals set the flag; returns the flag."""
        for number in signals:
            signal.signal(number, self._on_signal)
        return self

    def close(self) -> None:
        """Close the descriptors, as in a forked child that does not use them."""
        os.close(self._reading)
        os.close(self._writing)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.signal_count += 1
        if self.signal_count == 1:
            os.write(self._writing, b"!")
        self._wake()


def reset_signals() -> None:
    """Restore default signal handling in a forked child, and detach it from the parent's wake-up descriptor."""
    signal.set_wakeup_fd(-1)
    for number in (*STOP_SIGNALS, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
