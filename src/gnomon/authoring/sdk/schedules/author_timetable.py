"""Checks and stored form of timetables that authors write; both are made when the DAG file is parsed."""

from __future__ import annotations

import inspect
import json
from types import FunctionType
from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments.stored_classes import find_unserializable, hash_code
from gnomon.authoring.sdk.assets import BaseAsset
from gnomon.model.errors.authoring import AirflowTimetableInvalid
from gnomon.model.errors.error_text import describe_error, error_text
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.slots import TimetableRef
from gnomon.model.unchecked_sentences import say_unchecked
from gnomon.rules.planning.author_calls import call_author_method
from gnomon.rules.timetables.base import Timetable
from gnomon.rules.timetables.granularity import GRANULARITIES

if TYPE_CHECKING:
    from gnomon.model.sentences import Sentence

_TEXTS = ("summary", "description")


def is_author_timetable(timetable: Any) -> bool:
    """Return whether the class of the timetable is defined outside Gnomon."""
    return not type(timetable).__module__.startswith("gnomon.")


def check_author_timetable(timetable: Any) -> list[Sentence]:
    """Check that the timetable can be stored and made again; return warnings.

    Raises AirflowTimetableInvalid with what to change.
    """
    name = type(timetable).__name__
    _check_importable(type(timetable))
    _check_granularity(timetable)
    texts = {attribute: _read_text(timetable, attribute) for attribute in _TEXTS}
    data = _serialize(timetable)
    again = _deserialize_again(timetable, data)
    problems = (
        []
        if timetable.asset_condition is None or isinstance(timetable.asset_condition, BaseAsset)
        else [say_unchecked("asset_condition_is_none")]
    )
    for attribute, text in texts.items():
        other = _read_text(again, attribute)
        if other != text:
            problems.append(
                say_unchecked(
                    "timetable_differs_after_storing",
                    class_path=name,
                    attribute=attribute,
                    value=repr(other),
                    other_value=repr(text),
                )
            )
    return problems


def validate_author_timetable(timetable: Any) -> None:
    """Call `validate` of the timetable. Raises AirflowTimetableInvalid when it raises."""
    _call_author(timetable, "validate", {}, "(self)")


def _check_importable(cls: type) -> None:
    if "<locals>" in cls.__qualname__:
        raise AirflowTimetableInvalid(
            f"{cls.__name__} is defined inside a function, and other processes cannot import it; move the class to the top of its file"
        )


def _check_granularity(timetable: Any) -> None:
    """Raise AirflowTimetableInvalid unless `granularity` is None or a kind that dependencies between DAGs know."""
    cls = type(timetable)
    where = _format_method_location(timetable, "granularity") or _format_class_location(cls)
    try:
        kind = getattr(timetable, "granularity", None)
    except Exception as error:
        raise AirflowTimetableInvalid(
            f"{cls.__name__}.granularity raised {describe_error(error)}{where}; let it return a kind, or None"
        ) from error
    if kind is not None and kind not in GRANULARITIES:
        raise AirflowTimetableInvalid(
            f"{cls.__name__}.granularity is {kind!r}{where}; write one of {', '.join(map(repr, GRANULARITIES))}, or None"
        )


def _read_text(timetable: Any, attribute: str) -> str:
    """Return the text of a class attribute, an instance attribute or a property."""
    try:
        value = getattr(timetable, attribute)
    except Exception as error:
        raise AirflowTimetableInvalid(
            f"{type(timetable).__name__}.{attribute} raised {describe_error(error)}{_format_method_location(timetable, attribute)}; "
            "let it return a text"
        ) from error
    if callable(value):
        raise AirflowTimetableInvalid(
            f"{type(timetable).__name__}.{attribute} is a method{_format_method_location(timetable, attribute)}; put @property above it"
        )
    return "" if value is None else str(value)


def _serialize(timetable: Any) -> Any:
    """Return the result of `serialize` after a round trip through JSON."""
    name = type(timetable).__name__
    data = _call_author(timetable, "serialize", {}, "(self)")
    where = _format_method_location(timetable, "serialize")
    if not isinstance(data, dict):
        what = "None (is there a `return`?)" if data is None else type(data).__name__
        raise AirflowTimetableInvalid(f"{name}.serialize returned {what}{where}; return a dict of JSON values")
    fault = find_unserializable(data, "")
    if fault is not None:
        raise AirflowTimetableInvalid(f"{name}.serialize returned {fault}{where}")
    return json.loads(json.dumps(data))


