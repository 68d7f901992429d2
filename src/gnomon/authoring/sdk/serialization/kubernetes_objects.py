"""Objects of the Kubernetes client, as the API of Kubernetes writes them. Airflow stores pods and resources so, and does not read them back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kubernetes.client import ApiClient, models

from gnomon.authoring.sdk.serialization.version_check import check_version
from gnomon.model.serde.stored_objects import StoredObject

_VERSION = 1
_MODELS = "kubernetes.client.models."


def describe(value: object) -> StoredObject | None:
    """What is stored of a model such as V1Pod; None for other objects of the client."""
    kind = type(value)
    if not kind.__module__.startswith(_MODELS):
        return None
    client: Any = ApiClient()
    return StoredObject(f"{kind.__module__}.{kind.__qualname__}", _VERSION, client.sanitize_for_serialization(value))


def find_reader(classname: str) -> Callable[[StoredObject], Any] | None:
    """The function that makes a model of this class; None for other classes."""
    return _read if classname.startswith(_MODELS) and hasattr(models, classname.rpartition(".")[2]) else None


def _read(stored: StoredObject) -> Any:
    check_version(stored, _VERSION)
    client: Any = ApiClient()
    read = (
        client._ApiClient__deserialize
    )  # the public method takes an answer of HTTP, whose class differs between releases
    return read(stored.data, stored.classname.rpartition(".")[2])
