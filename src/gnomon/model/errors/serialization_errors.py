"""Values that cannot be stored, read back or mapped over."""

from __future__ import annotations

from gnomon.model.errors.airflow_errors import AirflowException


class SerializationError(AirflowException):
    """A value cannot be stored."""


class DeserializationError(AirflowException):
    """A stored value cannot be read."""


class ClassNotAllowed(DeserializationError, ImportError):
    """A stored value is an object of a class that `[core] allowed_deserialization_classes` does not allow."""


class DeserializingResultError(ValueError):
    """The result of a task in another interpreter cannot be read."""


class NotSerializable(SerializationError, TypeError):
    """A value, or a part of it, has no form in typed JSON: `path` is the place inside the value, `kind` its type."""

    def __init__(self, what: str, path: str, kind: str, remedy: str) -> None:
        location = f" at {path}" if path else ""
        super().__init__(f"{what} cannot be stored: {kind}{location} has no JSON form. {remedy}")
        self.path = path
        self.kind = kind


class XComOverLimit(AirflowException, ValueError):
    """An XCom exceeds the limit: the message names the key, the size and the limit, and shows the beginning of the value."""


class MappingNotSupported(AirflowException, NotImplementedError):
    """The number of instances would differ between the instances of a mapped group, which is not supported."""
