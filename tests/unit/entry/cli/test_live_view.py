"""A live view leaves the terminal as it was, whatever ends it: a key, Ctrl-C, SIGTERM, or an error."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from typing import Any

import pytest

_TIMEOUT_S = 30.0
_ENTER, _LEAVE = b"\x1b[?1049h\x1b[?25l", b"\x1b[?25h\x1b[?1049l"
_PROGRAM = """
import sys
from gnomon.entry.cli.terminal.live_view import watch
from gnomon.ground.clock import SystemClock
drawn = 0
def draw(screen):
    global drawn
    drawn += 1
    if drawn > 1 and sys.argv[1] == "fail":
        raise RuntimeError("the picture failed")
    return ["first line", "picture %d" % drawn]
watch(draw, SystemClock(), 0.1 if sys.argv[1] == "fail" else 60.0, "use --once")
"""


class _Terminal:
    """A program whose terminal is a new pseudo-terminal."""

    def __init__(self, how: str) -> None:
        self.own, self._other = pty.openpty()
        self.settings = termios.tcgetattr(self._other)
        environment = os.environ | {"TERM": "xterm"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, how],
            stdin=self._other,
            stdout=self._other,
            stderr=self._other,
            start_new_session=True,
            env=environment,
            preexec_fn=self._take_terminal,
        )
        self.output = b""

    @staticmethod
    def _take_terminal() -> None:
        import fcntl

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def read_until(self, text: bytes) -> None:
        until = time.monotonic() + _TIMEOUT_S
        while text not in self.output:
            assert time.monotonic() < until, self.output
            if select.select([self.own], [], [], 0.1)[0]:
                self.output += os.read(self.own, 65536)

    def read_settings(self) -> list[Any]:
        return termios.tcgetattr(self._other)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.own)
        os.close(self._other)


@pytest.fixture
def terminal(request: pytest.FixtureRequest) -> Iterator[_Terminal]:
    started = _Terminal(request.param)
    yield started
    started.close()


def _check_restored(terminal: _Terminal, code: int) -> None:
    terminal.read_until(_LEAVE)
    assert terminal.process.wait(_TIMEOUT_S) == code
    assert terminal.output.count(_ENTER) == terminal.output.count(_LEAVE) == 1
    assert terminal.read_settings() == terminal.settings


@pytest.mark.parametrize("terminal", ["wait"], indirect=True)
@pytest.mark.parametrize(("key", "code"), [(b"q", 0), (b"\x1b", 0), (b"\x03", 0)], ids=["q", "Escape", "Ctrl-C"])
def test_a_key_ends_the_view(terminal: _Terminal, key: bytes, code: int) -> None:
    terminal.read_until(b"picture 1")
    assert terminal.read_settings() != terminal.settings
    os.write(terminal.own, key)
    _check_restored(terminal, code)
    assert b"Traceback" not in terminal.output


@pytest.mark.parametrize("terminal", ["wait"], indirect=True)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_view_with_its_number(terminal: _Terminal, number: signal.Signals) -> None:
    terminal.read_until(b"picture 1")
    terminal.process.send_signal(number)
    _check_restored(terminal, 128 + number)
    assert b"Traceback" not in terminal.output


@pytest.mark.parametrize("terminal", ["wait"], indirect=True)
def test_another_key_draws_at_once(terminal: _Terminal) -> None:
    terminal.read_until(b"picture 1")
    os.write(terminal.own, b"\x1b[A")
    terminal.read_until(b"picture 2")
    os.write(terminal.own, b"q")
    _check_restored(terminal, 0)


@pytest.mark.parametrize("terminal", ["fail"], indirect=True)
def test_an_error_appears_after_the_terminal_is_restored(terminal: _Terminal) -> None:
    terminal.read_until(b"RuntimeError: the picture failed")
    _check_restored(terminal, 1)
    assert terminal.output.index(_LEAVE) < terminal.output.index(b"Traceback")
