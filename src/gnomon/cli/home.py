"""What a command works on: the options of this process, and the database once it is asked for."""

from __future__ import annotations

import os
import pwd
from functools import cached_property

import click

from gnomon.clock import Clock, SystemClock
from gnomon.config import Config, ambient


class Home:
    """The options, the clock and who is asking. Nothing is read before it is needed."""

    def __init__(self, cfg: Config | None = None, clock: Clock | None = None) -> None:
        self._cfg = cfg
        self.clock: Clock = clock if clock is not None else SystemClock()

    @cached_property
    def cfg(self) -> Config:
        """The options that hold; ConfigMistake when one is wrong."""
        return self._cfg if self._cfg is not None else ambient()

    @cached_property
    def by(self) -> str:
        """Who asks, for the audit log: `cli:<user of this machine>`."""
        try:
            return f"cli:{pwd.getpwuid(os.getuid()).pw_name}"
        except KeyError:
            return f"cli:{os.getuid()}"


pass_home = click.make_pass_decorator(Home, ensure=True)
