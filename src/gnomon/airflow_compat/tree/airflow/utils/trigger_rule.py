"""`airflow.utils.trigger_rule`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import TriggerRule

__all__ = ["TriggerRule"]
__getattr__ = missing(__name__)
