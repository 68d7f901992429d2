"""The base classes of the errors that authors raise and catch."""

from __future__ import annotations


class AirflowException(Exception):
    """Base of the errors of the dialect; raised in a task, it fails the try."""

    status_code = 500


class AirflowBadRequest(AirflowException):
    """The request is not valid."""

    status_code = 400


class AirflowNotFoundException(AirflowException):
    """The requested object does not exist."""

    status_code = 404


class AirflowConfigException(AirflowException):
    """An option has no usable value."""


class AirflowInternalRuntimeError(BaseException):
    """Ends the process: an invariant of the product does not hold."""


class AirflowRuntimeError(AirflowException):
    """The server refused a request of a task; `error` holds its answer."""

    def __init__(self, error: object) -> None:
        super().__init__(str(error))
        self.error = error
