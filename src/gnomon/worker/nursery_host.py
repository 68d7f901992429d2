"""What the nursery asks of the service that it belongs to."""

from __future__ import annotations

from typing import Protocol

from gnomon.model.questions import AnyQuestion
from gnomon.worker.children import Child
from gnomon.worker.ledger import Held
from gnomon.worker.zygotes import Zygote


class Host(Protocol):
    """The service, as the nursery needs it."""

    def watch_zygote(self, zygote: Zygote) -> None:
        """Call `obey` when the zygote speaks."""

    def forget_zygote(self, zygote: Zygote) -> None:
        """No more."""

    def watch_child(self, child: Child) -> None:
        """The child exists from now on, for all that concerns its socket."""

    def answer_import(self, question: AnyQuestion) -> object:
        """What a DAG file is told that asks while it is imported; raises in words."""

    def begin(self, child: Child, held: Held) -> None:
        """Give the attempt to the child."""

    def child_gone(self, child: Child, code: int | None) -> None:
        """The process ended."""

    def child_refused(self, child: Child) -> None:
        """The machine refused the process: its attempt waits for another, or ends when it was told to."""

    def give_back(self, held: Held, reason: str) -> None:
        """No process could be had for the attempt for too long: its scheduler decides about it anew."""
