"""Authoring: DAG, tasks, groups, values of other tasks, params, connections, variables. Names load when first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

EXPORTS: dict[str, str] = {
    "ArgNotSet": "notset",
    "Asset": "assets",
    "AssetAccessControl": "assets",
    "AssetAlias": "assets",
    "AssetAll": "assets",
    "AssetAny": "assets",
    "AssetWatcher": "assets",
    "BaseAsyncOperator": "operator",
    "BaseBranchOperator": "branch",
    "BaseHook": "hook",
    "BaseNotifier": "notifier",
    "BaseOperator": "operator",
    "BaseSensorOperator": "sensor",
    "BaseTrigger": "triggers",
    "BranchMixIn": "branch",
    "Connection": "connection",
    "DAG": "dag",
    "DagParam": "params",
    "Dataset": "assets",
    "DecoratedOperator": "decorated",
    "EdgeModifier": "edges",
    "Label": "edges",
    "Metadata": "assets",
    "NOTSET": "notset",
    "Param": "params",
    "ParamsDict": "params",
    "PokeReturnValue": "sensor",
    "SkipMixin": "skip",
    "StartTriggerArgs": "triggers",
    "TaskFailedEvent": "triggers",
    "TaskGroup": "taskgroup",
    "TaskSkippedEvent": "triggers",
    "TaskSuccessEvent": "triggers",
    "TriggerEvent": "triggers",
    "TriggerRule": "rules",
    "Variable": "variable",
    "WeekDay": "weekday",
    "WeightRule": "rules",
    "XComArg": "xcom_arg",
    "chain": "edges",
    "chain_linear": "edges",
    "cross_downstream": "edges",
    "get_current_context": "current",
    "get_parsing_context": "parsing",
    "literal": "literals",
    "poke_mode_only": "sensor",
    "setup": "decorators",
    "task": "decorators",
    "task_decorator_factory": "decorators",
    "task_group": "taskgroup_decorator",
    "teardown": "decorators",
}
"""Public name to the module that defines it."""

__all__ = list(EXPORTS)


def __getattr__(name: str) -> Any:
    if name not in EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{EXPORTS[name]}"), name)
    globals()[name] = value
    return value
