"""From the dotted path under which a class is stored to the class: the only place that does so."""

from __future__ import annotations

import importlib
from typing import Any

from gnomon import timetables
from gnomon.errors import UserMistake
from gnomon.loading import dialect


def load_class(path: str) -> type:
    """The class of that path: `package.module.Class`, nested classes too; Airflow's paths, ours, authors'.

    A bare name is a built-in timetable. Raises UserMistake naming the path and what is missing.
    """
    found = load_object(path)
    if not isinstance(found, type):
        raise UserMistake(f"{path} is not a class but {type(found).__name__}; name a class by its full path.")
    return found


def load_object(path: str) -> Any:
    """The class, function or other object of that path; raises UserMistake naming the path and what is missing."""
    if "." not in path:
        return _builtin(path)
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
                raise UserMistake(f"{path} cannot be loaded: importing {module_path} failed: {error}.") from error
            continue
        return _walk(found, parts[cut:], path)
    raise UserMistake(
        f"{path} cannot be loaded: there is no module {parts[0]!r} here. Put it into the plugins folder, or install it."
    )


def _builtin(name: str) -> Any:
    found = getattr(timetables, name, None)
    if found is None:
        raise UserMistake(f"{name!r} is not a built-in timetable; other classes are named by their full dotted path.")
    return found


def _walk(found: Any, names: list[str], path: str) -> Any:
    for name in names:
        try:
            found = getattr(found, name)
        except (AttributeError, ImportError) as error:
            raise UserMistake(f"{path} cannot be loaded: {found!r} has no {name!r} ({error}).") from error
    return found
