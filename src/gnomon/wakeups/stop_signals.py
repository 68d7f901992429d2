"""How a process in the foreground is told to stop: a flag, and a descriptor that ends its sleep."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from types import FrameType

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class StopFlag:
    """Becomes true with the first SIGTERM, Ctrl-C or hang-up; `times` counts them.

    Its descriptor is readable from then on. `wake` is called too, for a main loop that sleeps on something else.
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
        """These signals set the flag of this process from now on."""
        for number in signals:
            signal.signal(number, self._on_signal)
        return self

    def close(self) -> None:
        """The descriptors are closed, as in a forked child that has no use for them."""
        os.close(self._reading)
        os.close(self._writing)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.signal_count += 1
        if self.signal_count == 1:
            os.write(self._writing, b"!")
        self._wake()


def reset_signals() -> None:
    """A forked child answers to signals as a new process would, and writes to nobody's wake-up descriptor."""
    signal.set_wakeup_fd(-1)
    for number in (*STOP_SIGNALS, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
