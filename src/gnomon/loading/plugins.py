"""Plugins: subclasses of AirflowPlugin in the plugins folder and behind entry points, and what they bring.

Nothing needs a plugin class: a module of the plugins folder is on the import path with or without one. They are read for
people (`gnomon plugins list`), and for a timetable whose class only its plugin knows.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from gnomon.config import current_config
from gnomon.errors import UserError
from gnomon.loading import dagfile, plugin_finder
from gnomon.loading.bytecode import SettledSourceLoader

GROUP = "airflow.plugins"
"""The entry points of packages that bring plugins."""
_PLUGIN_ATTRIBUTES = (
    "timetables", "priority_weight_strategies", "listeners", "macros", "operator_extra_links", "global_operator_extra_links",
    "partition_mappers", "windows", "deadline_references", "hook_lineage_readers", "flask_blueprints", "fastapi_apps",
    "fastapi_root_middlewares", "appbuilder_views", "appbuilder_menu_items", "admin_views", "menu_links", "external_views",
    "react_apps",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class PluginRow:
    """One plugin class, or one file or entry point that gave none."""

    name: str
    place: str
    """The file, or `entry point NAME (MODULE)`."""
    timetables: tuple[str, ...] = ()
    """The paths under which their classes are stored."""
    brings: tuple[str, ...] = ()
    """Which attributes hold something, `timetables` included."""
    error: str | None = None
    """Why it could not be loaded: file, line, what."""


def enable_imports() -> None:
    """`import` finds Airflow's names and what is in the DAG and plugin folders, without any DAG file."""
    dagfile.extend_search_path(os.path.join(str(current_config().dags_folder), "any.py"))


def list_plugins() -> list[PluginRow]:
    """Every plugin of this installation, imported in this process. None of them stops the others."""
    return [row for row, _ in _find_plugins()]


def is_plugin(file: str) -> bool:
    """Whether a file is to be taken for a plugin, and not for a DAG file: by its folder."""
    options = current_config()
    plugins, dags = (os.path.join(os.path.abspath(folder), "") for folder in (options.plugins_folder, options.dags_folder))
    return file.startswith(plugins) and not file.startswith(dags) and not dags.startswith(plugins)


def check_plugin_file(file: str) -> None:
    """The plugin file was imported in this process, and its plugins say what they bring as they should.

    Whatever it raises propagates; UserMistake says what is wrong with a plugin.
    """
    enable_imports()
    module = _import_plugin(file, os.path.abspath(current_config().plugins_folder))
    for row, _ in _plugins_of_module(module, file):
        if row.error is not None:
            raise UserError(row.error.removeprefix(f"{file}: "))


def find_timetable_class(path: str) -> type | None:
    """The class that some plugin registers and that is stored under that path; None when none does."""
    for _, plugin in _find_plugins():
        for one in getattr(plugin, "timetables", None) or ():
            if isinstance(one, type) and class_path(one) == path:
                return one
    return None


def class_path(cls: type) -> str:
    """Under which path a class is stored."""
    return f"{cls.__module__}.{cls.__qualname__}"


def _find_plugins() -> Iterator[tuple[PluginRow, Any]]:
    enable_imports()
    folder = os.path.abspath(current_config().plugins_folder)
    for file in plugin_finder.list_python_files(folder):
        if plugin_finder.is_plugin_file(file):
            yield from _plugins_in_file(file, folder)
    for entry in sorted(entry_points(group=GROUP), key=lambda one: (one.name, one.value)):
        yield _load_entry_point(entry)


def _plugins_in_file(file: str, folder: str) -> Iterator[tuple[PluginRow, Any]]:
    try:
        module = _import_plugin(file, folder)
    except (Exception, SystemExit) as error:
        yield PluginRow(name=os.path.relpath(file, folder), place=file, error=_describe_error(file, error)), None
        return
    yield from _plugins_of_module(module, file)


def _plugins_of_module(module: Any, file: str) -> Iterator[tuple[PluginRow, Any]]:
    base = importlib.import_module("airflow.plugins_manager").AirflowPlugin
    for value in list(vars(module).values()):
        if isinstance(value, type) and issubclass(value, base) and value is not base and value.__module__ == module.__name__:
            yield _create_row(value, file), value


def _import_plugin(file: str, folder: str) -> Any:
    """The module, by the name that Python gives it; by the file's own where that is none."""
    parts = os.path.relpath(file, folder).removesuffix(".py").split(os.sep)
    if parts[-1] == "__init__":
        parts.pop()
    if parts and all(part.isidentifier() for part in parts):
        try:
            return importlib.import_module(".".join(parts))
        except ModuleNotFoundError as error:
            if error.name is None or not ".".join(parts).startswith(error.name):
                raise
    name = os.path.basename(file).removesuffix(".py")
    spec = importlib.util.spec_from_file_location(name, file, loader=SettledSourceLoader(name, file))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _load_entry_point(entry: EntryPoint) -> tuple[PluginRow, Any]:
    place = f"entry point {entry.name} ({entry.value})"
    try:
        plugin = entry.load()
    except (Exception, SystemExit) as error:
        return PluginRow(name=entry.name, place=place, error=f"{place}: {type(error).__name__}: {error}"), None
    return _create_row(plugin, place), plugin


def _create_row(plugin: Any, place: str) -> PluginRow:
    name = str(getattr(plugin, "name", None) or "")
    if not name:
        shown = getattr(plugin, "__name__", str(plugin))
        return PluginRow(name=shown, place=place, error=f"{place}: plugin {shown} has no name; give it `name = \"...\"`")
    given = {attribute: getattr(plugin, attribute, None) for attribute in _PLUGIN_ATTRIBUTES}
    brings = tuple(attribute for attribute, value in given.items() if isinstance(value, list | tuple) and value)
    timetables = given["timetables"] if "timetables" in brings else ()
    wrong = [one for one in timetables if not isinstance(one, type)]  # type: ignore[union-attr]
    error = f"{place}: plugin {name}: timetables holds {wrong[0]!r}; list classes, not objects of them" if wrong else None
    paths = tuple(class_path(one) for one in timetables if isinstance(one, type))  # type: ignore[union-attr]
    return PluginRow(name=name, place=place, timetables=paths, brings=brings, error=error)


def _describe_error(file: str, error: BaseException) -> str:
    """What went wrong, at the innermost line of the file."""
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == file else None
    for frame in traceback.extract_tb(error.__traceback__):
        line = frame.lineno if frame.filename == file else line
    place = file if line is None else f"{file}, line {line}"
    return f"{place}: {type(error).__name__}: {error}"


def timetable_class_path(timetable: Any) -> str:
    """The path of a timetable's class: to see whether it can be made again."""
    return class_path(type(timetable))
