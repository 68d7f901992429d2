"""The classes and functions of authors: DAGs, tasks, task groups, XComArgs, params, connections, Variables, triggers.

A name is imported when it is first used. Open `dags/dag.py` (DAG) or `tasks/operator.py` (BaseOperator) first.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

EXPORTS: dict[str, str] = {
    "ArgNotSet": "arguments.notset",
    "Asset": "assets",
    "AssetAccessControl": "assets",
    "AssetAlias": "assets",
    "AssetAll": "assets",
    "AssetAny": "assets",
    "AssetOrTimeSchedule": "assets.asset_schedules",
    "AssetWatcher": "assets",
    "AsyncCallback": "runtime.callback_definitions",
    "BaseAsyncOperator": "tasks.operator",
    "BaseBranchOperator": "tasks.branching",
    "BaseDeadlineReference": "schedules.deadlines",
    "BaseHook": "runtime.connection",
    "BaseNotifier": "runtime.notifier",
    "BaseOperator": "tasks.operator",
    "BaseSensorOperator": "tasks.sensor",
    "BaseTrigger": "deferral.triggers",
    "BranchMixIn": "tasks.branching",
    "Connection": "runtime.connection",
    "DAG": "dags.dag",
    "DagParam": "arguments.params",
    "Dataset": "assets",
    "DeadlineAlert": "schedules.deadlines",
    "DeadlineReference": "schedules.deadlines",
    "DecoratedOperator": "tasks.decorated_operators",
    "EdgeModifier": "dags.edges",
    "Label": "dags.edges",
    "Metadata": "assets",
    "NOTSET": "arguments.notset",
    "Param": "arguments.params",
    "ParamsDict": "arguments.params",
    "PokeReturnValue": "tasks.sensor",
    "SkipMixin": "tasks.branching",
    "StartTriggerArgs": "deferral.triggers",
    "SyncCallback": "runtime.callback_definitions",
    "TaskFailedEvent": "deferral.triggers",
    "TaskGroup": "dags.task_group",
    "TaskSkippedEvent": "deferral.triggers",
    "TaskSuccessEvent": "deferral.triggers",
    "TriggerEvent": "deferral.triggers",
    "TriggerRule": "arguments.task_rules",
    "Variable": "runtime.variable",
    "VariableInterval": "schedules.deadlines",
    "WeekDay": "schedules.weekday",
    "WeightRule": "arguments.task_rules",
    "XComArg": "tasks.xcom_arg",
    "asset": "assets.asset_decorators",
    "chain": "dags.edges",
    "chain_linear": "dags.edges",
    "cross_downstream": "dags.edges",
    "deadline_reference": "schedules.deadlines",
    "get_current_context": "dags.authoring_state",
    "get_parsing_context": "dags.authoring_state",
    "literal": "templating.resolvable",
    "poke_mode_only": "tasks.sensor",
    "result": "tasks.task_decorators",
    "setup": "tasks.task_decorators",
    "task": "tasks.task_decorators",
    "task_decorator_factory": "tasks.task_decorators",
    "task_group": "dags.dag_decorators",
    "teardown": "tasks.task_decorators",
}
"""Public name to the module, below `gnomon.authoring.sdk`, that defines it."""

__all__ = list(EXPORTS)


def __getattr__(name: str) -> Any:
    if name not in EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{EXPORTS[name]}"), name)
    globals()[name] = value
    return value
