"""Listeners: functions of plugins that are called at changes of runs, task instances and assets, and at import errors.

They run where author code may run, each within LISTENER_TIMEOUT_S: in the processes of attempts and callbacks on workers, for events of
watchers in trigger hosts, and for what the dag-processor finds in processes of their own.
"""

from __future__ import annotations

import logging
import os
from typing import Any

from gnomon.author_code.loading import plugin_finder, plugins
from gnomon.author_code.loading.hooks import LISTENER_MARK, HookImplementation, list_implementations
from gnomon.author_code.loading.unrecorded_reads import unrecorded_reads
from gnomon.ground.config import current_config
from gnomon.model.run_callbacks import CallbackKind

log = logging.getLogger("gnomon.listeners")

LISTENER_TIMEOUT_S = 30.0
"""How long one listener may run."""
RUN_HOOKS = {
    CallbackKind.RUN_STARTED: "on_dag_run_running",
    CallbackKind.RUN_SUCCEEDED: "on_dag_run_success",
    CallbackKind.RUN_FAILED: "on_dag_run_failed",
}
TASK_HOOKS = {
    "running": "on_task_instance_running",
    "success": "on_task_instance_success",
    "failed": "on_task_instance_failed",
    "skipped": "on_task_instance_skipped",
}
"""Outcome of an attempt to its hook."""
ASSET_EVENT_HOOKS = ("on_asset_changed", "on_asset_event_emitted")
"""Called for each event of an asset."""
COMPONENT_HOOKS = ("on_starting", "before_stopping")
"""Called in the process of each attempt of a task, and of the listeners of a run; the other components of Airflow are no place for author code here."""
FILE_HOOKS = ("on_new_dag_import_error", "on_existing_dag_import_error", "on_asset_created", "on_asset_alias_created")
"""Called for what the dag-processor finds."""
KNOWN_HOOKS = frozenset({*RUN_HOOKS.values(), *TASK_HOOKS.values(), *ASSET_EVENT_HOOKS, *COMPONENT_HOOKS, *FILE_HOOKS})
"""The hooks that are called."""
_ATTRIBUTE = b"listeners"


class ListenerManager:
    """The listeners of this process, by hook."""

    def __init__(self) -> None:
        self._listeners: list[Any] = []
        self._implementations: dict[str, list[HookImplementation]] = {}
        self.limits: list[str] = []
        """What of the listeners is not called, in sentences."""
        self.hook = _HookRelay(self)
        """`hook.NAME(argument=...)` calls all implementations of the hook NAME."""

    @property
    def has_listeners(self) -> bool:
        """Whether there is a listener."""
        return bool(self._listeners)

    def add_listener(self, listener: Any) -> None:
        """Add a module or object with marked functions; a second call has no effect."""
        if any(own_listener is listener for own_listener in self._listeners):
            return
        self._listeners.append(listener)
        for implementation in list_implementations(listener, LISTENER_MARK):
            self._implementations.setdefault(implementation.name, []).append(implementation)
            self._implementations[implementation.name].sort(key=lambda implementation: implementation.order)

    def clear(self) -> None:
        """Remove all listeners."""
        self._listeners.clear()
        self.limits.clear()
        self._implementations.clear()

    def get_implementations(self, hook: str) -> list[HookImplementation]:
        """The functions that implement the hook, in the order of their calls."""
        return self._implementations.get(hook, [])

    def list_hooks(self) -> set[str]:
        """The hooks that have an implementation."""
        return set(self._implementations)


class _HookRelay:
    """Calls the implementations of a hook as the attribute of its name."""

    def __init__(self, manager: ListenerManager) -> None:
        self._manager = manager

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda **arguments: [
            implementation.call(arguments) for implementation in self._manager.get_implementations(name)
        ]


_managers: dict[str, ListenerManager] = {}
"""By plugins folder: the manager of this process."""


def get_listener_manager() -> ListenerManager:
    """The manager of this process, with the listeners of all plugins; a plugin that cannot be loaded is logged."""
    folder = os.path.abspath(current_config().plugins_folder)
    manager = _managers.get(folder)
    if manager is None:
        manager = _managers[folder] = ListenerManager()
        with unrecorded_reads():
            if list_listener_files(folder) or plugins.has_installed_plugins():
                _add_plugins(manager)
    return manager


def _add_plugins(manager: ListenerManager) -> None:
    for row, plugin in plugins.find_plugins():
        if row.error is not None:
            log.warning("the listeners of a plugin are not called: %s", row.error)
        for listener in getattr(plugin, "listeners", None) or ():
            manager.add_listener(listener)
            manager.limits += _list_limits(
                row.name, {implementation.name for implementation in list_implementations(listener, LISTENER_MARK)}
            )


def _list_limits(plugin: str, hooks: set[str]) -> list[str]:
    """A sentence for each of the hooks that is not called where Airflow would call it."""
    where = f"plugin {plugin}: {' and '.join(COMPONENT_HOOKS)} are called in processes of tasks and of run listeners only, not in services"
    return [where] * bool(hooks & set(COMPONENT_HOOKS)) + [
        f"plugin {plugin}: the hook {name} is never called; the hooks that are called: {', '.join(sorted(KNOWN_HOOKS))}"
        for name in sorted(hooks - KNOWN_HOOKS)
    ]


def forget_listeners() -> None:
    """Load the plugins again at the next call of `get_listener_manager`."""
    _managers.clear()


def list_listener_files(folder: str) -> list[str]:
    """The files of the plugins folder that may bring a listener."""
    with unrecorded_reads():
        return [
            file for file in plugin_finder.list_python_files(folder) if plugin_finder.is_plugin_file(file, _ATTRIBUTE)
        ]


def may_have_listeners(folder: str) -> bool:
    """Whether a plugin of that folder or of an installed package may bring a listener; no plugin is imported."""
    return bool(list_listener_files(folder)) or plugins.has_installed_plugins()


def describe_listeners() -> dict[str, Any]:
    """The fields of a DagSpec that say which listeners of this installation are called; the log gets what of them is not."""
    manager = get_listener_manager()
    for sentence in manager.limits:
        log.warning("%s", sentence)
    return {
        "run_listeners": tuple(kind.value for kind, hook in RUN_HOOKS.items() if manager.get_implementations(hook)),
        "calls_task_listeners": any(
            manager.get_implementations(hook) for hook in (*TASK_HOOKS.values(), *ASSET_EVENT_HOOKS, *COMPONENT_HOOKS)
        ),
    }
