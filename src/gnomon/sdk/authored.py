"""An author's timetable, checked where its file is parsed: whatever can be known of it before it is asked for a run."""

from __future__ import annotations

import inspect
import json
import math
from types import FunctionType
from typing import Any

from gnomon.errors.authoring import AirflowTimetableInvalid
from gnomon.errors.timetable import PlanningError
from gnomon.planning.calling import call
from gnomon.timetables.base import Timetable
from gnomon.timetables.granularity import GRANULARITIES

_TEXTS = ("summary", "description")
_ASSETS = "its timetable has an asset_condition: scheduling by assets is a later feature, until then its times alone count."
_PLAIN = (str, bool, int)


def is_authored(timetable: Any) -> bool:
    """Whether its class is an author's, and not one of Gnomon's."""
    return not type(timetable).__module__.startswith("gnomon.")


def check_authored(timetable: Any) -> list[str]:
    """Passes when it can be stored and made again; returns what is doubtful. AirflowTimetableInvalid names the remedy."""
    name = type(timetable).__name__
    _check_place(type(timetable))
    if timetable.partitioned or timetable.partitioned_at_runtime:
        raise AirflowTimetableInvalid(f"{name} plans runs by partition, which is a later feature; until then leave `partitioned` False")
    _check_granularity(timetable)
    texts = {attribute: _text(timetable, attribute) for attribute in _TEXTS}
    data = _data(timetable)
    again = _made_again(timetable, data)
    doubts = [_ASSETS] if timetable.asset_condition is not None else []
    for attribute, text in texts.items():
        other = _text(again, attribute)
        if other != text:
            doubts.append(
                f"after {name}.deserialize its {attribute} is {other!r} instead of {text!r}, and its runs may differ too: "
                "let serialize hold every argument."
            )
    return doubts


def validate_authored(timetable: Any) -> None:
    """Its own `validate` passes."""
    _asked(timetable, "validate", {}, "(self)")


def _check_place(cls: type) -> None:
    if "<locals>" in cls.__qualname__:
        raise AirflowTimetableInvalid(
            f"{cls.__name__} stands inside a function, where no other process finds it; move the class to the top of its file"
        )


def _check_granularity(timetable: Any) -> None:
    """What it declares is one of the kinds that dependencies between DAGs know, or None."""
    cls = type(timetable)
    where = _line(timetable, "granularity") or _line_of_class(cls)
    try:
        kind = getattr(timetable, "granularity", None)
    except Exception as error:
        raise AirflowTimetableInvalid(
            f"{cls.__name__}.granularity raised {type(error).__name__}: {error}{where}; let it give a kind, or None"
        ) from error
    if kind is not None and kind not in GRANULARITIES:
        raise AirflowTimetableInvalid(
            f"{cls.__name__}.granularity is {kind!r}{where}; write one of {', '.join(map(repr, GRANULARITIES))}, or None"
        )


def _text(timetable: Any, attribute: str) -> str:
    """The text of a class attribute, an instance attribute or a property."""
    try:
        value = getattr(timetable, attribute)
    except Exception as error:
        raise AirflowTimetableInvalid(
            f"{type(timetable).__name__}.{attribute} raised {type(error).__name__}: {error}{_line(timetable, attribute)}; "
            "let it return a text"
        ) from error
    if callable(value):
        raise AirflowTimetableInvalid(
            f"{type(timetable).__name__}.{attribute} is a method{_line(timetable, attribute)}; put @property above it"
        )
    return "" if value is None else str(value)


def _data(timetable: Any) -> Any:
    """What serialize returns, as JSON keeps it."""
    name = type(timetable).__name__
    data = _asked(timetable, "serialize", {}, "(self)")
    where = _line(timetable, "serialize")
    if not isinstance(data, dict):
        what = "None (is there a `return`?)" if data is None else type(data).__name__
        raise AirflowTimetableInvalid(f"{name}.serialize returned {what}{where}; return a dict of JSON values")
    fault = _not_json(data, "")
    if fault is not None:
        raise AirflowTimetableInvalid(f"{name}.serialize returned {fault}{where}")
    return json.loads(json.dumps(data))


