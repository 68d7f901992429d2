"""The interface of the worker loop to its ChildPool."""

from __future__ import annotations

from typing import Protocol

from gnomon.model.task_api_requests import AnyTaskApiRequest
from gnomon.services.worker.attempt_registry import PendingAttempt
from gnomon.services.worker.child_process import ChildProcess
from gnomon.services.worker.zygote_clients import FileZygoteClient


class ChildPoolCallbacks(Protocol):
    """What a ChildPool calls in the worker loop."""

    def watch_zygote(self, zygote: FileZygoteClient) -> None:
        """Call `ChildPool.handle_zygote_messages` when the socket of the zygote is readable."""

    def unwatch_zygote(self, zygote: FileZygoteClient) -> None:
        """Stop watching the socket of the zygote."""

    def watch_child(self, child: ChildProcess) -> None:
        """Watch the socket of a new child."""

    def answer_import_request(self, request: AnyTaskApiRequest) -> object:
        """The value of the response to a request of a file that is being imported. Raises as `WorkerStore.answer_request` does."""

    def start_attempt(self, child: ChildProcess, pending: PendingAttempt) -> None:
        """Send the attempt to the child."""

    def on_child_exit(self, child: ChildProcess, code: int | None) -> None:
        """The process of the child ended with this code (None: unknown)."""

    def child_refused(self, child: ChildProcess) -> None:
        """The machine refused the process of the child."""

    def give_back(self, pending: PendingAttempt, reason: str) -> None:
        """The attempt has waited for a process for too long: end it as lost."""
