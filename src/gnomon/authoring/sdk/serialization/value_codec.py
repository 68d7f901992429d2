"""Values of authors as typed JSON text and back, with the types of libraries and the classes of authors.

Airflow's names and forms of these types are kept (Airflow's documentation, "Serialization"), so that both read what the other stored.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

from gnomon.authoring.sdk.serialization import author_objects
from gnomon.model import serde
from gnomon.model.errors.authoring import AirflowException, DeserializationError
from gnomon.model.errors.error_text import class_name, error_text
from gnomon.model.serde.stored_objects import StoredObject
from gnomon.model.serde.text_form import describe_stored

_SDK = "gnomon.authoring.sdk"
_WRITERS = {
    "gnomon": "assets.own_objects",
    "kubernetes": "serialization.kubernetes_objects",
    "deltalake": "serialization.table_references",
    "numpy": "serialization.numpy_values",
    "pandas": "serialization.pandas_values",
    "pathlib": "serialization.standard_values",
    "pendulum": "serialization.standard_values",
    "polars": "serialization.polars_frames",
    "pyiceberg": "serialization.table_references",
}
"""The first part of the module of a type to the module of the sdk that has `describe` for it."""
_READERS = {
    **_WRITERS,
    "airflow": "assets.own_objects",
    **dict.fromkeys(("builtins", "datetime", "decimal", "uuid", "zoneinfo"), "serialization.standard_values"),
}
"""The first part of a stored class name to the module of the sdk that has `find_reader` for it."""


def dumps(value: object, *, what: str = "The value") -> str:
    """The value as typed JSON text. `what`: its name in errors. Raises NotSerializable, with the path inside the value and a remedy."""
    return serde.dumps(value, what=what, describe_object=describe_object)


def loads(text: str) -> object:
    """The value of a stored text. Raises DeserializationError: no typed JSON, a class that is not allowed, an object that cannot be made."""
    return serde.loads(text, make_object=make_object)


def serialize(value: object) -> object:
    """What is stored of a value, as JSON values. Raises NotSerializable."""
    stored: object = json.loads(dumps(value))
    return stored


def deserialize(stored: object, full: bool = True) -> object:
    """The value of `serialize`; with `full=False` its text form, for which no object is made. Raises DeserializationError."""
    return loads(json.dumps(stored)) if full else describe_stored(stored)


def describe_object(value: object) -> StoredObject | None:
    """What is stored of a value of a library or of an author's class; None for others. Raises NoStoredForm."""
    module = type(value).__module__
    package = module.partition(".")[0] if isinstance(module, str) else ""
    writer = _WRITERS.get(package)
    stored: StoredObject | None = None if writer is None else import_module(f"{_SDK}.{writer}").describe(value)
    return author_objects.describe(value) if stored is None and package != "gnomon" else stored


def make_object(stored: StoredObject) -> object:
    """The object. Raises DeserializationError, ClassNotAllowed."""
    try:
        reader = _find_reader(stored.classname)
        return author_objects.make(stored) if reader is None else reader(stored)
    except AirflowException:
        raise
    except ModuleNotFoundError as error:
        raise DeserializationError(
            f"The stored value is an object of class {stored.classname}, and the module {error.name!r} is not installed here: install it where the task "
            "runs."
        ) from error
    except Exception as error:  # code of a library, or of an author
        raise DeserializationError(
            f"The stored object of class {stored.classname} cannot be made: {class_name(error)}: {error_text(error)}"
        ) from error


def _find_reader(classname: str) -> Callable[[StoredObject], Any] | None:
    name = _READERS.get(classname.partition(".")[0])
    reader: Callable[[StoredObject], Any] | None = (
        None if name is None else import_module(f"{_SDK}.{name}").find_reader(classname)
    )
    return reader
