"""The messages between the process that sends a message and the process that calls a notifier."""

from __future__ import annotations

from typing import Any

from gnomon.author_code.processes.task_api_messages import Message, TaskApiRequestMessage, TaskApiResponse


class NotifierRequest(Message, frozen=True, kw_only=True, tag=True):
    """Call this notifier with these arguments, and with this context."""

    class_path: str
    arguments: dict[str, Any]
    context: dict[str, Any]
    timeout_s: float


class NotifierResult(Message, frozen=True, kw_only=True, tag=True):
    """How the call ended; `error` None: the notifier returned."""

    error: str | None = None
    is_final: bool = False
    """The class cannot be loaded or created: another try would not help."""


ToNotifier = NotifierRequest | TaskApiResponse
FromNotifier = NotifierResult | TaskApiRequestMessage
