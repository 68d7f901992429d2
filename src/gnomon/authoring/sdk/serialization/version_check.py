"""The version of stored data."""

from __future__ import annotations

from gnomon.model.errors.authoring import DeserializationError
from gnomon.model.serde.stored_objects import StoredObject


def check_version(stored: StoredObject, known_version: int) -> None:
    """Raise DeserializationError when the data were stored in a newer version than this process knows."""
    if stored.version > known_version:
        raise DeserializationError(
            f"The stored object of class {stored.classname} has version {stored.version}, and its class has version {known_version} here: update the code where "
            "the task runs, or clear the task that stored it."
        )
