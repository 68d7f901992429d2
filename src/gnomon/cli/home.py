"""What a command works on: the options of this process, and the database once it is asked for."""

from __future__ import annotations

import os
import pwd
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import click

from gnomon.clock import Clock, SystemClock
from gnomon.config import Config, current_config, run_folder

if TYPE_CHECKING:
    from gnomon.store import Database


class Home:
    """The options, the clock and who is asking. Nothing is read before it is needed."""

    def __init__(
        self, cfg: Config | None = None, clock: Clock | None = None, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._cfg = cfg
        self.clock: Clock = clock if clock is not None else SystemClock()
        self.sleep = sleep

    @cached_property
    def cfg(self) -> Config:
        """The options that hold; ConfigMistake when one is wrong."""
        return self._cfg if self._cfg is not None else current_config()

    @cached_property
    def by(self) -> str:
        """Who asks, for the audit log: `cli:<user of this machine>`."""
        try:
            return f"cli:{pwd.getpwuid(os.getuid()).pw_name}"
        except KeyError:
            return f"cli:{os.getuid()}"

    @contextmanager
    def store(self) -> Iterator[Database]:
        """The database, closed at the end; waits shortly while somebody else is making or upgrading it."""
        from gnomon.cli.database_access import open_when_ready

        database = open_when_ready(self.cfg, self.clock, self.sleep)
        try:
            yield database
        finally:
            database.close()

    def wake_services(self) -> None:
        """Every service of this host looks at its mail now."""
        from gnomon.wakeups import Notifier

        Notifier(run_folder(self.cfg.home)).notify()


pass_home = click.make_pass_decorator(Home, ensure=True)
