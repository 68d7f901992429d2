"""`Actor`: the user for whom something is done, and what an action needs of its process."""

from __future__ import annotations

from typing import Protocol

from gnomon.ground.clock import Clock
from gnomon.ground.config import Config


class Actor(Protocol):
    """The options, the clock and the user of an action."""

    clock: Clock

    @property
    def cfg(self) -> Config:
        """The effective options."""

    @property
    def by(self) -> str:
        """The user, for the event log: `cli:<name>` or `api:<name>`."""

    @property
    def address(self) -> str | None:
        """The address from which the user asks; None for a command on this machine."""

    def sleep(self, seconds: float, /) -> object:
        """Wait, for an action that polls."""

    def wake_services(self) -> None:
        """Wake every service of the home on this host, so that it reads its mailbox now."""
