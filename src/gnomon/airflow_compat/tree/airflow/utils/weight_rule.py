"""`airflow.utils.weight_rule`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import WeightRule

__all__ = ["WeightRule"]
__getattr__ = missing(__name__)
