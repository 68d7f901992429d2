"""`airflow.task.priority_strategy`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.arguments.weight_strategies import PriorityWeightStrategy

__all__ = ["PriorityWeightStrategy"]
__getattr__ = make_getattr(__name__)
