"""`airflow.triggers.testing`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.triggers.testing import FailureTrigger, SuccessTrigger

__all__ = ["FailureTrigger", "SuccessTrigger"]
__getattr__ = missing(__name__)
