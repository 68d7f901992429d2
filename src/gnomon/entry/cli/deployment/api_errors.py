"""The errors of a command that works over the API. The sentences of the deployment stay as they are."""

from __future__ import annotations

from gnomon.model.errors.product import ResourceUnavailable, UserError
from gnomon.model.sentences import Sentence


class ApiRefusal(UserError):
    """The deployment refused an operation. `kind`: the name of the class of its error."""

    def __init__(self, message: Sentence, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


class ApiLoginRequired(UserError):
    """The request has no token that the deployment accepts."""


class ApiMismatch(UserError):
    """What answers is no Gnomon, or a Gnomon of a version with other operations."""


class ApiUnreachable(ResourceUnavailable):
    """No answer, or one that says that the deployment cannot answer now."""


def name_error(error: Exception) -> str:
    """The name of the class of an error, also of one that was raised behind the API."""
    return error.kind if isinstance(error, ApiRefusal) else type(error).__name__