def _deserialize_again(timetable: Any, data: Any) -> Any:
    """Return the timetable that `deserialize` makes of `data`."""
    cls = type(timetable)
    if _find_defining_class(cls, "deserialize") is Timetable:
        _check_no_arguments(cls)
    elif isinstance(inspect.getattr_static(cls, "deserialize"), FunctionType):
        raise AirflowTimetableInvalid(
            f"{cls.__name__}.deserialize needs the class, not a timetable{_format_method_location(timetable, 'deserialize')}; "
            "put @classmethod above it"
        )
    try:
        again = cls.deserialize(data)
    except Exception as error:
        raise AirflowTimetableInvalid(
            f"{cls.__name__}.deserialize raised {describe_error(error)}, for {data!r}{_format_method_location(timetable, 'deserialize')}; "
            "let it take what serialize returns"
        ) from error
    if not isinstance(again, cls):
        what = "None (is there a `return`?)" if again is None else type(again).__name__
        raise AirflowTimetableInvalid(
            f"{cls.__name__}.deserialize returned {what}{_format_method_location(timetable, 'deserialize')}; return {cls.__name__}(...)"
        )
    return again


def _check_no_arguments(cls: type) -> None:
    """Raise AirflowTimetableInvalid for a class without `deserialize` whose `__init__` needs arguments."""
    needed = [
        parameter.name
        for parameter in inspect.signature(cls).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if needed:
        raise AirflowTimetableInvalid(
            f"{cls.__name__} takes {', '.join(needed)}, and has no deserialize; write "
            "`def serialize(self)`, which returns a dict, and `@classmethod def deserialize(cls, data)`, which makes it again"
        )


def _find_defining_class(cls: type, method: str) -> Any:
    """Return the class that defines the method."""
    return next((kind for kind in cls.__mro__ if method in vars(kind)), None)


def _call_author(timetable: Any, method: str, offered: dict[str, Any], wanted_result: str) -> Any:
    try:
        return call_author_method(timetable, method, offered, wanted_result)
    except PlanningError as error:
        raise AirflowTimetableInvalid(error_text(error)) from error


def _format_method_location(timetable: Any, attribute: str) -> str:
    """Return ` (file:line)` of a method or property of an author; an empty text for one of Gnomon."""
    attribute_value = inspect.getattr_static(type(timetable), attribute, None)
    function = (
        getattr(attribute_value, "fget", None)
        or getattr(attribute_value, "func", None)
        or getattr(attribute_value, "__func__", attribute_value)
    )
    if not isinstance(function, FunctionType) or function.__module__.startswith("gnomon."):
        return ""
    return f" ({function.__code__.co_filename}:{function.__code__.co_firstlineno})"


def _format_class_location(cls: type) -> str:
    try:
        return f" ({inspect.getsourcefile(cls)}:{inspect.getsourcelines(cls)[1]})"
    except (OSError, TypeError):
        return ""


def build_author_timetable_ref(timetable: Any) -> TimetableRef:
    """Return the stored form. Raises AirflowTimetableInvalid for a property that raises or has a value that is not valid."""
    cls = type(timetable)
    return TimetableRef(
        path=f"{cls.__module__}.{cls.__qualname__}",
        data=json.loads(json.dumps(timetable.serialize())),
        summary=str(read_attribute(timetable, "summary", "") or cls.__name__),
        description=str(read_attribute(timetable, "description", "") or ""),
        can_be_scheduled=bool(read_attribute(timetable, "can_be_scheduled", True)),
        periodic=bool(read_attribute(timetable, "periodic", True)),
        active_runs_limit=_read_active_runs_limit(timetable),
        follows_runs=bool(read_attribute(timetable, "follows_runs", False)),
        builtin=False,
        code=hash_code(cls),
        has_partitions=any(
            bool(read_attribute(timetable, name, False)) for name in ("partitioned", "partitioned_at_runtime")
        ),
        granularity=read_attribute(timetable, "granularity", None),
        timezone=_read_zone(timetable),
    )


def _read_active_runs_limit(timetable: Any) -> int | None:
    limit = read_attribute(timetable, "active_runs_limit", None)
    if limit is None or (isinstance(limit, int) and not isinstance(limit, bool) and limit >= 1):
        return limit
    raise AirflowTimetableInvalid(
        f"{type(timetable).__name__}.active_runs_limit is {limit!r}; give a whole number from 1 on, or None for no limit"
    )


def _read_zone(timetable: Any) -> str | int | None:
    """Return `timezone`, for the days of dependencies between DAGs. An attribute that is not a time zone is ignored."""
    zone = read_attribute(timetable, "timezone", None)
    if zone is None:
        return None
    from gnomon.rules.timetables.wall_clock.zones import encode_zone, zone_of  # few timetables have a zone

    try:
        return encode_zone(zone_of(zone))
    except AirflowTimetableInvalid:
        return None


def read_attribute(timetable: Any, name: str, default: Any) -> Any:
    """Return a class attribute, an instance attribute or a property; `default` when the timetable has none."""
    if not hasattr(type(timetable), name) and name not in getattr(timetable, "__dict__", {}):
        return default
    try:
        return getattr(timetable, name)
    except Exception as error:
        raise AirflowTimetableInvalid(
            f"{type(timetable).__name__}.{name} raised {describe_error(error)}; let it return a value"
        ) from error
