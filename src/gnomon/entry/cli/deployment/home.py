"""`Home`, the object that every command receives: the options, the clock, the user, and the database when it is needed."""

from __future__ import annotations

import functools
import os
import pwd
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from gnomon.entry.cli.deployment.api_target import api_options, require_home
from gnomon.ground.clock import Clock, SystemClock
from gnomon.ground.config import Config, current_config, run_folder

if TYPE_CHECKING:
    from gnomon.changes.actions.admin_changes import AdminChanges
    from gnomon.model.accounts import Author
    from gnomon.storage.store import Database, Transaction

F = TypeVar("F", bound=Callable[..., Any])


class Home:
    """The options, the clock and the user of a command. Nothing is read before it is needed.

    `sleep`: called with seconds while a command waits; tests replace it.
    """

    def __init__(
        self, cfg: Config | None = None, clock: Clock | None = None, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._cfg = cfg
        self.clock: Clock = clock if clock is not None else SystemClock()
        self.sleep = sleep

    @cached_property
    def cfg(self) -> Config:
        """The effective options. Raises ConfigurationError when an option is invalid."""
        return self._cfg if self._cfg is not None else current_config()

    @cached_property
    def by(self) -> str:
        """The user of this command, for the event log: `cli:<name of the user on this machine>`."""
        try:
            return f"cli:{pwd.getpwuid(os.getuid()).pw_name}"
        except KeyError:
            return f"cli:{os.getuid()}"

    @property
    def address(self) -> None:
        """None: a command of this machine."""
        return None

    @property
    def author(self) -> Author:
        """The user of this command and now, for a change that the audit log names."""
        from gnomon.model.accounts import Author  # start-up cost: only changes name an author

        return Author(self.by, self.clock.now())

    def changes(self, tx: Transaction) -> AdminChanges:
        """Changes of connections, Variables and pools by the user of this command."""
        from gnomon.changes.actions.admin_changes import (
            AdminChanges,  # start-up cost: most commands change none of them
        )

        return AdminChanges(tx, self.author)

    @contextmanager
    def store(self) -> Iterator[Database]:
        """The open database, closed at the end. Waits up to READY_S while a starting standalone creates or upgrades it."""
        from gnomon.entry.cli.database_access import open_when_ready  # start-up cost: the store

        database = open_when_ready(self.cfg, self.clock, self.sleep)
        try:
            yield database
        finally:
            database.close()

    def wake_services(self) -> None:
        """Wake every service of this home on this host, so that it reads its mailbox now."""
        from gnomon.ground.wakeups import Notifier  # start-up cost: only changes wake services

        Notifier(run_folder(self.cfg.home)).notify()


def pass_home(command: F) -> F:
    """Call the command with the home as first argument. It works on a home only, and says so when an API is named."""

    @functools.wraps(command)
    @click.pass_context
    def run(context: click.Context, *args: Any, **kwargs: Any) -> Any:
        require_home(context)
        return context.invoke(command, context.ensure_object(Home), *args, **kwargs)

    return cast(F, api_options(run, hidden=True))
