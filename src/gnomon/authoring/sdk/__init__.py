"""The classes and functions of authors: DAGs, tasks, task groups, XComArgs, params, connections, Variables, triggers.

From top to bottom: `dags`, `tasks`, `mapping`, `members`, `signatures`, `schedules` and `storage`, `assets`, `runtime`, `deferral`, `templating`,
`serialization`, `nodes`, `connections`, `arguments`. A name is imported when it is first used. Open `dags/dag.py` (DAG) or `tasks/operator.py`
(BaseOperator) first.
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
    "BaseHook": "connections.connection",
    "BaseNotifier": "runtime.notifier",
    "BaseOperator": "tasks.operator",
    "BaseSensorOperator": "tasks.sensor",
    "BaseTrigger": "deferral.triggers",
    "BranchMixIn": "tasks.branching",
    "Connection": "connections.connection",
    "DAG": "dags.dag",
    "DagParam": "arguments.params",
    "Dataset": "assets",
    "DeadlineAlert": "schedules.deadlines",
    "DeadlineReference": "schedules.deadlines",
    "DecoratedOperator": "tasks.decorated_operators",
    "EdgeModifier": "nodes.edges",
    "Label": "nodes.edges",
    "Metadata": "assets",
    "NOTSET": "arguments.notset",
    "Param": "arguments.params",
    "ParamsDict": "arguments.params",
    "PokeReturnValue": "tasks.sensor",
    "SkipMixin": "tasks.branching",
    "StartTriggerArgs": "deferral.triggers",
    "SyncCallback": "runtime.callback_definitions",
    "TaskFailedEvent": "deferral.triggers",
    "TaskGroup": "members.task_group",
    "TaskSkippedEvent": "deferral.triggers",
    "TaskSuccessEvent": "deferral.triggers",
    "TriggerEvent": "deferral.triggers",
    "TriggerRule": "arguments.task_rules",
    "Variable": "connections.variable",
    "VariableInterval": "schedules.deadlines",
    "WeekDay": "schedules.weekday",
    "WeightRule": "arguments.task_rules",
    "XComArg": "members.xcom_arg",
    "asset": "dags.asset_decorators",
    "chain": "nodes.edges",
    "chain_linear": "nodes.edges",
    "cross_downstream": "nodes.edges",
    "deadline_reference": "schedules.deadlines",
    "get_current_context": "nodes.authoring_state",
    "get_parsing_context": "nodes.authoring_state",
    "literal": "arguments.resolvable",
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
