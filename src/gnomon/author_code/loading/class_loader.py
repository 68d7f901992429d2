"""Loads classes and other objects by the dotted paths under which they are stored."""

from __future__ import annotations

import importlib
import os
import traceback
from types import ModuleType
from typing import Any

from gnomon.author_code.loading import dialect
from gnomon.author_code.loading.former_paths import find_present_path
from gnomon.author_code.loading.provider_names import find_absent_package, find_package, is_package_root, shorten
from gnomon.model.errors import UserError
from gnomon.model.errors.error_text import error_text
from gnomon.model.sentences import Command, say
from gnomon.rules import timetables

_DIALECT = os.path.dirname(dialect.TREE)
_EVERYWHERE = "on this machine, and on every machine that runs tasks or triggers of the DAG"


def load_class(path: str) -> type:
    """Return the class of a path `package.module.Class`, also a nested class: of Airflow's names, of Gnomon or of an author.

    A name without a dot is a built-in timetable. Raises UserError with the path and the missing part.
    """
    value = load_object(path)
    if not isinstance(value, type):
        raise UserError(say("path_is_no_class", name=path, thing=type(value).__name__))
    return value


def load_object(path: str) -> Any:
    """Return the class, function or other object of a path. Raises UserError with the path and the missing part.

    A stored path of a module of Gnomon that has moved since is understood.
    """
    if "." not in path:
        return _find_builtin(path)
    path = find_present_path(path)
    if path.startswith("airflow."):
        dialect.enable()
    parts = path.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        module_path = ".".join(parts[:cut])
        try:
            module: Any = importlib.import_module(module_path)
        except ModuleNotFoundError as error:
            # The module exists but imports a module that does not: the message is about the second module.
            if error.name is None or not (module_path == error.name or module_path.startswith(f"{error.name}.")):
                raise UserError(
                    say("module_fails_at_import", name=path, module=module_path, error=_describe_missing(error))
                ) from error
            continue
        return _resolve_names(module, parts[cut:], path)
    raise _no_module_error(parts[0], path)


def _find_builtin(name: str) -> Any:
    timetable_class = getattr(timetables, name, None)
    if timetable_class is None:
        raise UserError(say("timetable_is_not_built_in", name=name))
    return timetable_class


def _resolve_names(value: Any, names: list[str], path: str) -> Any:
    for name in names:
        try:
            value = getattr(value, name)
        except (AttributeError, ImportError) as error:
            if isinstance(value, ModuleType) and name != names[-1] and not isinstance(error, ImportError):
                raise _no_module_error(f"{value.__name__}.{name}", path) from error
            raise UserError(
                say("object_has_no_name", name=path, thing=repr(value), attribute=name, error=str(error))
            ) from error
    return value


def _no_module_error(module: str, path: str) -> UserError:
    package = find_package(path)
    if package is not None and is_package_root(module):
        return UserError(
            say(
                "module_of_provider_is_missing",
                name=path,
                module=module,
                command=Command("providers install", (shorten(package),)),
            )
        )
    return UserError(say("module_is_missing", name=path, module=module))


def _describe_missing(error: ModuleNotFoundError) -> str:
    """Describe the missing module, the line that imports it, and what to do; names of Airflow have their own message."""
    trace = traceback.extract_tb(error.__traceback__)
    frames = [frame for frame in trace if not frame.filename.startswith(("<frozen", _DIALECT))]
    place = f" (at {frames[-1].filename}, line {frames[-1].lineno})"
    if (error.name or "").startswith("airflow.") and not (error.name or "").startswith("airflow.providers."):
        return f"{error_text(error).removesuffix('.')}{place}."
    package = find_absent_package(error)
    remedy = "Install it" if package is None else f"Run `gnomon providers install {shorten(package)}`"
    return f"{error}{place}. {remedy} {_EVERYWHERE}."
