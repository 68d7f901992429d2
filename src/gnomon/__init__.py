"""Gnomon: a workflow scheduler for Python whose promise is about time."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
"""Type checkers read it as True; importing `typing` for it would double what `import gnomon` costs."""
if TYPE_CHECKING:  # what authors' type checkers see; the same names as below, which a test compares
    from gnomon.sdk.after import After as After
    from gnomon.sdk.assets import Asset as Asset
    from gnomon.sdk.calendars import calendar as calendar
    from gnomon.sdk.connection import Connection as Connection
    from gnomon.sdk.current import get_current_context as get_current_context
    from gnomon.sdk.dag import DAG as DAG
    from gnomon.sdk.dag_decorator import dag as dag
    from gnomon.sdk.datesfile import dates_file as dates_file
    from gnomon.sdk.decorators import setup as setup
    from gnomon.sdk.decorators import task as task
    from gnomon.sdk.decorators import teardown as teardown
    from gnomon.sdk.edges import Label as Label
    from gnomon.sdk.edges import chain as chain
    from gnomon.sdk.edges import chain_linear as chain_linear
    from gnomon.sdk.edges import cross_downstream as cross_downstream
    from gnomon.sdk.hook import BaseHook as BaseHook
    from gnomon.sdk.literals import literal as literal
    from gnomon.sdk.notifier import BaseNotifier as BaseNotifier
    from gnomon.sdk.operator import BaseOperator as BaseOperator
    from gnomon.sdk.params import Param as Param
    from gnomon.sdk.parsing import get_parsing_context as get_parsing_context
    from gnomon.sdk.rules import TriggerRule as TriggerRule
    from gnomon.sdk.rules import WeightRule as WeightRule
    from gnomon.sdk.sensor import BaseSensorOperator as BaseSensorOperator
    from gnomon.sdk.sensor import PokeReturnValue as PokeReturnValue
    from gnomon.sdk.taskgroup import TaskGroup as TaskGroup
    from gnomon.sdk.taskgroup_decorator import task_group as task_group
    from gnomon.sdk.triggers import BaseTrigger as BaseTrigger
    from gnomon.sdk.triggers import StartTriggerArgs as StartTriggerArgs
    from gnomon.sdk.triggers import TaskFailedEvent as TaskFailedEvent
    from gnomon.sdk.triggers import TaskSkippedEvent as TaskSkippedEvent
    from gnomon.sdk.triggers import TaskSuccessEvent as TaskSuccessEvent
    from gnomon.sdk.triggers import TriggerEvent as TriggerEvent
    from gnomon.sdk.variable import Variable as Variable
    from gnomon.sdk.xcom_arg import XComArg as XComArg

_EXPORTS: dict[str, str] = {
    "After": "after",
    "Asset": "assets",
    "BaseHook": "hook",
    "BaseNotifier": "notifier",
    "BaseOperator": "operator",
    "BaseSensorOperator": "sensor",
    "BaseTrigger": "triggers",
    "Connection": "connection",
    "DAG": "dag",
    "Label": "edges",
    "Param": "params",
    "PokeReturnValue": "sensor",
    "StartTriggerArgs": "triggers",
    "TaskFailedEvent": "triggers",
    "TaskGroup": "taskgroup",
    "TaskSkippedEvent": "triggers",
    "TaskSuccessEvent": "triggers",
    "TriggerEvent": "triggers",
    "TriggerRule": "rules",
    "Variable": "variable",
    "WeightRule": "rules",
    "XComArg": "xcom_arg",
    "calendar": "calendars",
    "chain": "edges",
    "chain_linear": "edges",
    "cross_downstream": "edges",
    "dag": "dag_decorator",
    "dates_file": "datesfile",
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
