"""Requests of author code to the task API, and their responses, on the socket of any process that author code runs in."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from gnomon.ground.log import EventLogger
from gnomon.model.errors.product import GnomonError
from gnomon.model.task_api_requests import AnyTaskApiRequest


class Message(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """Base of all messages; the class name is the tag."""


class TaskApiRequestMessage(Message, frozen=True, kw_only=True, tag=True):
    """Author code makes a request; the response has the same number."""

    number: int
    request: AnyTaskApiRequest


class TaskApiResponse(Message, frozen=True, kw_only=True, tag=True):
    """The response to the request with this number; `error` is set when the request was refused."""

    number: int
    value: object = None
    error: str | None = None

    def unwrap(self, error_class: type[Exception]) -> object:
        """The value. Raises `error_class` with the text of the refusal when the request was refused."""
        if self.error is not None:
            raise error_class(self.error)
        return self.value


TaskApiHandler = Callable[[AnyTaskApiRequest], object]
"""Returns the value of the response to a request of author code (a Variable); raises GnomonError to refuse it."""


def answer_request(
    handler: TaskApiHandler,
    message: TaskApiRequestMessage,
    *,
    log: EventLogger,
    refusals: tuple[type[Exception], ...] = (GnomonError,),
    reraised: tuple[type[Exception], ...] = (),
) -> TaskApiResponse:
    """The response to the message: the handler's value, or the text of its refusal.

    `refusals`: exceptions whose text is for the author. `reraised`: exceptions that the caller handles. Any other exception
    is logged with its traceback and named in the response: a request never ends the service that answers it.
    """
    try:
        return TaskApiResponse(number=message.number, value=handler(message.request))
    except reraised:
        raise
    except refusals as error:
        return TaskApiResponse(number=message.number, error=str(error))
    except Exception as error:
        name = type(message.request).__name__
        log.exception("request_failed", request=name)
        return TaskApiResponse(
            number=message.number,
            error=f"{name} could not be answered: internal error ({type(error).__name__}); the log of the service has the traceback",
        )
