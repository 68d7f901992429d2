"""Calls a method of an author's timetable with the arguments that its signature takes, and builds the error messages.

Airflow's releases gave these methods different parameters; an author's file has those of the release it was written for.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import lru_cache
from types import FunctionType, MethodType, TracebackType
from typing import Any

from gnomon.model.errors.error_text import describe_error, error_text, error_traceback
from gnomon.model.errors.product import find_close_matches
from gnomon.model.errors.timetable import AirflowTimetableInvalid, PlanningError
from gnomon.rules.timetables.base import BuiltinTimetable, Timetable

OLD_NAMES = frozenset({"last_automated_dagrun"})
"""Passed only to a parameter of this name, not through `**kwargs`: a method that forwards its `**kwargs` to the built-in
method would fail with it."""


def call_author_method(timetable: object, method: str, offered: Mapping[str, Any], signature_hint: str) -> Any:
    """Calls the method with those arguments of `offered` that its signature takes, and returns its result.

    `signature_hint`: the signature that error messages recommend. Raises PlanningError when the method has another signature,
    is not a plain method, or raises.
    """
    function = _find_function(timetable, method, signature_hint)
    _check_kind(timetable, method, function)
    bound = getattr(timetable, method)
    arguments = _bind_arguments(timetable, method, function, _read_bound_signature(bound), offered, signature_hint)
    try:
        return bound(*arguments[0], **arguments[1])
    except AirflowTimetableInvalid as error:
        raise PlanningError(error_text(error)) from error
    except (Exception, SystemExit) as error:
        problem = f"raised {describe_error(error)}".rstrip(": ")
        raise _error_at(timetable, method, f"{problem}; fix the timetable", _raised_at(function, error)) from error


def _read_bound_signature(bound: Any) -> inspect.Signature:
    """What the method takes beside `self`."""
    if isinstance(bound, MethodType) and isinstance(bound.__func__, FunctionType):
        return _read_method_signature(bound.__func__)
    return inspect.signature(bound)


@lru_cache(maxsize=256)
def _read_method_signature(function: FunctionType) -> inspect.Signature:
    return inspect.signature(MethodType(function, object()))


@lru_cache(maxsize=256)
def _read_signature(function: FunctionType) -> inspect.Signature:
    return inspect.signature(function)


def wrong_answer_error(timetable: object, method: str, what: str) -> PlanningError:
    """The error for a wrong result: class and method, `what` (the fault and the remedy), and the file and line."""
    function = inspect.getattr_static(timetable, method, None)
    return _error_at(timetable, method, what, _defined_at(_unwrap(function)))


def is_author_method(timetable: object, method: str) -> bool:
    """True if the method is defined in an author's class, not in Gnomon."""
    cls: Any = type(timetable)
    return _is_defined_by_author(cls, method)


@lru_cache(maxsize=256)
def _is_defined_by_author(cls: type, method: str) -> bool:
    for kind in cls.__mro__:
        if method in vars(kind):
            return not _is_own_class(kind)
    return False


def _is_own_class(cls: type) -> bool:
    return cls.__module__.startswith("gnomon.")


def missing_method_error(timetable: object, method: str, signature_hint: str) -> PlanningError:
    """The error for a missing method; it suggests to rename an author's method with a similar name."""
    cls = type(timetable)
    own = {name for kind in cls.__mro__ if not _is_own_class(kind) for name in vars(kind)}
    meant = find_close_matches(method, sorted(own - set(dir(Timetable))), cutoff=0.75)
    remedy = f"rename {meant[0]}" if meant else f"write `def {method}{signature_hint}`"
    where = _defined_at(_unwrap(inspect.getattr_static(cls, meant[0]))) if meant else ""
    return PlanningError(f"{cls.__name__} lacks the method {method}; {remedy}{where}")


def _find_function(timetable: object, method: str, signature_hint: str) -> FunctionType | None:
    """The function of the method; None for another kind of callable. Raises PlanningError if there is no such method."""
    attribute = inspect.getattr_static(timetable, method, None)
    if attribute is None or (
        not is_author_method(timetable, method)
        and not isinstance(timetable, BuiltinTimetable)
        and method in ("next_dagrun_info", "infer_manual_data_interval")
    ):
        raise missing_method_error(timetable, method, signature_hint)
    function = _unwrap(attribute)
    if function is None and not callable(getattr(timetable, method)):
        raise PlanningError(
            f"{type(timetable).__name__}.{method} is {type(attribute).__name__}, not a method; write `def {method}{signature_hint}`"
        )
    return function


