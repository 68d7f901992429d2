"""`airflow.sdk.definitions._internal.abstractoperator`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.sdk.arguments.task_rules import TriggerRule, WeightRule
from gnomon.sdk.tasks.task_membership import TaskMembership as AbstractOperator

__all__ = ["AbstractOperator", "DEFAULT_POOL_SLOTS", "DEFAULT_PRIORITY_WEIGHT", "DEFAULT_TRIGGER_RULE", "DEFAULT_WEIGHT_RULE"]
DEFAULT_POOL_SLOTS = 1
DEFAULT_PRIORITY_WEIGHT = 1
DEFAULT_TRIGGER_RULE = TriggerRule.ALL_SUCCESS
DEFAULT_WEIGHT_RULE = WeightRule.DOWNSTREAM
__getattr__ = make_getattr(__name__)
