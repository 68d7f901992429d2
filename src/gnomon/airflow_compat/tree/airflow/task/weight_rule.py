"""`airflow.task.weight_rule`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import WeightRule

__all__ = ["WeightRule"]
__getattr__ = make_getattr(__name__)
