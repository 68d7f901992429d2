"""A picture that fills the terminal and is drawn again and again, until q or Ctrl-C."""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Callable, Sequence
from types import FrameType, TracebackType
from typing import Any

import click

from gnomon.entry.cli.deployment.api_errors import ApiUnreachable
from gnomon.entry.cli.terminal.guarded_output import guard, write_controls
from gnomon.entry.cli.terminal.screen import Screen, read_screen
from gnomon.ground.clock import Clock
from gnomon.model.errors.product import ResourceUnavailable, UserError
from gnomon.model.sentences import Sentence, say

REST = 10.0
"""The pause after a picture is at least this multiple of the time that reading it took, so that a view does not load the database."""
_SLICE_S = 0.25
"""How often the size of the terminal is looked at."""
_QUIT = {"q", "Q", "\x1b", "\x04"}


def watch(draw: Callable[[Screen], Sequence[str]], clock: Clock, interval_s: float, once: Sentence) -> None:
    """Draw the lines of `draw` every `interval_s` seconds until a key quits.

    While the database or the API is unavailable its error is shown, and the view goes on. Raises UserError when stdout cannot be redrawn; `once` is
    the remedy.
    """
    if not read_screen().can_redraw:
        raise UserError(say("terminal_cannot_redraw", hint=once))
    with LiveView() as view:
        while True:
            begun = clock.monotonic()
            screen = read_screen()
            try:
                lines = list(draw(screen))
            except ResourceUnavailable as error:
                subject = "" if isinstance(error, ApiUnreachable) else "the database is unavailable: "
                lines = [screen.paint(f"{subject}{error}", "red")]
            view.show(lines, screen)
            if view.wait(max(interval_s, REST * (clock.monotonic() - begun)), clock):
                return


class LiveView:
    """The second screen of the terminal, which is left as it was at the end of the block."""

    def __init__(self) -> None:
        self._settings: list[Any] | None = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> LiveView:
        if sys.stdin.isatty():
            self._settings = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)
        self._handlers = {number: signal.signal(number, _exit_on_signal) for number in (signal.SIGTERM, signal.SIGHUP)}
        write_controls(sys.stdout, "\x1b[?1049h\x1b[?25l")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        try:
            write_controls(sys.stdout, "\x1b[?25h\x1b[?1049l")
            sys.stdout.flush()
        finally:
            if self._settings is not None:
                termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._settings)
            for number, handler in self._handlers.items():
                signal.signal(number, handler)
        return kind is KeyboardInterrupt

    def show(self, lines: Sequence[str], screen: Screen) -> None:
        """Replace the picture; lines below the end of the screen are not shown."""
        shown = "\x1b[K\r\n".join(map(guard, lines[: screen.height]))
        write_controls(sys.stdout, f"\x1b[H{shown}\x1b[K\x1b[J")
        sys.stdout.flush()

    def wait(self, seconds: float, clock: Clock) -> bool:
        """Wait for a key, or a new size of the terminal, at most so long; True when the key quits."""
        until = clock.monotonic() + seconds
        size = shutil.get_terminal_size()
        while (remaining_s := until - clock.monotonic()) > 0 and shutil.get_terminal_size() == size:
            inputs = [sys.stdin] if self._settings is not None else []
            ready, _, _ = select.select(inputs, [], [], min(remaining_s, _SLICE_S))
            if ready:
                key = os.read(sys.stdin.fileno(), 16).decode(errors="replace")
                return not key or key in _QUIT  # any other key: draw now
        return False


def cut(text: str, width: int) -> str:
    """The text, which may have colours, in at most `width` columns; a cut text ends with `…`."""
    if len(click.unstyle(text)) <= width:
        return text
    shown, length, position = "", 0, 0
    while length < width - 1:
        if text[position] == "\x1b":
            end = text.index("m", position) + 1
            shown, position = shown + text[position:end], end
        else:
            shown, position, length = shown + text[position], position + 1, length + 1
    return shown + "…" + ("\x1b[0m" if "\x1b" in text else "")


def _exit_on_signal(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
