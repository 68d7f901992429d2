"""Gnomon, a workflow scheduler for Python: each run is made exactly once, at the time that its timetable says.

This package exports the names for DAG files. They are imported when first used, so that `import gnomon` stays fast.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
"""Type checkers treat this name as True; importing it from `typing` would double the time of `import gnomon`."""
if TYPE_CHECKING:  # the names for type checkers and IDEs; a test compares them with _EXPORTS
    from gnomon.authoring.sdk.after import After as After
    from gnomon.authoring.sdk.arguments.alert_rules import Alert as Alert
    from gnomon.authoring.sdk.arguments.baselines import Baseline as Baseline
    from gnomon.authoring.sdk.arguments.params import Param as Param
    from gnomon.authoring.sdk.arguments.resolvable import literal as literal
    from gnomon.authoring.sdk.arguments.task_rules import TriggerRule as TriggerRule
    from gnomon.authoring.sdk.arguments.task_rules import WeightRule as WeightRule
    from gnomon.authoring.sdk.assets import Asset as Asset
    from gnomon.authoring.sdk.connections.connection import BaseHook as BaseHook
    from gnomon.authoring.sdk.connections.connection import Connection as Connection
    from gnomon.authoring.sdk.connections.variable import Variable as Variable
    from gnomon.authoring.sdk.dags.dag import DAG as DAG
    from gnomon.authoring.sdk.dags.dag_decorators import dag as dag
    from gnomon.authoring.sdk.dags.dag_decorators import task_group as task_group
    from gnomon.authoring.sdk.deferral.triggers import BaseTrigger as BaseTrigger
    from gnomon.authoring.sdk.deferral.triggers import StartTriggerArgs as StartTriggerArgs
    from gnomon.authoring.sdk.deferral.triggers import TaskFailedEvent as TaskFailedEvent
    from gnomon.authoring.sdk.deferral.triggers import TaskSkippedEvent as TaskSkippedEvent
    from gnomon.authoring.sdk.deferral.triggers import TaskSuccessEvent as TaskSuccessEvent
    from gnomon.authoring.sdk.deferral.triggers import TriggerEvent as TriggerEvent
    from gnomon.authoring.sdk.members.task_group import TaskGroup as TaskGroup
    from gnomon.authoring.sdk.members.xcom_arg import XComArg as XComArg
    from gnomon.authoring.sdk.nodes.authoring_state import get_current_context as get_current_context
    from gnomon.authoring.sdk.nodes.authoring_state import get_parsing_context as get_parsing_context
    from gnomon.authoring.sdk.nodes.edges import Label as Label
    from gnomon.authoring.sdk.nodes.edges import chain as chain
    from gnomon.authoring.sdk.nodes.edges import chain_linear as chain_linear
    from gnomon.authoring.sdk.nodes.edges import cross_downstream as cross_downstream
    from gnomon.authoring.sdk.runtime.notifier import BaseNotifier as BaseNotifier
    from gnomon.authoring.sdk.schedules.dates_file import dates_file as dates_file
    from gnomon.authoring.sdk.schedules.named_calendars import calendar as calendar
    from gnomon.authoring.sdk.tasks.operator import BaseOperator as BaseOperator
    from gnomon.authoring.sdk.tasks.sensor import BaseSensorOperator as BaseSensorOperator
    from gnomon.authoring.sdk.tasks.sensor import PokeReturnValue as PokeReturnValue
    from gnomon.authoring.sdk.tasks.task_decorators import setup as setup
    from gnomon.authoring.sdk.tasks.task_decorators import task as task
    from gnomon.authoring.sdk.tasks.task_decorators import teardown as teardown

_EXPORTS: dict[str, str] = {
    "After": "after",
    "Alert": "arguments.alert_rules",
    "Asset": "assets",
    "BaseHook": "connections.connection",
    "BaseNotifier": "runtime.notifier",
    "BaseOperator": "tasks.operator",
    "BaseSensorOperator": "tasks.sensor",
    "BaseTrigger": "deferral.triggers",
    "Baseline": "arguments.baselines",
    "Connection": "connections.connection",
    "DAG": "dags.dag",
    "Label": "nodes.edges",
    "Param": "arguments.params",
    "PokeReturnValue": "tasks.sensor",
    "StartTriggerArgs": "deferral.triggers",
    "TaskFailedEvent": "deferral.triggers",
    "TaskGroup": "members.task_group",
    "TaskSkippedEvent": "deferral.triggers",
    "TaskSuccessEvent": "deferral.triggers",
    "TriggerEvent": "deferral.triggers",
    "TriggerRule": "arguments.task_rules",
    "Variable": "connections.variable",
    "WeightRule": "arguments.task_rules",
    "XComArg": "members.xcom_arg",
    "calendar": "schedules.named_calendars",
    "chain": "nodes.edges",
    "chain_linear": "nodes.edges",
    "cross_downstream": "nodes.edges",
    "dag": "dags.dag_decorators",
    "dates_file": "schedules.dates_file",
    "get_current_context": "nodes.authoring_state",
    "get_parsing_context": "nodes.authoring_state",
    "literal": "arguments.resolvable",
    "setup": "tasks.task_decorators",
    "task": "tasks.task_decorators",
    "task_group": "dags.dag_decorators",
    "teardown": "tasks.task_decorators",
}
"""Each public name and its module below `gnomon.authoring.sdk`."""

__all__ = list(_EXPORTS)


def __getattr__(name: str) -> object:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'gnomon' has no attribute {name!r}")
    value: object = getattr(import_module(f"gnomon.authoring.sdk.{_EXPORTS[name]}"), name)
    globals()[name] = value
    return value
