"""One line on stderr that says how far a command is. It is rewritten in place on a terminal, and absent elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType

from gnomon.entry.cli.terminal.guarded_output import write_controls
from gnomon.entry.cli.terminal.screen import Screen, read_screen_of

_BAR = 24
"""Characters of a bar."""


class ProgressLine:
    """A line that `show` and `show_share` rewrite; it is erased at the end of the block."""

    def __init__(self, screen: Screen | None = None) -> None:
        self._screen = read_screen_of(sys.stderr) if screen is None else screen
        self.is_shown = self._screen.can_redraw
        """False when stderr is no terminal: then nothing is written."""

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._write("")

    def show(self, text: str) -> None:
        """Replace the line by the text, cut to the width of the terminal."""
        self._write(text[: self._screen.width - 1])

    def show_share(self, done: int, total: int, what: str) -> None:
        """Replace the line by a bar: `done` of `total`."""
        filled = _BAR * done // max(total, 1)
        full, empty = ("█", "░") if self._screen.has_unicode else ("#", ".")
        self.show(f"{full * filled}{empty * (_BAR - filled)} {done} of {total} {what}")

    def _write(self, text: str) -> None:
        if self.is_shown:
            write_controls(sys.stderr, f"\r\x1b[K{text}")
            sys.stderr.flush()
