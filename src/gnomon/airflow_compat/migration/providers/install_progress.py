"""What `gnomon providers install` says while pip or uv works: a live line on a terminal, plain lines elsewhere, on stderr."""

from __future__ import annotations

from types import TracebackType

import click

from gnomon.entry.cli.terminal.progress_line import ProgressLine


class InstallProgress:
    """Shows the step of the installation, and what the installer does in it. May be entered several times."""

    def __init__(self, line: ProgressLine | None = None) -> None:
        self._line = ProgressLine() if line is None else line
        self._step = ""
        self._last = ""

    def __enter__(self) -> InstallProgress:
        self._line.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._line.__exit__(kind, error, trace)

    def begin(self, step: str) -> None:
        """Show that a step begins."""
        self._step = step
        self._write(step)

    def show(self, what: str) -> None:
        """Show what the installer does, in another thread too."""
        self._write(f"{self._step.partition(':')[0]}: {what}" if self._line.is_shown else f"  {what}")

    def _write(self, text: str) -> None:
        if self._line.is_shown:
            self._line.show(text)
        elif text != self._last:
            click.echo(text, err=True)
        self._last = text
