"""What the nursery asks of the service that it belongs to."""

from __future__ import annotations

from typing import Protocol

from gnomon.model.task_api_requests import AnyTaskApiRequest
from gnomon.worker.attempt_registry import PendingAttempt
from gnomon.worker.child_process import ChildProcess
from gnomon.worker.zygote_clients import FileZygoteClient


class ChildPoolCallbacks(Protocol):
    """The service, as the nursery needs it."""

    def watch_zygote(self, zygote: FileZygoteClient) -> None:
        """Call `obey` when the zygote speaks."""

    def unwatch_zygote(self, zygote: FileZygoteClient) -> None:
        """No more."""

    def watch_child(self, child: ChildProcess) -> None:
        """The child exists from now on, for all that concerns its socket."""

    def answer_import_request(self, question: AnyTaskApiRequest) -> object:
        """What a DAG file is told that asks while it is imported; raises in words."""

    def start_attempt(self, child: ChildProcess, held: PendingAttempt) -> None:
        """Give the attempt to the child."""

    def on_child_exit(self, child: ChildProcess, code: int | None) -> None:
        """The process ended."""

    def child_refused(self, child: ChildProcess) -> None:
        """The machine refused the process: its attempt waits for another, or ends when it was told to."""

    def give_back(self, held: PendingAttempt, reason: str) -> None:
        """No process could be had for the attempt for too long: its scheduler decides about it anew."""
