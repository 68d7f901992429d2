"""."""

from __future__ import annotations

import msgspec

from gnomon.model.task_api_requests import AnyTaskApiRequest


class Message(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """Base of all messages; the class name is the tag."""


class TaskApiRequestMessage(Message, frozen=True, kw_only=True, tag=True):
    """A question of author code."""

    number: int
    request: AnyTaskApiRequest


class TaskApiResponse(Message, frozen=True, kw_only=True, tag=True):
    """The answer to question `number`; `error` is set when it was refused."""

    number: int
    value: object = None
    error: str | None = None
