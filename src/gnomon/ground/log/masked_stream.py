"""A stream of text in pieces of any length, written on with hidden secrets: what may be the beginning of a secret waits for a moment."""

from __future__ import annotations

import threading
from collections.abc import Callable

from gnomon.ground.log.secret_masks import StreamMasker

HOLD_S = 0.3
"""How long the beginning of a possible secret is held back, so that a reader of a live log sees the end of a prompt or a progress bar."""


class MaskedStream:
    """Writes pieces of text on, with hidden secrets, also those that are spread over several pieces. Threads may share it."""

    def __init__(self, write: Callable[[str], object], hold_s: float = HOLD_S) -> None:
        """`write` gets text that may be shown. `hold_s`: seconds after which it also gets the beginning of a possible secret."""
        self._write = write
        self._hold_s = hold_s
        self.renew()

    def renew(self) -> None:
        """Forget what is held back. A fork calls this: its parent writes that text, and the locks may be of threads that the fork does not have."""
        self._masker = StreamMasker()
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None

    def feed(self, text: str) -> None:
        """Write the text, but for an end that may be the beginning of a secret."""
        with self._lock:
            shown = self._masker.feed(text)
            if shown:
                self._write(shown)
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._masker.is_holding:
                self._timer = threading.Timer(self._hold_s, self.release)
                self._timer.daemon = True
                self._timer.start()

    def release(self) -> None:
        """Write what is held back. If the rest of a secret follows, that rest is hidden."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            held_back = self._masker.release()
            if held_back:
                self._write(held_back)
