"""Calls the listeners of plugins in processes of author code. None of them can harm its process: each is bounded, and its errors are logged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gnomon.author_code.context import RuntimeDagRun
from gnomon.author_code.loading.hooks import HookImplementation
from gnomon.author_code.loading.listeners import (
    ASSET_EVENT_HOOKS,
    LISTENER_TIMEOUT_S,
    RUN_HOOKS,
    TASK_HOOKS,
    get_listener_manager,
)
from gnomon.author_code.processes.author_traceback import trim_error
from gnomon.author_code.runner.attempt_results import error_line
from gnomon.author_code.runner.runner_log import RunnerLog
from gnomon.author_code.runner.signals import time_limit
from gnomon.authoring.sdk.assets import Asset, AssetAlias, BaseAsset
from gnomon.authoring.sdk.assets.asset_plain_data import from_key
from gnomon.authoring.sdk.assets.emitted_event import EmittedAssetEvent
from gnomon.model.assets import AssetEmission
from gnomon.model.errors.authoring import AirflowTaskTimeout
from gnomon.model.run_callbacks import CallbackKind, CallbackRequest
from gnomon.model.states import TaskInstanceState

log = RunnerLog("gnomon.listeners")


def call_task_listeners(outcome: str, previous_state: TaskInstanceState, ti: Any, error: object = None) -> list[str]:
    """Call the listeners for this outcome of the task instance (running, success, failed, skipped); returns a sentence for each that failed."""
    hook = TASK_HOOKS.get(outcome)
    if hook is None:
        return []
    return _call_all(hook, {"previous_state": previous_state, "task_instance": ti, "error": error, "session": None})


def call_run_listeners(request: CallbackRequest, context: Any) -> list[str]:
    """Call the listeners for this change of the run's state; returns a sentence for each that failed."""
    hook = RUN_HOOKS.get(CallbackKind(request.kind))
    return [] if hook is None else _call_all(hook, {"dag_run": context["dag_run"], "msg": request.reason})


class TaskRunnerMarker:
    """The `component` of `on_starting` and `before_stopping`: the process of a task, or of the callbacks of a run."""


def call_component_listeners(hook: str) -> list[str]:
    """Call the listeners of `on_starting` or `before_stopping`; returns a sentence for each that failed."""
    return _call_all(hook, {"component": TaskRunnerMarker()})


def call_asset_listeners(emissions: Iterable[AssetEmission], outlets: Iterable[Any], ti: Any) -> list[str]:
    """Call the listeners of the events that a task records with its success; returns a sentence for each that failed."""
    outlet_assets = {
        (part.name, part.uri): part
        for outlet in outlets
        if isinstance(outlet, BaseAsset)
        for _, part in outlet.iter_assets()
    }
    failures = []
    for emission in emissions:
        asset = outlet_assets.get((emission.asset.name, emission.asset.uri)) or from_key(emission.asset)
        failures += call_asset_event_listeners(
            EmittedAssetEvent(
                asset,
                dict(emission.extra),
                ti.dag_id,
                ti.task_id,
                ti.run_id,
                ti.map_index,
                [AssetAlias(name) for name in emission.aliases],
                emission.partition_key,
            )
        )
    return failures


def call_asset_event_listeners(event: EmittedAssetEvent) -> list[str]:
    """Call `on_asset_changed` and `on_asset_event_emitted` for one event; returns a sentence for each listener that failed."""
    arguments = {"asset": event.asset, "asset_event": event}
    return [failure for hook in ASSET_EVENT_HOOKS for failure in _call_all(hook, arguments)]


def call_file_listeners(hook: str, arguments: Mapping[str, str]) -> list[str]:
    """Call the listeners for what the dag-processor found; returns a sentence for each that failed.

    `arguments`: `filename` and `stacktrace` of an import error; `name` and `uri` of an asset; `name` of an alias.
    """
    if hook == "on_asset_created":
        return _call_all(hook, {"asset": Asset(name=arguments["name"], uri=arguments["uri"])})
    if hook == "on_asset_alias_created":
        return _call_all(hook, {"asset_alias": AssetAlias(arguments["name"])})
    return _call_all(hook, dict(arguments))


def _call_all(hook: str, arguments: dict[str, Any]) -> list[str]:
    try:
        implementations = find_implementations(hook)
    except (Exception, AirflowTaskTimeout) as error:  # the edge of author code: a plugin
        log.exception("the listeners cannot be loaded")
        return [f"the listeners cannot be loaded: {error_line(error)}"]
    if implementations:
        _prepare_run(arguments)
    return [
        failure for implementation in implementations if (failure := _call_one(implementation, arguments)) is not None
    ]


def _prepare_run(arguments: Mapping[str, Any]) -> None:
    """Read what the run asks the server for: listeners, such as OpenLineage's, fork a process that looks at it, and a fork cannot ask."""
    run = arguments.get("dag_run") or getattr(arguments.get("task_instance"), "dag_run", None)
    if isinstance(run, RuntimeDagRun):
        try:
            run.read_remarks()
        except Exception:  # the listener asks again, and hears why
            log.exception("the note of the run cannot be read")


def find_implementations(hook: str) -> list[HookImplementation]:
    """The functions that implement the hook. The first call imports the plugins, within LISTENER_TIMEOUT_S.

    Raises AirflowTaskTimeout when that takes longer; later calls find the listeners of the plugins before.
    """
    with time_limit(LISTENER_TIMEOUT_S, "the import of plugins with listeners"):
        return get_listener_manager().get_implementations(hook)


def _call_one(implementation: HookImplementation, arguments: dict[str, Any]) -> str | None:
    try:
        with time_limit(LISTENER_TIMEOUT_S, f"listener {implementation.name}"):
            implementation.call(arguments)
    except (Exception, SystemExit, AirflowTaskTimeout) as error:
        how = f"failed: {error_line(error)}"
        if isinstance(error, AirflowTaskTimeout):
            how = f"ran for longer than {LISTENER_TIMEOUT_S:g} s and was ended"
        failure = f"listener {implementation.name} ({implementation.place}) {how}"
        log.error("%s; the outcome stays", failure, exc_info=trim_error(error))
        return failure
    return None
