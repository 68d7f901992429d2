"""Objects of authors' classes: with `serialize()`, dataclasses, classes of attrs, models of pydantic.

Source: Airflow's documentation, "Serialization". What differs is in docs/reference/airflow-differences.md.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, cast

from gnomon.authoring.sdk.serialization.allowed_classes import check_allowed
from gnomon.authoring.sdk.serialization.class_paths import load_path, write_path
from gnomon.authoring.sdk.serialization.version_check import check_version
from gnomon.model.errors.authoring import DeserializationError
from gnomon.model.errors.error_text import error_text
from gnomon.model.serde.stored_objects import NoStoredForm, StoredObject

_PYDANTIC_VERSION = 1


def describe(value: object) -> StoredObject | None:
    """What is stored of the object; None when its class has none of the four forms. Raises NoStoredForm, and what `serialize()` raises."""
    cls = type(value)
    if isinstance(value, type):
        return None
    if _is_pydantic_model(cls):
        return StoredObject(write_path(cls), _PYDANTIC_VERSION, _dump_model(value))
    if callable(getattr(cls, "serialize", None)):
        return StoredObject(write_path(cls), _read_version(cls), cast(Any, value).serialize())
    if dataclasses.is_dataclass(cls):
        return StoredObject(
            write_path(cls),
            _read_version(cls),
            {field.name: getattr(value, field.name) for field in dataclasses.fields(cls) if hasattr(value, field.name)},
        )
    if "__attrs_attrs__" in vars(cls):
        return StoredObject(
            write_path(cls),
            _read_version(cls),
            {field.name: getattr(value, field.name) for field in cast(Any, cls).__attrs_attrs__ if field.init},
        )
    return None


def make(stored: StoredObject) -> object:
    """The object. Raises ClassNotAllowed before anything of the class is imported, DeserializationError, and what the class raises."""
    check_allowed(stored.classname)
    cls = load_path(stored.classname)
    if _is_pydantic_model(cls):
        check_version(stored, _PYDANTIC_VERSION)
        return _validate_model(cls, stored.data)
    if callable(deserialize := getattr(cls, "deserialize", None)):
        return deserialize(stored.data, stored.version)
    if dataclasses.is_dataclass(cls):
        check_version(stored, _read_version(cls))
        return _make_dataclass(cls, _check_fields(stored))
    if "__attrs_attrs__" in vars(cls):
        check_version(stored, _read_version(cls))
        aliases = {field.name: field.alias or field.name for field in cast(Any, cls).__attrs_attrs__}
        return cls(**{aliases.get(name, name): value for name, value in _check_fields(stored).items()})
    raise DeserializationError(
        f"The stored object of class {stored.classname} cannot be made: give the class a static method deserialize(data, version), or make it a dataclass."
    )


def _is_pydantic_model(cls: type) -> bool:
    return (
        hasattr(cls, "__pydantic_fields__")
        and hasattr(cls, "__pydantic_validator__")
        and not dataclasses.is_dataclass(cls)
    )


def _dump_model(value: object) -> object:
    try:
        data: object = cast(Any, value).model_dump(mode="json", round_trip=True)
    except (ValueError, TypeError) as error:  # a field that its class writes in no JSON, such as bytes that are no text
        raise NoStoredForm(
            f"pydantic cannot write it as JSON ({error_text(error)}). Give its class a serializer for the field."
        ) from error
    return data


def _validate_model(cls: Any, data: object) -> object:
    """The model; its data have the names of fields, which a model with aliases only takes when it is told so."""
    names = {"by_alias": True, "by_name": True} if "by_name" in inspect.signature(cls.model_validate).parameters else {}
    return cls.model_validate(data, **names)


def _read_version(cls: type) -> int:
    version = getattr(cls, "__version__", 0)
    if type(version) is not int:
        raise NoStoredForm(f"Its class has __version__ = {version!r}; write a whole number.")
    return version


def _check_fields(stored: StoredObject) -> dict[str, Any]:
    if not isinstance(stored.data, dict):
        raise DeserializationError(
            f"The stored object of class {stored.classname} holds no fields, but a {type(stored.data).__name__}."
        )
    return stored.data


def _make_dataclass(cls: Any, data: dict[str, Any]) -> object:
    """The object. Fields that its constructor does not take (`init=False`) are set afterwards, as they were."""
    later = {field.name for field in dataclasses.fields(cls) if not field.init}
    instance = cls(**{name: value for name, value in data.items() if name not in later})
    for name in later & data.keys():
        object.__setattr__(instance, name, data[name])
    return instance
