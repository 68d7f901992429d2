"""From the dotted path under which a class is stored to the class: the only place that does so."""

from __future__ import annotations

import importlib
import os
import traceback
from types import ModuleType
from typing import Any

from gnomon import timetables
from gnomon.errors import UserError
from gnomon.loading import dialect

_DIALECT = os.path.dirname(dialect.TREE)


def load_class(path: str) -> type:
    """The class of that path: `package.module.Class`, nested classes too; Airflow's paths, ours, authors'.

    A bare name is a built-in timetable. Raises UserMistake naming the path and what is missing.
    """
    found = load_object(path)
    if not isinstance(found, type):
        raise UserError(f"{path} is not a class but {type(found).__name__}; name a class by its full path.")
    return found


def load_object(path: str) -> Any:
    """The class, function or other object of that path; raises UserMistake naming the path and what is missing."""
    if "." not in path:
        return _find_builtin(path)
    if path.startswith("airflow."):
        dialect.enable()
    parts = path.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        module_path = ".".join(parts[:cut])
        try:
            found: Any = importlib.import_module(module_path)
        except ModuleNotFoundError as error:
            # A module that is there but imports something that is not: that is the story to tell.
            if error.name is None or not (module_path == error.name or module_path.startswith(f"{error.name}.")):
                raise UserError(f"{path} cannot be loaded: importing {module_path} failed: {_describe_missing(error)}") from error
            continue
        return _resolve_names(found, parts[cut:], path)
    raise _no_module_error(parts[0], path)


def _find_builtin(name: str) -> Any:
    found = getattr(timetables, name, None)
    if found is None:
        raise UserError(f"{name!r} is not a built-in timetable; other classes are named by their full dotted path.")
    return found


def _resolve_names(found: Any, names: list[str], path: str) -> Any:
    for name in names:
        try:
            found = getattr(found, name)
        except (AttributeError, ImportError) as error:
            if isinstance(found, ModuleType) and name != names[-1] and not isinstance(error, ImportError):
                raise _no_module_error(f"{found.__name__}.{name}", path) from error
            raise UserError(f"{path} cannot be loaded: {found!r} has no {name!r} ({error}).") from error
    return found


def _no_module_error(module: str, path: str) -> UserError:
    return UserError(
        f"{path} cannot be loaded: there is no module {module!r} here. Put it into the plugins folder, or install it."
    )


def _describe_missing(error: ModuleNotFoundError) -> str:
    """Which module, who imports it, and what to do; what is no module of a package says itself what it is."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith(("<frozen", _DIALECT))]
    place = f" (at {frames[-1].filename}, line {frames[-1].lineno})"
    if (error.name or "").startswith("airflow.") and not (error.name or "").startswith("airflow.providers."):
        return f"{str(error).removesuffix('.')}{place}."
    return f"{error}{place}. Install it where this process runs: every machine that runs tasks or triggers of it needs it."
