"""Plugins: subclasses of AirflowPlugin in the plugins folder and in installed packages, and their contents.

A module of the plugins folder can be imported without a plugin class. Plugin classes are read for `gnomon plugins list`, and to
find a timetable, partition mapper or window class that only a plugin registers.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.author_code.loading import dagfile, plugin_finder
from gnomon.author_code.loading.bytecode import SettledSourceLoader
from gnomon.author_code.loading.installed_entry_points import PLUGIN_GROUP, list_entry_points
from gnomon.authoring.sdk.tasks.operator_links import find_link_mistake
from gnomon.ground.config import current_config
from gnomon.model.errors import UserError
from gnomon.model.errors.error_text import describe_error
from gnomon.model.sentences import say

_PLUGIN_ATTRIBUTES = (
    "timetables",
    "priority_weight_strategies",
    "listeners",
    "macros",
    "operator_extra_links",
    "global_operator_extra_links",
    "partition_mappers",
    "windows",
    "deadline_references",
    "hook_lineage_readers",
    "flask_blueprints",
    "fastapi_apps",
    "fastapi_root_middlewares",
    "appbuilder_views",
    "appbuilder_menu_items",
    "admin_views",
    "menu_links",
    "external_views",
    "react_apps",
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True, kw_only=True, slots=True)
class PluginRow:
    """A plugin class, or a file or entry point that could not be loaded."""

    name: str
    place: str
    """The file, or `entry point NAME (MODULE)`."""
    timetables: tuple[str, ...] = ()
    """The paths under which their classes are stored."""
    brings: tuple[str, ...] = ()
    """The attributes that are not empty, `timetables` included."""
    error: str | None = None
    """The reason why it could not be loaded, with file and line."""


def enable_imports() -> None:
    """Let `import` find Airflow's names and the modules of the DAG and plugin folders."""
    dagfile.extend_search_path(os.path.join(str(current_config().dags_folder), "any.py"))


def list_plugins() -> list[PluginRow]:
    """Import and return every plugin of this installation. A plugin that fails has its error in its row."""
    return [row for row, _ in find_plugins()]


def is_plugin(file: str) -> bool:
    """Return whether a file is a plugin file and not a DAG file, by its folder."""
    options = current_config()
    plugins, dags = (
        os.path.join(os.path.abspath(folder), "") for folder in (options.plugins_folder, options.dags_folder)
    )
    return file.startswith(plugins) and not file.startswith(dags) and not dags.startswith(plugins)


def check_plugin_file(file: str) -> None:
    """Import the plugin file in this process and check its plugins.

    Exceptions of the file propagate. Raises UserError for a plugin that is not valid.
    """
    enable_imports()
    module = _import_plugin(file, os.path.abspath(current_config().plugins_folder))
    for row, _ in _plugins_of_module(module, file):
        if row.error is not None:
            raise UserError(say("plugin_is_wrong", error=row.error.removeprefix(f"{file}: ")))


_SCHEDULING_CLASSES = ("timetables", "partition_mappers", "windows")
"""The attributes of a plugin that register classes of schedules."""


def find_registered_class(path: str) -> type | None:
    """Return the timetable, partition mapper or window class with that path that a plugin registers, or None."""
    for _, plugin in find_plugins():
        for cls in (cls for attribute in _SCHEDULING_CLASSES for cls in getattr(plugin, attribute, None) or ()):
            if isinstance(cls, type) and class_path(cls) == path:
                return cls
    return None


def class_path(cls: type) -> str:
    """Return the path under which a class is stored."""
    return f"{cls.__module__}.{cls.__qualname__}"


def find_plugins() -> Iterator[tuple[PluginRow, Any]]:
    """Import every plugin of this installation: its row and its class; None instead of the class for one that cannot be loaded."""
    enable_imports()
    folder = os.path.abspath(current_config().plugins_folder)
    for file in plugin_finder.list_python_files(folder):
        if plugin_finder.is_plugin_file(file):
            yield from _plugins_in_file(file, folder)
    for entry in list_entry_points(PLUGIN_GROUP):
        yield _load_entry_point(entry)


def has_installed_plugins() -> bool:
    """Whether an installed package brings a plugin."""
    return bool(list_entry_points(PLUGIN_GROUP))


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
        if (
            isinstance(value, type)
            and issubclass(value, base)
            and value is not base
            and value.__module__ == module.__name__
        ):
            yield _create_row(value, file), value


def _import_plugin(file: str, folder: str) -> Any:
    """Import the file under its module name by Python's rules, or under the name of the file if it has no such name."""
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
        return PluginRow(name=entry.name, place=place, error=f"{place}: {describe_error(error)}"), None
    return _create_row(plugin, place), plugin


def _create_row(plugin: Any, place: str) -> PluginRow:
    name = str(getattr(plugin, "name", None) or "")
    if not name:
        shown = getattr(plugin, "__name__", str(plugin))
        return PluginRow(name=shown, place=place, error=f'{place}: plugin {shown} has no name; give it `name = "..."`')
    attributes = {attribute: getattr(plugin, attribute, None) for attribute in _PLUGIN_ATTRIBUTES}
    brings = tuple(attribute for attribute, value in attributes.items() if isinstance(value, list | tuple) and value)
    timetables = attributes["timetables"] if "timetables" in brings else ()
    invalid = [item for item in timetables if not isinstance(item, type)]  # type: ignore[union-attr]
    mistake = (
        f"timetables contains {invalid[0]!r}; list classes, not objects of them"
        if invalid
        else _find_link_mistake(attributes)
    )
    error = None if mistake is None else f"{place}: plugin {name}: {mistake}"
    paths = tuple(class_path(item) for item in timetables if isinstance(item, type))  # type: ignore[union-attr]
    return PluginRow(name=name, place=place, timetables=paths, brings=brings, error=error)


def _find_link_mistake(attributes: Mapping[str, Any]) -> str | None:
    for attribute in ("operator_extra_links", "global_operator_extra_links"):
        links = attributes[attribute] or ()
        if not isinstance(links, list | tuple):
            return f"{attribute} is a {type(links).__name__}; write a list"
        for link in links:
            mistake = find_link_mistake(link)
            if mistake is not None:
                return f"{attribute}: {mistake}"
    return None


def _describe_error(file: str, error: BaseException) -> str:
    """Describe the error with the innermost line of the file."""
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == file else None
    for frame in traceback.extract_tb(error.__traceback__):
        line = frame.lineno if frame.filename == file else line
    place = file if line is None else f"{file}, line {line}"
    return f"{place}: {describe_error(error)}"


def timetable_class_path(timetable: Any) -> str:
    """Return the path of the class of a timetable."""
    return class_path(type(timetable))