def _not_json(value: Any, path: str) -> str | None:
    """The first thing inside that JSON cannot hold, with the remedy; None when there is none."""
    if value is None or isinstance(value, _PLAIN):
        return None
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{value}{_inside(path)}, which JSON cannot hold"
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str | int):
                return f"a dict with the key {key!r}{_inside(path)}, which JSON cannot hold; keys are texts"
            fault = _not_json(item, f"{path}[{key!r}]")
            if fault is not None:
                return fault
        return None
    if isinstance(value, list | tuple):
        return next(filter(None, (_not_json(item, f"{path}[{at}]") for at, item in enumerate(value))), None)
    return f"{_a(type(value).__name__)}{_inside(path)}, which JSON cannot hold; {_remedy(value)}"


def _inside(path: str) -> str:
    return f" in {path}" if path else ""


def _a(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _remedy(value: Any) -> str:
    if hasattr(value, "isoformat"):
        return "store value.isoformat(), and read it with fromisoformat in deserialize"
    if hasattr(value, "total_seconds"):
        return "store value.total_seconds(), and make it again in deserialize"
    if isinstance(value, set | frozenset):
        return "store sorted(value), and make a set of it in deserialize"
    return "store texts and numbers, and make it again in deserialize"


def _made_again(timetable: Any, data: Any) -> Any:
    """What deserialize makes of it."""
    cls = type(timetable)
    if _home(cls, "deserialize") is Timetable:
        _check_no_arguments(cls)
    elif isinstance(inspect.getattr_static(cls, "deserialize"), FunctionType):
        raise AirflowTimetableInvalid(
            f"{cls.__name__}.deserialize needs the class, not a timetable{_line(timetable, 'deserialize')}; "
            "put @classmethod above it"
        )
    try:
        again = cls.deserialize(data)
    except Exception as error:
        raise AirflowTimetableInvalid(
            f"{cls.__name__}.deserialize raised {type(error).__name__}: {error}, for {data!r}{_line(timetable, 'deserialize')}; "
            "let it take what serialize returns"
        ) from error
    if not isinstance(again, cls):
        what = "None (is there a `return`?)" if again is None else type(again).__name__
        raise AirflowTimetableInvalid(
            f"{cls.__name__}.deserialize returned {what}{_line(timetable, 'deserialize')}; return {cls.__name__}(...)"
        )
    return again


def _check_no_arguments(cls: type) -> None:
    """Without deserialize, the class is made again without arguments."""
    needed = [
        parameter.name for parameter in inspect.signature(cls).parameters.values()
        if parameter.default is parameter.empty and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]  # fmt: skip
    if needed:
        raise AirflowTimetableInvalid(
            f"{cls.__name__} takes {', '.join(needed)}, and has no deserialize that gives it back; write "
            "`def serialize(self)`, which returns a dict, and `@classmethod def deserialize(cls, data)`, which makes it again"
        )


def _home(cls: type, method: str) -> Any:
    """The class that defines the method."""
    return next((kind for kind in cls.__mro__ if method in vars(kind)), None)


def _asked(timetable: Any, method: str, offered: dict[str, Any], wanted: str) -> Any:
    try:
        return call(timetable, method, offered, wanted)
    except PlanningError as error:
        raise AirflowTimetableInvalid(str(error)) from error


def _line(timetable: Any, attribute: str) -> str:
    """` (file:line)` of the method or property, if it is an author's."""
    found = inspect.getattr_static(type(timetable), attribute, None)
    function = getattr(found, "fget", None) or getattr(found, "func", None) or getattr(found, "__func__", found)
    if not isinstance(function, FunctionType) or function.__module__.startswith("gnomon."):
        return ""
    return f" ({function.__code__.co_filename}:{function.__code__.co_firstlineno})"


def _line_of_class(cls: type) -> str:
    try:
        return f" ({inspect.getsourcefile(cls)}:{inspect.getsourcelines(cls)[1]})"
    except (OSError, TypeError):
        return ""
