"""Classes by their stored paths."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from gnomon.authoring.sdk.serialization.allowed_classes import show_class
from gnomon.model.errors.authoring import DeserializationError
from gnomon.model.ids import DAG_FILE_MODULE


def write_path(cls: type) -> str:
    """The path under which objects of the class are stored."""
    return f"{cls.__module__}.{cls.__qualname__}"


def load_path(classname: str) -> type:
    """The class of a stored path. Raises DeserializationError with the reason; an import may raise anything."""
    if "<locals>" in classname:
        raise DeserializationError(
            f"The stored value is an object of class {show_class(classname)}, which is defined inside a function: move the class to the top of a module."
        )
    module, names = _find_module(classname)
    value: Any = module
    for name in names:
        value = getattr(value, name, None)
    if not isinstance(value, type):
        raise DeserializationError(
            f"The stored value is an object of class {show_class(classname)}, and {module.__name__} has no class {'.'.join(names)!r} here: "
            "put it back, or clear the task that stored the value."
        )
    return value


def _find_module(classname: str) -> tuple[ModuleType, list[str]]:
    """The module of the class, and the names that lead from it to the class."""
    parts = classname.split(".")
    if classname.startswith(DAG_FILE_MODULE):
        return _find_dag_file(parts[0], classname), parts[1:]
    for cut in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:cut])
        try:
            return import_module(name), parts[cut:]
        except ModuleNotFoundError as error:
            if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
                raise
    raise DeserializationError(
        f"The stored value is an object of class {classname}, and there is no module {parts[0]!r} here: put it into the plugins folder, or install it."
    )


def _find_dag_file(name: str, classname: str) -> ModuleType:
    """The DAG file that this process has loaded, also from another folder, as on another worker or from another version of its bundle."""
    stem = name[len(DAG_FILE_MODULE) + 17 :]
    others = [
        module
        for key, module in list(sys.modules.items())
        if key.startswith(DAG_FILE_MODULE) and key[len(DAG_FILE_MODULE) + 17 :] == stem
    ]
    module = sys.modules.get(name) or next(iter(others), None)
    if module is None:
        raise DeserializationError(
            f"The stored value is an object of class {show_class(classname)}, which is defined in the DAG file {stem}.py, and this process has not loaded "
            "that file: move the class to a module that DAG files import."
        )
    return module