def _unwrap(attribute: object) -> FunctionType | None:
    inner = getattr(attribute, "__func__", attribute)
    unwrapped = inspect.unwrap(inner) if callable(inner) else inner
    return unwrapped if isinstance(unwrapped, FunctionType) else None


def _check_kind(timetable: object, method: str, function: FunctionType | None) -> None:
    if function is None:
        return
    if inspect.iscoroutinefunction(function):
        raise wrong_answer_error(
            timetable, method, "is `async def`; timetables are called without an event loop: write `def`"
        )
    if inspect.isgeneratorfunction(function):
        raise wrong_answer_error(timetable, method, "contains `yield`; give its one result with `return`")


def _bind_arguments(
    timetable: object,
    method: str,
    function: FunctionType | None,
    takes: inspect.Signature,
    offered: Mapping[str, Any],
    signature_hint: str,
) -> tuple[list[Any], dict[str, Any]]:
    """The positional-only arguments, and the others by name. Raises PlanningError for a parameter that Gnomon does not pass."""
    _check_self(timetable, method, function, offered, signature_hint)
    by_position: list[Any] = []
    by_name: dict[str, Any] = {}
    for name, parameter in takes.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            by_name.update(
                {
                    other: value
                    for other, value in offered.items()
                    if other not in takes.parameters and other not in OLD_NAMES
                }
            )
        elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            continue
        elif name in offered:
            if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
                by_position.append(offered[name])
            else:
                by_name[name] = offered[name]
        else:
            meant = _guess_parameter(name, offered, takes)
            if parameter.default is inspect.Parameter.empty or meant is not None:
                remedy = f"name it {meant!r}" if meant else f"write `def {method}{signature_hint}`"
                raise wrong_answer_error(
                    timetable,
                    method,
                    f"{_format_signature(function, takes)} takes {name!r}, which Gnomon does not pass; {remedy}",
                )
    return by_position, by_name


def _check_self(
    timetable: object, method: str, function: FunctionType | None, offered: Mapping[str, Any], signature_hint: str
) -> None:
    """Raises PlanningError if the author forgot `self`: the first parameter would get the timetable."""
    if function is None or not isinstance(inspect.getattr_static(timetable, method), FunctionType):
        return
    parameters = list(_read_signature(function).parameters.values())
    if not parameters or parameters[0].name in offered or parameters[0].kind is inspect.Parameter.KEYWORD_ONLY:
        shown = _format_signature(function, inspect.signature(function))
        raise wrong_answer_error(timetable, method, f"{shown} has no `self`; write `def {method}{signature_hint}`")


def _guess_parameter(name: str, offered: Mapping[str, Any], takes: inspect.Signature) -> str | None:
    """The offered argument whose name is nearest to a misspelt parameter; None if none is near."""
    free = [other for other in offered if other not in takes.parameters]
    near = find_close_matches(name, free, cutoff=0.75)
    return near[0] if near else None


def _format_signature(function: FunctionType | None, takes: inspect.Signature) -> str:
    """The signature as the author wrote it, without annotations."""
    whole = takes if function is None else inspect.signature(function)
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in whole.parameters.values()]
    return str(inspect.Signature(bare))


def _error_at(timetable: object, method: str, what: str, where: str) -> PlanningError:
    joint = "" if what.startswith("(") else " "
    return PlanningError(f"{type(timetable).__name__}.{method}{joint}{what}{where}")


def _defined_at(function: FunctionType | None) -> str:
    """` (file:line)` of an author's function; empty for a function of Gnomon."""
    if function is None or function.__module__.startswith("gnomon."):
        return ""
    return f" ({function.__code__.co_filename}:{function.__code__.co_firstlineno})"


def _raised_at(function: FunctionType | None, error: BaseException) -> str:
    """` (file:line)` of the innermost traceback line in the method's file; empty for a function of Gnomon."""
    if function is None or function.__module__.startswith("gnomon."):
        return ""
    file, line = function.__code__.co_filename, function.__code__.co_firstlineno
    trace: TracebackType | None = error_traceback(error)
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f" ({file}:{line})"
