"""Text of authors and other accounts never controls the terminal of a command, and has no escapes in a pipe."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
import pytest

from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.main import main
from gnomon.entry.cli.terminal.guarded_output import guard_terminals, write_controls

_HOSTILE = "before\x1b]0;title\x07\x1b[2J\x9b31m\u202eafter\r"
_SAFE = "before\\x1b]0;title\\x07\\x1b[2J\\x9b31m\\u202eafter\r"
ReadScreen = Callable[[], str]


class _Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


@contextmanager
def on_terminal() -> Iterator[ReadScreen]:
    """stdout and stderr are a terminal; what it has received since the last call."""
    terminal, former = _Terminal(), (sys.stdout, sys.stderr)
    sys.stdout, sys.stderr = (io.TextIOWrapper(terminal, encoding="utf-8") for _ in range(2))

    def read() -> str:
        sys.stdout.flush()
        sys.stderr.flush()
        received = terminal.getvalue().decode()
        terminal.seek(0)
        terminal.truncate()
        return received

    try:
        yield read
    finally:
        sys.stdout.detach()
        sys.stderr.detach()
        sys.stdout, sys.stderr = former


def test_a_terminal_gets_control_characters_as_escapes_and_colours_as_they_are() -> None:
    with on_terminal() as read_screen:
        guard_terminals()
        click.echo(_HOSTILE)
        assert read_screen() == _SAFE + "\n"
        click.echo(click.style("red", fg="red"), err=True)
        assert read_screen() == "\x1b[31mred\x1b[0m\n"
        write_controls(sys.stdout, "\x1b[2J")
        assert read_screen() == "\x1b[2J"


def test_a_stored_value_cannot_control_the_terminal_of_the_command_that_shows_it(home: Home) -> None:
    with on_terminal() as read_screen:
        assert main(["variables", "set", "hostile", _HOSTILE], obj=home) == 0
        assert read_screen() == "set Variable hostile\n"
        assert main(["variables", "get", "hostile"], obj=home) == 0
        assert read_screen() == _SAFE + "\n"


def test_an_error_cannot_control_the_terminal(home: Home) -> None:
    with on_terminal() as read_screen:
        assert main(["variables", "get", "\x1b[2J"], obj=home) == 1
        assert "\x1b" not in read_screen()
        assert main(["variables", "\x1b[2J"], obj=home) == 2
        assert "\x1b" not in read_screen()


def test_a_pipe_gets_no_escapes(capfd: pytest.CaptureFixture[str], home: Home) -> None:
    assert main(["variables", "set", "hostile", _HOSTILE], obj=home) == 0
    assert main(["variables", "get", "hostile"], obj=home) == 0
    assert "\x1b]0;title\x07" in capfd.readouterr().out
