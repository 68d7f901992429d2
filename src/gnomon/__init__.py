"""Gnomon: a workflow scheduler for Python whose promise is about time."""

from __future__ import annotations

from importlib import import_module

_EXPORTS: dict[str, str] = {
    "Asset": "assets",
    "BaseHook": "hook",
    "BaseNotifier": "notifier",
    "BaseOperator": "operator",
    "BaseSensorOperator": "sensor",
    "Connection": "connection",
    "DAG": "dag",
    "Label": "edges",
    "Param": "params",
    "PokeReturnValue": "sensor",
    "TaskGroup": "taskgroup",
    "TriggerRule": "rules",
    "Variable": "variable",
    "WeightRule": "rules",
    "XComArg": "xcom_arg",
    "chain": "edges",
    "chain_linear": "edges",
    "cross_downstream": "edges",
    "dag": "dag_decorator",
    "get_current_context": "current",
    "get_parsing_context": "parsing",
    "literal": "literals",
    "setup": "decorators",
    "task": "decorators",
    "task_group": "taskgroup_decorator",
    "teardown": "decorators",
}
"""Names for authors, loaded when first used: `import gnomon` alone loads nothing."""

__all__ = list(_EXPORTS)


def __getattr__(name: str) -> object:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'gnomon' has no attribute {name!r}")
    value: object = getattr(import_module(f"gnomon.sdk.{_EXPORTS[name]}"), name)
    globals()[name] = value
    return value
