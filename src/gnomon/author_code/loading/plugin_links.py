"""The links that plugins add to tasks: `operator_extra_links` and `global_operator_extra_links` of AirflowPlugin."""

from __future__ import annotations

import logging
import os
from typing import Any

from gnomon.author_code.loading import plugin_finder, plugins
from gnomon.author_code.loading.unrecorded_reads import unrecorded_reads
from gnomon.authoring.sdk.tasks.operator_links import PluginLinks, find_link_mistake
from gnomon.ground.config import current_config

log = logging.getLogger("gnomon.plugins")

_ATTRIBUTE = b"operator_extra_links"
"""Also a part of `global_operator_extra_links`."""
_found: dict[str, PluginLinks] = {}
"""By plugins folder: the links of this process."""


def get_plugin_links() -> PluginLinks:
    """Return the links of all plugins; what cannot be used is logged. No plugin is imported where none can bring a link."""
    folder = os.path.abspath(current_config().plugins_folder)
    links = _found.get(folder)
    if links is None:
        with unrecorded_reads():
            has_links = bool(list_link_files(folder)) or plugins.has_installed_plugins()
            links = _found[folder] = _collect() if has_links else PluginLinks()
    return links


def forget_plugin_links() -> None:
    """Load the plugins again at the next call of `get_plugin_links`."""
    _found.clear()


def list_link_files(folder: str) -> list[str]:
    """Return the files of the plugins folder that may bring links."""
    with unrecorded_reads():
        return [
            file for file in plugin_finder.list_python_files(folder) if plugin_finder.is_plugin_file(file, _ATTRIBUTE)
        ]


def _collect() -> PluginLinks:
    of_all: list[Any] = []
    of_operators: list[Any] = []
    for row, plugin in plugins.find_plugins():
        if row.error is not None:
            log.warning("a plugin cannot be used as it is: %s", row.error)
        of_all += _list_links(plugin, "global_operator_extra_links")
        of_operators += [
            link for link in _list_links(plugin, "operator_extra_links") if getattr(link, "operators", None)
        ]
    return PluginLinks(tuple(of_all), tuple(of_operators))


def _list_links(plugin: Any, attribute: str) -> list[Any]:
    links = getattr(plugin, attribute, None)
    return [link for link in links if find_link_mistake(link) is None] if isinstance(links, list | tuple) else []
